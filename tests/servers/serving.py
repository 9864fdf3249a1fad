"""Real servers over HTTP: started on a port of their own, killed, started again, ended."""

import contextlib
import os
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Self

__all__ = ["Serving", "free_port"]

STARTING = 30.0


def free_port() -> int:
    """Find a port that nobody has at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


class Serving:
    """A program that serves HTTP; `command` and `environment` are made for its port."""

    def __init__(
        self,
        command: Callable[[int], Sequence[str]],
        path: str = "/mcp",
        environment: Callable[[int], Mapping[str, str]] = lambda port: {},
    ) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}{path}"
        self._command = list(command(self.port))
        self._environment = {**os.environ, **environment(self.port)}
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        self.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    @property
    def pid(self) -> int | None:
        """The number of its process, None while there is none."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Start the program, without waiting for it to serve."""
        nowhere = subprocess.DEVNULL
        self._process = subprocess.Popen(
            self._command, env=self._environment, stdin=nowhere, stdout=nowhere, stderr=nowhere
        )

    def wait(self) -> None:
        """Wait until somebody can be connected to."""
        until = time.monotonic() + STARTING
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            assert time.monotonic() < until, f"{self._command} does not serve"
            assert self._process is not None
            assert self._process.poll() is None, f"{self._command} has ended"
            time.sleep(0.01)

    def kill(self) -> None:
        """End the program at once, as a crash does."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

"""Run the command as a person does, on a terminal, and type."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from tests.cli.command import PROGRAM, surroundings

__all__ = ["Terminal", "terminal"]

PATIENCE = 15.0
_STYLING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """The person's side of a pseudo-terminal.

    Attributes:
        seen: everything that was shown so far, as it came. descriptor: the side that is read and typed on.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", descriptor: int) -> None:
        self.process = process
        self.seen = ""
        self.descriptor = descriptor
        self._read_up_to = 0

    @property
    def text(self) -> str:
        """What was shown, without colours and movements of the cursor."""
        return _STYLING.sub("", self.seen).replace("\r\n", "\n")

    def expect(self, words: str) -> str:
        """Wait until these words are shown, after what was expected before; gives what came up to them."""
        end = time.monotonic() + PATIENCE
        while (place := self.text.find(words, self._read_up_to)) < 0:
            if not self._read(end - time.monotonic()):
                raise AssertionError(f"{words!r} was not shown; this was:\n{self.text[self._read_up_to :]}")
        passed = self.text[self._read_up_to : place]
        self._read_up_to = place + len(words)
        return passed

    def insist(self, send: Callable[[], None], words: str) -> None:
        """Send a signal until these words are shown: one that comes just before readline waits is not seen by it."""
        for _ in range(5):
            send()
            end = time.monotonic() + PATIENCE / 5
            while words not in self.text[self._read_up_to :] and self._read(end - time.monotonic()):
                pass
            if words in self.text[self._read_up_to :]:
                break
        self.expect(words)

    def type(self, keys: str) -> None:
        """Type keys; `\\n` is Enter, `\\x03` Ctrl-C, `\\x04` Ctrl-D."""
        os.write(self.descriptor, keys.encode())

    def end(self) -> int:
        """Read to the end; gives the exit code."""
        end = time.monotonic() + PATIENCE
        while self._read(end - time.monotonic()):
            pass
        return self.process.wait(max(0.1, end - time.monotonic()))

    def _read(self, seconds: float) -> bool:
        ready, _, _ = select.select([self.descriptor], [], [], max(0.0, seconds))
        if not ready:
            return False
        try:
            data = os.read(self.descriptor, 65536)
        except OSError:  # how Linux says that nobody has the other side open any more
            return False
        self.seen += data.decode(errors="replace")
        return bool(data)


@contextmanager
def terminal(*words: str, **env: str) -> Generator[Terminal]:
    """Run `dragoman` with these words on a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    process = subprocess.Popen(
        [*PROGRAM, *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=surroundings(TERM="xterm-256color", **env),
        preexec_fn=lambda: os.login_tty(theirs),  # noqa: PLW1509 - there is no other way to a terminal of one's own
    )
    os.close(theirs)
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait(5)
        os.close(ours)

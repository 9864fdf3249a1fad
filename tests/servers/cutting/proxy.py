"""Pass connections on to a server, or cut, delay, hold up and repeat what goes over them."""

import contextlib
import os
import random
import socket
import struct
import threading
from collections.abc import Callable
from enum import Enum, auto
from typing import Self, TypeAlias

__all__ = ["Cutting", "Fate", "Weather", "fair", "stormy"]

WAIT = 0.01


class Fate(Enum):
    """What happens to some bytes on their way."""

    PASS = auto()
    CUT_BEFORE = auto()
    """They are lost, and the connection with them."""
    CUT_WITHIN = auto()
    """Half of them arrives, and then the connection is cut."""
    CUT_AFTER = auto()
    """They arrive, and then the connection is cut."""
    DELAY = auto()
    """They arrive after others, of other connections, that left later."""
    REPEAT = auto()
    """They arrive, and a second time by a connection whose answer goes nowhere; of a request only."""


Weather: TypeAlias = Callable[[bool], Fate]
"""Decides the fate of what is on its way; told whether it goes to the server."""


def fair(is_request: bool) -> Fate:
    """Let everything pass."""
    return Fate.PASS


def stormy(seed: int, share: float, *fates: Fate) -> Weather:
    """Let one of some fates befall a share of all, the same each time for the same seed."""
    dice, guard = random.Random(seed), threading.Lock()

    def weather(is_request: bool) -> Fate:
        with guard:
            fate = dice.choice(fates) if dice.random() < share else Fate.PASS
        return Fate.PASS if fate is Fate.REPEAT and not is_request else fate

    return weather


class Cutting:
    """A proxy on a port of its own, before a server's port on this machine.

    Attributes:
        weather: decides what happens to what is on its way; may be changed at any time.
        cuts: how many connections were cut.
    """

    def __init__(self, target: int, weather: Weather = fair) -> None:
        self.target = target
        self.weather = weather
        self.cuts = 0
        self.repeated: list[bytes] = []
        self._guard = threading.Lock()
        self._pairs: set[_Pair] = set()
        self._threads: list[threading.Thread] = []
        self._listener: socket.socket | None = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port: int = self._listener.getsockname()[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def __enter__(self) -> Self:
        self._listen()
        return self

    def __exit__(self, *_: object) -> None:
        self.down()
        for thread in list(self._threads):
            thread.join(10)

    def down(self) -> None:
        """Cut every connection, and refuse further ones."""
        listener, self._listener = self._listener, None
        if listener is not None:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        self.cut()

    def up(self) -> None:
        """Take connections again, on the same port."""
        self._listener = socket.create_server(("127.0.0.1", self.port), backlog=512)
        self._listen()

    def cut(self) -> None:
        """Cut every connection that there is."""
        with self._guard:
            pairs = list(self._pairs)
        for pair in pairs:
            pair.cut()

    def _listen(self) -> None:
        assert self._listener is not None
        self._start(self._accept, self._listener)

    def _start(self, function: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=function, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        while listener is self._listener:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            self._start(self._serve, client)

    def _serve(self, client: socket.socket) -> None:
        try:
            server = socket.create_connection(("127.0.0.1", self.target), 10)
        except OSError:
            _reset(client)
            return
        server.settimeout(None)
        pair = _Pair(client, server)
        with self._guard:
            self._pairs.add(pair)
        back = threading.Thread(target=self._relay, args=(pair, server, client, False), daemon=True)
        back.start()
        self._relay(pair, client, server, True)
        back.join()
        pair.close()
        with self._guard:
            self._pairs.discard(pair)

    def _relay(self, pair: "_Pair", source: socket.socket, sink: socket.socket, is_request: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if not self._pass_on(data, sink, self.weather(is_request)):
                    self.cuts += 1
                    pair.cut()
                    return
        pair.shut()

    def _pass_on(self, data: bytes, sink: socket.socket, fate: Fate) -> bool:
        """Send some bytes on, or what is left of them; False when the connection is to be cut."""
        if fate is Fate.CUT_BEFORE:
            return False
        if fate is Fate.DELAY:
            threading.Event().wait(WAIT)
        sink.sendall(data[: len(data) // 2] if fate is Fate.CUT_WITHIN else data)
        if fate is Fate.REPEAT:
            self.repeated.append(data)
            self._start(self._repeat, data)
        return fate not in {Fate.CUT_WITHIN, Fate.CUT_AFTER}

    def _repeat(self, data: bytes) -> None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.target), 10) as second:
            second.sendall(data)
            second.shutdown(socket.SHUT_WR)
            while second.recv(65536):
                pass


class _Pair:
    """The two ends of one connection."""

    def __init__(self, *ends: socket.socket) -> None:
        self._ends = ends
        self._guard = threading.Lock()
        self._is_cut = False
        for end in ends:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def cut(self) -> None:
        """Have both ends reset, when whoever reads them has woken."""
        with self._guard:
            self._is_cut = True
        self.shut()

    def shut(self) -> None:
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        for end in self._ends:
            if self._is_cut:
                _reset(end)
            else:
                end.close()


def _reset(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(connection.detach())

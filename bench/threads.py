"""Measure a sync contender; what is at once has a thread each."""

import gc
from collections.abc import Callable
from contextlib import ExitStack
from threading import Thread
from typing import Any

from bench.clock import CONNECTIONS, Watch, check, resident_bytes
from bench.rows import Sample

__all__ = ["connecting", "connection_memory", "echoing", "listing", "reading", "reporting"]

Connect = Callable[[list[str]], Any]


def _repeat(verb: Callable[[], Any], width: int, seconds: float) -> Sample:
    """Repeat a verb, so many at once, for about so long."""
    watch = Watch()
    _in_turn(verb, 3)
    turns = max(4, watch.turns(3, seconds) // width)
    threads = [Thread(target=_in_turn, args=(verb, turns)) for _ in range(width)]
    watch.start()
    if width == 1:
        _in_turn(verb, turns)
    else:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return watch.stop(turns * width)


def _in_turn(verb: Callable[[], Any], turns: int) -> None:
    for _ in range(turns):
        verb()


def echoing(connect: Connect, command: list[str], amount: int, seconds: float) -> Sample:
    with connect(command) as connection:
        check(connection.echo(), "hello")
        return _repeat(connection.echo, amount, seconds)


def reporting(connect: Connect, command: list[str], amount: int, seconds: float) -> Sample:
    with connect(command) as connection:
        connection.list_tools()
        check(connection.report()["values"], [1, 2, 3, 4, 5, 6])
        return _repeat(connection.report, amount, seconds)


def listing(connect: Connect, command: list[str], amount: int, seconds: float) -> Sample:
    with connect(command) as connection:
        check(connection.list_tools(), 1000)
        return _repeat(connection.list_tools, amount, seconds)


def reading(connect: Connect, command: list[str], amount: int, seconds: float) -> Sample:
    with connect(command) as connection:
        check(connection.text(amount) > amount * 999_000, True)
        watch = Watch()
        watch.start()
        connection.text(amount)
        return watch.stop(1)


def connecting(connect: Connect, command: list[str], amount: int, seconds: float) -> Sample:
    with connect(command):
        pass
    watch = Watch()
    watch.start()
    with connect(command):
        return watch.stop(1)


def connection_memory(connect: Connect, command: list[str], amount: int, seconds: float) -> Sample:
    with ExitStack() as stack:
        _add_connections(stack, connect, command, 3)
        before = resident_bytes()
        _add_connections(stack, connect, command, CONNECTIONS)
        return Sample((resident_bytes() - before) / CONNECTIONS)


def _add_connections(stack: ExitStack, connect: Connect, command: list[str], number: int) -> None:
    for _ in range(number):
        check(stack.enter_context(connect(command)).echo(), "hello")
    gc.collect()

"""Measure a sync contender; what is at once has a thread each."""

import gc
import math
from collections.abc import Callable
from contextlib import ExitStack
from threading import Thread
from typing import Any

from bench.clock import CONNECTIONS, Watch, check, connections, resident_bytes
from bench.report import middle
from bench.rows import Sample

__all__ = [
    "connecting",
    "connection_memory",
    "echoing",
    "lines",
    "listing",
    "reading",
    "reporting",
    "running",
    "streaming",
]

Target = list[str] | str
Connect = Callable[[Target], Any]


def _repeat(verb: Callable[[], Any], width: int, seconds: float) -> Sample:
    """Repeat a verb, so many at once, for about so long."""
    watch = Watch()
    _in_turn(verb, 3)
    turns = max(4, watch.turns(3, seconds) // width)
    if width > 1:
        _at_once(verb, width, 1)  # what they need once, such as a connection each, is there afterwards
    watch.start()
    _at_once(verb, width, turns)
    return watch.stop(turns * width)


def _at_once(verb: Callable[[], Any], width: int, turns: int) -> None:
    if width == 1:
        _in_turn(verb, turns)
        return
    threads = [Thread(target=_in_turn, args=(verb, turns)) for _ in range(width)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _in_turn(verb: Callable[[], Any], turns: int) -> None:
    for _ in range(turns):
        verb()


def echoing(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    with connect(target) as connection:
        check(connection.echo(), "hello")
        return _repeat(connection.echo, amount, seconds)


def reporting(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    with connect(target) as connection:
        connection.list_tools()
        check(connection.report()["values"], [1, 2, 3, 4, 5, 6])
        return _repeat(connection.report, amount, seconds)


def running(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    with connect(target) as connection:
        check(connection.run(), "hello")
        bare = _repeat(connection.echo, amount, seconds / 2)
        run = _repeat(connection.run, amount, seconds / 2)
        return run.beyond(bare)


def listing(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    with connect(target) as connection:
        check(connection.list_tools(), 1000)
        return _repeat(connection.list_tools, amount, seconds)


def reading(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    with connect(target) as connection:
        check(connection.text(amount) > amount * 999_000, True)
        watch = Watch()
        watch.start()
        connection.text(amount)
        return watch.stop(1)


def connecting(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    with connect(target):
        pass
    watch, samples = Watch(), []
    for _ in range(amount):
        watch.start()
        with connect(target):
            samples.append(watch.stop(1))
    return middle(samples)


def connection_memory(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    with ExitStack() as stack:
        _add_connections(stack, connect, target, 3)
        before = resident_bytes()
        _add_connections(stack, connect, target, CONNECTIONS)
        return Sample((resident_bytes() - before) / CONNECTIONS)


def _add_connections(stack: ExitStack, connect: Connect, target: Target, number: int) -> None:
    for _ in range(number):
        check(stack.enter_context(connect(target)).echo(), "hello")
    gc.collect()


def lines(connect: Connect, target: str, amount: int, seconds: float) -> Sample:
    with connect(target) as connection:
        check(connection.echo(), "hello")
        before = connections(target)
        turns = math.ceil(1000 / amount)
        _at_once(connection.echo, amount, turns)
        # The one that asked is among them; in its place counts the one that was there already.
        return Sample(connections(target) - before)


def streaming(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    with connect(target) as connection:
        check(connection.events(amount), amount)
        watch = Watch()
        turns = max(3, int(seconds / 0.1))
        for _ in range(turns):
            connection.events(amount)
        return watch.stop(turns * amount)

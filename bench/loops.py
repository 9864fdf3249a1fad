"""Measure an async contender."""

import asyncio
import gc
import math
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
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


async def _repeat(verb: Callable[[], Awaitable[Any]], width: int, seconds: float) -> Sample:
    """Repeat a verb, so many at once, for about so long."""
    watch = Watch()
    for _ in range(3):
        await verb()
    turns = watch.turns(3, seconds)
    if width > 1:
        await _at_once(verb, width, 1)  # what they need once, such as a connection each, is there afterwards
        # Together they are faster than the first three were, so each takes more turns than its share.
        turns = max(4, turns * 2 // width)
    watch.start()
    await _at_once(verb, width, turns)
    return watch.stop(turns * width)


async def _at_once(verb: Callable[[], Awaitable[Any]], width: int, turns: int) -> None:
    if width == 1:
        await _in_turn(verb, turns)
        return
    async with asyncio.TaskGroup() as group:
        for _ in range(width):
            group.create_task(_in_turn(verb, turns))


async def _in_turn(verb: Callable[[], Awaitable[Any]], turns: int) -> None:
    for _ in range(turns):
        await verb()


async def echoing(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    async with connect(target) as connection:
        check(await connection.echo(), "hello")
        return await _repeat(connection.echo, amount, seconds)


async def reporting(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    async with connect(target) as connection:
        await connection.list_tools()
        check((await connection.report())["values"], [1, 2, 3, 4, 5, 6])
        return await _repeat(connection.report, amount, seconds)


async def running(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    async with connect(target) as connection:
        check(await connection.run(), "hello")
        bare = await _repeat(connection.echo, amount, seconds / 2)
        run = await _repeat(connection.run, amount, seconds / 2)
        return run.beyond(bare)


async def listing(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    async with connect(target) as connection:
        check(await connection.list_tools(), 1000)
        return await _repeat(connection.list_tools, amount, seconds)


async def reading(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    async with connect(target) as connection:
        check(await connection.text(amount) > amount * 999_000, True)
        watch = Watch()
        watch.start()
        await connection.text(amount)
        return watch.stop(1)


async def connecting(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    async with connect(target):
        pass
    watch, samples = Watch(), []
    for _ in range(amount):
        watch.start()
        async with connect(target):
            samples.append(watch.stop(1))
    return middle(samples)


async def connection_memory(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    async with AsyncExitStack() as stack:
        add = partial(_add_connections, stack, connect, target)
        await add(3)
        before = resident_bytes()
        await add(CONNECTIONS)
        return Sample((resident_bytes() - before) / CONNECTIONS)


async def _add_connections(stack: AsyncExitStack, connect: Connect, target: Target, number: int) -> None:
    for _ in range(number):
        connection = await stack.enter_async_context(connect(target))
        check(await connection.echo(), "hello")
    gc.collect()


async def lines(connect: Connect, target: str, amount: int, seconds: float) -> Sample:
    async with connect(target) as connection:
        check(await connection.echo(), "hello")
        before = connections(target)
        turns = math.ceil(1000 / amount)
        await _at_once(connection.echo, amount, turns)
        # The one that asked is among them; in its place counts the one that was there already.
        return Sample(connections(target) - before)


async def streaming(connect: Connect, target: Target, amount: int, seconds: float) -> Sample:
    async with connect(target) as connection:
        check(await connection.events(amount), amount)
        watch = Watch()
        turns = max(3, int(seconds / 0.1))
        for _ in range(turns):
            await connection.events(amount)
        return watch.stop(turns * amount)

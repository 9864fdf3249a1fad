"""Measure an async contender."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

from bench.clock import CONNECTIONS, Watch, check, resident_bytes
from bench.rows import Sample

__all__ = ["connecting", "connection_memory", "echoing", "listing", "reading", "reporting"]

Connect = Callable[[list[str]], Any]


async def _repeat(verb: Callable[[], Awaitable[Any]], width: int, seconds: float) -> Sample:
    """Repeat a verb, so many at once, for about so long."""
    watch = Watch()
    for _ in range(3):
        await verb()
    turns = watch.turns(3, seconds)
    watch.start()
    if width == 1:
        await _in_turn(verb, turns)
    else:
        # Together they are faster than the first three were, so each takes more turns than its share.
        turns = max(4, turns * 2 // width)
        async with asyncio.TaskGroup() as group:
            for _ in range(width):
                group.create_task(_in_turn(verb, turns))
    return watch.stop(turns * width)


async def _in_turn(verb: Callable[[], Awaitable[Any]], turns: int) -> None:
    for _ in range(turns):
        await verb()


async def echoing(connect: Connect, command: list[str], amount: int, seconds: float) -> Sample:
    async with connect(command) as connection:
        check(await connection.echo(), "hello")
        return await _repeat(connection.echo, amount, seconds)


async def reporting(connect: Connect, command: list[str], amount: int, seconds: float) -> Sample:
    async with connect(command) as connection:
        await connection.list_tools()
        check((await connection.report())["values"], [1, 2, 3, 4, 5, 6])
        return await _repeat(connection.report, amount, seconds)


async def listing(connect: Connect, command: list[str], amount: int, seconds: float) -> Sample:
    async with connect(command) as connection:
        check(await connection.list_tools(), 1000)
        return await _repeat(connection.list_tools, amount, seconds)


async def reading(connect: Connect, command: list[str], amount: int, seconds: float) -> Sample:
    async with connect(command) as connection:
        check(await connection.text(amount) > amount * 999_000, True)
        watch = Watch()
        watch.start()
        await connection.text(amount)
        return watch.stop(1)


async def connecting(connect: Connect, command: list[str], amount: int, seconds: float) -> Sample:
    async with connect(command):
        pass
    watch = Watch()
    watch.start()
    async with connect(command):
        return watch.stop(1)


async def connection_memory(connect: Connect, command: list[str], amount: int, seconds: float) -> Sample:
    async with AsyncExitStack() as stack:
        add = partial(_add_connections, stack, connect, command)
        await add(3)
        before = resident_bytes()
        await add(CONNECTIONS)
        return Sample((resident_bytes() - before) / CONNECTIONS)


async def _add_connections(stack: AsyncExitStack, connect: Connect, command: list[str], number: int) -> None:
    for _ in range(number):
        connection = await stack.enter_async_context(connect(command))
        check(await connection.echo(), "hello")
    gc.collect()

"""Run a server that is a function, or a server object of the official SDK or of FastMCP, in whatever loop awaits it."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import msgspec

from dragoman.errors import UsageError

__all__ = ["ObjectServer"]


class ObjectServer:
    """A server in this process: bytes of messages are put into `take`, its own are handed to `say`.

    The server is a function of a message, as a dict, which returns or yields messages: none, one or several; it may be
    asynchronous, and must be where it waits. Or it is a server object of `mcp` or `fastmcp`. `ended` is told why it
    ended: an exception, or None.
    """

    def __init__(
        self, server: Any, say: Callable[[bytes], None], ended: Callable[[BaseException | None], None]
    ) -> None:
        self._serve = _serving(server)
        self._say = say
        self._ended = ended
        self._incoming: asyncio.Queue[bytes | Exception] = asyncio.Queue()

    def take(self, data: bytes) -> None:
        """Take a message of the client's, in the loop in which the server runs."""
        self._incoming.put_nowait(data)

    async def run(self) -> None:
        """Serve until the server ends or this is cancelled."""
        error: BaseException | None = None
        try:
            await self._serve(self._incoming, self._say)
        except Exception as raised:  # noqa: BLE001 - the server's code: whoever waits for it is told
            error = _leaf(raised)
        self._ended(error)


_Serve = Callable[["asyncio.Queue[bytes | Exception]", Callable[[bytes], None]], Any]


def _serving(server: Any) -> _Serve:
    lowlevel = _lowlevel(server)
    if lowlevel is not None:
        return lambda incoming, say: _serve_object(server, lowlevel, incoming, say)
    if callable(server):
        return lambda incoming, say: _serve_function(server, incoming, say)
    raise UsageError(
        f"{type(server).__name__} is no server", hint="give a function of a message, or a server of mcp or fastmcp"
    )


def _leaf(error: BaseException) -> BaseException:
    """Take an error out of the groups that task groups wrap around it."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


# ----------------------------------------------------------------------------------------------------------- functions


async def _serve_function(
    function: Callable[[Any], Any], incoming: asyncio.Queue[bytes | Exception], say: Callable[[bytes], None]
) -> None:
    """Call the function for each message, each call by itself, so that one that waits holds up no other."""
    running: set[asyncio.Task[None]] = set()

    async def reply(message: Any) -> None:
        try:
            async for each in _replies(function(message)):
                say(each)
        except Exception as error:  # noqa: BLE001 - likewise, where it is taken out again
            incoming.put_nowait(error)

    try:
        while True:
            item = await incoming.get()
            if isinstance(item, Exception):
                raise item
            task = asyncio.create_task(reply(json.loads(item)))
            running.add(task)
            task.add_done_callback(running.discard)
    finally:
        await _end(running)


async def _end(tasks: set[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def _replies(result: Any) -> AsyncIterator[bytes]:
    if inspect.isawaitable(result):
        result = await result
    if isinstance(result, AsyncIterator):
        async for each in result:
            yield _encoded(each)
    else:
        for each in result if isinstance(result, (list, Iterator)) else [] if result is None else [result]:
            yield _encoded(each)


def _encoded(message: Any) -> bytes:
    if isinstance(message, bytes):
        return message
    if isinstance(message, dict):
        return msgspec.json.encode(message)
    raise UsageError(f"a server function returned {type(message).__name__}", hint="return a message as a dict, or None")


# ------------------------------------------------------------------------------------------------------ server objects


def _lowlevel(server: Any) -> Any:
    """Find what runs over a pair of streams: the object itself, or what the SDK's and FastMCP's servers wrap."""
    for candidate in (server, getattr(server, "_lowlevel_server", None), getattr(server, "_mcp_server", None)):
        run = getattr(candidate, "run", None)
        if inspect.iscoroutinefunction(run) and hasattr(candidate, "create_initialization_options"):
            return candidate
    return None


async def _serve_object(
    server: Any, lowlevel: Any, incoming: asyncio.Queue[bytes | Exception], say: Callable[[bytes], None]
) -> None:
    import anyio  # whoever made the server has it

    to_server, read = anyio.create_memory_object_stream[Any](float("inf"))
    write, from_server = anyio.create_memory_object_stream[Any](float("inf"))
    lifespan = getattr(server, "_lifespan_manager", contextlib.nullcontext)
    helpers = set[asyncio.Task[None]]()
    async with to_server, read, write, from_server, lifespan():
        helpers.add(asyncio.create_task(_feed(incoming, to_server)))
        helpers.add(asyncio.create_task(_pass_on(from_server, say)))
        try:
            await lowlevel.run(read, write, lowlevel.create_initialization_options())
        finally:
            await _end(helpers)


async def _feed(incoming: asyncio.Queue[bytes | Exception], to_server: Any) -> None:
    from mcp.shared.message import SessionMessage

    parse = _parser()
    while isinstance(item := await incoming.get(), bytes):
        try:
            message = SessionMessage(parse(item))
        except ValueError as error:  # the server's own reader hands on what it cannot read
            await to_server.send(error)
        else:
            await to_server.send(message)


def _parser() -> Callable[[bytes], Any]:
    from mcp import types

    adapter = getattr(types, "jsonrpc_message_adapter", None)
    if adapter is not None:
        return lambda data: adapter.validate_json(data, by_name=False)
    return types.JSONRPCMessage.model_validate_json  # type: ignore[attr-defined,no-any-return,unused-ignore]


async def _pass_on(from_server: Any, say: Callable[[bytes], None]) -> None:
    async for session_message in from_server:
        say(session_message.message.model_dump_json(by_alias=True, exclude_unset=True).encode())

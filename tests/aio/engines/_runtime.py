"""What tests of engines need of asyncio; the sync colour has a twin."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

import aiohttp
import httpx2

__all__ = ["answering_app", "client_that_reads", "own_client", "released", "together"]

T = TypeVar("T")


async def together(calls: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
    """Make many calls at once."""
    return list(await asyncio.gather(*(call() for call in calls)))


def own_client(engine: str, headers: dict[str, str]) -> AbstractAsyncContextManager[Any]:
    """Make a client of an engine's library, with headers of its own."""
    if engine == "default":
        return aiohttp.ClientSession(headers=headers)
    return httpx2.AsyncClient(headers=headers)


def answering_app(body: bytes) -> httpx2.AsyncBaseTransport:
    """Make an application that answers in this process."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    return httpx2.ASGITransport(app)


def client_that_reads() -> httpx2.AsyncClient:
    """Make a client with a hook that reads every answer."""

    async def read(response: httpx2.Response) -> None:
        await response.aread()

    return httpx2.AsyncClient(event_hooks={"response": [read]})


async def released(semaphore: threading.Semaphore) -> None:
    """Wait until the server has released something, while the loop goes on."""
    assert await asyncio.to_thread(semaphore.acquire, timeout=10)

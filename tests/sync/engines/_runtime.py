"""What tests of engines need of threads; the async colour has a twin."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import httpx2
import urllib3

__all__ = ["answering_app", "client_that_reads", "own_client", "released", "together"]

T = TypeVar("T")


def together(calls: Sequence[Callable[[], T]]) -> list[T]:
    """Make many calls at once."""
    with ThreadPoolExecutor(len(calls)) as threads:
        return [each.result() for each in [threads.submit(call) for call in calls]]


def own_client(engine: str, headers: dict[str, str]) -> AbstractContextManager[Any]:
    """Make a client of an engine's library, with headers of its own."""
    if engine == "default":
        return urllib3.PoolManager(headers=headers)
    return httpx2.Client(headers=headers)


def answering_app(body: bytes) -> httpx2.BaseTransport:
    """Make an application that answers in this process."""

    def app(environment: Any, start: Any) -> list[bytes]:
        start("200 OK", [])
        return [body]

    return httpx2.WSGITransport(app)


def client_that_reads() -> httpx2.Client:
    """Make a client with a hook that reads every answer."""

    def read(response: httpx2.Response) -> None:
        response.read()

    return httpx2.Client(event_hooks={"response": [read]})


def released(semaphore: threading.Semaphore) -> None:
    """Wait until the server has released something."""
    assert semaphore.acquire(timeout=10)

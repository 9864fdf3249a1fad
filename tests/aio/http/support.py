"""What tests of the HTTP transports say in one line each."""

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from dragoman import AsyncClient
from dragoman.aio._runtime import Opening
from dragoman.aio.options import ConnectOptions
from tests.aio.client.support import failure
from tests.servers.rude import Rude

__all__ = ["Ruder", "connect", "refused"]

Ruder: TypeAlias = Callable[..., Rude]


def connect(server: Rude | str, **options: Any) -> Opening[AsyncClient]:
    """Connect to a server, of which nothing is remembered from before."""
    url = server if isinstance(server, str) else server.url
    given = {"timeout": 10, "remembered": {}, "name": "rude", **options}
    return AsyncClient.connect(url, **cast(ConnectOptions, given))


async def opened(server: Rude | str, **options: Any) -> AsyncClient:
    return await connect(server, **options)


async def refused(server: Rude | str, **options: Any) -> Any:
    """Give the error that connecting ends with."""
    return await failure(opened, server, **options)

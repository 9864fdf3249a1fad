# generated from tests/aio/http/support.py by tools/unasync.py; do not edit
"""What tests of the HTTP transports say in one line each."""

from collections.abc import Callable
from typing import Any, TypeAlias, cast

from dragoman import Client
from dragoman.sync._runtime import Opening
from dragoman.sync.options import ConnectOptions
from tests.servers.rude import Rude
from tests.sync.client.support import failure

__all__ = ["Ruder", "connect", "refused"]

Ruder: TypeAlias = Callable[..., Rude]


def connect(server: Rude | str, **options: Any) -> Opening[Client]:
    """Connect to a server, of which nothing is remembered from before."""
    url = server if isinstance(server, str) else server.url
    given = {"timeout": 10, "remembered": {}, "name": "rude", **options}
    return Client.connect(url, **cast(ConnectOptions, given))


def opened(server: Rude | str, **options: Any) -> Client:
    return connect(server, **options)


def refused(server: Rude | str, **options: Any) -> Any:
    """Give the error that connecting ends with."""
    return failure(opened, server, **options)

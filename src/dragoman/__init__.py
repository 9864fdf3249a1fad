"""The public names of dragoman, the Model Context Protocol client; each is loaded when it is first asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Where each public name lives. Loading on demand keeps `import dragoman` as cheap as this file:
# whoever wants only the sync client never pays for the async one, nor for an HTTP engine.
_HOMES = {
    "AsyncClient": "dragoman.aio.client",
    "Client": "dragoman.sync.client",
    "McpError": "dragoman.errors",
}

if TYPE_CHECKING:
    from dragoman.aio.client import AsyncClient as AsyncClient
    from dragoman.errors import McpError as McpError
    from dragoman.sync.client import Client as Client

__all__ = ["AsyncClient", "Client", "McpError"]


def __getattr__(name: str) -> Any:
    try:
        home = _HOMES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

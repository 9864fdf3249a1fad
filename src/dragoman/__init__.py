"""The public names of dragoman, the Model Context Protocol client; each is loaded when it is first asked for.

    Client, AsyncClient   connect to a server and speak with it
    McpError and below    everything that is raised, drawn in `dragoman.errors`
    Context, Question, State, RetryPolicy, RestartPolicy   what handlers see, and what connections can be told

The protocol's nouns (`Tool`, `Root`, `ElicitResult`, ...) are in `dragoman.types`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dragoman.aio.client import AsyncClient
    from dragoman.consent import ask_on_terminal
    from dragoman.errors import (
        AuthError,
        BadSchema,
        ConfigError,
        ConnectFailed,
        ConnectionClosed,
        ConnectionLost,
        HeaderMismatch,
        HttpError,
        InvalidParams,
        McpError,
        McpTimeout,
        MethodNotFound,
        MissingClientCapability,
        NotOffered,
        OutcomeUnknown,
        PolicyDenied,
        ProtocolError,
        ResourceNotFound,
        SchemaViolation,
        ServerError,
        ServerExited,
        SessionExpired,
        ToolChanged,
        ToolFailed,
        TransportError,
        UnsupportedProtocolVersion,
        UrlElicitationRequired,
        UsageError,
    )
    from dragoman.protocol.recovery import RestartPolicy, RetryPolicy
    from dragoman.sync.client import Client
    from dragoman.views import Context, Question, State

__version__ = "0.1.0"

__all__ = [
    "AsyncClient",
    "AuthError",
    "BadSchema",
    "Client",
    "ConfigError",
    "ConnectFailed",
    "ConnectionClosed",
    "ConnectionLost",
    "Context",
    "HeaderMismatch",
    "HttpError",
    "InvalidParams",
    "McpError",
    "McpTimeout",
    "MethodNotFound",
    "MissingClientCapability",
    "NotOffered",
    "OutcomeUnknown",
    "PolicyDenied",
    "ProtocolError",
    "Question",
    "ResourceNotFound",
    "RestartPolicy",
    "RetryPolicy",
    "SchemaViolation",
    "ServerError",
    "ServerExited",
    "SessionExpired",
    "State",
    "ToolChanged",
    "ToolFailed",
    "TransportError",
    "UnsupportedProtocolVersion",
    "UrlElicitationRequired",
    "UsageError",
    "ask_on_terminal",
]

# Loading on demand keeps `import dragoman` as cheap as this file: whoever wants the sync client never pays for the async
# one, nor for an HTTP engine.
_HOMES = {
    "AsyncClient": "dragoman.aio.client",
    "Client": "dragoman.sync.client",
    "Context": "dragoman.views",
    "Question": "dragoman.views",
    "RestartPolicy": "dragoman.protocol.recovery",
    "RetryPolicy": "dragoman.protocol.recovery",
    "State": "dragoman.views",
    "ask_on_terminal": "dragoman.consent",
}
_DEFAULT_HOME = "dragoman.errors"


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES.get(name, _DEFAULT_HOME)), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""The public names of dragoman, the Model Context Protocol client; each is loaded when it is first asked for.

    Client, AsyncClient   connect to a server and speak with it
    Host, AsyncHost       many servers under one roof: configured, named, filtered, watched over
    read_only, named, ... which tools a host offers          Policy, Rule   what may happen
    McpError and below    everything that is raised, drawn in `dragoman.errors`
    Context, Question, State, RetryPolicy, RestartPolicy   what handlers see, and what connections can be told

The protocol's nouns (`Tool`, `Root`, `ElicitResult`, ...) are in `dragoman.types`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dragoman.aio.client import AsyncClient
    from dragoman.aio.host import AsyncHost
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
    from dragoman.files.approvals import Approvals
    from dragoman.files.discovered import Discovered, discover
    from dragoman.files.reading import read_configuration
    from dragoman.host.catalog import Changes, HostPrompt, HostResource, HostTemplate, HostTool
    from dragoman.host.config import Config, Input
    from dragoman.host.drift import Difference
    from dragoman.host.entries import Approval, Entry, Problem
    from dragoman.host.filters import (
        Filter,
        ServerInfo,
        destructive,
        from_servers,
        idempotent,
        named,
        open_world,
        read_only,
        where,
    )
    from dragoman.host.limits import BreakerPolicy
    from dragoman.host.news import HostEvent, ServerState, ServerStatus
    from dragoman.host.policy import Act, Policy, Rule, Verdict
    from dragoman.host.schema import configuration_schema
    from dragoman.host.suspicion import Suspicion, suspicions
    from dragoman.protocol.recovery import RestartPolicy, RetryPolicy
    from dragoman.sync.client import Client
    from dragoman.sync.host import Host
    from dragoman.views import Context, Question, State

__version__ = "0.1.0"

__all__ = [
    "Act",
    "Approval",
    "Approvals",
    "AsyncClient",
    "AsyncHost",
    "AuthError",
    "BadSchema",
    "BreakerPolicy",
    "Changes",
    "Client",
    "Config",
    "ConfigError",
    "ConnectFailed",
    "ConnectionClosed",
    "ConnectionLost",
    "Context",
    "Difference",
    "Discovered",
    "Entry",
    "Filter",
    "HeaderMismatch",
    "Host",
    "HostEvent",
    "HostPrompt",
    "HostResource",
    "HostTemplate",
    "HostTool",
    "HttpError",
    "Input",
    "InvalidParams",
    "McpError",
    "McpTimeout",
    "MethodNotFound",
    "MissingClientCapability",
    "NotOffered",
    "OutcomeUnknown",
    "Policy",
    "PolicyDenied",
    "Problem",
    "ProtocolError",
    "Question",
    "ResourceNotFound",
    "RestartPolicy",
    "RetryPolicy",
    "Rule",
    "SchemaViolation",
    "ServerError",
    "ServerExited",
    "ServerInfo",
    "ServerState",
    "ServerStatus",
    "SessionExpired",
    "State",
    "Suspicion",
    "ToolChanged",
    "ToolFailed",
    "TransportError",
    "UnsupportedProtocolVersion",
    "UrlElicitationRequired",
    "UsageError",
    "Verdict",
    "ask_on_terminal",
    "configuration_schema",
    "destructive",
    "discover",
    "from_servers",
    "idempotent",
    "named",
    "open_world",
    "read_configuration",
    "read_only",
    "suspicions",
    "where",
]

# Loading on demand keeps `import dragoman` as cheap as this file: whoever wants the sync client never pays for the async
# one, nor for an HTTP engine.
_HOMES = {
    "Act": "dragoman.host.policy",
    "Approval": "dragoman.host.entries",
    "Approvals": "dragoman.files.approvals",
    "AsyncClient": "dragoman.aio.client",
    "AsyncHost": "dragoman.aio.host",
    "BreakerPolicy": "dragoman.host.limits",
    "Changes": "dragoman.host.catalog",
    "Client": "dragoman.sync.client",
    "Config": "dragoman.host.config",
    "Context": "dragoman.views",
    "Difference": "dragoman.host.drift",
    "Discovered": "dragoman.files.discovered",
    "Entry": "dragoman.host.entries",
    "Filter": "dragoman.host.filters",
    "Host": "dragoman.sync.host",
    "HostEvent": "dragoman.host.news",
    "HostPrompt": "dragoman.host.catalog",
    "HostResource": "dragoman.host.catalog",
    "HostTemplate": "dragoman.host.catalog",
    "HostTool": "dragoman.host.catalog",
    "Input": "dragoman.host.config",
    "Policy": "dragoman.host.policy",
    "Problem": "dragoman.host.entries",
    "Question": "dragoman.views",
    "RestartPolicy": "dragoman.protocol.recovery",
    "RetryPolicy": "dragoman.protocol.recovery",
    "Rule": "dragoman.host.policy",
    "ServerInfo": "dragoman.host.filters",
    "ServerState": "dragoman.host.news",
    "ServerStatus": "dragoman.host.news",
    "State": "dragoman.views",
    "Suspicion": "dragoman.host.suspicion",
    "Verdict": "dragoman.host.policy",
    "ask_on_terminal": "dragoman.consent",
    "configuration_schema": "dragoman.host.schema",
    "destructive": "dragoman.host.filters",
    "discover": "dragoman.files.discovered",
    "from_servers": "dragoman.host.filters",
    "idempotent": "dragoman.host.filters",
    "named": "dragoman.host.filters",
    "open_world": "dragoman.host.filters",
    "read_configuration": "dragoman.files.reading",
    "read_only": "dragoman.host.filters",
    "suspicions": "dragoman.host.suspicion",
    "where": "dragoman.host.filters",
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

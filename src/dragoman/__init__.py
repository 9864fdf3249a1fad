"""The public names of dragoman, the Model Context Protocol client; each is loaded when it is first asked for.

    Client, AsyncClient   connect to a server and speak with it
    Host, AsyncHost       many servers under one roof: configured, named, filtered, watched over
    OAuth, ClientCredentials, ...   by whose leave        log_in, async_log_in, ...   the user's part of it
    read_only, named, ... which tools a host offers          Policy, Rule   what may happen
    ToolRunner, tool      run the tool calls of a model      LogObserver, ... see them
    McpError and below    everything that is raised, drawn in `dragoman.errors`
    Context, Question, State, RetryPolicy, RestartPolicy   what handlers see, and what connections can be told

The protocol's nouns (`Tool`, `Root`, `ElicitResult`, ...) are in `dragoman.types`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dragoman.aio.accounts import async_account_at, async_log_in, async_log_out
    from dragoman.aio.client import AsyncClient
    from dragoman.aio.host import AsyncHost
    from dragoman.aio.runner import AsyncToolRunner
    from dragoman.auth.account import Account
    from dragoman.auth.bearer import BearerToken
    from dragoman.auth.consent import OAuth
    from dragoman.auth.grants import ClientCredentials, IdentityAssertion, PrivateKeyJwt, WorkloadIdentity
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
    from dragoman.files.surroundings import resolve_entry
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
    from dragoman.local.stores import FileStore, KeyringStore, MemoryStore
    from dragoman.models.calls import ToolCall, ToolResponse, ToolRun
    from dragoman.models.definition import Definitions
    from dragoman.models.functions import tool
    from dragoman.models.observing import Observation, Observer
    from dragoman.models.results import ResultBudget
    from dragoman.models.scheduling import ToolLimits
    from dragoman.protocol.recovery import RestartPolicy, RetryPolicy
    from dragoman.sync.accounts import account_at, log_in, log_out
    from dragoman.sync.client import Client
    from dragoman.sync.host import Host
    from dragoman.sync.runner import ToolRunner
    from dragoman.telemetry.jsonl import JsonlObserver
    from dragoman.telemetry.logs import LogObserver
    from dragoman.telemetry.otel import OpenTelemetryObserver
    from dragoman.views import Context, Question, State

__version__ = "0.1.0"

__all__ = [
    "Account",
    "Act",
    "Approval",
    "Approvals",
    "AsyncClient",
    "AsyncHost",
    "AsyncToolRunner",
    "AuthError",
    "BadSchema",
    "BearerToken",
    "BreakerPolicy",
    "Changes",
    "Client",
    "ClientCredentials",
    "Config",
    "ConfigError",
    "ConnectFailed",
    "ConnectionClosed",
    "ConnectionLost",
    "Context",
    "Definitions",
    "Difference",
    "Discovered",
    "Entry",
    "FileStore",
    "Filter",
    "HeaderMismatch",
    "Host",
    "HostEvent",
    "HostPrompt",
    "HostResource",
    "HostTemplate",
    "HostTool",
    "HttpError",
    "IdentityAssertion",
    "Input",
    "InvalidParams",
    "JsonlObserver",
    "KeyringStore",
    "LogObserver",
    "McpError",
    "McpTimeout",
    "MemoryStore",
    "MethodNotFound",
    "MissingClientCapability",
    "NotOffered",
    "OAuth",
    "Observation",
    "Observer",
    "OpenTelemetryObserver",
    "OutcomeUnknown",
    "Policy",
    "PolicyDenied",
    "PrivateKeyJwt",
    "Problem",
    "ProtocolError",
    "Question",
    "ResourceNotFound",
    "RestartPolicy",
    "ResultBudget",
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
    "ToolCall",
    "ToolChanged",
    "ToolFailed",
    "ToolLimits",
    "ToolResponse",
    "ToolRun",
    "ToolRunner",
    "TransportError",
    "UnsupportedProtocolVersion",
    "UrlElicitationRequired",
    "UsageError",
    "Verdict",
    "WorkloadIdentity",
    "account_at",
    "ask_on_terminal",
    "async_account_at",
    "async_log_in",
    "async_log_out",
    "configuration_schema",
    "destructive",
    "discover",
    "from_servers",
    "idempotent",
    "log_in",
    "log_out",
    "named",
    "open_world",
    "read_configuration",
    "read_only",
    "resolve_entry",
    "suspicions",
    "tool",
    "where",
]

# Loading on demand keeps `import dragoman` as cheap as this file: whoever wants the sync client never pays for the async
# one, nor for an HTTP engine.
_HOMES = {
    "Account": "dragoman.auth.account",
    "Act": "dragoman.host.policy",
    "Approval": "dragoman.host.entries",
    "Approvals": "dragoman.files.approvals",
    "AsyncClient": "dragoman.aio.client",
    "AsyncHost": "dragoman.aio.host",
    "AsyncToolRunner": "dragoman.aio.runner",
    "BearerToken": "dragoman.auth.bearer",
    "BreakerPolicy": "dragoman.host.limits",
    "Changes": "dragoman.host.catalog",
    "Client": "dragoman.sync.client",
    "ClientCredentials": "dragoman.auth.grants",
    "Config": "dragoman.host.config",
    "Context": "dragoman.views",
    "Definitions": "dragoman.models.definition",
    "Difference": "dragoman.host.drift",
    "Discovered": "dragoman.files.discovered",
    "Entry": "dragoman.host.entries",
    "FileStore": "dragoman.local.stores",
    "Filter": "dragoman.host.filters",
    "Host": "dragoman.sync.host",
    "HostEvent": "dragoman.host.news",
    "HostPrompt": "dragoman.host.catalog",
    "HostResource": "dragoman.host.catalog",
    "HostTemplate": "dragoman.host.catalog",
    "HostTool": "dragoman.host.catalog",
    "IdentityAssertion": "dragoman.auth.grants",
    "Input": "dragoman.host.config",
    "JsonlObserver": "dragoman.telemetry.jsonl",
    "KeyringStore": "dragoman.local.stores",
    "LogObserver": "dragoman.telemetry.logs",
    "MemoryStore": "dragoman.local.stores",
    "OAuth": "dragoman.auth.consent",
    "Observation": "dragoman.models.observing",
    "Observer": "dragoman.models.observing",
    "OpenTelemetryObserver": "dragoman.telemetry.otel",
    "Policy": "dragoman.host.policy",
    "PrivateKeyJwt": "dragoman.auth.grants",
    "Problem": "dragoman.host.entries",
    "Question": "dragoman.views",
    "RestartPolicy": "dragoman.protocol.recovery",
    "ResultBudget": "dragoman.models.results",
    "RetryPolicy": "dragoman.protocol.recovery",
    "Rule": "dragoman.host.policy",
    "ServerInfo": "dragoman.host.filters",
    "ServerState": "dragoman.host.news",
    "ServerStatus": "dragoman.host.news",
    "State": "dragoman.views",
    "Suspicion": "dragoman.host.suspicion",
    "ToolCall": "dragoman.models.calls",
    "ToolLimits": "dragoman.models.scheduling",
    "ToolResponse": "dragoman.models.calls",
    "ToolRun": "dragoman.models.calls",
    "ToolRunner": "dragoman.sync.runner",
    "Verdict": "dragoman.host.policy",
    "WorkloadIdentity": "dragoman.auth.grants",
    "account_at": "dragoman.sync.accounts",
    "ask_on_terminal": "dragoman.consent",
    "async_account_at": "dragoman.aio.accounts",
    "async_log_in": "dragoman.aio.accounts",
    "async_log_out": "dragoman.aio.accounts",
    "configuration_schema": "dragoman.host.schema",
    "destructive": "dragoman.host.filters",
    "discover": "dragoman.files.discovered",
    "from_servers": "dragoman.host.filters",
    "idempotent": "dragoman.host.filters",
    "log_in": "dragoman.sync.accounts",
    "log_out": "dragoman.sync.accounts",
    "named": "dragoman.host.filters",
    "open_world": "dragoman.host.filters",
    "read_configuration": "dragoman.files.reading",
    "read_only": "dragoman.host.filters",
    "resolve_entry": "dragoman.files.surroundings",
    "suspicions": "dragoman.host.suspicion",
    "tool": "dragoman.models.functions",
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

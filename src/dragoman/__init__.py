"""The public names of dragoman, the Model Context Protocol client; each is loaded when it is first asked for.

    Client, AsyncClient   connect to a server and speak with it
    Host, AsyncHost       many servers under one roof: configured, named, filtered, watched over
    OAuth, ClientCredentials, ...   by whose leave        log_in, async_log_in, ...   the user's part of it
    read_only, named, ... which tools a host offers          Policy, Rule   what may happen
    ToolRunner, tool      run the tool calls of a model      LogObserver, ... see them
    Chat, AsyncChat       talk with a model that uses them   Sampling     lend one to servers
    McpError and below    everything that is raised, drawn in `dragoman.errors`
    Context, Question, State, RetryPolicy, RestartPolicy   what handlers see, and what connections can be told

The protocol's nouns (`Tool`, `Root`, `ElicitResult`, ...) are in `dragoman.types`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dragoman.aio.accounts import async_account_at, async_log_in, async_log_out
    from dragoman.aio.chat import AsyncChat
    from dragoman.aio.chatting.lending import AsyncSampling
    from dragoman.aio.chatting.models import AsyncChatModel
    from dragoman.aio.chatting.turn import AsyncTurn
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
        BadContent,
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
    from dragoman.files.surroundings import resolve_entry, rooted
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
    from dragoman.models.chat.choices import AnthropicModel, GeminiModel, OpenAIModel
    from dragoman.models.chat.events import (
        Stop,
        Stopped,
        TextDelta,
        ThinkingDelta,
        ToolCallBegun,
        ToolCallMade,
        Usage,
        UsageReported,
    )
    from dragoman.models.chat.failures import ModelError, ModelRejected, ModelUnavailable
    from dragoman.models.chat.limits import ChatLimits
    from dragoman.models.chat.messages import ModelMessage, ToolMessage, UserMessage
    from dragoman.models.chat.request import ModelRequest
    from dragoman.models.chat.scripted import ScriptedModel, ScriptedReply
    from dragoman.models.chat.turns import ChatReply, ToolAnswered
    from dragoman.models.definition import Definitions
    from dragoman.models.functions import tool
    from dragoman.models.observing import Observation, Observer
    from dragoman.models.results import ResultBudget
    from dragoman.models.scheduling import ToolLimits
    from dragoman.models.watching import ClientObserver, RequestObservation, SessionObservation
    from dragoman.protocol.recovery import RestartPolicy, RetryPolicy
    from dragoman.sync.accounts import account_at, log_in, log_out
    from dragoman.sync.chat import Chat
    from dragoman.sync.chatting.lending import Sampling
    from dragoman.sync.chatting.models import ChatModel
    from dragoman.sync.chatting.turn import Turn
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
    "AnthropicModel",
    "Approval",
    "Approvals",
    "AsyncChat",
    "AsyncChatModel",
    "AsyncClient",
    "AsyncHost",
    "AsyncSampling",
    "AsyncToolRunner",
    "AsyncTurn",
    "AuthError",
    "BadContent",
    "BadSchema",
    "BearerToken",
    "BreakerPolicy",
    "Changes",
    "Chat",
    "ChatLimits",
    "ChatModel",
    "ChatReply",
    "Client",
    "ClientCredentials",
    "ClientObserver",
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
    "GeminiModel",
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
    "ModelError",
    "ModelMessage",
    "ModelRejected",
    "ModelRequest",
    "ModelUnavailable",
    "NotOffered",
    "OAuth",
    "Observation",
    "Observer",
    "OpenAIModel",
    "OpenTelemetryObserver",
    "OutcomeUnknown",
    "Policy",
    "PolicyDenied",
    "PrivateKeyJwt",
    "Problem",
    "ProtocolError",
    "Question",
    "RequestObservation",
    "ResourceNotFound",
    "RestartPolicy",
    "ResultBudget",
    "RetryPolicy",
    "Rule",
    "Sampling",
    "SchemaViolation",
    "ScriptedModel",
    "ScriptedReply",
    "ServerError",
    "ServerExited",
    "ServerInfo",
    "ServerState",
    "ServerStatus",
    "SessionExpired",
    "SessionObservation",
    "State",
    "Stop",
    "Stopped",
    "Suspicion",
    "TextDelta",
    "ThinkingDelta",
    "ToolAnswered",
    "ToolCall",
    "ToolCallBegun",
    "ToolCallMade",
    "ToolChanged",
    "ToolFailed",
    "ToolLimits",
    "ToolMessage",
    "ToolResponse",
    "ToolRun",
    "ToolRunner",
    "TransportError",
    "Turn",
    "UnsupportedProtocolVersion",
    "UrlElicitationRequired",
    "Usage",
    "UsageError",
    "UsageReported",
    "UserMessage",
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
    "rooted",
    "suspicions",
    "tool",
    "where",
]

# Loading on demand keeps `import dragoman` as cheap as this file: whoever wants the sync client never pays for the async
# one, nor for an HTTP engine.
_HOMES = {
    "Account": "dragoman.auth.account",
    "Act": "dragoman.host.policy",
    "AnthropicModel": "dragoman.models.chat.choices",
    "Approval": "dragoman.host.entries",
    "Approvals": "dragoman.files.approvals",
    "AsyncChat": "dragoman.aio.chat",
    "AsyncChatModel": "dragoman.aio.chatting.models",
    "AsyncClient": "dragoman.aio.client",
    "AsyncHost": "dragoman.aio.host",
    "AsyncSampling": "dragoman.aio.chatting.lending",
    "AsyncToolRunner": "dragoman.aio.runner",
    "AsyncTurn": "dragoman.aio.chatting.turn",
    "BearerToken": "dragoman.auth.bearer",
    "BreakerPolicy": "dragoman.host.limits",
    "Changes": "dragoman.host.catalog",
    "Chat": "dragoman.sync.chat",
    "ChatLimits": "dragoman.models.chat.limits",
    "ChatModel": "dragoman.sync.chatting.models",
    "ChatReply": "dragoman.models.chat.turns",
    "Client": "dragoman.sync.client",
    "ClientCredentials": "dragoman.auth.grants",
    "ClientObserver": "dragoman.models.watching",
    "Config": "dragoman.host.config",
    "Context": "dragoman.views",
    "Definitions": "dragoman.models.definition",
    "Difference": "dragoman.host.drift",
    "Discovered": "dragoman.files.discovered",
    "Entry": "dragoman.host.entries",
    "FileStore": "dragoman.local.stores",
    "Filter": "dragoman.host.filters",
    "GeminiModel": "dragoman.models.chat.choices",
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
    "ModelError": "dragoman.models.chat.failures",
    "ModelMessage": "dragoman.models.chat.messages",
    "ModelRejected": "dragoman.models.chat.failures",
    "ModelRequest": "dragoman.models.chat.request",
    "ModelUnavailable": "dragoman.models.chat.failures",
    "OAuth": "dragoman.auth.consent",
    "Observation": "dragoman.models.observing",
    "Observer": "dragoman.models.observing",
    "OpenAIModel": "dragoman.models.chat.choices",
    "OpenTelemetryObserver": "dragoman.telemetry.otel",
    "Policy": "dragoman.host.policy",
    "PrivateKeyJwt": "dragoman.auth.grants",
    "Problem": "dragoman.host.entries",
    "Question": "dragoman.views",
    "RequestObservation": "dragoman.models.watching",
    "RestartPolicy": "dragoman.protocol.recovery",
    "ResultBudget": "dragoman.models.results",
    "RetryPolicy": "dragoman.protocol.recovery",
    "Rule": "dragoman.host.policy",
    "Sampling": "dragoman.sync.chatting.lending",
    "ScriptedModel": "dragoman.models.chat.scripted",
    "ScriptedReply": "dragoman.models.chat.scripted",
    "ServerInfo": "dragoman.host.filters",
    "ServerState": "dragoman.host.news",
    "ServerStatus": "dragoman.host.news",
    "SessionObservation": "dragoman.models.watching",
    "State": "dragoman.views",
    "Stop": "dragoman.models.chat.events",
    "Stopped": "dragoman.models.chat.events",
    "Suspicion": "dragoman.host.suspicion",
    "TextDelta": "dragoman.models.chat.events",
    "ThinkingDelta": "dragoman.models.chat.events",
    "ToolAnswered": "dragoman.models.chat.turns",
    "ToolCall": "dragoman.models.calls",
    "ToolCallBegun": "dragoman.models.chat.events",
    "ToolCallMade": "dragoman.models.chat.events",
    "ToolLimits": "dragoman.models.scheduling",
    "ToolMessage": "dragoman.models.chat.messages",
    "ToolResponse": "dragoman.models.calls",
    "ToolRun": "dragoman.models.calls",
    "ToolRunner": "dragoman.sync.runner",
    "Turn": "dragoman.sync.chatting.turn",
    "Usage": "dragoman.models.chat.events",
    "UsageReported": "dragoman.models.chat.events",
    "UserMessage": "dragoman.models.chat.messages",
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
    "rooted": "dragoman.files.surroundings",
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

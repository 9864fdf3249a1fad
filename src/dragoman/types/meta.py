"""The names under `_meta` that the specification gives a meaning to, and the plain aliases that run through it."""

from typing import Any, TypeAlias, TypeGuard

from msgspec import Raw

__all__ = [
    "CLIENT_CAPABILITIES_KEY",
    "CLIENT_INFO_KEY",
    "LOG_LEVEL_KEY",
    "PROGRESS_TOKEN_KEY",
    "PROTOCOL_VERSION_KEY",
    "RELATED_TASK_KEY",
    "SERVER_INFO_KEY",
    "SUBSCRIPTION_ID_KEY",
    "JsonObject",
    "Meta",
    "Number",
    "ParamsMeta",
    "ProgressToken",
    "RequestId",
    "Role",
    "is_array",
    "is_object",
]

PROGRESS_TOKEN_KEY = "progressToken"  # noqa: S105 - a name on the wire, no secret
PROTOCOL_VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CLIENT_INFO_KEY = "io.modelcontextprotocol/clientInfo"
CLIENT_CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
LOG_LEVEL_KEY = "io.modelcontextprotocol/logLevel"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_ID_KEY = "io.modelcontextprotocol/subscriptionId"
RELATED_TASK_KEY = "io.modelcontextprotocol/related-task"

JsonObject: TypeAlias = dict[str, Any]
Meta: TypeAlias = dict[str, Any] | None
ParamsMeta: TypeAlias = dict[str, Any] | Raw | None
"""`_meta` of something we send: a mapping, or bytes that were encoded once for many requests."""

Number: TypeAlias = int | float
"""A JSON number: servers write 1 and 1.0 for the same thing."""

RequestId: TypeAlias = str | int
ProgressToken: TypeAlias = str | int | float
Role: TypeAlias = str
"""`user` or `assistant`; a word this library does not know is passed on."""


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Say whether decoded JSON is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[Any]]:
    """Say whether decoded JSON is an array."""
    return isinstance(value, list)

"""Who speaks and what they can do: the handshake up to 2025-11-25, discovery from 2026-07-28."""

from functools import cache
from typing import Any

import msgspec
from msgspec import Raw, field

from dragoman.types.base import Wire
from dragoman.types.content import Icon
from dragoman.types.meta import SERVER_INFO_KEY, JsonObject, is_object
from dragoman.types.requests import RequestParams
from dragoman.types.results import CacheableResult, Result

__all__ = [
    "ClientCapabilities",
    "DiscoverResult",
    "ElicitationCapability",
    "Implementation",
    "InitializeParams",
    "InitializeResult",
    "PromptsCapability",
    "ResourcesCapability",
    "RootsCapability",
    "SamplingCapability",
    "ServerCapabilities",
    "TasksCapability",
    "ToolsCapability",
    "read_server_capabilities",
]


class Implementation(Wire, frozen=True):
    """A program that speaks the protocol, by name and version."""

    name: str
    # A factory's value is always written, a plain default never: the wire wants a version.
    version: str = field(default_factory=str)
    title: str | None = None
    description: str | None = None
    website_url: str | None = None
    icons: tuple[Icon, ...] | None = None


class RootsCapability(Wire, frozen=True):
    """The client tells its roots; `list_changed`: and when they change."""

    list_changed: bool | None = None


class SamplingCapability(Wire, frozen=True):
    """The client lets servers ask its model; `{}` where it also takes `context` or `tools`."""

    context: JsonObject | None = None
    tools: JsonObject | None = None


class ElicitationCapability(Wire, frozen=True):
    """The client lets servers ask its user; `{}` for each mode it takes. Neither said means forms only."""

    form: JsonObject | None = None
    url: JsonObject | None = None


class TasksCapability(Wire, frozen=True):
    """Which tasks one runs (2025-11-25): `requests` names them, such as `{"tools": {"call": {}}}`."""

    list: JsonObject | None = None
    cancel: JsonObject | None = None
    requests: JsonObject | None = None


class ClientCapabilities(Wire, frozen=True, kw_only=True):
    """What the client can do for servers. A capability that is absent is not there; an empty one is."""

    roots: RootsCapability | None = None
    sampling: SamplingCapability | None = None
    elicitation: ElicitationCapability | None = None
    tasks: TasksCapability | None = None
    experimental: JsonObject | None = None
    extensions: JsonObject | None = None


class PromptsCapability(Wire, frozen=True):
    """The server has prompts; `list_changed`: and tells when their list changes."""

    list_changed: bool | None = None


class ResourcesCapability(Wire, frozen=True):
    """The server has resources; it may tell when their list changes, and when a subscribed one does."""

    subscribe: bool | None = None
    list_changed: bool | None = None


class ToolsCapability(Wire, frozen=True):
    """The server has tools; `list_changed`: and tells when their list changes."""

    list_changed: bool | None = None


class ServerCapabilities(Wire, frozen=True, kw_only=True):
    """What a server can do. A capability that is absent is not there; an empty one is."""

    tools: ToolsCapability | None = None
    resources: ResourcesCapability | None = None
    prompts: PromptsCapability | None = None
    completions: JsonObject | None = None
    logging: JsonObject | None = None
    tasks: TasksCapability | None = None
    experimental: JsonObject | None = None
    extensions: JsonObject | None = None


class InitializeParams(RequestParams, frozen=True):
    """Params of `initialize` (until 2025-11-25)."""

    protocol_version: str
    capabilities: ClientCapabilities
    client_info: Implementation


class InitializeResult(Result, frozen=True):
    """The server's half of the handshake (until 2025-11-25)."""

    __parts__ = (("capabilities", "capabilities"), ("server_info", "serverInfo"))

    protocol_version: str
    capabilities: ServerCapabilities = field(default_factory=ServerCapabilities)
    server_info: Implementation = field(default_factory=lambda: Implementation(""))
    instructions: str | None = None


class DiscoverResult(CacheableResult, frozen=True):
    """What a server says of itself (from 2026-07-28)."""

    __parts__ = (("capabilities", "capabilities"),)

    supported_versions: tuple[str, ...]
    capabilities: ServerCapabilities = field(default_factory=ServerCapabilities)
    instructions: str | None = None

    @property
    def server_info(self) -> Implementation | None:
        """Who the server says it is, in the result's metadata; None when it does not say, or not rightly."""
        try:
            return msgspec.convert((self.meta or {}).get(SERVER_INFO_KEY), Implementation | None)
        except msgspec.ValidationError:
            return None


def read_server_capabilities(data: bytes | Raw) -> ServerCapabilities:
    """Read capabilities that are not quite as they should be, each by itself.

    What is an object of a wrong shape counts as offered and empty, and so does `true`; anything else as absent.
    """
    decoded = msgspec.json.decode(data)
    stated: JsonObject = decoded if is_object(decoded) else {}
    return ServerCapabilities(**{name: _capability(stated.get(name), kind) for name, kind in _kinds().items()})


@cache
def _kinds() -> dict[str, Any]:
    """Give the type of each capability by its name; to find out takes longer than all the rest of reading them."""
    return {each.name: each.type for each in msgspec.structs.fields(ServerCapabilities)}


def _capability(stated: Any, kind: Any) -> Any:
    if not isinstance(stated, dict):
        stated = {} if stated is True else None
    try:
        return msgspec.convert(stated, kind)
    except msgspec.ValidationError:
        return msgspec.convert({}, kind)

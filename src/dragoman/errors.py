"""Everything this library raises, in one tree.

    McpError                              anything this library raises
    ├─ ServerError                        the server answered with an error: code, message, data
    │  ├─ MethodNotFound · InvalidParams · ResourceNotFound
    │  ├─ UnsupportedProtocolVersion      which versions it does support
    │  ├─ UrlElicitationRequired          which URLs the user has to visit first
    │  ├─ MissingClientCapability         what the client would have had to declare
    │  └─ HeaderMismatch                  the HTTP headers did not match the body
    ├─ ProtocolError                      the server broke the protocol: an excerpt of what it sent
    │  ├─ BadContent      (ValueError)    what was to be a picture, a sound or a blob, and cannot be decoded
    │  ├─ BadSchema                       a schema of the server's that nothing can be checked with
    │  └─ SchemaViolation                 only with strict: an answer broke the tool's own output schema
    ├─ TransportError  (ConnectionError)  the line broke
    │  ├─ ConnectFailed · ConnectionLost · ConnectionClosed
    │  ├─ ServerExited                    exit code, signal, stderr tail, argv
    │  └─ HttpError · SessionExpired      status, headers, body excerpt
    ├─ OutcomeUnknown                     the line broke after the request left: it may have run
    ├─ McpTimeout  (TimeoutError)         no answer in time: method, seconds waited, phase
    ├─ AuthError                          401/403 that could not be resolved: challenge, scope, url
    ├─ ModelError                         a model gave no whole reply: drawn in dragoman.models.chat.failures
    ├─ NotOffered                         the server never declared the capability
    ├─ ToolFailed                         only with raise_on_error: the result
    ├─ PolicyDenied · ToolChanged         the host's rules said no; a pinned definition changed
    └─ ConfigError · UsageError           file, line, field; what to write instead

The branches are divided by what a caller does next. Data is in attributes, the sentence in `str()`, the cause
in `__cause__`; no message holds a secret.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack

__all__ = [
    "AuthError",
    "BadContent",
    "BadSchema",
    "ConfigError",
    "ConnectFailed",
    "ConnectionClosed",
    "ConnectionLost",
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
    "ResourceNotFound",
    "SchemaViolation",
    "ServerError",
    "ServerExited",
    "SessionExpired",
    "ToolChanged",
    "ToolFailed",
    "TransportError",
    "UnsupportedProtocolVersion",
    "UrlElicitationRequired",
    "UsageError",
]


class _Told(TypedDict, total=False):
    """What every error may be told: the server's name, and what to try."""

    server: str | None
    hint: str | None


class _LineTold(_Told, total=False):
    """What an error of the line may be told as well: whether the request may have reached the server."""

    was_sent: bool


class McpError(Exception):
    """Anything this library raises.

    Attributes:
        message: what happened, in one sentence.
        server: the name of the server it happened with, or None before one is known.
        hint: what to try, or None.
    """

    def __init__(self, message: str, *, server: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.server = server
        self.hint = hint

    def __reduce__(self) -> tuple[Any, ...]:
        # Other processes make it of its state: its message alone, which exceptions are made of otherwise, is not enough.
        return _blank, (type(self),), {**vars(self), "args": self.args}

    def __str__(self) -> str:
        sentence = f"{self.server}: {self.message}" if self.server else self.message
        return f"{sentence} ({self.hint})" if self.hint else sentence


def _blank(kind: type[McpError]) -> McpError:
    return kind.__new__(kind)


class ServerError(McpError):
    """The server answered a request with an error.

    Attributes:
        code: the JSON-RPC error code (section 5.1 of JSON-RPC 2.0, and the MCP schema's own).
        data: what the server added, as decoded JSON, or None.
        method: the request it answered, or None.
    """

    code: int

    def __init__(
        self, message: str, *, code: int, data: Any = None, method: str | None = None, **told: Unpack[_Told]
    ) -> None:
        super().__init__(message, **told)
        self.code = code
        self.data = data
        self.method = method

    def __str__(self) -> str:
        what = f"{self.method} failed: " if self.method else ""
        sentence = f"{what}{self.message} [{self.code}]"
        sentence = f"{self.server}: {sentence}" if self.server else sentence
        return f"{sentence} ({self.hint})" if self.hint else sentence

    def _member(self, name: str) -> Any:
        return self.data.get(name) if isinstance(self.data, Mapping) else None


class MethodNotFound(ServerError):
    """The server does not know the method."""


class InvalidParams(ServerError):
    """The server did not accept the parameters; many servers also say so of an unknown tool, prompt or resource."""


class ResourceNotFound(ServerError):
    """The server has no such resource (code -32002, up to 2025-11-25)."""


class UnsupportedProtocolVersion(ServerError):
    """The server does not speak the version that was asked for (2026-07-28, Versioning)."""

    @property
    def supported(self) -> tuple[str, ...]:
        """The versions that the server says it speaks."""
        named = self._member("supported")
        return tuple(version for version in named if isinstance(version, str)) if isinstance(named, list) else ()


class UrlElicitationRequired(ServerError):
    """The user has to visit URLs first: `elicitations`, typed, in the server's order (2025-11-25, Elicitation)."""

    elicitations: Sequence[Any] = ()


class MissingClientCapability(ServerError):
    """The request needs a capability that this client did not declare (2026-07-28, code -32021)."""

    @property
    def required(self) -> Mapping[str, Any]:
        """The capabilities that the server asked for, as it wrote them."""
        named = self._member("requiredCapabilities")
        return named if isinstance(named, Mapping) else {}


class HeaderMismatch(ServerError):
    """The HTTP headers did not match the body of the request (2026-07-28, code -32020)."""


class ProtocolError(McpError):
    """The server broke the protocol; `excerpt` is the beginning of what it sent, or None."""

    def __init__(self, message: str, *, excerpt: str | None = None, **told: Unpack[_Told]) -> None:
        super().__init__(message, **told)
        self.excerpt = excerpt

    def __str__(self) -> str:
        return f"{super().__str__()}: {self.excerpt}" if self.excerpt else super().__str__()


class BadContent(ProtocolError, ValueError):
    """The data of a picture, a sound or a resource is not base64; `excerpt` is how it begins."""


class BadSchema(ProtocolError):
    """A JSON Schema of the server's cannot be used: it is none, refers to elsewhere, or makes too much work."""


class SchemaViolation(ProtocolError):
    """A tool's answer broke the tool's own output schema; raised only with `strict`.

    `result` is the answer, whose `violations` say what is wrong with it.
    """

    def __init__(self, message: str, *, result: Any, **told: Unpack[_Told]) -> None:
        super().__init__(message, **told)
        self.result = result


class TransportError(McpError, ConnectionError):
    """The line to the server broke.

    `was_sent` is False where the request provably never reached the server, so that it may be sent again.
    """

    def __init__(self, message: str, *, was_sent: bool = True, **told: Unpack[_Told]) -> None:
        super().__init__(message, **told)
        self.was_sent = was_sent


class ConnectFailed(TransportError):
    """No connection could be made."""


class ConnectionLost(TransportError):
    """The connection ended while it was in use; `was_heard` is False where nothing of an answer had come by then."""

    was_heard: bool = True


class ConnectionClosed(TransportError):
    """The client was closed, here, by its owner."""


class ServerExited(ConnectionLost):
    """The server's process ended.

    Attributes:
        argv: the command as it was started.
        exit_code: its exit status, or None when a signal ended it. signal: the name of that signal, or None.
        stderr: the last lines it wrote on standard error.
    """

    def __init__(
        self,
        message: str,
        *,
        argv: Sequence[str] = (),
        exit_code: int | None = None,
        signal: str | None = None,
        stderr: str = "",
        **told: Unpack[_LineTold],
    ) -> None:
        super().__init__(message, **told)
        self.argv = tuple(argv)
        self.exit_code = exit_code
        self.signal = signal
        self.stderr = stderr

    def __str__(self) -> str:
        return f"{super().__str__()}\n{self.stderr.rstrip()}" if self.stderr.strip() else super().__str__()


class HttpError(TransportError):
    """The HTTP answer was not one of the protocol's.

    Attributes:
        status: the HTTP status code.
        headers: the answer's headers that help to find the cause. body: the beginning of its body, as text.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int,
        headers: Mapping[str, str] | None = None,
        body: str = "",
        **told: Unpack[_LineTold],
    ) -> None:
        super().__init__(message, **told)
        self.status = status
        self.headers = dict(headers or {})
        self.body = body


class SessionExpired(TransportError):
    """The server no longer knows the session; the request did not run (2025-11-25, Session Management)."""


class OutcomeUnknown(McpError):
    """The line broke after the request had left, so it may have run; `method` is the request's."""

    def __init__(self, message: str, *, method: str, **told: Unpack[_Told]) -> None:
        super().__init__(message, **told)
        self.method = method


class McpTimeout(McpError, TimeoutError):
    """No answer came in time.

    Attributes:
        method: the request that was waited for, or what else was. waited: seconds waited.
        phase: "connecting", "writing", "waiting" or "closing".
        was_sent: False where the request provably never left.
    """

    def __init__(
        self,
        message: str,
        *,
        method: str,
        waited: float,
        phase: str = "waiting",
        was_sent: bool = True,
        **told: Unpack[_Told],
    ) -> None:
        super().__init__(message, **told)
        self.method = method
        self.waited = waited
        self.phase = phase
        self.was_sent = was_sent


class AuthError(McpError):
    """The server wants an authorization that could not be had.

    Attributes:
        status: 401 or 403, or None where no request was made.
        challenge: the server's WWW-Authenticate header, or None. scope: the scope that it asks for, or None.
        url: where the user would authorize, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        challenge: str | None = None,
        scope: str | None = None,
        url: str | None = None,
        **told: Unpack[_Told],
    ) -> None:
        super().__init__(message, **told)
        self.status = status
        self.challenge = challenge
        self.scope = scope
        self.url = url


class NotOffered(McpError):
    """The server never declared the `capability` that the call needs, such as "resources.subscribe"."""

    def __init__(self, message: str, *, capability: str, **told: Unpack[_Told]) -> None:
        super().__init__(message, **told)
        self.capability = capability


class ToolFailed(McpError):
    """The tool with the name `tool` reported an error, in `result`; raised only with `raise_on_error`."""

    def __init__(self, message: str, *, tool: str, result: Any, **told: Unpack[_Told]) -> None:
        super().__init__(message, **told)
        self.tool = tool
        self.result = result


class PolicyDenied(McpError):
    """A rule, or the user, said no."""


class ToolChanged(McpError):
    """A pinned definition is no longer what was approved."""


class ConfigError(McpError):
    """A configuration cannot be used.

    Attributes:
        file: its path, or None. line: the line in it, or None. field: the field, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        line: int | None = None,
        field: str | None = None,
        **told: Unpack[_Told],
    ) -> None:
        super().__init__(message, **told)
        self.file = file
        self.line = line
        self.field = field


class UsageError(McpError, ValueError):
    """This library was called in a way that cannot work."""

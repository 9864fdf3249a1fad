# generated from src/dragoman/aio/options.py by tools/unasync.py; do not edit
"""What `connect` takes, documented once for both colours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from dragoman.auth.choice import Auth
from dragoman.models.watching import ClientObserver
from dragoman.protocol.inbound import Other
from dragoman.protocol.recovery import Repeat, RestartPolicy, RetryPolicy
from dragoman.types import (
    ClientCapabilities,
    CreateMessageParams,
    CreateMessageResult,
    ElicitFormParams,
    ElicitResult,
    ElicitUrlParams,
    Implementation,
    JsonObject,
    ListPromptsResult,
    ListResourcesResult,
    ListToolsResult,
    LoggingLevel,
    LogMessage,
    ProgressParams,
    ReadResourceResult,
    Root,
    Violation,
)
from dragoman.views import Context, Question, State
from dragoman.web.options import ClientCertificate

if TYPE_CHECKING:
    from dragoman.sync.chatting.models import ModelLike

__all__ = ["ConnectOptions", "Duration", "Elicited", "OnProgress", "Sampled", "Validator"]

Duration: TypeAlias = float | str | None
"""Seconds, or text such as "20s", "500ms", "2m"; None for no limit."""

Sampled: TypeAlias = CreateMessageResult | str
"""What a sampling handler returns; text stands for a message of a model without a name."""

Elicited: TypeAlias = ElicitResult | dict[str, Any] | bool | None
"""What an elicitation handler returns; a dict or True accepts, False declines, None cancels."""

SamplingHandler: TypeAlias = (
    Callable[[CreateMessageParams], Sampled] | Callable[[CreateMessageParams, Context], Sampled]
)
ElicitationHandler: TypeAlias = Callable[[ElicitFormParams], Elicited] | Callable[[ElicitFormParams, Context], Elicited]
UrlElicitationHandler: TypeAlias = (
    Callable[[ElicitUrlParams], Elicited] | Callable[[ElicitUrlParams, Context], Elicited]
)
OnProgress: TypeAlias = Callable[[ProgressParams], Any] | Callable[[ProgressParams, Context], Any]
Validator: TypeAlias = Callable[[JsonObject, Any], Sequence[Violation]]
"""Checks a structured result (second) against an output schema (first) and returns what is wrong with it."""


class ConnectOptions(TypedDict, total=False):
    """The options of `connect`; all may be left out.

    Handlers are called with one value, and with a `Context` as the second argument if they take one.
    """

    name: str
    """What to call the server in errors and logs. Default: from its command."""

    timeout: Duration
    """How long each round trip may take, the handshake's too. Default: 20 s. Progress starts it anew."""

    connect_timeout: Duration
    """How long connecting may take as a whole. Default: no limit but `timeout`."""

    handshake_timeout: Duration
    """How long each round trip of the handshake may take, for servers that start slowly. Default: `timeout`."""

    max_timeout: Duration
    """How long one round trip may take however much progress it reports. Default: 1 h."""

    client_info: Implementation
    """Who this program is. Default: dragoman and its version."""

    capabilities: ClientCapabilities | Mapping[str, Any]
    """What to declare, as a value or as it is on the wire. Default: what there are handlers for."""

    versions: Sequence[str]
    """The protocol versions that may be spoken. Default: all that are known."""

    roots: Iterable[Root | str]
    """The places that the server may work in, as `Root` or URI. Default: roots are not declared."""

    sampling: SamplingHandler | ModelLike
    """Answers `sampling/createMessage` by a `CreateMessageResult`, or by text.

    A model, such as "anthropic:NAME", or a `Sampling` with a budget, answers by itself; then `approve` has to be there.
    While it does, the time of the call that the server asks for stands still. Where nothing says which call that is, as
    on the one line of a stdio server, so does that of every call of a tool, prompt and reading of a resource that had
    been sent before; each then has the time that it had left. When the server takes its question back, or is gone, a
    coroutine function is cancelled; a plain function runs to its end, and what it returns goes nowhere. This is so for
    all questions.
    """

    elicitation: ElicitationHandler
    """Answers questions in a form: an `ElicitResult`; a dict or True accepts, False declines, None cancels.

    One that ends because it was cancelled, as when its dialogue is closed, has cancelled the question.
    """

    url_elicitation: UrlElicitationHandler
    """Answers requests that the user visit a URL, likewise."""

    apply_elicitation_defaults: bool
    """Whether fields that an accepted form leaves out are filled with its defaults. Default: no."""

    approve: Callable[[Question], bool]
    """Decides whether a sampling or elicitation request reaches its handler, as `dragoman.ask_on_terminal` does by asking.
    Default: it does."""

    log_level: LoggingLevel | str
    """The least severe log messages to hear; the server is asked for it, and what is below is dropped here too."""

    on_log: Callable[[LogMessage], Any] | Callable[[LogMessage, Context], Any]
    """Hears the server's log messages. Default: they go to the logger "dragoman.server"."""

    on_progress: OnProgress
    """Hears the progress of every call, before the call returns.

    A coroutine function that has not returned when the time of the call is up is cancelled, and the call ends. So does
    the wait for a plain function that runs in a thread; one that runs in the caller's own cannot be stopped, and the call
    lasts as long as it does.
    """

    on_tools_changed: Callable[[ListToolsResult], Any] | Callable[[ListToolsResult, Context], Any]
    """Gets the fresh list whenever the server's tools have changed."""

    on_resources_changed: Callable[[ListResourcesResult], Any] | Callable[[ListResourcesResult, Context], Any]
    """Gets the fresh list whenever the server's resources have changed."""

    on_prompts_changed: Callable[[ListPromptsResult], Any] | Callable[[ListPromptsResult, Context], Any]
    """Gets the fresh list whenever the server's prompts have changed."""

    on_resource_updated: Callable[[ReadResourceResult], Any] | Callable[[ReadResourceResult, Context], Any]
    """Gets the contents, read anew, of a subscribed resource that has changed."""

    on_elicitation_complete: Callable[[str], Any] | Callable[[str, Context], Any]
    """Gets the id of a URL elicitation that the user is done with."""

    on_notification: Callable[[Other], Any] | Callable[[Other, Context], Any]
    """Hears notifications that no other option is for."""

    on_state: Callable[[State], Any] | Callable[[State, Context], Any]
    """Hears of every change in the connection's state."""

    observers: Iterable[ClientObserver]
    """What sees every request and every session at its start and its end: `LogObserver()`, `OpenTelemetryObserver()` or
    one of your own. Default: nothing, at no cost."""

    validator: Validator | Literal[False]
    """Checks structured results against their tool's output schema. Default: JSON Schema 2020-12; False: unchecked."""

    fetch_schemas: bool
    """Whether the first call of a tool that was not listed yet lists the tools once, to check its result. Default: no;
    results of tools that were listed are checked anyway."""

    cache: bool
    """Whether lists and resources are kept for as long as the server says they hold. Default: yes."""

    retry: RetryPolicy | Repeat
    """What is sent again after the line broke: "never", "safe", "always", a function that is given the method of a request
    that is not safe, or a policy. Default: "safe", which never runs a thing twice that might mind."""

    restart: RestartPolicy | bool
    """Whether, and how often, a server that died is started again. Default: yes."""

    announce_cancellation: bool
    """Whether the server is told that a call was cancelled or timed out. Default: yes."""

    remembered: MutableMapping[str, str]
    """Where the era of each server is remembered, by its key. Default: in this process."""

    strict: bool | None
    """True: what is wrong with an answer raises. False: lists of what the server does not offer are empty."""

    env: Mapping[str, str]
    """Variables for the server's process, over those it inherits."""

    inherit_env: Literal["safe", "all", "none"]
    """What the server's process inherits. Default: "safe", what programs need to run and no more."""

    cwd: str | PathLike[str]
    """The directory that the server's process starts in. Default: this process's."""

    on_stderr: Callable[[str], Any]
    """Gets each line that the server's process writes on standard error."""

    headers: Mapping[str, str] | Callable[[Context], Mapping[str, str]]
    """Headers for every HTTP request, or a function that makes them for each; they never leave the server's origin."""

    auth: Auth
    """How to be authorized: `OAuth(...)`, `ClientCredentials(...)` and the like, a token, or a function that returns one.
    Default: by OAuth, when the server wants it; False: never."""

    verify: bool
    """Whether a server's certificate is checked. Default: yes; no is for tests on your own machine."""

    ca_file: str | PathLike[str]
    """A PEM file of authorities to trust in addition to the system's."""

    client_cert: ClientCertificate
    """What proves to servers who this program is: a PEM file, or a tuple of certificate, key and password."""

    proxy: str | Literal[False]
    """The proxy's URL. Default: what the environment says; False: none."""

    engine: Literal["default", "httpx"]
    """What speaks HTTP: "httpx" is httpx2, from the extra `httpx`."""

    http2: bool
    """Whether HTTP/2 may be spoken, with the engine "httpx"."""

    http_client: Any
    """A client of your own to speak HTTP with, as it is; it is never closed."""

    message_url: str
    """Where to post messages to a server of 2024-11-05, in place of where it says."""

    max_message_size: int
    """The largest message to accept, in bytes. Default: 64 MiB."""

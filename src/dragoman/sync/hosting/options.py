# generated from src/dragoman/aio/hosting/options.py by tools/unasync.py; do not edit
"""What a host takes, documented once for both colours."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from dragoman.auth.ways import Way
from dragoman.files.approvals import Approvals
from dragoman.files.audit import AuditSink
from dragoman.files.reading import Source
from dragoman.files.surroundings import Inputs
from dragoman.host.entries import Approval
from dragoman.host.filters import Filter, Predicate
from dragoman.host.limits import BreakerPolicy
from dragoman.host.naming import Naming
from dragoman.host.news import HostEvent
from dragoman.host.policy import Act, Answer, Policy
from dragoman.models.functions import LocalTool
from dragoman.models.watching import ClientObserver
from dragoman.protocol.inbound import Other
from dragoman.protocol.recovery import Repeat, RetryPolicy
from dragoman.sync.options import (
    Duration,
    ElicitationHandler,
    OnProgress,
    SamplingHandler,
    UrlElicitationHandler,
    Validator,
)
from dragoman.types import Implementation, LoggingLevel, LogMessage, ReadResourceResult, Root
from dragoman.views import Context

if TYPE_CHECKING:
    from dragoman.sync.chatting.models import ModelLike

__all__ = ["CLIENT_OPTIONS", "ClientOptions", "HostOptions", "Sources", "Trust"]

Sources: TypeAlias = Source | Sequence[Source]
"""What a host is opened with: a configuration file, a mapping, or several of these."""

Trust: TypeAlias = bool | Collection[str] | Callable[[Approval], Answer]
"""Who gives leave to a project's servers: nobody, anybody (True), the hashes that leave was given to, or a function."""


class ClientOptions(TypedDict, total=False):
    """The options of a host that each of its clients gets; they are those of `connect`."""

    timeout: Duration
    connect_timeout: Duration
    handshake_timeout: Duration
    max_timeout: Duration
    client_info: Implementation
    versions: Sequence[str]
    roots: Iterable[Root | str]
    sampling: SamplingHandler | ModelLike
    elicitation: ElicitationHandler
    url_elicitation: UrlElicitationHandler
    apply_elicitation_defaults: bool
    log_level: LoggingLevel | str
    on_log: Callable[[LogMessage], Any] | Callable[[LogMessage, Context], Any]
    on_progress: OnProgress
    on_resource_updated: Callable[[ReadResourceResult], Any] | Callable[[ReadResourceResult, Context], Any]
    on_elicitation_complete: Callable[[str], Any] | Callable[[str, Context], Any]
    on_notification: Callable[[Other], Any] | Callable[[Other, Context], Any]
    observers: Iterable[ClientObserver]
    validator: Validator | Literal[False]
    cache: bool
    retry: RetryPolicy | Repeat
    remembered: MutableMapping[str, str]
    strict: bool | None
    headers: Mapping[str, str] | Callable[[Context], Mapping[str, str]]
    auth: Way
    ca_file: str | os.PathLike[str]
    proxy: str | Literal[False]
    engine: Literal["default", "httpx"]
    http_client: Any
    max_message_size: int


CLIENT_OPTIONS = frozenset(ClientOptions.__annotations__)


class HostOptions(ClientOptions, total=False):
    """The options of `open`; all may be left out. Those of `connect` hold for every server that has none of its own."""

    filter: Filter | Predicate
    """Which tools are wanted: a function of the server and the tool, or `named`, `read_only` and the like."""

    naming: Naming
    """How tools are named: "collision" (a prefix where two are called alike), "prefix", "counter", or a function of
    the server's name and the tool's. Names never change while the host is open."""

    policy: Policy | str | Sequence[Any]
    """What may happen. Default: `Policy.careful()` where there is `approve`, and everything where there is not."""

    approve: Callable[[Act], Answer]
    """Is asked where the policy says so: returns True or False, or "session", "always" or "never" to be remembered."""

    trust: Trust
    """Gives leave to servers that a project's file names. Default: only to what leave was given to before."""

    approvals: Approvals | str | os.PathLike[str] | None
    """Where leave and lasting answers are kept. Default: the user's own file; None forgets them with the host."""

    inputs: Inputs
    """The answers to what a configuration asks for by `${input:ID}`: by id, or a function that asks the user."""

    lock: str | os.PathLike[str]
    """A lockfile of what was approved of each server. Default: nothing is pinned."""

    on_drift: Literal["block", "ask", "report"]
    """What becomes of a thing that is not as it was pinned. Default: "block"."""

    pin_new: bool
    """Whether a server that the lockfile does not know is pinned as it is found. Default: no."""

    audit: AuditSink
    """A file to which a line of JSON is added for each decision and call, or a function that gets each."""

    patience: Duration
    """How long opening and listing wait for servers that are not required. Default: 5 s; they join when they can."""

    on_event: Callable[[HostEvent], Any]
    """Hears of servers that come and go, of lists that change, of drift, and of configurations that were read again."""

    local: Iterable[LocalTool | Callable[..., Any]]
    """Functions of this program, as tools beside those of servers; their names come first."""

    breaker: BreakerPolicy
    """When a server that fails is left alone for a while. Default: after 5 failures in a row, for 30 s."""

    watch: bool
    """Whether configuration files are read again when they change. Default: no; `reload` does it once."""

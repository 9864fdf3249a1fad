"""Find out which era a server lives in, and who it is.

A server of the modern era answers `server/discover`; only that is proof. Everything else, whether an error of any code,
an answer that says nothing, or silence, means the legacy handshake (2026-07-28, stdio, Backward Compatibility). The one
error that is proof as well is `UnsupportedProtocolVersion`: it names versions to pick from.

A silent server and a slow one look alike, so after a short while the handshake is sent behind the probe, and whichever
is answered first decides: a modern server answers the probe first, since that is what it read first.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from dragoman.errors import (
    AuthError,
    HttpError,
    McpError,
    MethodNotFound,
    ProtocolError,
    ServerError,
    UnsupportedProtocolVersion,
    UsageError,
)
from dragoman.protocol.eras import LEGACY_VERSIONS, MODERN_VERSIONS, VERSIONS, Era, Identity
from dragoman.protocol.eras.legacy import Legacy
from dragoman.protocol.eras.modern import Modern
from dragoman.protocol.introduction import Said, read_introduction
from dragoman.protocol.steps import Call, Conversation, Hedge, Notice, Reply, Request, Tell
from dragoman.types import Implementation, InitializeParams, ServerCapabilities, is_array, is_object

__all__ = ["MINDS_THE_PROBE", "PATIENCE_APART", "PROBE_PATIENCE", "Introduction", "Offer", "negotiate", "offer"]

PROBE_PATIENCE = 1.2
"""Seconds that a probe may stay unanswered before the handshake is sent as well."""

PATIENCE_APART = 5.0
"""The same where the handshake is sent in its place: the answer of a server that is merely slow is lost by that."""

MINDS_THE_PROBE = Legacy.name
"""What to remember of a server that is to be greeted without a probe."""

_PROOF = frozenset({-32022})

_NO_VERDICT = frozenset({408, 425, 429, 502, 503, 504})
"""HTTP statuses that say nothing of the server: it was not reached, or is busy."""
_VERSIONS_HINT = "see the `versions` option"


class Introduction(Struct, frozen=True):
    """What is known of a server once it was found: its era, and what it says of itself."""

    era: Era
    server: Implementation
    capabilities: ServerCapabilities
    instructions: str | None = None


class Offer(Struct, frozen=True):
    """The versions that may be agreed on, newest first, by era."""

    modern: tuple[str, ...]
    legacy: tuple[str, ...]

    def newest_of(self, versions: Sequence[str]) -> str | None:
        """Pick the newest version that a list shares with this offer."""
        return next((version for version in self.modern + self.legacy if version in versions), None)

    def without(self, refused: str) -> Offer:
        """Offer the others only."""
        modern, legacy = ([each for each in era if each != refused] for era in (self.modern, self.legacy))
        return Offer(tuple(modern), tuple(legacy))


def offer(wanted: Sequence[str] | None, carried: Sequence[str]) -> Offer:
    """Sort out which of the wanted versions (None: all) this library and the transport both know.

    Raises:
        UsageError: none of them.
    """
    shared = [version for version in VERSIONS if version in (wanted or VERSIONS) and version in carried]
    if not shared:
        raise UsageError(
            f"none of the protocol versions {', '.join(wanted or carried)} can be spoken here",
            hint=f"known are {', '.join(VERSIONS)}",
        )
    modern = tuple(version for version in shared if version in MODERN_VERSIONS)
    return Offer(modern, tuple(version for version in shared if version in LEGACY_VERSIONS))


def negotiate(
    identity: Identity, offered: Offer, remembered: str | None = None, *, patience: float = PROBE_PATIENCE
) -> Conversation[Introduction]:
    """Find the server's era; `remembered` is the name of the era it had the last time.

    `patience` is for how many seconds the probe may stay unanswered.

    Raises:
        UnsupportedProtocolVersion: the server is of the modern era and speaks none of the versions.
        ServerError: it refused the handshake.
        ProtocolError: it answered with a version that was not offered, or names none that is.
    """
    if not offered.modern:
        return (yield from _handshake(identity, offered))
    if not offered.legacy:
        return (yield from _insist(identity, offered, offered.modern[0], again=True))
    if remembered == Legacy.name:
        return (yield from _as_remembered(identity, offered))
    return (yield from _probe(identity, offered, patience))


def _probe(identity: Identity, offered: Offer, patience: float) -> Conversation[Introduction]:
    discover, initialize = _discover(identity, offered.modern[0]), _initialize(identity, offered)
    try:
        reply = yield Hedge(discover, initialize, patience, _PROOF)
    except UnsupportedProtocolVersion as refusal:
        refused = offered.legacy[0] if refusal.method == "initialize" else offered.modern[0]
        return (yield from _refused(refusal, refused, identity, offered, again=True))
    except (ServerError, ProtocolError) as refusal:
        # Where the handshake was refused as well, the probe may only have come too early.
        is_silent = isinstance(refusal, ServerError) and refusal.method == "initialize"
        after = _as_remembered(identity, offered) if is_silent else _after(refusal, identity, offered)
        return (yield from after)
    except HttpError as refusal:
        if refusal.status in _NO_VERDICT:
            raise
        return (yield from _handshake(identity, offered))
    except AuthError as refusal:
        if refusal.status is None:  # a user, or who gives tokens, said no: they are not asked twice
            raise
        return (yield from _after_locked_door(refusal, identity, offered))
    if reply.era.name == Legacy.name:
        return (yield from _greeted(reply, identity, offered))
    return (yield from _discovered(reply, identity, offered))


def _after(refusal: McpError, identity: Identity, offered: Offer) -> Conversation[Introduction]:
    """Try the handshake; where the server does not know that, what became of the probe is what is wrong with it."""
    try:
        return (yield from _handshake(identity, offered))
    except MethodNotFound as error:
        if isinstance(refusal, MethodNotFound):
            raise
        raise refusal from error


def _after_locked_door(refusal: AuthError, identity: Identity, offered: Offer) -> Conversation[Introduction]:
    """Try the handshake, which some servers leave open, and close whatever they do not know."""
    try:
        return (yield from _handshake(identity, offered))
    except McpError as error:
        raise refusal from error


def _as_remembered(identity: Identity, offered: Offer) -> Conversation[Introduction]:
    try:
        return (yield from _handshake(identity, offered))
    except (ServerError, ProtocolError, HttpError) as error:
        refusal = error
    try:
        # Was it replaced by one of the other era? It has served nothing yet, so it can still be probed.
        return (yield from _insist(identity, Offer(offered.modern, ()), offered.modern[0], again=True))
    except McpError as error:
        raise refusal from error


def _insist(identity: Identity, offered: Offer, version: str, *, again: bool = False) -> Conversation[Introduction]:
    try:
        reply = yield _discover(identity, version)
    except UnsupportedProtocolVersion as refusal:
        return (yield from _refused(refusal, version, identity, offered, again=again))
    return (yield from _discovered(reply, identity, offered))


def _refused(
    refusal: UnsupportedProtocolVersion, version: str, identity: Identity, offered: Offer, *, again: bool = False
) -> Conversation[Introduction]:
    # Without the refused one, so that a server that names it all the same is not asked for ever.
    left = offered.without(version)
    if left.newest_of(refusal.supported) is None and again and version in refusal.supported:
        # The server names the very version that it refused: it is asked once more, and that is final.
        return (yield from _insist(identity, offered, version))
    if left.newest_of(refusal.supported) is None:
        raise UnsupportedProtocolVersion(
            _nothing_shared(refusal.supported, offered),
            code=refusal.code,
            data=refusal.data,
            method=refusal.method,
            hint=_VERSIONS_HINT,
        ) from refusal
    return (yield from _among(refusal.supported, identity, left))


def _discovered(reply: Reply, identity: Identity, offered: Offer) -> Conversation[Introduction]:
    try:
        said = read_introduction(reply.result)
    except ProtocolError as error:
        return (yield from _after(error, identity, offered))
    if not said.versions:
        # No modern server: it answers anything with some result. A discover answer has to name versions.
        nameless = ProtocolError("the server's answer to server/discover names no protocol version")
        return (yield from _after(nameless, identity, offered))
    version = offered.newest_of(said.versions)
    if version in offered.modern:
        return _introduction(Modern(version, identity), said)
    return (yield from _among(said.versions, identity, offered))


def _among(supported: Sequence[str], identity: Identity, offered: Offer) -> Conversation[Introduction]:
    version = offered.newest_of(supported)
    if version is None:
        raise ProtocolError(_nothing_shared(supported, offered), hint=_VERSIONS_HINT)
    if version in offered.modern:
        return (yield from _insist(identity, offered, version))
    return (yield from _handshake(identity, Offer((), (version, *offered.legacy))))


def _nothing_shared(supported: Sequence[str], offered: Offer) -> str:
    theirs = ", ".join(supported) or "no version that it can name"
    return f"the server speaks {theirs}; this client was to speak {', '.join(offered.modern + offered.legacy)}"


def _handshake(identity: Identity, offered: Offer) -> Conversation[Introduction]:
    if not offered.legacy:
        raise ProtocolError(
            "the server is of the legacy era, which this client was told not to speak", hint=_VERSIONS_HINT
        )
    try:
        reply = yield _initialize(identity, offered)
    except ServerError as refusal:
        named, left = _named_in(refusal), offered.without(offered.legacy[0])
        if left.newest_of(named) is None:
            raise
        return (yield from _among(named, identity, left))
    return (yield from _greeted(reply, identity, offered))


def _named_in(refusal: ServerError) -> Sequence[str]:
    """Give the versions that a refusal names (2025-11-25, Lifecycle: on a mismatch, as its data)."""
    named = refusal.data.get("supported") if is_object(refusal.data) else None
    return named if is_array(named) else ()


def _greeted(reply: Reply, identity: Identity, offered: Offer) -> Conversation[Introduction]:
    said = read_introduction(reply.result)
    if said.version not in offered.legacy:
        raise ProtocolError(
            f"the server answered initialize with the protocol version {said.version!r}, which was not offered",
            hint=f"offered: {', '.join(offered.legacy)}",
        )
    era = Legacy(said.version, identity)
    yield Tell(Notice("notifications/initialized"), era)
    return _introduction(era, said)


def _discover(identity: Identity, version: str) -> Call:
    return Call(Request("server/discover"), Modern(version, identity))


def _initialize(identity: Identity, offered: Offer) -> Call:
    newest = offered.legacy[0]
    params = InitializeParams(
        protocol_version=newest, capabilities=identity.capabilities, client_info=identity.client_info
    )
    return Call(Request("initialize", params), Legacy(newest, identity))


def _introduction(era: Era, said: Said) -> Introduction:
    return Introduction(era, said.server, said.capabilities, said.instructions)

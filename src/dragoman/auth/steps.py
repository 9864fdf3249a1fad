"""What a conversation about authorization may ask of the world, and what it is sent back.

    Fetch    -> FetchReply        make one HTTP request; no redirect is followed, no cookie kept
    Now      -> float             the time, in Unix seconds
    Random   -> bytes             unpredictable bytes
    Pause    -> None              let some seconds go by
    Recall   -> bytes | None      read a record of the store
    Keep     -> bool              write or remove a record, if it still is what it was
    Alone    -> the result        perform a conversation while nobody else, in any process, does so under that name
    Listen   -> str | None        open an address for the browser to come back to; None where there is nobody to ask
    Browse   -> str               send the user to a URL; the URL that the browser came back to
    Consult  -> str               ask a function of the application's for a token or an assertion
    MakeKey  -> KeyPair           make a key pair for signatures
    Sign     -> str               sign claims: a JWT in its compact form

What cannot be done fails by an exception that is thrown into the conversation at the `yield`.
"""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Generator
from dataclasses import dataclass
from math import inf
from typing import Any, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from dragoman.auth.secret import Secret
from dragoman.protocol.steps import Pause

__all__ = [
    "Alone",
    "Browse",
    "Consult",
    "Conversation",
    "Fetch",
    "FetchReply",
    "Keep",
    "KeyPair",
    "Listen",
    "MakeKey",
    "Now",
    "Pairs",
    "Pause",
    "Random",
    "Recall",
    "Sign",
    "Step",
]

T = TypeVar("T")
Pairs: TypeAlias = tuple[tuple[str, str], ...]
"""Headers: names, in any case, with their values; a name may be there twice."""


@dataclass(frozen=True, slots=True, repr=False)
class Fetch:
    """One HTTP request to a server of metadata or of tokens.

    A host that is found to be in a private network is refused by the performer, unless that of `near`, which the user
    has chosen, is in one as well; None: the user has chosen this one.
    """

    method: str
    url: str
    headers: Pairs = ()
    body: bytes | None = None
    near: str | None = None

    def __repr__(self) -> str:
        return f"Fetch({self.method} {self.url.partition('?')[0]})"


@dataclass(frozen=True, slots=True, repr=False)
class FetchReply:
    """The whole answer to a `Fetch`."""

    status: int
    headers: Pairs = ()
    body: bytes = b""

    def header(self, name: str) -> str | None:
        """Return the first value of a header, whose name is given in lower case."""
        return next((value for each, value in self.headers if each.lower() == name), None)

    def json_object(self) -> dict[str, Any] | None:
        """Read the body as a JSON object; None if it is none, or too deep to be one that somebody meant."""
        try:
            document = msgspec.json.decode(self.body.removeprefix(BOM_UTF8))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        return document if isinstance(document, dict) else None

    def __repr__(self) -> str:
        return f"FetchReply({self.status})"


class Now(Struct, frozen=True):
    """Tell the time."""


class Random(Struct, frozen=True):
    """Give so many unpredictable bytes."""

    size: int


class Recall(Struct, frozen=True):
    """Read what is stored under a key."""

    key: str


@dataclass(frozen=True, slots=True, repr=False)
class Keep:
    """Store a value in place of the one that was read; None stands for no value. False: it is no longer that one."""

    key: str
    value: bytes | None
    expected: bytes | None

    def __repr__(self) -> str:
        return f"Keep({self.key!r})"


class Alone(Struct, frozen=True):
    """Perform a conversation while no other task, thread or process performs one under this name.

    The lock is given back whatever happens to its holder, and a request to an MCP server is never made under it.

    `asks_user`: a user may be asked, who has a time of their own. `is_whole`: once begun it goes on, although whoever
    asked for it has given up, which they do after `longest` seconds at most.
    """

    name: str
    conversation: Generator[Step, Any, Any]
    asks_user: bool = False
    is_whole: bool = False
    longest: float = inf


class Listen(Struct, frozen=True):
    """Open an address for the browser to come back to, until the conversation ends.

    `preferred` is the one that was registered before, to be had again if possible; `is_fixed`: none but that one.
    """

    preferred: str | None = None
    is_fixed: bool = False


class Browse(Struct, frozen=True):
    """Send the user's browser to `url`, and wait until it comes back to `redirect_uri`."""

    url: str
    redirect_uri: str


class Consult(Struct, frozen=True):
    """Ask a function of the application's, plain or a coroutine function."""

    function: Callable[[], Any]


class KeyPair(Struct, frozen=True):
    """A key pair: the private half as the JSON of a JWK, the public one as a JWK."""

    algorithm: str
    private: Secret
    public: dict[str, Any]


class MakeKey(Struct, frozen=True):
    """Make a key pair for a JWS algorithm such as ES256."""

    algorithm: str


class Sign(Struct, frozen=True):
    """Sign claims with a private key, a JWK in JSON or PEM. The header names the algorithm."""

    key: Secret
    header: dict[str, Any]
    claims: dict[str, Any]


Step: TypeAlias = Fetch | Now | Random | Pause | Recall | Keep | Alone | Listen | Browse | Consult | MakeKey | Sign
Conversation: TypeAlias = Generator[Step, Any, T]

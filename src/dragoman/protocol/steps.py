"""What a conversation may ask of the world, and what it is sent back.

A conversation is a generator: it yields steps and is sent their answers, and it never waits. What it asks for
fails by an exception thrown into it at the `yield`.

    Call    -> Reply       send a request and give me its answer
    Hedge   -> Reply       send a request; if it stays unanswered, a second one too; give me what is answered well
    Tell    -> None        send a notification
    Ask     -> the answer  put the server's question to the application
    Pause   -> None        let some seconds go by
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from msgspec import Raw, Struct

if TYPE_CHECKING:
    from dragoman.protocol.eras import Era

__all__ = ["Ask", "Call", "Conversation", "Hedge", "Notice", "Pause", "Reply", "Request", "Step", "Tell"]


class Request(Struct, frozen=True):
    """A request of ours, before an era has dressed it and an id has been given to it.

    `params` is a struct of `dragoman.types` or None; `meta` is the caller's own `_meta`; `mirrored` are the HTTP headers
    that repeat arguments, where there are headers.
    """

    method: str
    params: Any = None
    meta: dict[str, Any] | None = None
    mirrored: dict[str, str] | None = None


class Notice(Struct, frozen=True):
    """A notification of ours, before an era has dressed it."""

    method: str
    params: Any = None


class Reply(Struct, frozen=True):
    """The result that answered a request, raw, with the era it was said in.

    `failure` is what went wrong here while a question was answered that the server asked for this request's sake.
    """

    result: Raw
    era: Era
    failure: BaseException | None = None


class Call(Struct, frozen=True):
    """Send a request and wait for its `Reply`; an error answer is thrown as a `ServerError`.

    `era` dresses it (None: the connection's own); `is_repeatable` says that running it twice does no harm.
    """

    request: Request
    era: Era | None = None
    is_repeatable: bool = True


class Hedge(Struct, frozen=True):
    """Send `first`; when it is still unanswered after `after` seconds, send `second`.

    On a line that all requests share, `first` may still be answered; elsewhere it is given up. The answer is the `Reply` of whichever is answered by a result first. An error is thrown when `first` is refused
    before `second` has left, or with a code that is `decisive`, or when both are refused.
    """

    first: Call
    second: Call
    after: float
    decisive: frozenset[int] = frozenset()


class Tell(Struct, frozen=True):
    """Send a notification; that it could not be sent is no failure."""

    notice: Notice
    era: Era | None = None


class Ask(Struct, frozen=True):
    """Put a request of the server's to the application, and be sent the application's answer."""

    method: str
    params: Any


class Pause(Struct, frozen=True):
    """Let `seconds` go by."""

    seconds: float


Step: TypeAlias = Call | Hedge | Tell | Ask | Pause

T = TypeVar("T")
Conversation: TypeAlias = Generator[Step, Any, T]

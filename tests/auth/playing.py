"""A world of canned answers for conversations about authorization: its clock stands, its chance is counted."""

import json
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from dragoman.auth.metadata import AuthorizationServer, Resource
from dragoman.auth.records import Book
from dragoman.auth.secret import Secret
from dragoman.auth.steps import (
    Alone,
    Browse,
    Consult,
    Conversation,
    Fetch,
    FetchReply,
    Keep,
    KeyPair,
    Listen,
    MakeKey,
    Now,
    Pairs,
    Pause,
    Random,
    Recall,
    Sign,
    Step,
)
from dragoman.errors import AuthError

__all__ = [
    "ISSUER",
    "NOW",
    "REDIRECT",
    "RESOURCE",
    "SERVER",
    "URL",
    "World",
    "answer",
    "book",
    "form",
    "query",
    "token",
]

T = TypeVar("T")

NOW = 1_800_000_000.0
URL = "https://mcp.example.com/mcp"
ISSUER = "https://as.example.com"
REDIRECT = "http://127.0.0.1:4000/callback"

RESOURCE = Resource(URL, (ISSUER,))
SERVER = AuthorizationServer(
    ISSUER,
    f"{ISSUER}/token",
    f"{ISSUER}/authorize",
    f"{ISSUER}/register",
    iss=ISSUER,
    challenge_methods=("S256",),
)


def answer(body: Any = None, status: int = 200, headers: Pairs = ()) -> FetchReply:
    """An HTTP answer; bytes stand for themselves, anything else for its JSON."""
    return FetchReply(status, headers, body if isinstance(body, bytes) else json.dumps(body).encode())


def token(access: str = "at-1", **members: Any) -> FetchReply:
    return answer({"access_token": access, "token_type": "Bearer", "expires_in": 3600, **members})


def form(request: Fetch) -> dict[str, str]:
    return dict(parse_qsl((request.body or b"").decode(), keep_blank_values=True))


def query(url: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


def book(world: "World", key: str = "k") -> Book:
    """A book that has been read."""
    made = Book(key)
    world.play(made.read())
    return made


class World:
    """Performs steps, and notes them. What is not there is answered 404."""

    def __init__(self, replies: dict[str, Any] | None = None) -> None:
        self.now = NOW
        self.replies: dict[str, Any] = replies or {}
        self.stored: dict[str, bytes] = {}
        self.steps: list[Step] = []
        self.names: list[str] = []
        self.redirect_uri: str | None = REDIRECT
        self.comes_back: Callable[[str], Any] = self.consent
        self.redirect_members: dict[str, str] = {}
        self.on_keep: list[Callable[[], object]] = []
        self._drawn = 0
        self._performers: dict[type[Any], Callable[[Any], Any]] = {
            Fetch: self._reply,
            Now: lambda _: self.now,
            Pause: self._pause,
            Random: self._draw,
            Recall: lambda step: self.stored.get(step.key),
            Keep: self._keep,
            Alone: self._alone,
            Listen: lambda _: self.redirect_uri,
            Browse: lambda step: _given(self.comes_back(step.url)),
            Consult: lambda step: step.function(),
            MakeKey: self._make_key,
            Sign: lambda step: json.dumps([step.header, step.claims]),
        }

    def play(self, conversation: Conversation[T]) -> T:
        sent: Any = None
        failure: Exception | None = None
        while True:
            try:
                step = conversation.throw(failure) if failure is not None else conversation.send(sent)
            except StopIteration as end:
                return end.value  # type: ignore[no-any-return]
            self.steps.append(step)
            sent, failure = None, None
            try:
                sent = self.perform(step)
            except Exception as error:  # noqa: BLE001 - thrown into the conversation, as the real performers do
                failure = error

    def perform(self, step: Step) -> Any:
        """Do what a step asks for."""
        return self._performers[type(step)](step)

    def _pause(self, step: Pause) -> None:
        self.now += step.seconds

    def _draw(self, step: Random) -> bytes:
        self._drawn += 1
        return bytes([self._drawn]) * step.size

    def _alone(self, step: Alone) -> Any:
        self.names.append(step.name)
        return self.play(step.conversation)

    def _make_key(self, step: MakeKey) -> KeyPair:
        return KeyPair(step.algorithm, Secret(f"private-{step.algorithm}"), {"kty": "EC", "x": "public"})

    def _reply(self, request: Fetch) -> Any:
        reply = self.replies.get(request.url, answer({}, 404))
        if isinstance(reply, list):
            reply = reply.pop(0)
        return _given(reply(request) if callable(reply) else reply)

    def _keep(self, step: Keep) -> bool:
        if self.on_keep:
            self.on_keep.pop(0)()
        if self.stored.get(step.key) != step.expected:
            return False
        if step.value is None:
            del self.stored[step.key]
        else:
            self.stored[step.key] = step.value
        return True

    def consent(self, url: str) -> str:
        """The user says yes, and the browser comes back."""
        asked = query(url)
        members = {"code": "code-1", "state": asked["state"], **self.redirect_members}
        return f"{asked['redirect_uri']}?{urlencode(members)}"

    @property
    def fetched(self) -> list[Fetch]:
        return [step for step in self.steps if isinstance(step, Fetch)]

    @property
    def urls(self) -> list[str]:
        return [f"{each.method} {each.url}" for each in self.fetched]

    @property
    def browsed(self) -> list[str]:
        return [step.url for step in self.steps if isinstance(step, Browse)]

    @property
    def signed(self) -> list[Sign]:
        return [step for step in self.steps if isinstance(step, Sign)]

    def fail(self, conversation: Conversation[Any]) -> AuthError:
        """Play a conversation that has to end in an `AuthError`."""
        try:
            result = self.play(conversation)
        except AuthError as error:
            return error
        raise AssertionError(f"it came to {result!r}")


def _given(value: Any) -> Any:
    if isinstance(value, Exception):
        raise value
    return value

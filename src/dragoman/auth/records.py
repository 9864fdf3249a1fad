"""What is remembered of one server for one identity: who we are there, and the tokens, bound to who gave them."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from math import inf
from typing import TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from dragoman.auth.endpoint import Client
from dragoman.auth.metadata import AuthorizationServer
from dragoman.auth.secret import decode_json, encode_json
from dragoman.auth.steps import Alone, Conversation, Keep, KeyPair, Recall
from dragoman.auth.tokens import Tokens

__all__ = ["Book", "Credentials", "Record", "record_key"]

T = TypeVar("T")

_FORMAT = 1
_MOST_ATTEMPTS = 8


class Credentials(Struct, frozen=True):
    """All that one authorization server has given us for one MCP server.

    `resource` is what the tokens are for; `requested` the scopes that were asked for, None for none in particular;
    `client_id` who they were given to; `key` what they are bound to.
    """

    server: AuthorizationServer
    resource: str
    client: Client | None = None
    tokens: Tokens | None = None
    client_id: str | None = None
    requested: tuple[str, ...] | None = None
    key: KeyPair | None = None


class Record(Struct, frozen=True):
    """What is stored under one key: credentials by issuer, and the issuer that is current."""

    current: str | None = None
    by_issuer: dict[str, Credentials] = msgspec.field(default_factory=dict)
    format: int = _FORMAT

    @property
    def credentials(self) -> Credentials | None:
        """The credentials of the current issuer."""
        return self.by_issuer.get(self.current) if self.current is not None else None

    def of(self, issuer: str) -> Credentials | None:
        """Return the credentials of an issuer; those of another one are never used in their place."""
        return self.by_issuer.get(issuer)

    def with_credentials(self, credentials: Credentials) -> Record:
        """Make these the current ones; another issuer's tokens go, since nobody may send them any more."""
        issuer = credentials.server.issuer
        others = {
            name: msgspec.structs.replace(each, tokens=None, key=None)
            for name, each in self.by_issuer.items()
            if name != issuer
        }
        return Record(issuer, {**others, issuer: credentials})


def record_key(url: str, identity: str) -> str:
    """Name the record of a server and an identity; a query, which may hold a secret, is there as a digest."""
    parts = urlsplit(url)
    query = f"?{sha256(parts.query.encode()).hexdigest()[:16]}" if parts.query else ""
    return f"{identity} {parts.scheme}://{parts.netloc.rpartition('@')[2].lower()}{parts.path.rstrip('/')}{query}"


class Book:
    """The record of one server and one identity, as it was last seen. Owned by one authorizer.

    `read` and `change` are for conversations that are `alone` already; `reread` and `write` for all others. Every change is made to what is stored at that moment: if somebody else has written, it is read again first.

    Attributes:
        key: where the record is stored.
        record: what it was last seen to hold.
        is_read: whether it has been looked at.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.record = Record()
        self.is_read = False
        self._stored: bytes | None = None

    def alone(self, conversation: Conversation[T], *, is_whole: bool = False, longest: float = inf) -> Conversation[T]:
        """Perform a conversation that reads and changes the record while nobody else does; see `Alone`."""
        result: T = yield Alone(f"record {self.key}", conversation, is_whole=is_whole, longest=longest)
        return result

    def reread(self) -> Conversation[Record]:
        """Look at what is stored, when nobody is changing it."""
        return (yield from self.alone(self.read()))

    def write(self, change: Callable[[Record], Record]) -> Conversation[Record]:
        """Change the record, when nobody else is changing it."""
        return (yield from self.alone(self.change(change)))

    def read(self) -> Conversation[Record]:
        """Look at what is stored; what cannot be understood is nothing, and is written over."""
        self._stored = yield Recall(self.key)
        self.record = _decoded(self._stored)
        self.is_read = True
        return self.record

    def change(self, change: Callable[[Record], Record]) -> Conversation[Record]:
        """Write a changed record. Should others write all the time, the change is kept here, and not stored."""
        for _ in range(_MOST_ATTEMPTS):
            record = change(self.record)
            if record == self.record:
                return record
            data = encode_json(record) if record.by_issuer else None
            was_kept: bool = yield Keep(self.key, data, self._stored)
            if was_kept:
                self.record, self._stored = record, data
                return record
            yield from self.read()
        self.record = change(self.record)
        return self.record


def _decoded(data: bytes | None) -> Record:
    try:
        record: Record = decode_json(data, Record) if data is not None else Record()
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return Record()
    return record if record.format == _FORMAT else Record()

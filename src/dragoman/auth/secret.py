"""Hold a secret so that no repr, log or traceback shows it."""

from __future__ import annotations

from hmac import compare_digest
from typing import Any, final

import msgspec

__all__ = ["Secret", "as_secret", "decode_json", "encode_json", "hide"]


@final
class Secret:
    """A token, a password or a key; only `reveal` shows it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def reveal(self) -> str:
        """Return the secret itself, to be sent and never to be shown."""
        return self._value

    def __repr__(self) -> str:
        return "Secret(...)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and compare_digest(self._value.encode(), other._value.encode())

    def __hash__(self) -> int:
        return hash(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)


def as_secret(value: Secret | str | None) -> Secret | None:
    """Hide a text, unless it is hidden already or there is none."""
    return Secret(value) if isinstance(value, str) else value


def hide(options: msgspec.Struct, *names: str) -> None:
    """Hide those of the fields that are text, in options that have just been made."""
    for name in names:
        value = getattr(options, name)
        if isinstance(value, str):
            msgspec.structs.force_setattr(options, name, Secret(value))


def encode_json(value: object) -> bytes:
    """Write a value that may hold secrets as JSON; the secrets are in it, so it may only be stored."""
    return msgspec.json.encode(value, enc_hook=_revealed)


def decode_json(data: bytes, kind: type[Any]) -> Any:
    """Read what `encode_json` wrote.

    Raises:
        msgspec.MsgspecError: it is not that.
    """
    return msgspec.json.decode(data, type=kind, dec_hook=_hide)


def _revealed(value: object) -> str:
    if isinstance(value, Secret):
        return value.reveal()
    raise NotImplementedError(type(value).__name__)


def _hide(kind: type[Any], value: Any) -> Any:
    if kind is not Secret:
        raise NotImplementedError(kind.__name__)
    if not isinstance(value, str):
        raise TypeError("a secret is a text")
    return Secret(value)

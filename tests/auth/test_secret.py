"""Secrets are not shown, and are stored whole."""

import msgspec
import pytest
from msgspec import Struct

from dragoman.auth.secret import Secret, as_secret, decode_json, encode_json, hide


class Kept(Struct, frozen=True):
    secret: Secret
    other: int = 1


def test_secret_is_shown_by_nothing() -> None:
    secret = Secret("hush")

    assert "hush" not in f"{secret} {secret!r} {secret:}" + str([secret]) + str(Kept(secret))
    assert secret.reveal() == "hush"


def test_secrets_are_compared_by_what_they_hide() -> None:
    assert Secret("a") == Secret("a")
    assert Secret("a") != Secret("b")
    assert Secret("a") != "a"
    assert len({Secret("a"), Secret("a"), Secret("b")}) == 2


def test_empty_secret_is_false() -> None:
    assert not Secret("")
    assert Secret("a")


def test_text_is_hidden_once() -> None:
    assert as_secret("a") == Secret("a")
    assert as_secret(Secret("a")) == Secret("a")
    assert as_secret(None) is None


def test_options_hide_their_texts() -> None:
    class Options(Struct, frozen=True):
        password: Secret | str | None = None
        source: object = None

    options = Options("hush", len)
    hide(options, "password", "source")

    assert options == Options(Secret("hush"), len)


def test_stored_secrets_are_read_again() -> None:
    assert decode_json(encode_json(Kept(Secret("hush"))), Kept) == Kept(Secret("hush"))


@pytest.mark.parametrize("data", [b'{"secret": 1}', b"{", b'{"secret": null}'])
def test_what_is_not_stored_so_cannot_be_read(data: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        decode_json(data, Kept)


def test_only_secrets_have_a_hook() -> None:
    with pytest.raises(NotImplementedError, match="object"):
        encode_json(object())
    with pytest.raises(NotImplementedError, match="range"):
        decode_json(b"1", range)

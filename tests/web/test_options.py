"""Options that contradict each other are refused, and secrets in them are not shown."""

from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import UsageError
from dragoman.web.options import HttpOptions


def test_nothing_is_shown_of_what_was_not_set() -> None:
    assert repr(HttpOptions()) == "HttpOptions()"


def test_secrets_are_not_shown() -> None:
    options = HttpOptions(proxy="http://me:hush@a:1", client_cert=("c.pem", "k.pem", "hush"))

    assert repr(options) == "HttpOptions(client_cert='c.pem', proxy='http://a:1')"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (None, None),
        ("c.pem", ("c.pem", None, None)),
        (Path("c.pem"), ("c.pem", None, None)),
        (("c.pem", "k.pem"), ("c.pem", "k.pem", None)),
        (("c.pem", Path("k.pem"), "hush"), ("c.pem", "k.pem", "hush")),
        (("c.pem", None, "hush"), ("c.pem", None, "hush")),
    ],
)
def test_client_certificate(written: Any, read: Any) -> None:
    assert HttpOptions(client_cert=written).certificate == read


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"engine": "curl"}, "'curl'"),
        ({"http2": True}, "engine='httpx'"),
        ({"http_client": object(), "verify": False, "proxy": False}, "verify and proxy"),
    ],
)
def test_contradictions(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        HttpOptions(**options)


def test_equal_options_are_one_key() -> None:
    assert len({HttpOptions(ca_file="a"), HttpOptions(ca_file="a"), HttpOptions(ca_file="b")}) == 2

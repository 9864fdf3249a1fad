"""What a provider's errors mean."""

from types import SimpleNamespace
from typing import Any

import pytest

from dragoman.models.chat.failures import ModelRejected, ModelUnavailable, error_of, model_error, retry_after, unwritten


class Raised(Exception):
    """What an SDK raises: it has whatever attributes its makers wanted."""

    def __init__(self, text: str = "", **attributes: Any) -> None:
        super().__init__(text)
        vars(self).update(attributes)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (429, "", ModelUnavailable),
        (500, "", ModelUnavailable),
        (529, "overloaded_error", ModelUnavailable),
        (200, "overloaded_error", ModelUnavailable),
        (200, "", ModelUnavailable),
        (None, "", ModelUnavailable),
        (None, "server_is_overloaded", ModelUnavailable),
        (None, "invalid_prompt", ModelRejected),
        (400, "invalid_request_error", ModelRejected),
        (401, "api_error", ModelRejected),
        (200, "invalid_request_error", ModelRejected),
        (404, "", ModelRejected),
    ],
)
def test_errors_are_divided_by_what_to_do(status: int | None, code: str, kind: type) -> None:
    error = model_error("p", "no", status=status, code=code)

    assert type(error) is kind
    assert (error.status, error.code, error.provider) == (status, code, "p")
    assert str(error).startswith("p: no")


def test_keys_are_not_repeated() -> None:
    error = model_error("p", "Incorrect API key provided: sk-proj-abcdefghijklmnopqrstuvwxyz0123456789", status=401)

    assert "abcdefghij" not in str(error)


def test_key_is_named_where_it_is_refused() -> None:
    assert "check the key" in (model_error("p", "no", status=401).hint or "")


def test_what_an_sdk_raises_is_read() -> None:
    response = SimpleNamespace(headers={"retry-after": "7"})
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    error = error_of(Raised("raw", status_code=529, body=body, response=response), "anthropic", "KEY")

    assert isinstance(error, ModelUnavailable)
    assert (error.message, error.code, error.retry_after) == ("anthropic: Overloaded", "overloaded_error", 7.0)


def test_other_ways_of_saying_it_are_read() -> None:
    flat = error_of(
        Raised("raw", status_code=400, body={"message": "bad", "type": None, "code": "bad_value"}), "p", "K"
    )
    gemini = error_of(Raised("raw", code=503, status="UNAVAILABLE", details={"error": {"message": "busy"}}), "p", "K")
    line = error_of(Raised(), "p", "K")
    text = error_of(Raised("raw", status_code=500, body="<html>"), "p", "K")

    assert (flat.message, flat.code) == ("p: bad", "bad_value")
    assert (gemini.message, gemini.status, gemini.code) == ("p: busy", 503, "UNAVAILABLE")
    assert isinstance(line, ModelUnavailable)
    assert line.message == "p: Raised"
    assert text.message == "p: raw"


def test_missing_key_names_its_variable() -> None:
    error = error_of(TypeError("Could not resolve authentication method."), "anthropic", "ANTHROPIC_API_KEY")

    assert (type(error), error.hint) == (ModelRejected, "set ANTHROPIC_API_KEY")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after": "Fri, 31 Dec 2026 23:59:59 GMT"}, None),
        ({}, None),
        (None, None),
    ],
)
def test_time_to_wait_is_read(headers: Any, seconds: float | None) -> None:
    assert retry_after(headers) == seconds


def test_request_that_cannot_be_written_is_rejected() -> None:
    error = unwritten(TypeError("create() got an unexpected keyword argument 'gilded'"), "anthropic", "KEY")
    keyless = unwritten(TypeError("Could not resolve authentication method."), "anthropic", "KEY")

    assert isinstance(error, ModelRejected)
    assert "'gilded'" in str(error)
    assert "`extra`" in str(error)
    assert isinstance(keyless, ModelRejected)
    assert keyless.hint == "set KEY"


def test_line_that_broke_says_why() -> None:
    failure = Raised("Connection error.")
    failure.__cause__ = OSError("nobody is there")

    assert str(error_of(failure, "openai", "KEY")) == "openai: Connection error. (nobody is there)"

"""The fields of a form: what is asked for, and what becomes of what is typed."""

from typing import Any

import pytest

from dragoman.cli.fields import Field
from dragoman.cli.forms import host_of
from dragoman.types import JsonObject

TITLED = {"type": "string", "oneOf": [{"const": "2", "title": "Two"}, {"const": "b", "title": "Bee"}]}
MANY = {"type": "array", "items": {"anyOf": [{"const": "ny", "title": "New York"}, {"const": "la"}]}, "maxItems": 1}


def field(schema: JsonObject, name: str = "field") -> Field:
    return Field(name, schema, is_required=True)


@pytest.mark.parametrize(
    ("schema", "typed", "value"),
    [
        ({"type": "string"}, " as typed ", " as typed "),
        ({"type": "string", "format": "date"}, "2026-12-31", "2026-12-31"),
        ({"type": "string", "format": "date-time"}, "2026-12-31T23:59:00Z", "2026-12-31T23:59:00Z"),
        ({"type": "string", "format": "uri"}, "https://example.com", "https://example.com"),
        ({"type": "integer"}, " 7 ", 7),
        ({"type": "number"}, "7", 7),
        ({"type": "number"}, "7.5", 7.5),
        ({"type": "number"}, ".5e1", 5.0),
        ({"type": "boolean"}, "Y", True),
        ({"type": "boolean"}, "false", False),
        ({"type": "string", "enum": ["a", "b"], "enumNames": ["Ay", "Bee"]}, "Bee", "b"),
        (TITLED, "2", "2"),
        (TITLED, "1", "2"),
        (MANY, "New York", "ny"),
        (MANY, "2", "la"),
        (MANY, "1, 1", "ny"),
        ({"type": "string", "pattern": "("}, "as typed", "as typed"),
    ],
)
def test_what_is_typed_becomes_a_value(schema: JsonObject, typed: str, value: Any) -> None:
    assert field(schema).read(typed) == ([value] if schema["type"] == "array" else value)


@pytest.mark.parametrize(
    ("schema", "typed", "why"),
    [
        ({"type": "string", "minLength": 3}, "ab", "shorter than 3"),
        ({"type": "string", "maxLength": 1}, "ab", "longer than 1"),
        ({"type": "string", "pattern": "^(a+)+$"}, "a" * 60 + "b", "does not match"),
        ({"type": "string", "format": "email"}, "nobody", 'is not a "email"'),
        ({"type": "string", "format": "date"}, "tomorrow", 'is not a "date"'),
        ({"type": "string", "format": "uri"}, "not a uri", 'is not a "uri"'),
        ({"type": "integer"}, "1.5", "type a whole number"),
        ({"type": "integer"}, "1_000", "type a whole number"),
        ({"type": "integer"}, "\u0663", "type a whole number"),
        ({"type": "number"}, "\u0663.5", "type a number"),
        ({"type": "number"}, "nan", "type a number"),
        ({"type": "number", "minimum": 1}, "0", "less than the minimum of 1"),
        ({"type": "boolean"}, "perhaps", "type y or n"),
        ({"type": "string", "enum": ["a", "b"], "enumNames": ["Ay", "Bee"]}, "bee", "type a number from 1 to 2"),
        ({"type": "null"}, "anything", 'is not of type "null"'),
        (MANY, "1,2", "more than 1 item"),
        (MANY, "paris", "type a number from 1 to 2"),
    ],
)
def test_what_the_schema_does_not_allow_is_refused_with_the_reason(schema: JsonObject, typed: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        field(schema).read(typed)


@pytest.mark.parametrize(
    ("name", "schema", "is_secret"),
    [
        ("password", {"type": "string"}, True),
        ("apiKey", {"type": "string"}, True),
        ("x", {"type": "string", "title": "Access token"}, True),
        ("x", {"type": "string", "format": "password"}, True),
        ("x", {"type": "string", "writeOnly": True}, True),
        ("has_password", {"type": "boolean"}, False),
        ("name", {"type": "string"}, False),
    ],
)
def test_secrets_are_known_by_name_and_format(name: str, schema: JsonObject, is_secret: bool) -> None:
    shown = field(schema, name).shown("hunter2")

    assert field(schema, name).is_secret is is_secret
    assert (shown == "********") is is_secret


@pytest.mark.parametrize("rule", [{"minLength": 20}, {"pattern": "^x"}, {"format": "email"}, {"enum": ["one"]}])
def test_secret_that_is_refused_is_not_told(rule: JsonObject) -> None:
    with pytest.raises(ValueError, match=r"^(this|type)") as caught:
        field({"type": "string", **rule}, "password").read("hunter2")

    assert "hunter2" not in str(caught.value)


def test_field_tells_what_is_wanted() -> None:
    assert field({"type": "integer", "minimum": 1, "maximum": 30}).wanted == "a whole number, 1 to 30"
    assert field({"type": "string", "format": "date", "maxLength": 10}).wanted.endswith("at most 10 characters")
    assert field({"type": "null"}).wanted == "text"
    assert field({"type": "string", "title": "A\x1b[1m b\n"}).label == "A␛[1m b"


def test_values_are_shown_by_their_labels() -> None:
    assert field(TITLED).shown("b") == "Bee"
    assert field(MANY).shown(["ny", "la"]) == "New York, la"
    assert field({"type": "boolean"}).shown(value=True) == "y"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.com/x", "example.com"),
        ("http://EXAMPLE.com:8080", "example.com:8080"),
        ("https://user:password@example.com@evil.example/", "evil.example"),
        ("https://\u0430pple.com", "xn--pple-43d.com"),
        ("https://[::1]:80/", "::1:80"),
        ("https://example.com:port/", None),
        ("ftp://example.com", None),
        ("javascript:alert(1)", None),
        ("https://", None),
        ("https://a\x1b[1m.com", None),
        ("https://[", None),
    ],
)
def test_host_is_the_one_that_the_browser_goes_to(url: str, host: str | None) -> None:
    assert host_of(url) == host

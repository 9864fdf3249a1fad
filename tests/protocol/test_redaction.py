"""Messages are shown without their secrets, whole or cut, however they hold them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.protocol.jsonrpc import excerpt
from dragoman.protocol.redaction import redacted

SECRET = "hunter2"
HOLDERS: list[Any] = [
    {"password": SECRET},
    {"password": [SECRET]},
    {"password": ["a", {"v": SECRET}]},
    {"credentials": {"user": "me", "deep": [[{"v": SECRET}]]}},
    {"tokens": SECRET},
    {"connection_string": SECRET},
    {"text": f"Authorization: Bearer {SECRET}"},
    {"url": f"https://u:{SECRET}@host/"},
    {"url": f"https://host/?access_token={SECRET}"},
    {"text": json.dumps({"password": SECRET})},
    {"text": json.dumps([{"text": json.dumps({"password": [SECRET]})}])},
    {"headers": [{"name": "X-Api-Key", "value": SECRET}]},
    {"properties": {"password": SECRET}},
    {"properties": {"password": [SECRET]}},
    {"properties": {"password": {"type": "string", "default": SECRET}}},
    {"properties": {"password": {"type": "object", "properties": {"x": {"enum": [SECRET]}}}}},
]


def message(arguments: dict[str, Any]) -> bytes:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t", "arguments": arguments}}
    return json.dumps(call).encode()


@pytest.mark.edge("B118")
@pytest.mark.parametrize("holder", HOLDERS, ids=json.dumps)
@pytest.mark.parametrize("padding", [0, 500, 2_000, 20_000])
def test_no_secret_is_shown_wherever_it_stands(holder: dict[str, Any], padding: int) -> None:
    for arguments in ({**holder, "z": "y" * padding}, {"z": "y" * padding, **holder}):
        shown = excerpt(message(arguments), 1000)

        assert SECRET not in shown
        assert shown.startswith(
            '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t", "arguments": {'
        )


@pytest.mark.parametrize("holder", HOLDERS, ids=json.dumps)
def test_no_part_of_a_secret_is_shown_where_the_message_ends_early(holder: dict[str, Any]) -> None:
    whole = message(holder)
    beginnings = [redacted(whole[:length].decode(), 1000) for length in range(len(whole))]

    # Only before its @ is reached is a password in a URL as good as any text.
    assert [shown for shown in beginnings if SECRET in shown and "https://u:" not in shown] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"params":{"password":"x","n":1}}', '{"params":{"password":"***","n":1}}'),
        ('{"accessToken":"x","api_key":5,"API-Key":["a"]}', '{"accessToken":"***","api_key":"***","API-Key":["***"]}'),
        ('{"clientSecret":null,"authorization":true}', '{"clientSecret":null,"authorization":true}'),
        ('{"progressToken":7,"maxTokens":9,"cursor":"c"}', '{"progressToken":7,"maxTokens":9,"cursor":"c"}'),
        ('{"token":"abc\\"def', '{"token":"***"'),
        ('{"token": "abc", "x": "y', '{"token": "***", "x": "y'),
        ('{"to\\u006ben":"abc"}', '{"to\\u006ben":"***"}'),
        ('{"x":"token=abc', '{"x":"token=***'),
        ('{"x":"token=abc\\', '{"x":"token=***\\'),
        ('{"x":"a\\u00', '{"x":"a"'),
        ('{"x":"y\\q token=abc"}', '{"x":"y"}'),
        ("no JSON at all", "no JSON at all"),
        ("]}{", "]}{"),
        ('[]],{"token":1}', '[]],{"token":"***"}'),
        ('{"name":"token","value":"x"}', '{"name":"token","value":"***"}'),
        ('{"name":"colour","value":"x"}', '{"name":"colour","value":"x"}'),
    ],
)
def test_secrets_are_concealed_and_all_else_is_left(text: str, shown: str) -> None:
    assert redacted(text, 1000) == shown


def test_a_schema_for_a_secret_is_no_secret() -> None:
    field = {"type": "string", "title": "Password", "minLength": 4, "anyOf": [{"format": "password"}]}
    schema = {
        "type": "object",
        "properties": {"password": field, "properties": {"type": "string"}},
        "required": ["password"],
    }

    assert redacted(json.dumps({"inputSchema": schema}), 1000) == json.dumps({"inputSchema": schema})


def test_the_end_of_a_text_that_is_cut_is_left_out() -> None:
    assert redacted('{"x":"' + "y" * 300, 1000, is_cut=True) == '{"x":"' + "y" * 200
    assert redacted("y" * 300, 1000, is_cut=True) == "y" * 200


def test_a_long_message_is_looked_at_no_further_than_it_is_shown() -> None:
    assert len(redacted('{"a":' + "[1," * 100_000, 50)) < 100


@given(st.text(alphabet='{}[]:,"\\ \n\u20281atoken'))
def test_anything_can_be_shown(text: str) -> None:
    assert isinstance(redacted(text, 1000), str)

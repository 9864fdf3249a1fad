"""Headers that repeat what a request says: which there are, how values are written, and which marks are wrong."""

from base64 import b64decode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.protocol.headers import BadMirror, Mirror, header_value, mirrored, mirrors, standard
from dragoman.protocol.steps import Request
from dragoman.types import CallToolParams, GetPromptParams, ReadResourceParams


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (Request("tools/list"), {"Mcp-Method": "tools/list"}),
        (Request("tools/call", CallToolParams("add")), {"Mcp-Method": "tools/call", "Mcp-Name": "add"}),
        (Request("prompts/get", GetPromptParams("greet")), {"Mcp-Method": "prompts/get", "Mcp-Name": "greet"}),
        (
            Request("resources/read", ReadResourceParams(uri="file:///a%20b")),
            {"Mcp-Method": "resources/read", "Mcp-Name": "file:///a%20b"},
        ),
    ],
)
def test_a_request_says_its_method_and_what_it_asks_for(request_: Request, expected: dict[str, str]) -> None:
    assert standard(request_) == expected


@pytest.mark.parametrize("plain", ["", "a", "us west 1", "!", "a=b?c", "=?base64?", "?=", "=?base64?eA==", "~"])
def test_plain_text_goes_as_it_is(plain: str) -> None:
    assert header_value(plain) == plain


@pytest.mark.edge("B51")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" a", "=?base64?IGE=?="),
        ("a ", "=?base64?YSA=?="),
        ("a\tb", "=?base64?YQli?="),
        ("a\r\nX: b", "=?base64?YQ0KWDogYg==?="),
        ("\x7f", "=?base64?fw==?="),
        ("=?base64?eA==?=", "=?base64?PT9iYXNlNjQ/ZUE9PT89?="),
        ("a\ud800", "=?base64?YT8=?="),
    ],
)
def test_what_no_header_carries_goes_in_base64(text: str, expected: str) -> None:
    assert header_value(text) == expected


@given(st.text())
def test_every_value_can_be_carried_and_is_read_back(text: str) -> None:
    value = header_value(text)

    assert all(" " <= char <= "~" for char in value)
    assert value == value.strip(" ")
    if value != text:
        assert b64decode(value.removeprefix("=?base64?").removesuffix("?=")) == text.encode("utf-8", "replace")


def marked(header: Any = "X", **schema: Any) -> dict[str, Any]:
    return {"type": "string", "x-mcp-header": header, **schema}


def holding(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def test_marked_parameters_are_found_wherever_properties_stand() -> None:
    schema = holding(region=marked("Region"), plain={"type": "string"}, inner=holding(deep=holding(n=marked("N"))))

    assert mirrors(schema) == (Mirror(("region",), "Region"), Mirror(("inner", "deep", "n"), "N"))


@pytest.mark.parametrize("schema", [{}, {"properties": 1}, {"properties": {"a": True}}, holding(a={}), {"allOf": 1}])
def test_a_schema_need_not_mark_anything(schema: dict[str, Any]) -> None:
    assert mirrors(schema) == ()


def test_what_is_too_deep_is_not_looked_at() -> None:
    schema: dict[str, Any] = marked("X")
    for _ in range(100):
        schema = holding(a=schema)

    assert mirrors(schema) == ()


@pytest.mark.parametrize("kind", ["string", "integer", "boolean", ["string", "null"], ["integer", "boolean"]])
def test_simple_values_can_be_repeated(kind: Any) -> None:
    assert mirrors(holding(a=marked("A", type=kind))) == (Mirror(("a",), "A"),)


@pytest.mark.parametrize("kind", ["number", "object", "array", "null", None, [], ["null"], ["string", "number"], 7])
def test_other_values_cannot(kind: Any) -> None:
    with pytest.raises(BadMirror, match="a is marked, and is no integer, string or boolean"):
        mirrors(holding(a=marked("A", type=kind)))


@pytest.mark.parametrize("header", ["", "a b", "a:b", "größe", "a\n", 7, None, ["a"]])
def test_a_mark_names_a_header(header: Any) -> None:
    with pytest.raises(BadMirror, match=r"inner\.a is marked with .* which is no name for a header"):
        mirrors(holding(inner=holding(a=marked(header))))


def test_two_marks_name_two_headers_whatever_their_case() -> None:
    with pytest.raises(BadMirror, match="two parameters are marked with the header 'region'"):
        mirrors(holding(a=marked("Region"), b=marked("REGION")))


def test_the_root_is_no_parameter() -> None:
    with pytest.raises(BadMirror, match="the root is marked"):
        mirrors(marked("X"))


@pytest.mark.parametrize(
    "elsewhere",
    [
        {"items": marked()},
        {"items": [marked()]},
        {"additionalProperties": marked()},
        {"anyOf": [{"type": "string"}, holding(a=marked())]},
        {"allOf": [{"not": marked()}]},
        {"$defs": {"a": holding(b=marked())}},
        {"patternProperties": {"^a": marked()}},
        {"if": {"properties": {"a": {"then": marked()}}}},
        {"prefixItems": [marked()]},
    ],
)
def test_marks_stand_nowhere_but_at_properties(elsewhere: dict[str, Any]) -> None:
    with pytest.raises(BadMirror, match="below the root is marked that is no plain property"):
        mirrors({"type": "object", **elsewhere})
    with pytest.raises(BadMirror, match="below list is marked that is no plain property"):
        mirrors(holding(list=elsewhere))


def test_marks_that_are_too_deep_elsewhere_are_not_looked_for() -> None:
    schema: dict[str, Any] = marked()
    for _ in range(100):
        schema = {"items": schema}

    assert mirrors(schema) == ()


FOUND = (Mirror(("a",), "A"), Mirror(("inner", "b"), "B"))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("x", "x"),
        ("", ""),
        ("ä", "=?base64?w6Q=?="),
        (7, "7"),
        (-(10**20), "-100000000000000000000"),
        (7.0, "7"),
        (True, "true"),
        (False, "false"),
    ],
)
def test_a_value_is_written_as_it_reads(value: Any, text: str) -> None:
    assert mirrored(FOUND, {"a": value}) == {"Mcp-Param-A": text}


@pytest.mark.parametrize("value", [None, 1.5, [1], {"b": 1}])
def test_what_is_no_simple_value_is_not_repeated(value: Any) -> None:
    assert mirrored(FOUND, {"a": value}) == {}


def test_a_value_is_found_in_its_place() -> None:
    assert mirrored(FOUND, {"inner": {"b": "x"}, "b": "y"}) == {"Mcp-Param-B": "x"}


@pytest.mark.parametrize("arguments", [None, {}, {"inner": "x"}, {"inner": {}}, {"inner": None}])
def test_what_is_not_there_is_not_repeated(arguments: Any) -> None:
    assert mirrored(FOUND, arguments) == {}

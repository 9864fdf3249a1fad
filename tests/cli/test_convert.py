"""`key=value` words become what a tool's schema asks for."""

import json
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.cli.convert import Word, arguments, check_required, read_json, read_words
from dragoman.cli.schemas import Schema, kinds
from dragoman.errors import UsageError
from dragoman.types import JsonObject

NODE: JsonObject = {
    "type": "object",
    "properties": {"next": {"$ref": "#/$defs/node"}, "size": {"type": "integer"}},
}


def schema(**properties: Any) -> JsonObject:
    return {"type": "object", "properties": properties, "$defs": {"node": NODE, "id": {"type": "string"}}}


def converted(words: list[str], **properties: Any) -> JsonObject:
    return arguments(read_words(words), schema(**properties))


def refused(words: list[str], **properties: Any) -> str:
    with pytest.raises(UsageError) as caught:
        converted(words, **properties)
    return str(caught.value)


@pytest.mark.edge("B125")
@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ({"type": "string"}, "0123", "0123"),
        ({"type": "string"}, "true", "true"),
        ({"type": "string"}, '{"a":1}', '{"a":1}'),
        ({"type": "string"}, "", ""),
        ({"type": "string"}, "a=b", "a=b"),
        ({"type": "object"}, '{"a":1}', {"a": 1}),
        ({"type": "array", "items": {"type": "string"}}, '["a", "b"]', ["a", "b"]),
        ({"type": "array", "items": {"type": "string"}}, "a,b", ["a,b"]),
        ({"type": "array", "items": {"type": "integer"}}, "7", [7]),
        ({"type": "integer"}, "12345678901234567890123", 12345678901234567890123),
        ({"type": "integer"}, "-5", -5),
        ({"type": "number"}, "1.5", 1.5),
        ({"type": "number"}, "1e3", 1000.0),
        ({"type": "number"}, "12345678901234567890", 12345678901234567890),
        ({"type": "boolean"}, "Yes", True),
        ({"type": "boolean"}, "off", False),
        ({"type": "null"}, "null", None),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "0123", "0123"),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "123", 123),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "123", "123"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "null", None),
        ({"oneOf": [{"type": "boolean"}, {"type": "number"}]}, "no", False),
        ({"anyOf": [{"type": "string"}, {"type": "object"}]}, '{"a": 1}', {"a": 1}),
        ({"anyOf": [{"type": "string"}, {"type": "object"}]}, "{not json", "{not json"),
        ({"type": ["number", "string"]}, "a", "a"),
        ({"type": ["string", "array"], "items": {"type": "integer"}}, "[1]", [1]),
        ({"enum": ["a", 3, True, None]}, "3", 3),
        ({"enum": ["3", 3]}, "3", "3"),
        ({"enum": ["a", True]}, "true", True),
        ({"const": 7}, "7", 7),
        ({"$ref": "#/$defs/id"}, "0123", "0123"),
        ({"allOf": [{"$ref": "#/$defs/id"}], "description": "as pydantic writes it"}, "0123", "0123"),
        ({"allOf": [{"type": "integer"}, {"minimum": 1}]}, "5", 5),
        ({"properties": {"a": {}}}, '{"a": 1}', {"a": 1}),
        ({"items": {"type": "integer"}}, "[1]", [1]),
        ({}, "0123", "0123"),
        ({}, "123", 123),
        ({}, "[1]", [1]),
        ({}, "NaN", "NaN"),
        (True, "x", "x"),
    ],
)
def test_value_becomes_what_the_schema_asks_for(kind: Any, text: str, value: Any) -> None:
    result = converted([f"x={text}"], x=kind)["x"]

    assert (result, type(result)) == (value, type(value))


@pytest.mark.parametrize(
    ("kind", "text", "wanted"),
    [
        ({"type": "integer"}, "0123", "a whole number"),
        ({"type": "integer"}, "1.5", "a whole number"),
        ({"type": "number"}, "nan", "a number"),
        ({"type": "number"}, "1_000", "a number"),
        ({"type": "boolean"}, "maybe", "true or false"),
        ({"type": "object"}, "[1]", "an object (JSON)"),
        ({"type": "object"}, '{"a": NaN}', "an object (JSON)"),
        ({"type": "null"}, "none", "null"),
        ({"enum": ["a", 3]}, "b", "a or 3"),
        ({"type": "array", "items": {"type": "integer"}}, "x", "an array of a whole number"),
        ({"anyOf": [{"type": "integer"}, {"type": "boolean"}]}, "x", "a whole number or true or false"),
        ({"type": "object"}, "[" * 100_000, "an object (JSON)"),
    ],
)
def test_value_that_cannot_be_is_refused_with_what_is_wanted(kind: Any, text: str, wanted: str) -> None:
    assert f"it takes {wanted}" in refused([f"x={text}"], x=kind)


def test_json_is_sent_as_it_stands() -> None:
    assert converted(["n:=null", 's:={"a": [1]}'], n={"type": "integer"}, s={"type": "string"}) == {
        "n": None,
        "s": {"a": [1]},
    }
    assert "the value of 'n' is not JSON" in refused(["n:=x"], n={})


def test_repeated_keys_make_an_array() -> None:
    tags = {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}

    assert converted(["t=1", "t=2", "t:=3"], t=tags) == {"t": [1, 2, 3]}
    assert "'t' is given 2 times, but takes one value" in refused(["t=1", "t=2"], t={"type": "integer"})


def test_dots_lead_into_objects_through_references_without_end() -> None:
    node = {"$ref": "#/$defs/node"}

    assert converted(["n.next.next.size=3", "n.size=1"], n=node) == {"n": {"size": 1, "next": {"next": {"size": 3}}}}
    assert converted(['n={"size": 1}', "n.next.size=2"], n=node) == {"n": {"size": 1, "next": {"size": 2}}}
    assert "there is no argument 'n.colour' (the arguments are n.next, n.size" in refused(["n.colour=1"], n=node)
    assert "there is no argument 'n.next.sise' (did you mean 'n.next.size'?" in refused(["n.next.sise=1"], n=node)
    assert "'n' is no object" in refused(["n:=1", "n.size=2"], n=node)


def test_name_that_holds_a_dot_is_a_name_first() -> None:
    both = {"a.b": {"type": "string"}, "a": {"type": "object"}}

    assert converted(["a.b=1", "a.c=1"], **both) == {"a.b": "1", "a": {"c": 1}}


def test_unknown_key_is_refused_with_the_nearest() -> None:
    assert "there is no argument 'cuont' (did you mean 'count'?" in refused(["cuont=1"], count={})
    assert "the arguments are a, b" in refused(["zzzz=1"], a={}, b={})


@pytest.mark.parametrize(
    ("more", "value"),
    [
        ({"additionalProperties": True}, 5),
        ({"additionalProperties": {"type": "string"}}, "5"),
        ({"patternProperties": {"^x": {"type": "string"}}}, "5"),
        ({"patternProperties": {"(a+)+$": True}}, 5),
        ({"patternProperties": {"^n": {"type": "boolean"}}, "additionalProperties": {"type": "integer"}}, 5),
        ({"patternProperties": {"^n": {"type": "boolean"}}, "additionalProperties": True}, 5),
    ],
)
def test_key_that_is_not_listed_is_taken_where_the_schema_says_so(more: JsonObject, value: Any) -> None:
    document = {"type": "object", "properties": {"a": {}}, **more}

    assert arguments([Word("x", "5")], document) == {"x": value}


def test_schema_that_lists_nothing_takes_everything() -> None:
    assert arguments([Word("x", "5")], {"type": "object"}) == {"x": 5}
    with pytest.raises(UsageError, match="it takes none"):
        arguments([Word("x", "5")], {"type": "object", "additionalProperties": False})


@pytest.mark.parametrize("word", ["x", "=5", ":=5", ""])
def test_word_without_key_or_value_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="write key=value"):
        read_words([word])


def test_missing_arguments_are_named() -> None:
    document = {"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a", "b"]}

    check_required({"a": 1, "b": None}, document)
    with pytest.raises(UsageError, match=r"a, b are missing \(add a=\.\.\. b=\.\.\.\)"):
        check_required({}, document)
    with pytest.raises(UsageError, match="b is missing"):
        check_required({"a": 1}, document)


@pytest.mark.parametrize(
    "document",
    [
        {"$ref": "#/nowhere"},
        {"$ref": "https://example.com/schema"},
        {"$ref": 5},
        {"anyOf": "both"},
        {"anyOf": []},
        {"type": 5},
        {"enum": "all"},
    ],
)
def test_schema_that_says_nothing_sensible_allows_everything(document: JsonObject) -> None:
    check_required({}, document)

    assert converted(["x=5"], x=document) == {"x": 5}


@pytest.mark.parametrize(
    "document",
    [
        {"$ref": "#"},
        {"anyOf": [{"$ref": "#"}]},
        {"type": "object", "properties": "none"},
        {"type": "object", "required": "all"},
    ],
)
def test_schema_of_an_object_that_is_itself_or_nothing_takes_an_object(document: JsonObject) -> None:
    check_required({}, document)

    assert converted(['x={"y": 1}'], x=document) == {"x": {"y": 1}}


TWICE = {
    "anyOf": [
        {"$ref": "#/$defs/twice"},
        {"$ref": "#/$defs/twice"},
        {"type": "array", "items": {"$ref": "#/$defs/twice"}},
    ]
}
BOTH = {"allOf": [{"$ref": "#/$defs/both"}, {"$ref": "#/$defs/both"}]}
WIDE = {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/wide"}}] * 40 + [{"type": "integer"}]}


@pytest.mark.parametrize("name", ["twice", "both", "wide"])
def test_schema_that_refers_to_itself_again_and_again_is_read_in_no_time(name: str) -> None:
    document = {
        "type": "object",
        "properties": {"x": {"$ref": f"#/$defs/{name}"}},
        "$defs": {"twice": TWICE, "both": BOTH, "wide": WIDE},
    }
    began = time.perf_counter()
    with suppress(UsageError):
        arguments(read_words(["x=[1", "x=y"]), document)
    kinds(Schema.of(document).properties["x"])

    assert time.perf_counter() - began < 2


def test_everything_that_all_of_them_say_counts() -> None:
    document = {
        "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
        "properties": {"c": {"type": "string"}},
        "$defs": {
            "a": {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
            "b": {"type": "object", "properties": {"b": {"type": "boolean"}}, "required": ["b"]},
        },
    }

    assert arguments(read_words(["a=1", "b=no", "c=1"]), document) == {"a": 1, "b": False, "c": "1"}
    with pytest.raises(UsageError, match="a, b are missing"):
        check_required({}, document)


@given(st.integers() | st.text() | st.booleans() | st.lists(st.integers()) | st.dictionaries(st.text(), st.integers()))
def test_what_is_typed_of_a_value_becomes_the_value(value: Any) -> None:
    kinds = {bool: "boolean", int: "integer", str: "string", list: "array", dict: "object"}
    typed = value if isinstance(value, str) else json.dumps(value)

    assert converted([f"x={typed}"], x={"type": kinds[type(value)]}) == {"x": value}


@given(st.text())
def test_text_is_never_changed_where_text_is_asked_for(text: str) -> None:
    assert converted([f"x={text}"], x={"type": ["string", "null"]}) == {"x": text}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_schema_at_all_is_read(document: Any) -> None:
    kind = document if isinstance(document, dict) else {"type": document, "anyOf": document, "enum": document}
    with suppress(UsageError):
        converted(["x=1"], x=kind)


def test_bad_json_says_where_it_is_bad() -> None:
    assert read_json("[1]", "it") == [1]
    with pytest.raises(UsageError, match="it is not JSON: Expecting value"):
        read_json("[", "it")

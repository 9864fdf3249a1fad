"""The subset of strict mode."""

from typing import Any

import pytest

from dragoman.models.strict import NotLossless, strictly

TEXT = {"type": "string"}


def strict(properties: Any, required: Any = (), **more: Any) -> Any:
    return strictly({"type": "object", "properties": properties, "required": list(required), **more})[0]


def prop(schema: Any, **more: Any) -> Any:
    """Give the strict form of one required property."""
    return strict({"a": schema}, ["a"], **more)["properties"]["a"]


def refusal(schema: Any, required: Any = ("a",), **more: Any) -> str:
    with pytest.raises(NotLossless) as refused:
        strict({"a": schema}, required, **more)
    return str(refused.value)


def test_object_is_closed_and_all_is_required() -> None:
    schema, notes = strictly({"type": "object", "properties": {"a": TEXT, "b": TEXT}, "required": ["a"]})

    assert schema == {
        "type": "object",
        "properties": {"a": TEXT, "b": {"type": ["string", "null"]}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }
    assert [note.kind for note in notes] == ["narrowed"]


def test_closed_object_loses_nothing() -> None:
    assert strictly({"type": "object", "properties": {"a": TEXT}, "additionalProperties": False})[1] == []


@pytest.mark.edge("B84")
@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "description": "key/value pairs"},
        {"type": "object", "additionalProperties": TEXT},
        {"type": "object", "properties": {"x": TEXT}, "additionalProperties": True},
        {"type": "object", "properties": {}},
    ],
)
def test_map_with_any_keys_is_never_closed(schema: Any) -> None:
    assert "/properties/a: it is a map" in refusal(schema)


def test_object_without_properties_is_never_closed() -> None:
    with pytest.raises(NotLossless, match="it names no properties"):
        strictly({"type": "object", "properties": {}})


@pytest.mark.parametrize(
    ("schema", "form"),
    [
        ({"const": "x"}, {"enum": ["x"], "type": "string"}),
        ({"type": "array", "items": TEXT, "minItems": 1}, {"type": "array", "items": TEXT, "minItems": 1}),
        ({"anyOf": [TEXT, {"type": "null"}]}, {"anyOf": [TEXT, {"type": "null"}]}),
        ({"oneOf": [TEXT, {"type": "integer"}]}, {"anyOf": [TEXT, {"type": "integer"}]}),
        ({"type": "string", "default": "x", "title": "A"}, {"type": "string", "description": 'Default: "x".'}),
        ({"allOf": [TEXT], "description": "Told."}, {"type": "string", "description": "Told."}),
        ({"type": "string", "format": "date"}, {"type": "string", "format": "date"}),
    ],
)
def test_same_meaning_in_other_words(schema: Any, form: Any) -> None:
    assert prop(schema) == form


def test_alternatives_that_differ_in_a_fixed_value_exclude_each_other() -> None:
    def shape(kind: str) -> Any:
        return {"type": "object", "properties": {"kind": {"const": kind}}, "required": ["kind"]}

    assert "anyOf" in prop({"oneOf": [shape("x"), shape("y")]})
    assert "several of these could fit" in refusal({"oneOf": [shape("x"), shape("x")]})
    assert "several of these could fit" in refusal({"oneOf": [shape("x"), {"type": "object", "required": ["kind"]}]})
    assert "several of these could fit" in refusal({"oneOf": [TEXT, {}]})
    assert "several of these could fit" in refusal({"oneOf": [{"type": "integer"}, {"type": "number"}]})
    odd = {"type": "object", "properties": {"kind": True}, "required": ["kind"]}
    assert "several of these could fit" in refusal({"oneOf": [odd, shape("x")]})


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "string", "minLength": 1}, "strict mode has no minLength"),
        ({}, "it may be anything"),
        (True, "takes nothing"),
        ({"type": "string", "format": "uri"}, "no format 'uri'"),
        ({"type": "array"}, "its items may be anything"),
        ({"enum": [[1]]}, "no fixed arrays and objects"),
        ({"allOf": [TEXT, TEXT]}, "strict mode has no allOf"),
        ({"allOf": [{"type": "string", "pattern": "a"}], "pattern": "b"}, "strict mode has no allOf"),
        ({"type": "object", "anyOf": [TEXT]}, "takes nothing beside anyOf"),
        ({"type": "string", "properties": {"x": TEXT}}, "is not said to be an object"),
        (
            {"type": "object", "properties": {"x": TEXT}, "required": ["y"]},
            "requires a property that it does not describe",
        ),
    ],
)
def test_what_strict_mode_cannot_say_is_refused_with_place_and_reason(schema: Any, reason: str) -> None:
    assert reason in refusal(schema)
    assert refusal(schema).startswith("/properties/a")


def test_reference_stands_alone() -> None:
    definitions = {"x": {"type": "object", "properties": {"y": TEXT}}, "n": {"type": ["string", "null"]}}

    assert prop({"$ref": "#/$defs/x"}, **{"$defs": definitions}) == {"$ref": "#/$defs/x"}
    assert prop({"$ref": "#/$defs/x", "description": "Told."}, **{"$defs": definitions}) == {
        "anyOf": [{"$ref": "#/$defs/x"}],
        "description": "Told.",
    }
    assert "nothing beside a reference" in refusal({"$ref": "#/$defs/x", "type": "object"}, **{"$defs": definitions})


def test_property_that_may_be_left_out_may_be_null_instead() -> None:
    optional = {
        "a": {"enum": ["x"]},
        "b": {"type": ["string", "integer"]},
        "c": {"anyOf": [TEXT]},
        "d": {"$ref": "#/$defs/x"},
        "e": {"anyOf": [TEXT, {"type": "null"}], "default": None},
    }
    properties = strict(optional, **{"$defs": {"x": TEXT}})["properties"]

    assert properties == {
        "a": {"enum": ["x", None], "type": ["string", "null"]},
        "b": {"type": ["string", "integer", "null"]},
        "c": {"anyOf": [TEXT, {"type": "null"}]},
        "d": {"anyOf": [{"$ref": "#/$defs/x"}, {"type": "null"}]},
        "e": {"anyOf": [TEXT, {"type": "null"}]},
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"]},
        {"type": ["string", "null"], "default": "x"},
        {"anyOf": [TEXT, {"type": "null"}]},
        {"$ref": "#/$defs/maybe"},
        {"allOf": [{"type": ["string", "null"]}]},
    ],
)
def test_null_that_means_something_is_not_taken_for_nothing(schema: Any) -> None:
    reason = refusal(schema, required=(), **{"$defs": {"maybe": {"type": ["string", "null"]}}})

    assert "to leave it out and to give null are two things" in reason


def test_schema_that_refers_to_itself_in_circles_may_be_null() -> None:
    definitions = {"x": {"$ref": "#/$defs/x"}}

    assert "two things" in refusal({"$ref": "#/$defs/x"}, required=(), **{"$defs": definitions})


def deep(levels: int) -> Any:
    schema: Any = TEXT
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}, "required": ["a"], "additionalProperties": False}
    return schema


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (deep(12), "more than 10 deep"),
        ({"type": "object", "properties": {f"p{n}": TEXT for n in range(5001)}}, "5,000 properties"),
        ({"enum": list(range(1001))}, "1,000 fixed values"),
        ({"enum": ["x" * 120_001]}, "120,000 characters"),
    ],
)
def test_limits_of_strict_mode(schema: Any, reason: str) -> None:
    assert reason in refusal(schema)


@pytest.mark.parametrize(
    ("values", "kinds"),
    [(["x", "y"], "string"), ([1, 2], "integer"), (["x", 1, None], ["integer", "null", "string"]), ([1.5], "number")],
)
def test_values_have_a_type_as_the_api_wants_it(values: Any, kinds: Any) -> None:
    assert prop({"enum": values}) == {"enum": values, "type": kinds}
    assert prop({"const": values[0]})["type"] == (kinds if isinstance(kinds, str) else "string")

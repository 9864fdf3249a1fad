"""Walking schemas."""

import pytest

from dragoman.models.schema import ALL_KINDS, children, kind_of, rebuilt, stated_kinds, with_words

SCHEMA = {
    "properties": {"a": {"type": "string"}, "b": True},
    "items": [{}, {"const": 1}],
    "additionalProperties": False,
    "anyOf": [{"type": "null"}, "odd"],
    "not": {"const": {"properties": {"c": {}}}},
    "enum": [{"properties": {}}],
    "default": {"properties": {}},
    "allOf": "odd",
    "$defs": "odd",
    "if": "odd",
}


def test_children_are_schemas_and_nothing_else() -> None:
    assert [steps for steps, _ in children(SCHEMA)] == [
        ("properties", "a"),
        ("properties", "b"),
        ("items", 0),
        ("items", 1),
        ("additionalProperties",),
        ("anyOf", 0),
        ("not",),
    ]


def test_rebuilding_changes_a_copy() -> None:
    copy = rebuilt(SCHEMA, lambda child, steps: {"was": child})

    assert copy["properties"]["a"] == {"was": {"type": "string"}}
    assert copy["items"][1] == {"was": {"const": 1}}
    assert copy["additionalProperties"] == {"was": False}
    assert copy["anyOf"] == [{"was": {"type": "null"}}, "odd"]
    assert SCHEMA["properties"]["a"] == {"type": "string"}  # type: ignore[index]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "null"),
        (True, "boolean"),
        (1, "integer"),
        (1.0, "integer"),
        (1.5, "number"),
        ("", "string"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_kind_of_a_value(value: object, kind: str) -> None:
    assert kind_of(value) == kind


def test_stated_kinds() -> None:
    assert stated_kinds({}) == ALL_KINDS
    assert stated_kinds({"type": "number"}) == {"number", "integer"}
    assert stated_kinds({"type": ["string", "null"]}) == {"string", "null"}
    assert stated_kinds({"type": "string", "enum": ["a", None]}) == {"string"}
    assert stated_kinds({"const": 1}) == {"integer"}


def test_words_are_added_to_a_description() -> None:
    assert with_words({"description": "A city. "}, "More.") == {"description": "A city. More."}
    assert with_words({"type": "string"}, "More.") == {"type": "string", "description": "More."}
    assert with_words({"description": 5}, "More.") == {"description": "More."}

"""A root without combinators."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.models.folding import REFUSED_AT_ROOT, folded, phrase
from dragoman.protocol.schemas import compile_schema

A, B = {"type": "string"}, {"type": "integer"}


def nowhere(reference: str) -> Any:
    return None


def test_plain_root_stays() -> None:
    schema = {"type": "object", "properties": {"a": A}}

    assert folded(schema) == (schema, [])


@pytest.mark.edge("B82")
def test_root_that_needs_one_of_two_is_an_object_whose_description_says_so() -> None:
    schema, notes = folded(
        {"type": "object", "properties": {"a": A, "b": B}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
    )

    assert schema == {
        "type": "object",
        "properties": {"a": A, "b": B},
        "description": "At least one of these has to be given: `a`; `b`.",
    }
    assert [(note.path, note.kind) for note in notes] == [("/anyOf", "weakened")]


def test_alternatives_of_a_kind_are_told_by_their_fixed_values() -> None:
    circle = {"properties": {"kind": {"const": "circle"}, "radius": B}, "required": ["kind", "radius"]}
    square = {"properties": {"kind": {"enum": ["square"]}, "side": B, "name": A}, "required": ["kind", "side"]}
    schema, _ = folded({"type": "object", "oneOf": [circle, square]})

    assert schema["required"] == ["kind"]
    assert schema["description"] == (
        'Exactly one of these has to be given: `kind` = "circle" with `radius`; `kind` = "square" with `side`.'
    )


def test_reference_at_the_root_is_the_root_without_loss() -> None:
    schema, notes = folded(
        {"$ref": "#/$defs/x", "$defs": {"x": {"description": "Said.", "properties": {"a": A}, "required": ["a"]}}}
    )

    assert schema["properties"] == {"a": A}
    assert schema["description"] == "Said."
    assert notes == []


def test_closed_parts_close_the_root() -> None:
    schema, _ = folded({"allOf": [{"properties": {"a": A}, "additionalProperties": False}]})

    assert schema["additionalProperties"] is False


def test_part_that_is_no_plain_object_is_told_as_json() -> None:
    schema, notes = folded({"type": "object", "allOf": [{"properties": {"a": A}}, {"minProperties": 1}]})

    assert schema["description"] == 'The whole has to fit this JSON Schema as well: {"allOf":[{"minProperties":1}]}.'
    assert len(notes) == 1


def test_property_of_some_alternatives_only_is_reported() -> None:
    _, notes = folded({"anyOf": [{"properties": {"a": A}}, {"properties": {"b": B}}]})

    assert [note.kind for note in notes] == ["narrowed", "narrowed", "weakened"]


@pytest.mark.parametrize(
    ("keyword", "value", "words"),
    [
        ("not", {"required": ["a"]}, 'The whole has to fit this JSON Schema as well: {"not":{"required":["a"]}}.'),
        ("anyOf", [{"required": ["a"]}], ""),
        ("anyOf", [{"properties": {"a": {}, "b": {}}}, {"minProperties": 2}], 'any of `a`, `b`; {"minProperties":2}'),
        ("oneOf", [{"required": ["a", "b", "c"]}, {"required": ["d"]}], "`a` with `b` and `c`; `d`"),
        ("allOf", [{"required": ["a"]}, True], ""),
        ("$ref", "#/$defs/x", ""),
        ("allOf", "odd", '{"allOf":"odd"}'),
        ("not", {"description": "x" * 1000}, "xxx..."),
    ],
)
def test_words_for_a_keyword(keyword: str, value: Any, words: str) -> None:
    said = phrase(keyword, value, nowhere)

    assert words in said
    assert bool(words) == bool(said)


MEMBERS = st.fixed_dictionaries(
    {},
    optional={
        "properties": st.dictionaries(st.sampled_from("abc"), st.sampled_from([A, B, {}]), max_size=3),
        "required": st.lists(st.sampled_from("abc"), unique=True, max_size=2),
        "additionalProperties": st.just(False),
    },
)
ROOTS = st.fixed_dictionaries(
    {"type": st.just("object")},
    optional={
        "properties": st.dictionaries(st.sampled_from("abc"), st.sampled_from([A, B]), max_size=3),
        "allOf": st.lists(MEMBERS, min_size=1, max_size=3),
        "anyOf": st.lists(MEMBERS, min_size=1, max_size=3),
        "oneOf": st.lists(MEMBERS, min_size=1, max_size=3),
        "not": MEMBERS,
    },
)
VALUES = st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["x", 1, None]), max_size=3)


@given(ROOTS, VALUES)
def test_whatever_fits_the_whole_fits_the_folded_root_unless_a_note_says_otherwise(schema: Any, value: Any) -> None:
    result, notes = folded(schema)

    assert not result.keys() & REFUSED_AT_ROOT
    if not any(note.kind == "narrowed" for note in notes) and not compile_schema(schema).violations(value):
        assert compile_schema(result).violations(value) == ()
    if not notes and not compile_schema(result).violations(value):
        assert compile_schema(schema).violations(value) == ()


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
@pytest.mark.parametrize(
    "member",
    [
        {"patternProperties": {"^x-": B}},
        {"minProperties": 2},
        {"properties": {"a": A}, "dependentRequired": {"a": ["b"]}},
    ],
)
def test_single_member_with_more_than_a_shape_holds_is_told(keyword: str, member: Any) -> None:
    schema, notes = folded({"type": "object", "properties": {}, keyword: [member]})

    assert [note.kind for note in notes] == ["weakened"]
    assert min(member) in schema["description"]


def test_target_of_a_root_reference_is_told_where_a_shape_does_not_hold_it() -> None:
    schema, notes = folded({"$ref": "#/$defs/x", "$defs": {"x": {"minProperties": 2}}})

    assert "minProperties" in schema["description"]
    assert [note.path for note in notes] == ["/$ref"]


@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf"])
def test_what_is_said_of_other_names_holds_for_those_of_a_member(keyword: str) -> None:
    root = {"type": "object", "properties": {"a": A}, "additionalProperties": B, keyword: [{"properties": {"b": {}}}]}
    schema, notes = folded(root)

    assert schema["properties"] == {"a": A, "b": B}
    assert (schema["additionalProperties"], notes) == (B, [])


def test_what_stays_at_the_root_is_no_loss() -> None:
    root = {"type": "object", "minProperties": 1, "allOf": [{"properties": {"a": A}}], "$defs": {}}
    schema, notes = folded(root)

    assert (schema["minProperties"], schema["properties"], notes) == (1, {"a": A}, [])


def test_very_many_alternatives_are_told_in_part() -> None:
    schema, _ = folded({"type": "object", "anyOf": [{"required": [f"name{number}"]} for number in range(5_000)]})

    assert len(schema["description"]) < 4_000
    assert schema["description"].endswith("others.")

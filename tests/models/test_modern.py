"""Schemas of older drafts."""

from copy import deepcopy
from typing import Any

import pytest

from dragoman.errors import BadSchema
from dragoman.models.modern import checker, modernized, readable


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"minimum": 1, "exclusiveMinimum": True}, {"exclusiveMinimum": 1}),
        ({"maximum": 1, "exclusiveMaximum": False}, {"maximum": 1}),
        ({"exclusiveMaximum": True}, {}),
        ({"items": [{"const": 1}], "additionalItems": False}, {"prefixItems": [{"const": 1}], "items": False}),
        ({"items": [True]}, {"prefixItems": [{}]}),
        ({"additionalItems": {"type": "string"}}, {}),
        (
            {"dependencies": {"a": ["b"], "c": {"required": ["d"]}}},
            {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"c": {"required": ["d"]}}},
        ),
        ({"type": ["object"]}, {"type": "object"}),
        ({"type": ["object", "null"]}, {"type": ["object", "null"]}),
        (True, {}),
        (False, {"not": {}}),
        ("odd", "odd"),
        (
            {"properties": {"a": True}, "additionalProperties": False},
            {"properties": {"a": {}}, "additionalProperties": False},
        ),
        ({"additionalProperties": True}, {"additionalProperties": {}}),
    ],
)
def test_old_words_become_new_ones(old: Any, new: Any) -> None:
    assert modernized(old) == new


def test_list_of_items_is_taken_as_draft_7_where_no_dialect_is_named() -> None:
    found = checker({"properties": {"pair": {"items": [{"type": "string"}]}}}).violations({"pair": [1]})

    assert [each.path for each in found] == ["/pair/0"]


@pytest.mark.parametrize(
    "schema",
    [{"type": "nonsense"}, {"$schema": "https://json-schema.org/draft/2020-12/schema", "items": [{}]}],
)
def test_what_is_no_schema_is_refused(schema: Any) -> None:
    with pytest.raises(BadSchema):
        checker(schema)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"type": ["string", "null"], "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "enum": ["x"], "nullable": True}, {"type": ["string", "null"], "enum": ["x", None]}),
        (
            {"$ref": "#/$defs/x", "description": "It.", "nullable": True},
            {"anyOf": [{"$ref": "#/$defs/x"}, {"type": "null"}], "description": "It."},
        ),
        ({"nullable": True}, {}),
        ({"type": "object", "required": None, "properties": None, "description": None}, {"type": "object"}),
        ({"const": None, "default": None, "enum": [None]}, {"const": None, "default": None, "enum": [None]}),
        ({"type": "any", "description": "It."}, {"description": "It."}),
        (
            {"properties": {"a": {"type": "string", "required": True}, "b": {"required": False}}, "required": ["b"]},
            {"properties": {"a": {"type": "string"}, "b": {}}, "required": ["b", "a"]},
        ),
        (
            {"properties": {"required": {"type": "string"}, "nullable": {"type": "boolean"}}},
            {"properties": {"required": {"type": "string"}, "nullable": {"type": "boolean"}}},
        ),
        ({"items": {"type": "string", "nullable": True}}, {"items": {"type": ["string", "null"]}}),
        (True, True),
    ],
)
def test_schema_is_read_as_it_is_meant(given: Any, meant: Any) -> None:
    before = deepcopy(given)

    assert readable(given) == meant
    assert given == before

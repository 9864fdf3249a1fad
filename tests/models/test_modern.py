"""Schemas of older drafts."""

from typing import Any

import pytest

from dragoman.errors import BadSchema
from dragoman.models.modern import checker, modernized


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

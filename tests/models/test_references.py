"""What references lead to."""

from typing import Any

import pytest

from dragoman.models.references import References, carried, hoisted

TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/Node"}},
    "$defs": {
        "Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}},
        "Unused": {"type": "string"},
    },
}


def test_reference_is_found_by_pointer_anchor_and_identifier() -> None:
    schema = {
        "$id": "https://example.com/root",
        "properties": {"a/b": {"$anchor": "here", "type": "string"}, "c": {"$id": "inner.json", "type": "null"}},
        "prefixItems": [{"const": 1}, True],
    }
    references = References(schema)

    assert references.target("#/properties/a~1b")["type"] == "string"
    assert references.target("#here")["type"] == "string"
    assert references.target("inner.json")["type"] == "null"
    assert references.target("https://example.com/inner.json")["type"] == "null"
    assert references.target("https://example.com/root#/prefixItems/0") == {"const": 1}
    assert references.target("#") is schema
    assert references.target("#/prefixItems/7") is None
    assert references.target("#/type/x") is None
    assert references.target("elsewhere.json") is None
    assert references.target("#nowhere") is None


def test_definitions_that_are_used_are_kept_and_others_go() -> None:
    assert carried(TREE) == {
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/Node"}},
        "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
    }


def test_schema_without_references_has_no_definitions() -> None:
    assert carried({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}) == {"type": "object"}


@pytest.mark.edge("B88")
def test_reference_into_properties_is_carried_along() -> None:
    schema = {"properties": {"x": {"type": "array", "items": {"type": "string"}}, "y": {"$ref": "#/properties/x"}}}

    assert carried(schema) == {
        "properties": {"x": {"type": "array", "items": {"type": "string"}}, "y": {"$ref": "#/$defs/x"}},
        "$defs": {"x": {"type": "array", "items": {"type": "string"}}},
    }


def test_reference_to_the_whole_is_carried_along() -> None:
    schema = {"type": "object", "properties": {"child": {"$ref": "#"}}}

    assert carried(schema)["$defs"]["arguments"] == {
        "type": "object",
        "properties": {"child": {"$ref": "#/$defs/arguments"}},
    }


def test_two_things_of_one_name_are_told_apart() -> None:
    schema = {
        "properties": {
            "a": {"$ref": "#/$defs/x"},
            "b": {"$ref": "#/definitions/x"},
            "c": {"$ref": "#/properties/x"},
            "x": {},
        },
        "$defs": {"x": {"const": 1}},
        "definitions": {"x": {"const": 2}},
    }

    assert carried(schema)["$defs"] == {"x": {"const": 1}, "x_2": {"const": 2}, "x_3": {}}


def test_dynamic_references_are_references() -> None:
    schema = {"$dynamicAnchor": "node", "properties": {"next": {"$dynamicRef": "#node"}}}

    assert carried(schema)["properties"]["next"] == {"$ref": "#/$defs/arguments"}


def test_old_drafts_ignore_what_stands_beside_a_reference() -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"a": {"$ref": "#/definitions/x", "minLength": 5, "description": "Told."}},
        "definitions": {"x": {"type": "string"}},
    }

    assert carried(schema)["properties"]["a"] == {"$ref": "#/$defs/x", "description": "Told."}


def test_reference_to_nothing_is_an_error() -> None:
    with pytest.raises(LookupError, match="#/nowhere"):
        carried({"$ref": "#/nowhere"})


def test_true_stays_true() -> None:
    assert carried({"properties": {"a": True}}) == {"properties": {"a": True}}


def test_definitions_of_subschemas_are_taken_to_the_root() -> None:
    inner = {"$ref": "#/$defs/x", "$defs": {"x": {"items": {"$ref": "#/$defs/y", "$defs": {"y": {}}}}}}
    schema, definitions = hoisted({"properties": {"a": inner, "b": True}, "items": False}, {"z": {"$defs": {"w": {}}}})

    assert schema == {"properties": {"a": {"$ref": "#/$defs/x"}, "b": True}, "items": False}
    assert definitions == {"x": {"items": {"$ref": "#/$defs/y"}}, "y": {}, "z": {}, "w": {}}

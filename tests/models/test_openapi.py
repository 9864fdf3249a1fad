"""The OpenAPI subset."""

from typing import Any

import pytest

from dragoman.models.openapi import subset

TEXT = {"type": "STRING"}
ANYTHING = [{"type": "STRING"}, {"type": "NUMBER"}, {"type": "BOOLEAN"}]


def of(schema: Any, **definitions: Any) -> Any:
    """Give what becomes of one property."""
    whole = {"type": "object", "properties": {"a": schema}, "$defs": definitions}
    return subset(whole)[0]["properties"]["a"]


def notes(schema: Any) -> list[tuple[str, str]]:
    return [(note.path, note.kind) for note in subset({"type": "object", "properties": {"a": schema}})[1]]


@pytest.mark.edge("B88")
@pytest.mark.parametrize(
    ("schema", "form"),
    [
        ({"type": "string", "minLength": 1, "title": "A"}, {"type": "STRING", "minLength": 1, "title": "A"}),
        ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}),
        ({"type": ["string", "integer"]}, {"anyOf": [TEXT, {"type": "INTEGER"}]}),
        (
            {"type": ["string", "boolean", "null"], "description": "Told."},
            {"anyOf": [TEXT, {"type": "BOOLEAN"}], "description": "Told.", "nullable": True},
        ),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, {"type": "STRING", "nullable": True}),
        ({"oneOf": [{"type": "string"}, {"type": "string"}]}, TEXT),
        ({"anyOf": [{"type": "string"}, {"type": "number"}]}, {"anyOf": [TEXT, {"type": "NUMBER"}]}),
        ({"anyOf": [{"minLength": 1}], "type": "string"}, {"type": "STRING", "minLength": 1}),
        ({"const": "x"}, {"type": "STRING", "format": "enum", "enum": ["x"]}),
        (
            {"enum": ["x", None], "type": ["string", "null"]},
            {"type": "STRING", "format": "enum", "enum": ["x"], "nullable": True},
        ),
        ({"enum": [1, 2], "type": "integer"}, {"type": "INTEGER", "description": "One of [1,2]."}),
        ({"type": "array"}, {"type": "ARRAY", "items": {"anyOf": ANYTHING}}),
        ({"type": "array", "items": {"type": "string"}}, {"type": "ARRAY", "items": TEXT}),
        ({"type": "string", "format": "date-time"}, {"format": "date-time", "type": "STRING"}),
        ({"type": "string", "format": "uri"}, {"type": "STRING", "description": "Format: uri."}),
        ({"type": "integer", "default": 3}, {"type": "INTEGER", "description": "Default: 3."}),
        ({"properties": {"b": {"type": "string"}}}, {"type": "OBJECT", "properties": {"b": TEXT}}),
        (True, {"anyOf": ANYTHING}),
        ({}, {"anyOf": ANYTHING}),
        ({"type": "nonsense"}, {"anyOf": ANYTHING}),
        ({"allOf": [{"type": "string"}, {"minLength": 1}]}, {"type": "STRING", "minLength": 1}),
    ],
)
def test_same_meaning_in_the_subset(schema: Any, form: Any) -> None:
    assert of(schema) == form


@pytest.mark.edge("B88")
def test_references_are_written_out() -> None:
    assert of({"$ref": "#/$defs/x"}, x={"type": "string"}) == TEXT
    assert of({"$ref": "#/$defs/x", "description": "Told."}, x={"type": "string"}) == {**TEXT, "description": "Told."}
    assert of({"$ref": "#/$defs/x", "minLength": 1}, x={"type": "string"}) == {**TEXT, "minLength": 1}
    assert of({"$ref": "#/$defs/x", "type": "string"}, x={"type": "string", "maxLength": 1}) == {**TEXT, "maxLength": 1}


@pytest.mark.edge("B88")
def test_circle_ends_in_json_text() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}

    written = of({"$ref": "#/$defs/node"}, node=node)

    assert written["properties"]["next"]["type"] == "STRING"
    assert "a further node" in written["properties"]["next"]["description"]


def test_objects_that_all_have_to_fit_are_one() -> None:
    base = {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}

    assert of({"allOf": [{"$ref": "#/$defs/base"}, {"properties": {"c": {"type": "number"}}}]}, base=base) == {
        "type": "OBJECT",
        "properties": {"b": TEXT, "c": {"type": "NUMBER"}},
        "required": ["b"],
    }


def test_of_two_demands_one_is_told_and_the_other_reported() -> None:
    assert notes({"allOf": [{"type": "string", "minLength": 1}, {"minLength": 2}, True]}) == [
        ("/properties/a", "weakened")
    ]


def test_map_is_asked_for_as_json_text() -> None:
    written = of({"type": "object", "additionalProperties": {"type": "integer"}, "description": "Counts."})

    assert written == {
        "type": "STRING",
        "description": 'Counts. Give a JSON object whose values fit {"type":"integer"}, written as JSON text.',
    }


def test_what_is_lost_is_said_in_words_and_reported() -> None:
    assert of({"type": "number", "multipleOf": 5})["description"].endswith('{"multipleOf":5}.')
    assert notes({"type": "number", "multipleOf": 5}) == [("/properties/a/multipleOf", "weakened")]
    assert notes({"type": "string", "format": "uri"}) == [("/properties/a", "weakened")]
    assert notes({"type": "object", "properties": {"b": {"type": "null"}}, "additionalProperties": {}})[-1] == (
        "/properties/a",
        "narrowed",
    )


def test_places_of_a_tuple_are_told_in_words() -> None:
    written = of(
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": {"type": "boolean"}}
    )

    assert written["items"]["anyOf"] == [TEXT, {"type": "INTEGER"}, {"type": "BOOLEAN"}]
    assert written["items"]["description"].startswith("In this order: [")
    assert of({"type": "array", "prefixItems": [{"type": "string"}], "items": False})["items"]["type"] == "STRING"


def test_object_in_circles_of_all_of_ends() -> None:
    loop: Any = {"type": "object", "properties": {"b": {"type": "string"}}}
    loop["allOf"] = [{"$ref": "#/$defs/loop"}]

    assert of({"allOf": [{"$ref": "#/$defs/loop"}]}, loop=loop)["properties"] == {"b": TEXT}


@pytest.mark.edge("B90")
def test_schema_that_would_be_written_out_without_end_becomes_json_text() -> None:
    definitions: dict[str, Any] = {"d12": {"type": "string"}}
    for level in range(12):
        below = {"$ref": f"#/$defs/d{level + 1}"}
        definitions[f"d{level}"] = {"type": "object", "properties": {"a": below, "b": below}}

    assert "too much to describe" in str(of({"$ref": "#/$defs/d0"}, **definitions))


@pytest.mark.parametrize("schema", [{"type": "null"}, {"anyOf": [{"type": "null"}]}, {"const": None}, {"enum": [None]}])
def test_null_alone_is_a_text_that_may_be_null(schema: Any) -> None:
    assert of({**schema, "title": "A"}) == {
        "type": "STRING",
        "title": "A",
        "description": "Give null.",
        "nullable": True,
    }
    assert notes(schema) == [("/properties/a", "weakened")]


def test_what_is_required_is_described() -> None:
    inner = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x", "y"]}

    assert of(inner)["properties"] == {"x": TEXT, "y": {"anyOf": ANYTHING}}
    assert of(inner)["required"] == ["x", "y"]
    assert of({**inner, "additionalProperties": {"type": "integer"}})["properties"]["y"] == {"type": "INTEGER"}
    assert of({**inner, "additionalProperties": False})["required"] == ["x"]

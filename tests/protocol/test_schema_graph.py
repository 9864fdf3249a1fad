"""What a schema refers to, and how much work it can make."""

from typing import Any

import pytest

from dragoman.errors import BadSchema
from dragoman.protocol.schema_graph import MAX_DEPTH, MAX_SUBSCHEMAS, SchemaGraph

TEXT = {"type": "string"}


def doubling(levels: int) -> dict[str, Any]:
    """Make a schema in which each level tries the one below twice."""
    definitions: dict[str, Any] = {"d0": TEXT}
    for level in range(levels):
        lower = {"$ref": f"#/$defs/d{level}"}
        definitions[f"d{level + 1}"] = {"anyOf": [lower, dict(lower)]}
    return {"$defs": definitions, "$ref": f"#/$defs/d{levels}"}


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"$ref": "#"},
        {"$ref": "#/$defs/a", "$defs": {"a": TEXT}},
        {"$ref": "#/definitions/a%20b", "definitions": {"a b": TEXT}},
        {"$ref": "#/$defs/a~1b~0c", "$defs": {"a/b~c": TEXT}},
        {"$ref": "#here", "$defs": {"a": {"$anchor": "here"}}},
        {"$dynamicRef": "#here", "$defs": {"a": {"$dynamicAnchor": "here"}}},
        {"$ref": "#here", "definitions": {"a": {"$id": "#here"}}},
        {"$id": "https://example.com/root.json", "$ref": "item.json", "$defs": {"a": {"$id": "item.json"}}},
        {"$id": "https://example.com/root.json", "$ref": "root.json#/$defs/a", "$defs": {"a": TEXT}},
        {"$id": "urn:example:root", "$ref": "#/$defs/a", "$defs": {"a": TEXT}},
        {"$id": "urn:example:root", "properties": {"a": {"$ref": "urn:example:root"}}},
        {"$ref": "https://json-schema.org/draft/2020-12/schema"},
        {"$ref": "#/$defs/missing"},
        {"$ref": "#/allOf/0", "allOf": [TEXT]},
        {"$ref": "#/allOf/7", "allOf": [TEXT]},
        {"$ref": f"#/allOf/{'9' * 5000}", "allOf": [TEXT]},
        {"$ref": "#/allOf/first", "allOf": [TEXT]},
        {"$ref": "#/title/0", "title": "text"},
        {"$ref": "#/components/a", "components": {"a": TEXT}},
        {"$ref": 5},
        {"enum": [{"$ref": "https://example.com/a"}], "default": {"$ref": "https://example.com/a"}},
        {"properties": {"$ref": {"type": "string"}}},
    ],
)
def test_these_lead_nowhere_else(schema: Any) -> None:
    assert SchemaGraph(schema).remote is None


@pytest.mark.edge("B89")
@pytest.mark.parametrize(
    ("schema", "remote"),
    [
        ({"$ref": "http://169.254.169.254/latest"}, "http://169.254.169.254/latest"),
        ({"$ref": "file:///etc/passwd"}, "file:///etc/passwd"),
        ({"$ref": "other.json"}, "other.json"),
        ({"$ref": "//example.com/a"}, "//example.com/a"),
        ({"$ref": "http://[broken#a"}, "http://[broken#a"),
        ({"$id": "http://example.com/", "$ref": "http://[broken#a"}, "http://[broken#a"),
        ({"$id": "http://[broken#/a", "$ref": "http://[other"}, "http://[other"),
        ({"$id": "https://example.com/root.json", "$ref": "other.json#/a"}, "https://example.com/other.json#/a"),
        ({"$defs": {"unused": {"$ref": "http://example.com/a"}}}, "http://example.com/a"),
        ({"properties": {"a": {"items": [{"not": {"$ref": "http://example.com/a"}}]}}}, "http://example.com/a"),
        ({"$ref": "#/components/a", "components": {"a": {"$ref": "http://example.com/a"}}}, "http://example.com/a"),
        ({"allOf": [{"$ref": "http://example.com/a"}, {"$ref": "http://example.com/b"}]}, "http://example.com/a"),
        ({"$dynamicRef": "http://example.com/a#x"}, "http://example.com/a#x"),
    ],
)
def test_a_reference_that_leads_elsewhere_is_found(schema: Any, remote: str) -> None:
    assert SchemaGraph(schema).remote == remote


def test_work_is_what_is_tried_here_and_below() -> None:
    schema = {
        "properties": {"a": TEXT, "b": {"items": TEXT}},
        "anyOf": [TEXT, {"not": TEXT}],
        "$defs": {"unused": TEXT},
    }

    # Each stands for itself: one object tried twice counts twice.
    assert SchemaGraph(schema).work(9) == 1 + (1 + 2) + (1 + 2)


def test_work_doubles_with_each_level_that_tries_twice() -> None:
    bounds = [SchemaGraph(doubling(level)).work(0) for level in (4, 5, 6)]

    assert bounds[1] > 1.9 * bounds[0]
    assert bounds[2] > 1.9 * bounds[1]


def test_to_know_what_is_left_over_everything_is_tried_once_more() -> None:
    assert SchemaGraph({"allOf": [TEXT], "unevaluatedProperties": False}).work(0) == 4


def test_a_flat_schema_makes_the_same_work_at_any_depth() -> None:
    graph = SchemaGraph({"properties": {"a": TEXT}})

    assert not graph.is_recursive
    assert graph.work(1) == graph.work(50) == 2


def test_a_schema_in_itself_makes_more_work_the_deeper_a_value_is() -> None:
    graph = SchemaGraph({"properties": {"next": {"$ref": "#"}}})

    assert graph.is_recursive
    assert [graph.work(depth) for depth in (0, 1, 2)] == [1, 3, 5]


def test_a_schema_that_is_itself_makes_no_endless_work() -> None:
    assert SchemaGraph({"$ref": "#"}).work(5) == 1


def test_a_schema_may_be_deep_but_not_too_deep() -> None:
    schema: dict[str, Any] = {}
    for _ in range(MAX_DEPTH):
        schema = {"not": schema}

    assert SchemaGraph(schema).work(0) == MAX_DEPTH + 1
    with pytest.raises(BadSchema, match="nested more than 128 deep"):
        SchemaGraph({"not": schema})


def test_a_schema_may_be_large_but_not_too_large() -> None:
    def wide(count: int) -> dict[str, Any]:
        return {"properties": {str(number): {} for number in range(count)}}

    assert SchemaGraph(wide(MAX_SUBSCHEMAS - 1)).work(1) == MAX_SUBSCHEMAS
    with pytest.raises(BadSchema, match="more than 10,000 subschemas"):
        SchemaGraph(wide(MAX_SUBSCHEMAS))


def test_references_may_not_lead_too_deep() -> None:
    definitions: dict[str, Any] = {f"d{number}": {"$ref": f"#/$defs/d{number + 1}"} for number in range(3000)}

    with pytest.raises(BadSchema, match="lead too deep"):
        SchemaGraph({"$ref": "#/$defs/d0", "$defs": definitions})

"""Conversion of one tool and of many."""

from typing import Any

import pytest

from dragoman.models import definition
from dragoman.models.definition import Converted, Definition, Definitions, Unfit, convert, converted, prepared
from dragoman.models.formats import FORMATS
from dragoman.models.names import Alphabet
from dragoman.types import Tool, decode
from tests.models.making import tool

NAMES = Alphabet("a-z_0-9", 20)


def define(each: Any, name: str) -> Definition:
    return Definition(each, name, {"name": name}, converted(each), converted(each).notes)


@pytest.mark.edge("B83")
def test_bare_object_and_array_are_completed() -> None:
    schema = converted(
        tool({"properties": {"a": {"type": "object"}, "b": {"type": ["array", "null"]}, "c": True}})
    ).schema

    assert schema == {
        "properties": {
            "a": {"type": "object", "properties": {}},
            "b": {"type": ["array", "null"], "items": {}},
            "c": {},
        },
        "type": "object",
    }
    assert converted(tool({"type": "object"})).schema == {"type": "object", "properties": {}}


def test_schema_of_the_tool_is_not_changed() -> None:
    original = tool({"type": "object", "anyOf": [{"required": ["a"]}], "properties": {"a b": {"type": "array"}}})
    before = bytes(original.input_schema_raw)
    converted(original, NAMES)

    assert bytes(original.input_schema_raw) == before


def test_properties_are_renamed_wherever_they_are_spoken_of() -> None:
    found = converted(
        tool(
            {
                "properties": {"A b": {"type": "object", "properties": {"C": {}}}, "d": False},
                "required": ["A b", "d"],
                "additionalProperties": False,
                "dependentRequired": {"A b": ["d"]},
                "dependentSchemas": {"d": {"required": ["A b"]}},
            }
        ),
        NAMES,
    )
    ab, c = (other for other in found.renamed if found.renamed[other] in {"A b", "C"})
    if found.renamed[ab] == "C":
        ab, c = c, ab

    assert found.schema["required"] == [ab, "d"]
    assert found.schema["dependentRequired"] == {ab: ["d"]}
    assert found.schema["dependentSchemas"] == {"d": {"required": [ab]}}
    assert found.schema["properties"][ab]["properties"] == {c: {}}
    assert {note.kind for note in found.notes} == {"renamed"}


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "string"}, "not that of an object"),
        ({"type": ["string"]}, "not that of an object"),
        ({"type": "object", "properties": {"a": {"type": "nonsense"}}}, "cannot be used"),
    ],
)
def test_tool_that_cannot_be_expressed_has_a_reason(schema: Any, reason: str) -> None:
    with pytest.raises(Unfit, match=reason):
        prepared(tool(schema))


@pytest.mark.edge("B89")
def test_reference_to_another_machine_leaves_the_tool_out() -> None:
    bad = tool({"type": "object", "properties": {"a": {"$ref": "http://169.254.169.254/latest"}}}, "bad")
    found = convert([tool({"type": "object"}, "good"), bad], define, NAMES)

    assert [each["name"] for each in found] == ["good"]
    assert found.omitted[0].name == "bad"
    assert "http://169.254.169.254/latest" in found.omitted[0].reason


def test_schema_whose_reference_cannot_be_carried_along_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(root: Any) -> Any:
        raise LookupError("#odd")

    monkeypatch.setattr(definition, "carried", nowhere)
    with pytest.raises(Unfit, match="refers to #odd"):
        prepared(tool({"type": "object"}))


def test_schema_that_is_nested_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(root: Any) -> Any:
        raise RecursionError

    monkeypatch.setattr(definition, "carried", endless)
    with pytest.raises(Unfit, match="too deep"):
        prepared(tool({"type": "object"}))


def test_type_may_be_a_list_or_missing() -> None:
    assert prepared(tool({"type": ["object", "null"]}))["type"] == "object"
    assert prepared(tool({}))["type"] == "object"


@pytest.mark.edge("B104")
def test_names_are_mapped_back() -> None:
    found = convert([tool({"type": "object"}, "Files.Read")], define, NAMES)
    (name,) = found.names

    assert NAMES.allows(name)
    assert found.names == {name: "Files.Read"}
    assert found.find(name) is not None
    assert found.find("other") is None


def test_order_depends_on_names_alone() -> None:
    tools = [tool({"type": "object"}, name) for name in ("c", "a", "b")]

    assert list(convert(tools, define, NAMES)) == list(convert(reversed(tools), define, NAMES))


def test_second_tool_of_a_name_is_left_out() -> None:
    found = convert([tool({"type": "object"}, "a"), tool({"properties": {}}, "a")], define, NAMES)

    assert (len(found), [each.reason for each in found.omitted]) == (1, ["another tool is called a already"])


def test_nothing_to_define_is_no_part_of_a_request() -> None:
    assert Definitions().request == {}
    assert convert([tool({})], define, NAMES).request == {"tools": [{"name": "find"}]}


def test_some_definitions_can_be_chosen() -> None:
    found = convert([tool({}, "a"), tool({"anyOf": [{"required": ["x"]}, {"required": ["y"]}]}, "b")], define, NAMES)

    assert list(found.notes) == ["b"]
    assert [each["name"] for each in found.only(["b", "nothing", "a"])] == ["b", "a"]
    assert [each.name for each in found.each()] == ["a", "b"]


def test_nothing_is_renamed_where_everything_is_allowed() -> None:
    assert converted(tool({"properties": {"A b": {}}})) == Converted({"properties": {"A b": {}}, "type": "object"})


def test_schema_that_is_nested_too_deep_costs_the_others_nothing() -> None:
    schema = b'{"type":"object","properties":{"a":' * 450 + b"{}" + b"}}" * 450
    deep = decode(b'{"name":"deep","inputSchema":' + schema + b"}", Tool)

    def further_down(levels: int) -> Definitions:
        return (
            further_down(levels - 1) if levels else FORMATS["anthropic"].definitions([deep, tool({"type": "object"})])
        )

    for levels in (0, 300):
        found = further_down(levels)
        assert [each["name"] for each in found] == ["find"]
        assert [each.name for each in found.omitted] == ["deep"]

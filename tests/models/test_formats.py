"""All providers: what each is told, by golden files and by properties that hold for any schema."""

import json
from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.errors import UsageError
from dragoman.models.arguments import ArgumentReader, restored
from dragoman.models.folding import REFUSED_AT_ROOT
from dragoman.models.formats import FORMATS, Provider, find_format
from dragoman.models.schema import children
from dragoman.protocol.schemas import compile_schema
from dragoman.types import Tool
from tests.models.goldens import FOLDER, TOOLS, golden

PROVIDERS = [name for name in FORMATS if name != "plain"]


@pytest.mark.feature(129, 130)
@pytest.mark.parametrize("name", FORMATS)
def test_definitions_are_as_in_the_golden_file(name: str) -> None:
    assert golden(name) == json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def test_format_that_is_not_there_is_told_with_the_nearest() -> None:
    assert find_format("gemini") is FORMATS["gemini"]
    with pytest.raises(UsageError, match="did you mean 'openai'"):
        find_format("opnai")
    with pytest.raises(UsageError, match="there are anthropic, bedrock"):
        find_format("zzz")


NOTHING: list[Any] = [
    {},
    {"content": None},
    {"content": [None, "x"]},
    {"choices": None},
    {"choices": [{}]},
    {"choices": [{"message": None}]},
    {"tool_calls": [None]},
    {"candidates": [{"content": {"role": "model", "parts": None}}]},
    {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]},
    {"output": {"message": {"content": None}}},
    {"output": [None]},
]


@pytest.mark.parametrize("name", PROVIDERS)
@pytest.mark.parametrize("response", NOTHING, ids=str)
def test_response_with_nothing_in_it_has_no_calls_and_says_nothing_that_is_refused(name: str, response: Any) -> None:
    way = FORMATS[name]

    assert way.calls(response) == []
    assert all(len(message) > 1 for message in way.said(response))


@pytest.mark.parametrize(
    ("name", "response"),
    [
        ("anthropic", {"content": [{"type": "tool_use", "id": None}]}),
        ("bedrock", {"content": [{"toolUse": {}}]}),
        ("gemini", {"parts": [{"functionCall": {"name": None}}]}),
        ("openai", {"tool_calls": [{"function": None}]}),
        ("openai-responses", {"output": [{"type": "function_call"}]}),
    ],
)
def test_call_without_a_name_is_one_of_a_tool_that_there_is_not(name: str, response: Any) -> None:
    (call,) = FORMATS[name].calls(response)

    assert (call.id, call.name) == ("", "")


# ---------------------------------------------------------------------------------------------- any schema, any arguments

NAMES = st.sampled_from(["a", "b", "größe", "c d", "$top", "x" * 70])
SCALARS: st.SearchStrategy[Any] = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "minLength": 1},
        {"type": "integer"},
        {"type": "number", "minimum": 0},
        {"type": "boolean"},
        {"type": ["string", "null"]},
        {"type": ["string", "null"], "default": None},
        {"type": "integer", "exclusiveMinimum": 0},
        {"enum": ["x", "y"]},
        {"const": 5},
        {"type": "string", "format": "uri"},
        {"type": "object"},
        {"type": "array"},
        {},
        True,
        {"$ref": "#/$defs/node"},
        {"$ref": "#/$defs/text"},
    ]
)


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries(
        {"type": st.just("object"), "properties": st.dictionaries(NAMES, inner, max_size=4)},
        optional={
            "required": st.lists(NAMES, unique=True, max_size=2),
            "additionalProperties": st.one_of(st.booleans(), inner),
            "description": st.just("Told."),
        },
    )


SCHEMAS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        objects(inner),
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda members: {"anyOf": members}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda members: {"oneOf": members}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda members: {"allOf": members}, st.lists(inner, min_size=1, max_size=2)),
    ),
    max_leaves=6,
)
DEFINITIONS = {
    "text": {"type": "string"},
    "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "tag": {"type": "string"}}},
}


@st.composite
def roots(draw: st.DrawFn) -> Any:
    root = dict(draw(objects(SCHEMAS)))
    if draw(st.booleans()):
        keyword = draw(st.sampled_from(["anyOf", "oneOf", "allOf"]))
        root[keyword] = draw(
            st.lists(st.one_of(objects(SCALARS), st.just({"required": ["a"]})), min_size=1, max_size=3)
        )
    return {**root, "$defs": DEFINITIONS}


VALUES = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-5, 5), st.sampled_from(["x", "y", "", '["a"]', "5"]), st.just(1.5)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=5,
)
ARGUMENTS = st.dictionaries(NAMES, VALUES, max_size=4)

often = settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)


def schema_of(definition: Any) -> Any:
    """Find the schema in a definition, whatever the provider calls it."""
    for name in ("input_schema", "parameters", "parametersJsonSchema"):
        if name in definition:
            return definition[name]
    inner = definition.get("function") or definition.get("toolSpec", {}).get("inputSchema", {}).get("json") or {}
    return inner.get("parameters", inner)


@often
@given(roots())
def test_no_conversion_changes_the_tool(root: Any) -> None:
    tool = Tool.define("find", root)
    before = json.dumps(root), bytes(tool.input_schema_raw)
    for form in FORMATS.values():
        form.definitions([tool])

    assert (json.dumps(root), bytes(tool.input_schema_raw)) == before


@often
@given(roots(), ARGUMENTS)
def test_whatever_fits_the_tool_fits_what_providers_are_told_or_a_note_says_otherwise(
    root: Any, arguments: Any
) -> None:
    tool = Tool.define("find", root)
    if compile_schema(root).violations(arguments):
        return
    for name in PROVIDERS:
        found = FORMATS[name].definitions([tool]).find("find")
        if found is None or name == "gemini-openapi" or found.converted.is_strict:
            continue
        if any(note.kind == "narrowed" for note in found.notes):
            continue
        aliases = {own: other for other, own in found.converted.renamed.items()}
        assert compile_schema(schema_of(found.json)).violations(restored(arguments, aliases)) == (), name


@often
@given(roots(), ARGUMENTS)
def test_arguments_that_fit_the_tool_come_back_unchanged(root: Any, arguments: Any) -> None:
    tool = Tool.define("find", root)
    if compile_schema(root).violations(arguments):
        return
    reader = ArgumentReader(tool)
    for form in FORMATS.values():
        found = form.definitions([tool]).find("find")
        assert found is not None
        aliases = {own: other for other, own in found.converted.renamed.items()}
        sent = restored(restored(arguments, aliases), found.converted.renamed)
        assert reader.read(sent) == (arguments, ())


@often
@given(roots(), ARGUMENTS)
def test_strict_arguments_are_as_good_as_those_of_the_tool(root: Any, arguments: Any) -> None:
    tool = Tool.define("find", root)
    found = FORMATS["openai-strict"].definitions([tool]).find("find")
    assert found is not None
    if not found.converted.is_strict or compile_schema(found.converted.schema).violations(arguments):
        return

    assert ArgumentReader(tool).read(arguments, is_strict=True)[1] == ()


def everything(schema: Any) -> Any:
    if isinstance(schema, dict):
        yield schema
        for _, child in children(schema):
            yield from everything(child)


@often
@given(roots())
def test_every_definition_keeps_the_provider_s_rules(root: Any) -> None:
    tools = [Tool.define("find", root), *TOOLS]
    for name in PROVIDERS:
        for found in FORMATS[name].definitions(tools).each():
            schema = schema_of(found.json)
            if name == "gemini-openapi":
                keeps_openapi_rules(schema)
                continue
            assert not schema.keys() & REFUSED_AT_ROOT
            assert schema["type"] == "object"
            for each in everything(schema):
                assert "$schema" not in each
                kinds = each.get("type")
                assert "object" not in (kinds or ()) or "properties" in each
                assert "array" not in (kinds or ()) or "items" in each
            if found.converted.is_strict:
                keeps_strict_rules(schema)


def keeps_strict_rules(schema: Any) -> None:
    for each in everything(schema):
        assert not each.keys() & {"allOf", "oneOf", "not", "default", "const", "minLength", "patternProperties"}
        if "properties" in each:
            assert each["additionalProperties"] is False
            assert list(each["properties"]) == each["required"]


def keeps_openapi_rules(schema: Any) -> None:
    for each in everything(schema):
        assert not each.keys() & {"$ref", "$defs", "additionalProperties", "oneOf", "allOf", "const", "default", "not"}
        assert isinstance(each.get("type", ""), str)
        assert "type" in each or "anyOf" in each or each is schema  # what takes nothing has no parameters
        assert each.get("type") != "OBJECT" or each["properties"]
        assert each.get("type") != "ARRAY" or each["items"]


def branching(keyword: str, depth: int) -> Any:
    """Make a schema of few words that, written out, has no end."""
    definitions: dict[str, Any] = {f"d{depth}": {"type": "object", "properties": {"x": {"type": "string"}}}}
    for level in range(depth):
        below = {"$ref": f"#/$defs/d{level + 1}"}
        both = (
            {"type": "object", "properties": {"a": below, "b": below}}
            if keyword == "properties"
            else {keyword: [below] * 2}
        )
        definitions[f"d{level}"] = both
    return definitions


@pytest.mark.edge("B90")
@pytest.mark.parametrize("keyword", ["allOf", "anyOf", "oneOf", "properties"])
@pytest.mark.parametrize("root", [{"properties": {"r": {"$ref": "#/$defs/d0"}}}, {"$ref": "#/$defs/d0"}])
def test_schema_that_branches_without_end_is_converted_in_bounded_time(keyword: str, root: Any) -> None:
    tool = Tool.define("find", {"type": "object", **root, "$defs": branching(keyword, 20)})
    for form in FORMATS.values():
        for found in form.definitions([tool]).each():
            assert len(json.dumps(found.json)) < 1_000_000


def test_every_format_is_a_provider_by_type() -> None:
    assert list(get_args(Provider)) == list(FORMATS)

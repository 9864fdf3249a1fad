"""The tools of real public servers, as `tools/record_tools.py` recorded them, for every provider."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dragoman.models.arguments import ArgumentReader, restored
from dragoman.models.formats import FORMATS
from dragoman.models.modern import checker
from dragoman.types import Tool, decode, encode
from tests.models.test_formats import PROVIDERS, everything, keeps_openapi_rules, keeps_strict_rules, schema_of

CORPUS = sorted(Path(__file__).with_name("corpus").glob("*.json"))


def tools(path: Path) -> list[Tool]:
    return [decode(encode(tool), Tool) for tool in json.loads(path.read_text("utf-8"))["tools"]]


ALL = [tool for path in CORPUS for tool in tools(path)]


def test_there_are_servers_enough() -> None:
    assert len(CORPUS) >= 15


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
@pytest.mark.parametrize("name", PROVIDERS)
def test_every_tool_is_defined_for_every_provider(path: Path, name: str) -> None:
    found = FORMATS[name].definitions(tools(path))

    assert found.omitted == ()
    for each in found.each():
        schema = schema_of(each.json)
        if name == "gemini-openapi":
            keeps_openapi_rules(schema)
        elif each.converted.is_strict:
            keeps_strict_rules(schema)
        for part in everything(schema):
            assert "$schema" not in part


def values(schema: Any, root: Any) -> st.SearchStrategy[Any]:
    """Make values of a schema as these servers write them; what they do not use is not known here."""
    if not isinstance(schema, dict):
        return st.just("x")
    if "$ref" in schema:
        return st.deferred(lambda: values(pointed(root, schema["$ref"]), root))
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return st.one_of([values(each, root) for each in schema[keyword]])
    kind = schema.get("type", "string")
    return st.one_of([of_kind(each, schema, root) for each in ([kind] if isinstance(kind, str) else kind)])


def pointed(root: Any, reference: str) -> Any:
    for step in reference.split("/")[1:]:
        root = root[step]
    return root


def of_kind(kind: str, schema: Any, root: Any) -> st.SearchStrategy[Any]:
    low, high = (
        schema.get("minimum", schema.get("exclusiveMinimum")),
        schema.get("maximum", schema.get("exclusiveMaximum")),
    )
    match kind:
        case "object":
            required = set(schema.get("required", ()))
            members = {name: values(each, root) for name, each in schema.get("properties", {}).items()}
            return st.fixed_dictionaries(
                {name: each for name, each in members.items() if name in required},
                optional={name: each for name, each in members.items() if name not in required},
            )
        case "array":
            least = schema.get("minItems", 0)
            return st.lists(values(schema.get("items", {}), root), min_size=least, max_size=max(least, 2))
        case "integer":
            return st.integers(int(low) + 1 if low is not None else None, int(high) - 1 if high is not None else None)
        case "number":
            return st.floats(low, high, allow_nan=False, allow_infinity=False)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case _:
            return st.text(min_size=schema.get("minLength", 0), max_size=schema.get("maxLength", 20))


@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    deadline=None,
    max_examples=300,
)
@given(st.data())
def test_random_valid_arguments_survive_the_way_there_and_back(data: st.DataObject) -> None:
    tool = data.draw(st.sampled_from(ALL))
    schema = tool.input_schema
    arguments = data.draw(values({"type": "object", **schema}, schema))
    if checker(schema).violations(arguments):
        return
    reader = ArgumentReader(tool)
    for name in PROVIDERS:
        (found,) = FORMATS[name].definitions([tool]).each()
        aliases = {own: other for other, own in found.converted.renamed.items()}
        assert reader.read(restored(restored(arguments, aliases), found.converted.renamed)) == (arguments, ())

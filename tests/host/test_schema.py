"""The JSON Schema of a configuration."""

import json

import jsonschema_rs
import pytest

from dragoman.host.fields import FIELDS
from dragoman.host.schema import configuration_schema
from tests.project.sources import ROOT

VALID = jsonschema_rs.validator_for(configuration_schema())


def test_every_field_is_in_it() -> None:
    properties = configuration_schema()["$defs"]["server"]["properties"]

    assert list(properties) == [field.name for field in FIELDS]
    assert all(each["description"] for each in properties.values())


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "uvx", "args": ["x"], "env": {"A": "b"}, "timeout": "20s", "tools": ["a*"]},
        {"url": "https://x", "headers": {"A": "b"}, "required": True, "policy": [{"verdict": "ask"}]},
    ],
)
def test_good_entries_are_valid(entry: object) -> None:
    assert VALID.is_valid({"mcpServers": {"a": entry}})


@pytest.mark.parametrize(
    "entry", [{}, {"command": "x", "url": "https://x"}, {"command": 7}, {"command": "x", "args": "y"}]
)
def test_bad_entries_are_not(entry: object) -> None:
    assert not VALID.is_valid({"mcpServers": {"a": entry}})


def test_it_is_plain_json() -> None:
    assert json.loads(json.dumps(configuration_schema())) == configuration_schema()


def test_the_page_about_configurations_has_the_schema_and_every_field() -> None:
    page = (ROOT / "docs/reference/configuration.md").read_text("utf-8")

    assert json.loads(page.partition("```json\n")[2].partition("```")[0]) == configuration_schema()
    assert [field.name for field in FIELDS if f"| `{field.name}` | {field.purpose} |" not in page] == []

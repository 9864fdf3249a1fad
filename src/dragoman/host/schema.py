"""The JSON Schema of a configuration file, for editors to complete and check it."""

from __future__ import annotations

from typing import Any

from dragoman.host.fields import FIELDS

__all__ = ["configuration_schema"]

_EXPANDED = "`${VAR}`, `${VAR:-default}`, `${env:VAR}` and `${keyring:NAME}` are filled in."


def configuration_schema() -> dict[str, Any]:
    """Make the schema of a file with `mcpServers`, in the words of dragoman; others' words are read as well."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Servers of the Model Context Protocol",
        "type": "object",
        "required": ["mcpServers"],
        "properties": {
            "$schema": {"type": "string"},
            "mcpServers": {
                "description": f"Each server by the name that it is to have. {_EXPANDED}",
                "type": "object",
                "additionalProperties": {"$ref": "#/$defs/server"},
            },
        },
        "$defs": {"server": _server()},
    }


def _server() -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {field.name: {"description": field.purpose, **field.kind.schema} for field in FIELDS},
        "oneOf": [{"required": ["command"]}, {"required": ["url"]}],
    }

"""Tools as servers of the world send them, and what each provider is told of them.

python -m tests.models.goldens   writes the files anew, for a look at what has changed
"""

import json
from pathlib import Path
from typing import Any

from dragoman.models.formats import FORMATS
from dragoman.types import Tool

__all__ = ["FOLDER", "TOOLS", "golden"]

FOLDER = Path(__file__).with_name("golden")

TEXT = {"type": "string"}

TOOLS = [
    Tool.define("now", {"type": "object"}, description="Tell the time."),
    Tool.define(
        "read_file",
        {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object",
            "properties": {
                "path": TEXT,
                "tail": {"type": "number", "description": "Only the last lines."},
                "head": {"type": "number"},
            },
            "required": ["path"],
            "additionalProperties": False,
        },
        description="Read a file.",
    ),
    Tool.define(
        "git.log",
        {
            "type": "object",
            "title": "GitLog",
            "properties": {
                "repo_path": {**TEXT, "title": "Repo Path"},
                "max_count": {"type": "integer", "default": 10, "title": "Max Count"},
                "since": {"anyOf": [{**TEXT, "format": "date-time"}, {"type": "null"}], "default": None},
            },
            "required": ["repo_path"],
        },
        description="Show the commits.",
    ),
    Tool.define(
        "locate",
        {
            "type": "object",
            "properties": {"address": TEXT, "point": {"$ref": "#/$defs/Point"}},
            "anyOf": [{"required": ["address"]}, {"required": ["point"]}],
            "$defs": {
                "Point": {"type": "object", "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}}}
            },
        },
        description="Find a place.",
    ),
    Tool.define(
        "draw",
        {
            "type": "object",
            "oneOf": [
                {
                    "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}},
                    "required": ["kind", "radius"],
                },
                {"properties": {"kind": {"const": "square"}, "side": {"type": "number"}}, "required": ["kind", "side"]},
            ],
        },
    ),
    Tool.define(
        "store",
        {
            "type": "object",
            "properties": {
                "labels": {"type": "object", "description": "key/value pairs"},
                "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
                "list": {"type": "array"},
                "same": {"$ref": "#/properties/list"},
                "maybe": {"type": ["string", "null"]},
                "filter[name]": {"type": ["string", "integer"]},
                "anything": True,
            },
        },
        description="Store things.",
    ),
    Tool.define(
        "grow",
        {
            "type": "object",
            "properties": {"tree": {"$ref": "#/$defs/Tree"}},
            "required": ["tree"],
            "$defs": {
                "Tree": {
                    "type": "object",
                    "properties": {"name": TEXT, "children": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
                    "required": ["name"],
                    "additionalProperties": False,
                }
            },
        },
        description="Grow a tree.",
    ),
    Tool.define("fetch", {"type": "object", "properties": {"a": {"$ref": "http://169.254.169.254/"}}}),
    Tool.define("a tool whose name is much longer than any provider would ever take it to be" * 2, {"type": "object"}),
]


def golden(name: str) -> Any:
    """Give what a provider is told of the tools, and what is said of that."""
    found = FORMATS[name].definitions(TOOLS)
    return {
        "request": found.request,
        "notes": {tool: [str(note) for note in notes] for tool, notes in found.notes.items()},
        "omitted": [str(each) for each in found.omitted],
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for each in FORMATS:
        text = json.dumps(golden(each), indent=2, ensure_ascii=False)
        (FOLDER / f"{each}.json").write_text(f"{text}\n", "utf-8")

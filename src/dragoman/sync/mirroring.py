# generated from src/dragoman/aio/mirroring.py by tools/unasync.py; do not edit
"""Repeat in headers those arguments of tools that their schemas mark, where there are headers."""

from __future__ import annotations

from dragoman.protocol.headers import BadMirror, Mirror, mirrored, mirrors
from dragoman.protocol.salvage import Problem
from dragoman.types import CallToolParams, ListToolsResult, Tool

__all__ = ["Mirroring"]

# What a marked schema has in its bytes, unless somebody wrote one of the letters as an escape.
_MARK = b"x-mcp-header"


class Mirroring:
    """What the tools of one server want repeated; owns what was found in their schemas."""

    def __init__(self) -> None:
        self._mirrors: dict[str, tuple[Mirror, ...]] = {}

    def learn(self, listed: ListToolsResult) -> tuple[tuple[Tool, ...], tuple[Problem, ...]]:
        """Look for marks in the schemas of tools, and leave out the tools that are marked wrongly.

        2026-07-28, Streamable HTTP, Schema Extension: such a tool must not be offered, and costs no other.
        """
        kept: list[Tool] = []
        problems: list[Problem] = []
        for position, tool in enumerate(listed):
            try:
                self._mirrors[tool.name] = _mirrors(tool)
                kept.append(tool)
            except BadMirror as error:
                problems.append(Problem(f"tools[{position}].inputSchema", tool.name, str(error)))
        return tuple(kept), tuple(problems)

    def headers(self, params: CallToolParams) -> dict[str, str] | None:
        """Give the headers that repeat the arguments of one call; None where there are none."""
        found = self._mirrors.get(params.name)
        arguments = params.arguments
        return mirrored(found, arguments) if found and isinstance(arguments, dict) else None


def _mirrors(tool: Tool) -> tuple[Mirror, ...]:
    raw = bytes(tool.input_schema_raw)
    return mirrors(tool.input_schema) if _MARK in raw or b"\\u" in raw else ()

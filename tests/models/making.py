"""Tools and responses for the tests of this folder."""

from typing import Any

from dragoman.models.calls import ToolResponse
from dragoman.types import CallToolResult, TextContent, Tool, decode, read_content

__all__ = ["later", "lists", "response", "result", "tool"]


def tool(schema: Any, name: str = "find", **fields: Any) -> Tool:
    """Make a tool with any input schema."""
    return Tool.define(name, schema, **fields)


def result(*blocks: Any, **fields: Any) -> CallToolResult:
    """Make a result of texts, and of blocks as they are on the wire."""
    from dragoman.types import encode

    content = tuple(
        TextContent(text=block) if isinstance(block, str) else read_content(encode(block)) for block in blocks
    )
    return CallToolResult(content=content, **fields)


def response(*blocks: Any, id: str = "call_1", name: str = "find", **fields: Any) -> ToolResponse:  # noqa: A002
    """Make a response to a call."""
    budgeted = fields.pop("budgeted", None)
    is_local = fields.pop("is_local", False)
    return ToolResponse(id, name, result(*blocks, **fields), "inn", name, budgeted=budgeted, is_local=is_local)


def lists(data: bytes) -> Any:
    """Decode a result as it comes from the wire."""
    return decode(data, CallToolResult)


async def later() -> str:
    """Say when: a coroutine function for both colours, one of which cannot run it."""
    return "later"

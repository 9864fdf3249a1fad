"""Make function tools of the OpenAI Agents SDK of tools that a runner runs; needs the extra `openai-agents`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from dragoman.errors import McpError, UsageError
from dragoman.models.calls import ERROR_PREFIX, ToolResponse
from dragoman.models.definition import Definition
from dragoman.models.results import Part, shown

if TYPE_CHECKING:
    from agents import FunctionTool

__all__ = ["FORMAT", "Run", "function_tool", "output"]

FORMAT = "openai-responses-strict"
"""The format of the definitions: strict wherever that changes no meaning."""

Run: TypeAlias = Callable[..., Awaitable[ToolResponse]]
"""Runs a tool by the name that the model knows, with the JSON that the model wrote and, as `id`, the call's id."""


def function_tool(definition: Definition, run: Run, *, raises: bool = False, **options: Any) -> FunctionTool:
    """Make a function tool that is run by `run`.

    What goes wrong is told to the model, broken lines included, unless `raises` lets it end the agent's run. The
    options are those of `FunctionTool`: `needs_approval`, `is_enabled`, `timeout_seconds` and so on.

    Raises:
        UsageError: the SDK is not installed.
    """
    try:
        from agents import FunctionTool
    except ImportError as error:
        raise UsageError(
            "the OpenAI Agents SDK is not installed", hint="pip install 'dragoman[openai-agents]'"
        ) from error

    async def invoke(context: Any, arguments: str) -> Any:
        try:
            return output(await run(definition.name, arguments, id=context.tool_call_id))
        except McpError as error:
            if raises:
                raise
            return f"{ERROR_PREFIX}{error}"

    return FunctionTool(
        name=definition.name,
        description=definition.json.get("description", ""),
        params_json_schema=definition.json["parameters"],
        on_invoke_tool=invoke,
        strict_json_schema=definition.converted.is_strict,
        **options,
    )


def output(response: ToolResponse) -> Any:
    """Give what the SDK sends on to the model: a text, or a list with pictures and PDF documents as what they are."""
    parts = [_part(part) for part in shown(response)]
    if all(isinstance(part, str) for part in parts):
        text = "\n".join(parts)
        return f"{ERROR_PREFIX}{text}" if response.is_error else text
    from agents.tool import ToolOutputText

    said = [ERROR_PREFIX.strip(), *parts] if response.is_error else parts
    return [ToolOutputText(text=each) if isinstance(each, str) else each for each in said]


def _part(part: Part) -> Any:
    from agents.tool import ToolOutputFileContent, ToolOutputImage

    address = f"data:{part.mime_type};base64,{part.data}"
    if part.kind == "image" and part.data and part.mime_type in {"image/gif", "image/jpeg", "image/png", "image/webp"}:
        return ToolOutputImage(image_url=address)
    if part.kind == "document" and part.data and part.mime_type == "application/pdf":
        return ToolOutputFileContent(file_data=address, filename=part.name.rpartition("/")[2] or "document.pdf")
    return part.text

"""Make tools of Pydantic AI of tools that a runner runs; needs the extra `pydantic-ai`."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from dragoman.errors import UsageError
from dragoman.models.calls import ToolResponse
from dragoman.models.definition import Definition
from dragoman.models.results import Part, shown
from dragoman.types import JsonObject, Tool, to_json

if TYPE_CHECKING:
    from pydantic_ai import Tool as PydanticTool
    from pydantic_core import SchemaValidator

__all__ = ["FORMAT", "OnFailure", "Run", "arguments_validator", "metadata", "outcome", "pydantic_tool"]

FORMAT = "anthropic"
"""The format of the definitions: its names and schemas are those that every provider takes."""

Run: TypeAlias = Callable[..., Awaitable[ToolResponse]]
"""Runs a tool by the name that the model knows, with its arguments."""

OnFailure: TypeAlias = Literal["retry", "tell"]
"""What becomes of a tool's failure: the model is asked to try again, or told that it has failed."""


def pydantic_tool(definition: Definition, run: Run, *, on_failure: OnFailure = "retry") -> PydanticTool[object]:
    """Make a tool that is run by `run`; arguments that do not fit make the model try again.

    Raises:
        UsageError: Pydantic AI is not installed.
    """
    try:
        from pydantic_ai import Tool as PydanticTool
    except ImportError as error:
        raise UsageError("Pydantic AI is not installed", hint="pip install 'dragoman[pydantic-ai]'") from error

    async def called(**arguments: Any) -> Any:
        return outcome(await run(definition.name, arguments), on_failure)

    made = PydanticTool[object].from_schema(
        called, definition.name, definition.tool.description or "", definition.converted.schema
    )
    made.function_schema.validator = arguments_validator()
    made.metadata = metadata(definition.tool)
    return made


def arguments_validator() -> SchemaValidator:
    """Give what takes any object for arguments: they are checked, by the tool's own schema, where it is run."""
    from pydantic_core import SchemaValidator, core_schema

    return SchemaValidator(core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema()))


def outcome(response: ToolResponse, on_failure: OnFailure = "retry") -> Any:
    """Give what a tool returns: its structured result, or texts, pictures, sounds and PDF documents.

    Raises:
        ModelRetry: it failed, or the arguments did not fit, and the model may try again.
        ToolFailed: it failed, and the model is told so.
    """
    from pydantic_ai.exceptions import ModelRetry, ToolFailed

    if response.is_error:
        raise (ModelRetry if response.is_unfit or on_failure == "retry" else ToolFailed)(_words(response))
    parts = shown(response)
    if response.result.has_structured and response.budgeted is None and not any(part.data for part in parts):
        return response.structured
    found = [_content(part) for part in parts]
    return found[0] if len(found) == 1 else found


def _words(response: ToolResponse) -> str:
    return "\n".join(part.text for part in shown(response))


def _content(part: Part) -> Any:
    """Give one part; what models take of no tool is told of in words."""
    from pydantic_ai import BinaryContent

    if not part.data or not (part.kind in {"image", "audio"} or part.mime_type == "application/pdf"):
        return part.text
    return BinaryContent.narrow_type(BinaryContent(b64decode(part.data), media_type=part.mime_type))


def metadata(tool: Tool) -> JsonObject:
    """Give what an application, not the model, sees of a tool: its annotations and its `_meta`."""
    annotations = to_json(tool.annotations) if tool.annotations else None
    return {"annotations": annotations, "meta": tool.meta or None}

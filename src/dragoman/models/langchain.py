"""Make LangChain tools of tools that a runner runs; needs the extra `langchain`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache, partial
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from dragoman.errors import UsageError
from dragoman.models.calls import ToolResponse
from dragoman.models.definition import converted
from dragoman.models.results import Part, shown
from dragoman.types import JsonObject, Tool, is_object, to_json

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

__all__ = ["Arun", "ArunWithin", "Run", "blocks", "langchain_tool"]

Run: TypeAlias = Callable[[str, JsonObject], Any]
Arun: TypeAlias = Callable[[str, JsonObject], Awaitable[Any]]
"""Runs a tool by its name, and gives a `ToolResponse`, or a message or command of LangChain's, which is passed on."""
ArunWithin: TypeAlias = Callable[[str, JsonObject, Any], Awaitable[Any]]
"""The same, which is also given LangGraph's runtime, or None outside of a graph."""

_RUNTIME = "runtime"


def langchain_tool(
    tool: Tool,
    *,
    run: Run | None = None,
    arun: Arun | None = None,
    arun_within: ArunWithin | None = None,
    name: str | None = None,
    schema: JsonObject | None = None,
    handle_tool_errors: bool = True,
) -> BaseTool:
    """Make a LangChain tool that is run by `run`, `arun` or `arun_within`, given the tool's name and its arguments.

    `name` and `schema` stand for the tool's own where the model is to see others.

    A failure becomes a tool message of status "error", or is raised as `ToolException` where errors are not handled.
    The artifact of a message has the structured result, as `structured_content`.

    Raises:
        UsageError: LangChain is not installed.
        Unfit: the tool's schema cannot be expressed.
    """
    kind = _tool_class()
    return kind(  # type: ignore[no-any-return]
        name=name or tool.name,
        description=tool.description or "",
        args_schema=converted(tool).schema if schema is None else schema,
        func=_running(tool.name, run) if run else None,
        coroutine=_running_within(tool, arun_within) if arun_within else _running_async(tool.name, arun),
        response_format="content_and_artifact",
        handle_tool_error=_told if handle_tool_errors else False,
        metadata=_metadata(tool),
    )


def _running(name: str, run: Run) -> Any:
    return lambda **arguments: _outcome(run(name, arguments))


def _running_async(name: str, arun: Arun | None) -> Any:
    if arun is None:
        return None

    async def called(**arguments: Any) -> Any:
        return _outcome(await arun(name, arguments))

    return called


def _running_within(tool: Tool, arun: ArunWithin) -> Any:
    """Give what LangGraph calls with its runtime, which it does where there is an annotation by that name."""
    from langchain_core.tools import InjectedToolArg

    async def called(**arguments: Any) -> Any:
        runtime = None if has_own else arguments.pop(_RUNTIME, None)
        return _outcome(await arun(tool.name, arguments, runtime))

    properties = tool.input_schema.get("properties") if is_object(tool.input_schema) else None
    has_own = is_object(properties) and _RUNTIME in properties
    if not has_own:
        kind = Annotated[Any, InjectedToolArg()]
        called.__annotations__ = {_RUNTIME: kind}
        injected = Parameter(_RUNTIME, Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        others = Parameter("arguments", Parameter.VAR_KEYWORD)
        called.__signature__ = Signature([injected, others])  # type: ignore[attr-defined]
    return called


@cache
def _tool_class() -> Any:
    try:
        from langchain_core.runnables import run_in_executor
        from langchain_core.tools import StructuredTool
    except ImportError as error:
        raise UsageError("LangChain is not installed", hint="pip install 'dragoman[langchain]'") from error

    class ServerTool(StructuredTool):
        """A tool whose arguments may have any names: those that LangChain hands to functions are left alone."""

        def _run(self, /, **arguments: Any) -> Any:  # type: ignore[override]
            if self.func is None:
                raise NotImplementedError(f"{self.name} is asynchronous: use `ainvoke`")
            return self.func(**arguments)

        async def _arun(self, /, **arguments: Any) -> Any:  # type: ignore[override]
            if self.coroutine is None:
                return await run_in_executor(None, partial(self._run, **arguments))
            return await self.coroutine(**arguments)

    return ServerTool


def _outcome(response: Any) -> tuple[Any, JsonObject | None]:
    """Give the content and the artifact of a message; a failure is raised, for LangChain to deal with."""
    if not isinstance(response, ToolResponse):
        return response, None  # LangChain's own message or command, from whoever stands in between
    if response.is_error:
        raise _failure_class()(blocks(response))
    return blocks(response), {"structured_content": response.structured} if response.result.has_structured else None


def _told(error: Exception) -> Any:
    """Give the content of the message for a failure."""
    return getattr(error, "content", None) or str(error)


@cache
def _failure_class() -> type[Exception]:
    from langchain_core.tools import ToolException

    class ToolFailure(ToolException):
        """What a tool said of its failure: its blocks, and their text."""

        def __init__(self, content: list[JsonObject]) -> None:
            super().__init__("\n".join(block["text"] for block in content if block["type"] == "text"))
            self.content = content

    return ToolFailure


def blocks(response: ToolResponse) -> list[JsonObject]:
    """Give the content of a response as LangChain's content blocks; nothing is of a kind that cannot be given."""
    return [_block(part) for part in shown(response)]


def _block(part: Part) -> JsonObject:
    # LangChain takes no sound in a tool's message: it would turn all of the content into one text.
    kind = {"image": "image", "document": "file"}.get(part.kind)
    if kind is None or not part.data or not part.mime_type:
        return {"type": "text", "text": part.text}
    return {"type": kind, "base64": part.data, "mime_type": part.mime_type}


def _metadata(tool: Tool) -> JsonObject | None:
    hints: JsonObject = to_json(tool.annotations) if tool.annotations else {}
    return {**hints, **({"_meta": tool.meta} if tool.meta else {})} or None

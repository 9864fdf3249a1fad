"""Give the tools of a runner to a framework for agents, as the framework's own, which the runner runs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from dragoman.aio._awaited import awaited
from dragoman.errors import UsageError
from dragoman.models.formats import FORMATS
from dragoman.nearest import nearest

if TYPE_CHECKING:
    from dragoman.aio.runner import AsyncToolRunner
    from dragoman.models.definition import Definition

__all__ = ["FRAMEWORKS", "tools_of"]

log = logging.getLogger("dragoman.aio")

_EVERYWHERE = "anthropic"
"""The format whose names and schemas every provider takes, for frameworks that speak with all of them."""


async def tools_of(runner: AsyncToolRunner, name: str) -> list[Any]:
    """Give the tools for a framework, or the definitions for a provider.

    Raises:
        UsageError: there is no such framework or provider, or the framework is not installed.
    """
    make = FRAMEWORKS.get(name)
    return await (runner.definitions(_known(name)) if make is None else make(runner))


def _known(name: str) -> str:
    if name in FORMATS:
        return name
    near = nearest(name, (*FORMATS, *FRAMEWORKS))
    what_is = f"formats are {', '.join(FORMATS)}; frameworks are {', '.join(FRAMEWORKS)}"
    raise UsageError(f"nothing is called {name!r}", hint=f"did you mean {near!r}?" if near else what_is)


async def _defined(runner: AsyncToolRunner, format: str) -> list[Definition]:  # noqa: A002 - the word for it
    definitions = await runner.definitions(format)
    for omitted in definitions.omitted:
        log.warning("%s is left out: %s", omitted.name, omitted.reason)
    return list(definitions.each())


async def _langchain(runner: AsyncToolRunner) -> list[Any]:
    from dragoman.models.langchain import langchain_tool

    def made(each: Definition) -> Any:
        async def run(_: str, arguments: dict[str, Any]) -> Any:
            return await runner.call(each.name, arguments, format=_EVERYWHERE)

        ways: dict[str, Any] = {"run": run}
        ways = {"arun": run}  # async-only
        return langchain_tool(each.tool, name=each.name, schema=each.converted.schema, **ways)

    return [made(each) for each in await _defined(runner, _EVERYWHERE)]


async def _openai_agents(runner: AsyncToolRunner) -> list[Any]:
    from dragoman.models.openai_agents import FORMAT, function_tool

    run = awaited(partial(runner.call, format=FORMAT))
    return [function_tool(each, run) for each in await _defined(runner, FORMAT)]


async def _pydantic_ai(runner: AsyncToolRunner) -> list[Any]:
    from dragoman.models.pydantic_ai import FORMAT, pydantic_tool

    run = awaited(partial(runner.call, format=FORMAT))
    return [pydantic_tool(each, run) for each in await _defined(runner, FORMAT)]


FRAMEWORKS: dict[str, Callable[[AsyncToolRunner], Any]] = {
    "langchain": _langchain,
    "openai-agents": _openai_agents,
    "pydantic-ai": _pydantic_ai,
}
"""What makes the tools of each framework."""

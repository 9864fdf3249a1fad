"""Tools for the OpenAI Agents SDK: as function tools, or as one of its MCP servers. Needs the extra `openai-agents`.

`function_tools` keeps schemas strict where that changes nothing, gives pictures and documents as what they are, and
lets a policy decide what the SDK asks approval for. `AgentsServer` is for `Agent(mcp_servers=[...])`, on every
protocol version, with sessions that heal.
"""

from __future__ import annotations

import inspect
import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

from dragoman.aio.client import AsyncClient
from dragoman.aio.host import AsyncHost
from dragoman.aio.runner import AsyncToolRunner
from dragoman.bridges.sources import Lease, Opened, Source
from dragoman.errors import McpError, UsageError
from dragoman.host.catalog import HostPrompt
from dragoman.host.policy import Policy
from dragoman.models.definition import Definition, Definitions
from dragoman.models.functions import failed
from dragoman.models.openai_agents import FORMAT, function_tool
from dragoman.types import Prompt, to_json

try:
    # The SDK's servers speak in the official library's values, which it brings along.
    from agents.mcp import MCPServer, ToolFilter, ToolFilterContext
    from mcp import types
except ImportError as error:
    raise ImportError("the OpenAI Agents SDK is not installed: pip install 'dragoman[openai-agents]'") from error

if TYPE_CHECKING:
    from agents import AgentBase, FunctionTool, RunContextWrapper
    from pydantic import BaseModel

    M = TypeVar("M", bound=BaseModel)

__all__ = ["AgentsServer", "function_tools"]

log = logging.getLogger("dragoman.bridges")

_PLAINLY = "openai-responses"
"""The format of what `AgentsServer` lists: the SDK makes schemas strict itself, where it is told to."""


async def function_tools(
    source: Opened, *, policy: Policy | None = None, raises: bool = False, **options: Any
) -> list[FunctionTool]:
    """Give the tools of a client, a host or a runner as function tools, for `Agent(tools=[...])`.

    A tool that cannot be expressed is left out; the log says why.

    Args:
        source: what has the tools, and stays open for as long as they are used.
        policy: where it says "ask", the SDK interrupts the run for approval; what it denies, the model is told of. A
            runner brings its own.
        raises: whether a broken line ends the agent's run, rather than being told to the model.
        options: those of `FunctionTool`, such as `is_enabled`, `timeout_seconds` and guardrails.
    """
    runner = Lease(source, policy).runner
    run = partial(runner.call, format=FORMAT)

    def made(each: Definition) -> FunctionTool:
        approval = {} if policy is None else {"needs_approval": _approval(runner, each)}
        return function_tool(each, run, raises=raises, **{**approval, **options})

    return [made(each) for each in _each(await runner.definitions(FORMAT), source)]


def _each(definitions: Definitions, source: object) -> list[Definition]:
    for omitted in definitions.omitted:
        log.warning("%r: %s is left out: %s", source, omitted.name, omitted.reason)
    return list(definitions.each())


def _approval(runner: AsyncToolRunner, definition: Definition) -> Any:
    async def needs_approval(_: Any, arguments: dict[str, Any], __: str) -> bool:
        return await runner.asks(definition.name, arguments, format=FORMAT)

    return needs_approval


class AgentsServer(MCPServer):
    """What the SDK calls an MCP server, for `Agent(mcp_servers=[...])`: a client of this library, or a whole host.

    Enter it, or `connect` and `cleanup`, where the source is a function; what came open can be used at once.

    Args:
        source: a client, a host or a runner, or a function that opens one: `lambda: AsyncClient.connect("...")`.
        name: what the SDK calls it. Default: the client's name.
        tool_filter: the SDK's own: a mapping of allowed and blocked names, or a function of its context and the tool.
        options: those of the SDK's `MCPServer`: `require_approval`, guardrails and so on. Without
            `failure_error_function`, the model is told of a broken line in our own words.
    """

    def __init__(
        self, source: Source, *, name: str | None = None, tool_filter: ToolFilter = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self._lease = Lease(source)
        self._name = name
        self._tool_filter = tool_filter
        self._raises = "failure_error_function" in options

    @property
    def name(self) -> str:
        """What the SDK calls it."""
        return self._name or self._lease.name

    @property
    def opened(self) -> Opened:
        """What is behind it, for all that the SDK has no verb for.

        Raises:
            UsageError: it is not open yet.
        """
        return self._lease.opened

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.cleanup()

    async def connect(self) -> None:
        """Open the source, unless it is open."""
        await self._lease.enter()

    async def cleanup(self) -> None:
        """Close what was opened here."""
        await self._lease.leave()

    async def list_tools(
        self, run_context: RunContextWrapper[Any] | None = None, agent: AgentBase | None = None
    ) -> list[types.Tool]:
        """List the tools, by names and schemas that OpenAI's models take."""
        definitions = await self._lease.runner.definitions(_PLAINLY)
        tools = [_listed(each) for each in _each(definitions, self._lease.opened)]
        return [tool for tool in tools if await self._is_wanted(tool, run_context, agent)]

    async def _is_wanted(self, tool: types.Tool, run_context: Any, agent: Any) -> bool:
        wanted = self._tool_filter
        if wanted is None:
            return True
        if not callable(wanted):
            allowed = wanted.get("allowed_tool_names")
            return (allowed is None or tool.name in allowed) and tool.name not in wanted.get("blocked_tool_names", ())
        if run_context is None or agent is None:
            raise UsageError("`tool_filter` is a function of the agent's run, and there is none")
        answer = wanted(ToolFilterContext(run_context, agent, self.name), tool)
        return bool(await answer if inspect.isawaitable(answer) else answer)

    async def call_tool(
        self, tool_name: str, arguments: dict[str, Any] | None, meta: dict[str, Any] | None = None
    ) -> types.CallToolResult:
        """Call a tool, once its arguments fit its own schema."""
        try:
            response = await self._lease.runner.call(tool_name, arguments, format=_PLAINLY, meta=meta)
        except McpError as error:
            if self._raises:
                raise
            # The SDK would only say "try again", which is wrong where a call may have run.
            return _as(types.CallToolResult, to_json(failed(str(error))))
        return _as(types.CallToolResult, to_json(response.result))

    async def list_prompts(self) -> types.ListPromptsResult:
        """List the prompts."""
        prompts = [_prompt(each) for each in await self._client().list_prompts()]
        return _as(types.ListPromptsResult, {"prompts": prompts})

    async def get_prompt(self, name: str, arguments: dict[str, Any] | None = None) -> types.GetPromptResult:
        """Get a prompt, filled in."""
        given = None if arguments is None else {key: str(value) for key, value in arguments.items()}
        return _as(types.GetPromptResult, to_json(await self._client().get_prompt(name, given)))

    async def list_resources(self, cursor: str | None = None) -> types.ListResourcesResult:
        """List all resources at once: nothing is left for another page."""
        found = await self._client().list_resources()
        return _as(types.ListResourcesResult, {"resources": [_resource(each) for each in found]})

    async def list_resource_templates(self, cursor: str | None = None) -> types.ListResourceTemplatesResult:
        """List all resource templates at once."""
        found = await self._client().list_resource_templates()
        return _as(types.ListResourceTemplatesResult, {"resourceTemplates": [_resource(each) for each in found]})

    async def read_resource(self, uri: str) -> types.ReadResourceResult:
        """Read a resource."""
        return _as(types.ReadResourceResult, to_json(await self._client().read_resource(uri)))

    def _client(self) -> AsyncClient | AsyncHost:
        opened = self._lease.opened
        if isinstance(opened, AsyncToolRunner):
            raise UsageError("a runner has tools alone", hint="give the client or the host itself")
        return opened


def _listed(definition: Definition) -> types.Tool:
    json = to_json(definition.tool)
    schema = definition.json["parameters"]
    return _as(types.Tool, {**json, "name": definition.name, "inputSchema": schema})


def _prompt(each: Prompt | HostPrompt) -> Any:
    return {**to_json(each.prompt), "name": each.name} if isinstance(each, HostPrompt) else to_json(each)


def _resource(each: Any) -> Any:
    """Give the JSON of a resource or a template, or of what a host has of one."""
    return to_json(getattr(each, "resource", None) or getattr(each, "template", None) or each)


def _as(kind: type[M], json: Any) -> M:
    return kind.model_validate(json)

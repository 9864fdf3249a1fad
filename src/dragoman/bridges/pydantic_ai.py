"""A toolset for Pydantic AI over clients, hosts and runners of this library; needs the extra `pydantic-ai`.

Schemas are those of the servers, arguments are checked by them before anything is sent, and what does not fit makes the
model try again. Sessions are of every protocol version, and heal.
"""

from __future__ import annotations

import logging
from typing import Any, Self

from dragoman.bridges.sources import Lease, Opened, Source, instructions_of
from dragoman.host.policy import Policy
from dragoman.models.definition import Definition
from dragoman.models.pydantic_ai import FORMAT, OnFailure, arguments_validator, metadata, outcome
from dragoman.models.report import Omitted

try:
    from pydantic_ai import RunContext, ToolDefinition
    from pydantic_ai.exceptions import ApprovalRequired
    from pydantic_ai.messages import InstructionPart
    from pydantic_ai.tools import AgentDepsT
    from pydantic_ai.toolsets import AbstractToolset, ToolsetTool
except ImportError as error:
    raise ImportError("Pydantic AI is not installed: pip install 'dragoman[pydantic-ai]'") from error

__all__ = ["DragomanToolset"]

log = logging.getLogger("dragoman.bridges")

_VALIDATOR = arguments_validator()


class DragomanToolset(AbstractToolset[AgentDepsT]):
    """The tools of a client, a host or a runner, for `Agent(toolsets=[...])`.

    Where the source is a function, it is opened for as long as any agent's run, or whoever enters this, needs it.

    Args:
        source: a client, a host or a runner, or a function that opens one: `lambda: AsyncClient.connect("...")`.
        id: what tells this toolset from others, for durable execution and for instructions that change.
        on_failure: "retry" lets the model try again what has failed, as often as it may; "tell" says that it has.
        max_retries: how often it may. Default: the agent's.
        instructions: whether the agent is told how the servers want to be used, in their words.
        policy: where it says "ask", the run ends in a deferred request for approval; what it denies, the model is told
            of. A runner brings its own.
    """

    def __init__(
        self,
        source: Source,
        *,
        id: str | None = None,  # noqa: A002 - the framework's word for it
        on_failure: OnFailure = "retry",
        max_retries: int | None = None,
        instructions: bool = False,
        policy: Policy | None = None,
    ) -> None:
        self._lease = Lease(source, policy)
        self._id = id
        self._on_failure: OnFailure = on_failure
        self._max_retries = max_retries
        self._tells_instructions = instructions
        self._told_of: set[str] = set()

    @property
    def id(self) -> str | None:
        """What tells this toolset from others."""
        return self._id

    @property
    def opened(self) -> Opened:
        """What is behind it: resources, prompts and all else that a toolset has no verb for.

        Raises:
            UsageError: it is not open yet.
        """
        return self._lease.opened

    async def __aenter__(self) -> Self:
        await self._lease.enter()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._lease.leave()

    async def get_instructions(self, ctx: RunContext[AgentDepsT]) -> InstructionPart | None:
        """Tell how the servers want to be used, if that was asked for."""
        words = instructions_of(self._lease.opened) if self._tells_instructions else None
        if words is None:
            return None
        return InstructionPart(words, on_change="rewrite" if self._id is None else "append")

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        """List the tools as they are now."""
        definitions = await self._lease.runner.definitions(FORMAT)
        for each in definitions.omitted:
            self._tell_of(each)
        return {each.name: self._tool(_described(each), ctx) for each in definitions.each()}

    def _tell_of(self, omitted: Omitted) -> None:
        # Tools are listed before each request to a model; what is wrong is said once.
        if omitted.name not in self._told_of:
            self._told_of.add(omitted.name)
            log.warning("%s is left out: %s", omitted.name, omitted.reason)

    async def get_tool_for_tool_def(
        self, tool_def: ToolDefinition, ctx: RunContext[AgentDepsT]
    ) -> ToolsetTool[AgentDepsT]:
        """Give a tool that was listed before, without listing it again."""
        return self._tool(tool_def, ctx)

    def _tool(self, described: ToolDefinition, ctx: RunContext[AgentDepsT]) -> ToolsetTool[AgentDepsT]:
        retries = ctx.max_retries if self._max_retries is None else self._max_retries
        return ToolsetTool(toolset=self, tool_def=described, max_retries=retries, args_validator=_VALIDATOR)

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        """Call a tool.

        Raises:
            ModelRetry, ToolFailed: it failed, and the model hears of it.
            ApprovalRequired: the policy wants somebody asked first.
            TransportError, OutcomeUnknown, McpTimeout: a line broke, or no answer came in time.
        """
        runner = self._lease.runner
        if not ctx.tool_call_approved and self._lease.is_guarded and await runner.asks(name, tool_args, format=FORMAT):
            raise ApprovalRequired
        return outcome(await runner.call(name, tool_args, format=FORMAT, id=ctx.tool_call_id), self._on_failure)


def _described(each: Definition) -> ToolDefinition:
    return ToolDefinition(
        name=each.name,
        description=each.tool.description,
        parameters_json_schema=each.converted.schema,
        return_schema=each.tool.output_schema or None,
        metadata=metadata(each.tool),
    )

"""What a user holds of many servers: one catalogue, one way to call, and each server by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, Unpack, overload

from dragoman.aio._runtime import Opening, opening

if TYPE_CHECKING:
    from dragoman.aio.client import AsyncClient
    from dragoman.aio.hosting.hosted import Hosted
    from dragoman.aio.hosting.options import HostOptions, Sources
    from dragoman.aio.options import Duration, OnProgress
    from dragoman.host.catalog import Changes, HostPrompt, HostResource, HostTemplate, HostTool
    from dragoman.host.drift import Difference
    from dragoman.host.entries import Problem
    from dragoman.host.news import ServerStatus
    from dragoman.models.definition import Definitions
    from dragoman.models.formats import Provider
    from dragoman.models.functions import LocalTool
    from dragoman.types import CallToolResult, GetPromptResult, ReadResourceResult

__all__ = ["AsyncHost"]


class AsyncHost:
    """Many servers, of whatever era and transport. Made by `open`, and of use until `close`.

    Each server is connected, and kept connected, by itself: one that hangs, refuses or dies costs the others nothing.
    Tools have names that stay the same for as long as the host is open.
    """

    def __init__(self, hosted: Hosted) -> None:
        self._hosted = hosted

    @classmethod
    def open(cls, sources: Sources, /, **options: Unpack[HostOptions]) -> Opening[AsyncHost]:
        """Connect to the servers of a configuration file, a mapping, or several of these.

        In a mapping of names to targets, a target is whatever `connect` takes. It returns when the required servers
        are connected, and waits for `patience` seconds at most for the others, which join when they can.

        Raises:
            ConfigError: a file cannot be read at all. What is wrong with one entry is told by `status` and `problems`.
            McpError: a required server cannot be used; its own error.
            UsageError: an option makes no sense.
        """
        return opening(cls._open(sources, options))

    @classmethod
    async def _open(cls, sources: Sources, options: HostOptions) -> Self:
        # Imported here: who only imports this library waits for nothing that a host takes.
        from dragoman.aio.hosting.hosted import Hosted

        return cls(await Hosted.opened(sources, options))

    async def close(self) -> None:
        """End all connections and all that belongs to them; from any task, any number of times."""
        await self._hosted.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        states = ", ".join(f"{each.name} {each.state}" for each in self.status())
        return f"<{type(self).__name__} {states or 'without servers'}>"

    # ---------------------------------------------------------------------------------------------------- servers

    def status(self) -> tuple[ServerStatus, ...]:
        """Tell how each server does, in the order of the configuration."""
        return tuple(member.status for member in self._hosted.members)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong, or odd, in the configuration as it was read last."""
        return self._hosted.problems

    @property
    def clients(self) -> Mapping[str, AsyncClient]:
        """The client of each server that is connected, by the server's name: for all that a host has no verb for."""
        members = self._hosted.members
        return {member.name: client for member in members if (client := member.client) is not None}

    async def ready(self, *, timeout: Duration = None) -> bool:
        """Wait until no server is still connecting; False when the time was up first."""
        return await self._hosted.ready(timeout)

    async def add(self, name: str, target: Any, /, **options: Any) -> None:
        """Add a server: an entry as configurations have it, or whatever `connect` takes, with options of `connect`.

        It returns at once; `ready` waits for it.

        Raises:
            UsageError: there is one of that name. ConfigError: the entry cannot be used.
        """
        await self._hosted.add(name, target, options)

    async def remove(self, name: str) -> None:
        """End a server and forget it; its names are not given to anything else.

        Raises:
            UsageError: there is none of that name.
        """
        await self._hosted.remove(name)

    async def restart(self, name: str) -> None:
        """End a server and connect to it anew; it returns when that is done, or has failed, as `status` tells.

        Raises:
            UsageError: there is none of that name.
        """
        await self._hosted.restart(name)

    async def reload(self) -> Changes[str]:
        """Read the configuration files again: what has changed is connected to anew, everything else left in peace.

        Raises:
            ConfigError: a file cannot be read; everything stays as it is.
        """
        return await self._hosted.reload()

    # ------------------------------------------------------------------------------------------------------ tools

    async def list_tools(self) -> tuple[HostTool, ...]:
        """List the tools of all servers, as they are now, in the order of the configuration."""
        await self._hosted.relist("tool")
        return self._hosted.offers.tools

    @overload
    async def tools_for(self, name: Provider) -> Definitions: ...
    @overload
    async def tools_for(self, name: str) -> list[Any]: ...
    async def tools_for(self, name: str) -> list[Any]:
        """Give the tools for a provider of models: "anthropic", "openai", "gemini" and others; or for a framework.

        The tools of a framework ("langchain", "openai-agents", "pydantic-ai") run here, as the policy lets them.

        Raises:
            UsageError: there is no such provider or framework, or the framework is not installed.
        """
        from dragoman.aio.runner import AsyncToolRunner

        return await AsyncToolRunner(self, on_protocol_error="message").tools_for(name)

    @property
    def tools(self) -> tuple[HostTool, ...]:
        """The tools that were last listed, without asking anybody."""
        return self._hosted.offers.tools

    async def tool(self, server: str, name: str) -> HostTool:
        """Give a tool by its server and the name that the server gives it, whatever the host calls it.

        A function of this program is of "local", unless a server is called that.

        Raises:
            UsageError: there is no such server. NotOffered: it has no such tool, or none that is wanted.
        """
        return await self._hosted.tool(server, name)

    def add_tool(self, function: LocalTool | Callable[..., Any], /) -> HostTool:
        """Let a function of this program stand beside the servers' tools.

        Raises:
            UsageError: it cannot be a tool, or there is one of that name.
        """
        return self._hosted.add_tool(function)

    async def call_tool(
        self,
        tool: str | HostTool,
        arguments: Mapping[str, Any] | None = None,
        *,
        raise_on_error: bool = False,
        timeout: Duration = None,
        on_progress: OnProgress | None = None,
        meta: Mapping[str, Any] | None = None,
        origins: Iterable[str] = (),
    ) -> CallToolResult:
        """Call a tool by the host's name for it, on the server that has it, if the policy lets that happen.

        `origins` names servers that the arguments are known to come from, besides what is noticed.

        Raises:
            UsageError: nothing has that name. NotOffered: what had it is gone.
            PolicyDenied: a rule, or somebody who was asked, said no.
            ToolChanged: the tool is not as it was pinned.
            McpError: what calling a tool of one client raises, or the server is not connected.
        """
        acts = self._hosted.acts
        result = await acts.call_tool(tool, arguments, timeout, on_progress, meta, frozenset(origins))
        if result.is_error and raise_on_error:
            raise acts.failed(tool, result)
        return result

    # -------------------------------------------------------------------------------------- resources and prompts

    async def list_resources(self) -> tuple[HostResource, ...]:
        """List the resources of all servers, as they are now."""
        await self._hosted.relist("resource")
        return self._hosted.offers.resources

    async def list_resource_templates(self) -> tuple[HostTemplate, ...]:
        """List the resource templates of all servers, as they are now."""
        await self._hosted.relist("template")
        return self._hosted.offers.templates

    async def read_resource(
        self, resource: str | HostResource, *, server: str | None = None, timeout: Duration = None
    ) -> ReadResourceResult:
        """Read a resource: on its server, on the one that is named, or on the first that lists the URI.

        Raises:
            UsageError: nobody lists it, and several servers might have it.
            PolicyDenied, ToolChanged, McpError: as for `call_tool`.
        """
        if isinstance(resource, str) and server is None:
            await self._hosted.know("resource", resource)
        return await self._hosted.acts.read_resource(resource, server, timeout)

    async def list_prompts(self) -> tuple[HostPrompt, ...]:
        """List the prompts of all servers, as they are now, each by a name of its own."""
        await self._hosted.relist("prompt")
        return self._hosted.offers.prompts

    async def get_prompt(
        self, prompt: str | HostPrompt, arguments: Mapping[str, str] | None = None, *, timeout: Duration = None
    ) -> GetPromptResult:
        """Get a prompt by the host's name for it, filled in.

        Raises:
            UsageError: nothing has that name. NotOffered: what had it is gone.
            PolicyDenied, ToolChanged, McpError: as for `call_tool`.
        """
        if isinstance(prompt, str):
            await self._hosted.know("prompt", prompt)
        return await self._hosted.acts.get_prompt(prompt, arguments, timeout)

    # ---------------------------------------------------------------------------------------------------- pinning

    async def pin(self, *servers: str) -> None:
        """Approve what servers say now, all that are connected or those that are named, and write the lockfile.

        Raises:
            ConfigError: the host has no lockfile, or it cannot be written.
            McpError: a server that is named cannot be asked.
        """
        await self._hosted.pin(servers)

    @property
    def pinned(self) -> tuple[str, ...]:
        """The servers of which the lockfile holds what was approved, whether they are here or not."""
        return self._hosted.pinned

    async def differences(self, server: str) -> tuple[Difference, ...]:
        """List all that a server offers, and give what is not as it was pinned.

        Raises:
            UsageError: there is no such server.
        """
        return await self._hosted.differences(server)

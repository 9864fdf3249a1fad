"""Run the tool calls that a model asks for: definitions out, calls in, and a history that ends in their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import is_
from typing import Any, Literal, overload

from msgspec import structs

from dragoman.aio._runtime import Guard
from dragoman.aio.attempts import Approve, Attempts, Rules
from dragoman.aio.frameworks import tools_of
from dragoman.aio.parallel import in_parallel
from dragoman.aio.toolbox import LOCAL, Entry, Offer, Source, Toolbox
from dragoman.errors import ToolFailed, UsageError
from dragoman.host.naming import Naming
from dragoman.host.policy import Policy
from dragoman.models.calls import ToolCall, ToolResponse, ToolRun
from dragoman.models.catalogue import Costs, search
from dragoman.models.definition import Converted, Definitions
from dragoman.models.formats import Format, Provider, find_format
from dragoman.models.functions import failed, tool
from dragoman.models.handles import Shelf
from dragoman.models.observing import Observer, Observers
from dragoman.models.results import READ_MORE, ResultBudget, shortened, text_of
from dragoman.models.scheduling import Schedule, ToolLimits
from dragoman.nearest import nearest
from dragoman.types import JsonObject, Tool

__all__ = ["SEARCH_TOOLS", "AsyncToolRunner"]

SEARCH_TOOLS = "dragoman_search_tools"
"""The tool by which a model finds further tools."""

_PIECE = 20_000


class AsyncToolRunner:
    """Runs tools of clients, hosts and this program for a model, whichever it is, or for a script.

    Where two sources have a tool of one name, the later one's is prefixed: see `naming`. The runner closes nothing.

    Args:
        sources: clients, hosts, functions, or lists of these.
        observers: what sees every call, at its start and its end.
        naming: how names are made where they collide: "collision", "prefix", "counter" or a function.
        validate: whether arguments are checked against the tool's own schema before they are sent.
        handle_tool_errors: whether a tool's failure is told to the model, or raised as `ToolFailed`.
        on_protocol_error: "raise" what a server answers with as an error, or make it a "message" to the model.
        on_line_error: the same for a line that broke, and for an answer that did not come in time.
        limits: how many calls run at once, and in total.
        budget: how much text of one result the model gets.
        policy: what may be called without asking, what not, and what not at all; None leaves that to hosts.
        approve: whom to ask where the policy says so.
        timeout: how long one call may take, a function's too, whose end is then not waited for; None for the source's own.
    """

    def __init__(
        self,
        *sources: Source,
        observers: Iterable[Observer] = (),
        naming: Naming = "collision",
        validate: bool = True,
        handle_tool_errors: bool = True,
        on_protocol_error: Literal["raise", "message"] = "raise",
        on_line_error: Literal["raise", "message"] = "raise",
        limits: ToolLimits | None = None,
        budget: ResultBudget | None = None,
        policy: Policy | None = None,
        approve: Approve | None = None,
        timeout: float | str | None = None,
    ) -> None:
        for name, value in (("on_protocol_error", on_protocol_error), ("on_line_error", on_line_error)):
            if value not in {"raise", "message"}:
                raise UsageError(f"{name}={value!r}", hint='it is "raise" or "message"')
        self._limits = limits or ToolLimits()
        self._budget = budget or ResultBudget()
        self._toolbox = Toolbox(sources, naming)
        self._observers = Observers(*observers)
        rules = Rules(validate, handle_tool_errors, on_protocol_error, on_line_error, timeout, policy, approve)
        self._attempts = Attempts(rules, self._observers)
        self._defined: dict[str, Definitions] = {}
        self._of_tools: dict[str, list[Tool]] = {}
        self._made: Counter[str] = Counter()
        self._guard = Guard()
        self._loaded: dict[str, None] = {}
        self._shelf = Shelf()
        own = [tool(self._read_more, name=READ_MORE), tool(self._search_tools, name=SEARCH_TOOLS)]
        self._own = {
            each.tool.name: Entry(each.tool.name, Offer(LOCAL, each.tool, each.tool.name, local=each)) for each in own
        }

    # --------------------------------------------------------------------------------------------------- what there is

    def observe(self, observer: Observer) -> None:
        """Let one more observer see every call from now on; given twice, it still sees each call once."""
        self._observers.add(observer)

    def ignore(self, observer: Observer) -> None:
        """Let an observer see no more calls."""
        self._observers.remove(observer)

    async def tools(self) -> tuple[Tool, ...]:
        """List the tools of all sources as they are now, each by the name that it is called by here."""
        return tuple(entry.shown for entry in (await self._toolbox.relist()).values())

    async def definitions(
        self,
        format: str = "anthropic",  # noqa: A002 - the word for it
        *,
        tokens: int | None = None,
        keep: Iterable[str] = (),
    ) -> Definitions:
        """Define the tools for a provider: "anthropic", "openai", "gemini" and others of `dragoman.models.formats`.

        Where all of them cost more than `tokens`, only those in `keep` are defined, a tool that finds the others, and
        those that it has found, which come last, so that what was sent before stays as it was.

        Raises:
            UsageError: there is no such format.
        """
        way = find_format(format)
        await self._toolbox.relist()
        everything = self._define(way)
        shown = [name for name in everything.names.values() if name not in self._own]
        if tokens is None or self._costs(everything).total <= tokens:
            return everything.only(self._with_read_more(shown))
        kept = [name for name in shown if name in set(keep)]
        loaded = [name for name in self._loaded if name in shown and name not in kept]
        return everything.only([*self._with_read_more(kept), SEARCH_TOOLS, *loaded])

    @overload
    async def tools_for(self, name: Provider) -> Definitions: ...
    @overload
    async def tools_for(self, name: str) -> list[Any]: ...
    async def tools_for(self, name: str) -> list[Any]:
        """Give the tools for a framework, which runs them here: "langchain", "openai-agents" or "pydantic-ai".

        For a provider of models, such as "anthropic", it gives definitions.

        Raises:
            UsageError: there is no such framework or provider, or the framework is not installed.
        """
        return await tools_of(self, name)

    async def costs(
        self,
        format: str = "anthropic",  # noqa: A002 - the word for it
        *,
        count: Callable[[str], int] | None = None,
    ) -> Costs:
        """Tell what the tools cost in tokens, estimated or as `count` counts them, each and by server."""
        await self._toolbox.listed()
        return self._costs(self._define(find_format(format)), count)

    def _costs(self, defined: Definitions, count: Callable[[str], int] | None = None) -> Costs:
        found = ((each, self._toolbox.entries.get(each.tool.name)) for each in defined.each())
        priced = [(entry.server or "", each.name, each.json) for each, entry in found if entry is not None]
        return Costs.of(priced, count)

    def _with_read_more(self, names: list[str]) -> list[str]:
        return names if self._budget.characters is None else [*names, READ_MORE]

    def _define(self, way: Format) -> Definitions:
        own = [entry.shown for entry in self._own.values()]
        listed = [entry.shown for name, entry in self._toolbox.entries.items() if name not in self._own]
        tools = [*own, *listed]
        # Agents define their tools anew each turn: what is unchanged is not converted again.
        if way.name not in self._defined or not _same(self._of_tools[way.name], tools):
            self._defined[way.name], self._of_tools[way.name] = way.definitions(tools), tools
        return self._defined[way.name]

    # --------------------------------------------------------------------------------------------------------- running

    async def run(
        self,
        response: Any,
        history: Sequence[Any] = (),
        *,
        format: str = "plain",  # noqa: A002 - the word for it
    ) -> ToolRun:
        """Run the calls of a provider's response, or `ToolCall`s, and give the history that ends in their results.

        Calls run side by side as far as the limits allow; their results are in the order of the calls.

        Raises:
            ToolFailed: a tool failed, and failures are not handled.
            ServerError: a server answered with an error, and `on_protocol_error` is "raise".
            TransportError, OutcomeUnknown, McpTimeout: a line broke, or no answer came in time.
            UsageError: there is no such format, or the response is none.
        """
        way = find_format(format)
        calls = way.calls(response)
        responses = await self._all(calls, way)
        return ToolRun([*history, *way.said(response), *way.answered(responses)], tuple(responses))

    async def answer(
        self,
        calls: Sequence[ToolCall],
        *,
        format: str = "plain",  # noqa: A002 - the word for it
        done: Callable[[ToolResponse], object] | None = None,
    ) -> tuple[ToolResponse, ...]:
        """Run calls as `run` does, and give the responses alone; `done` is given each of them when it comes."""
        return tuple(await self._all(calls, find_format(format), done))

    async def call(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | None = None,
        *,
        format: str = "plain",  # noqa: A002 - the word for it
        id: str | None = None,  # noqa: A002 - every provider calls it so
        meta: Mapping[str, Any] | None = None,
    ) -> ToolResponse:
        """Call one tool, as a script does; what is raised is as for `run`.

        `format` is that of the definitions whose name and arguments these are, `meta` goes into the request's `_meta`.
        """
        call = ToolCall.scripted(name, arguments, id=id)
        return await self._one(call, find_format(format), None if meta is None else dict(meta))

    async def asks(
        self,
        name: str,
        arguments: Mapping[str, Any] | str | None = None,
        *,
        format: str = "plain",  # noqa: A002 - the word for it
    ) -> bool:
        """Tell whether the runner's policy wants somebody asked before such a call."""
        call = ToolCall.scripted(name, arguments)
        entry, converted = await self._find(call, find_format(format))
        return entry is not None and self._attempts.asks(call, entry, converted)

    async def _all(
        self, calls: Sequence[ToolCall], way: Format, done: Callable[[ToolResponse], object] | None = None
    ) -> list[ToolResponse]:
        async def work(call: ToolCall) -> ToolResponse:
            response = await self._one(call, way)
            if done is not None:
                done(response)
            return response

        if len(calls) < 2 or self._limits.at_once < 2:
            return [await work(call) for call in calls]
        await self._toolbox.listed()
        locals_ = ((name, entry.offer.local) for name, entry in self._toolbox.entries.items())
        exclusive = frozenset(name for name, local in locals_ if local is not None and local.is_exclusive)
        schedule = Schedule([self._name(call, way) for call in calls], self._limits, exclusive)
        return await in_parallel(lambda position: work(calls[position]), schedule, "tool calls")

    async def _one(self, call: ToolCall, way: Format, meta: JsonObject | None = None) -> ToolResponse:
        entry, converted = await self._find(call, way)
        if entry is None:
            return self._unknown(call)
        refusal = self._counted(entry.name)
        return self._budgeted(await self._attempts.make(call, entry, converted, meta, refusal), entry)

    def _counted(self, name: str) -> str | None:
        """Count one more call, or say which limit it would break; of calls side by side, one counts at a time."""
        with self._guard:
            refusal = self._limits.exceeded(name, self._made)
            if refusal is None:
                self._made[name] += 1
            return refusal

    def _name(self, call: ToolCall, way: Format) -> str:
        defined = self._defined.get(way.name)
        found = None if defined is None else defined.find(call.name)
        return call.name if found is None else found.tool.name

    async def _find(self, call: ToolCall, way: Format) -> tuple[Entry | None, Converted | None]:
        """Find a tool by the name that the model knows; one that is not known may be new."""
        await self._toolbox.listed()
        found = self._look_up(call, way)
        if found[0] is None:
            await self._toolbox.relist()
            self._defined.pop(way.name, None)
            found = self._look_up(call, way)
        return found

    def _look_up(self, call: ToolCall, way: Format) -> tuple[Entry | None, Converted | None]:
        if way.name == "plain":
            return self._entry(call.name), None
        defined = self._defined.get(way.name) or self._define(way)
        definition = defined.find(call.name)
        if definition is None:
            return self._entry(call.name), None
        return self._entry(definition.tool.name), definition.converted

    def _entry(self, name: str) -> Entry | None:
        return self._own.get(name) or self._toolbox.entries.get(name) or self._toolbox.by_own_name(name)

    def _unknown(self, call: ToolCall) -> ToolResponse:
        near = nearest(call.name, self._toolbox.entries)
        hint = (
            f"; did you mean {near!r}?" if near else f"; there are {', '.join(sorted(self._toolbox.entries)) or 'none'}"
        )
        return self._refused(call, f"there is no tool {call.name!r}{hint}")

    def _refused(self, call: ToolCall, why: str) -> ToolResponse:
        result = failed(why)
        if not self._attempts.handles_errors:
            raise ToolFailed(why, tool=call.name, result=result)
        return ToolResponse(call.id, call.name, result)

    def _budgeted(self, response: ToolResponse, entry: Entry) -> ToolResponse:
        """Keep a text that is too long for a model, and give the model its head, its tail and a handle."""
        if self._budget.characters is None or entry.name == READ_MORE:
            return response
        text = text_of(response.result)
        handle = self._shelf.next_handle()
        short = shortened(text, self._budget, handle)
        if short is None:
            return response
        self._shelf.keep(handle, text)
        return structs.replace(response, budgeted=short)

    # ------------------------------------------------------------------------------------------------------- its own tools

    async def _read_more(self, handle: str, offset: int = 0, length: int = _PIECE) -> str:
        """Read a piece of a result that was too long to be shown whole.

        Args:
            handle: The handle that the shortened result named.
            offset: The character to begin at.
            length: How many characters to read, at most.
        """
        most = self._budget.characters or length
        return self._shelf.read(handle, offset, min(length, most))

    async def _search_tools(self, query: str, limit: int = 5) -> str:
        """Find further tools by what they do. Those that are found can be called from the next turn on.

        Args:
            query: What the tool should do, in a few words.
            limit: How many tools to find, at most.
        """
        found = search((entry.shown for entry in self._toolbox.entries.values()), query, limit)
        self._loaded |= dict.fromkeys(each.name for each in found)
        lines = [f"- {each.name}: {_first_line(each.description)}" for each in found]
        return "\n".join(lines) or "No tool fits. Try other words."


def _same(known: list[Tool], tools: list[Tool]) -> bool:
    return len(known) == len(tools) and all(map(is_, known, tools))


def _first_line(description: str | None) -> str:
    return (description or "").strip().partition("\n")[0]

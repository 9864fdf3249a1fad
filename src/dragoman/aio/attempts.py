"""Make one call that a model asks for: read its arguments, ask for leave, run it, and say what came of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from secrets import token_hex
from typing import Any, Literal, TypeAlias

from msgspec import Struct, ValidationError, structs

from dragoman.aio._runtime import Lock, call_foreign
from dragoman.aio.parallel import within_time
from dragoman.aio.toolbox import LOCAL, Entry
from dragoman.deadline import Deadline, now, seconds
from dragoman.errors import (
    BadSchema,
    McpError,
    McpTimeout,
    NotOffered,
    OutcomeUnknown,
    PolicyDenied,
    ServerError,
    ToolChanged,
    ToolFailed,
    TransportError,
)
from dragoman.host.policy import Act, Answer, Policy, Verdict
from dragoman.host.secrets import Concealer
from dragoman.models.arguments import complaint, read_json, restored
from dragoman.models.calls import ToolCall, ToolResponse
from dragoman.models.definition import Converted
from dragoman.models.functions import LocalTool, as_result, failed
from dragoman.models.observing import Observation, Observers
from dragoman.types import CallToolResult, JsonObject, TextContent, is_object

__all__ = ["Approve", "Attempts", "Rules"]

Approve: TypeAlias = Callable[[Act], Answer | Awaitable[Answer]]
_Outcome: TypeAlias = tuple[CallToolResult, McpError | None]
"""Asked whether a call may be made, where the policy says so."""

_YES = frozenset({True, "once", "session", "always"})


class Rules(Struct, frozen=True):
    """How a runner deals with calls.

    Attributes:
        validates: whether arguments are checked against the tool's own schema before they are sent.
        handles_errors: whether a tool's failure is told to the model; it is raised otherwise.
        on_protocol_error: whether an error that a server answers with is raised, or told to the model as well.
        on_line_error: the same for a line that broke, and for an answer that did not come in time.
        timeout: how long one call may take, None for the source's own.
        policy: what may happen.
        approve: whom to ask.
    """

    validates: bool = True
    handles_errors: bool = True
    on_protocol_error: Literal["raise", "message"] = "raise"
    on_line_error: Literal["raise", "message"] = "raise"
    timeout: float | str | None = None
    policy: Policy | None = None
    approve: Approve | None = None


class Attempts:
    """Makes calls as one runner's rules say, in sight of its observers."""

    def __init__(self, rules: Rules, observers: Observers) -> None:
        self._rules = rules
        self._observers = observers
        self._asking = Lock()

    @property
    def handles_errors(self) -> bool:
        """Whether failures are told to the model."""
        return self._rules.handles_errors

    async def make(
        self,
        call: ToolCall,
        entry: Entry,
        converted: Converted | None,
        meta: JsonObject | None = None,
        refusal: str | None = None,
    ) -> ToolResponse:
        """Make a call; `meta` goes into its request's `_meta`. With a `refusal`, that is all that comes of it.

        Raises:
            ToolFailed: it failed, and failures are not told to the model.
            McpError: the line broke, time ran out, or the server answered with an error and the rules say to raise it.
        """
        began = now()
        try:
            arguments, wrong = self._read(call, entry, converted)
        except BadSchema as error:
            arguments, wrong = call.arguments, f"its input schema cannot be used: {error}"
        work = partial(self._outcome, entry, arguments, refusal or wrong)
        answer = partial(self._answer, call, entry, began, refusal is None and wrong is not None)
        if not self._observers:
            return answer((await work(meta or {}))[0])
        return await self._observed(call, entry, arguments, lambda theirs: work({**(meta or {}), **theirs}), answer)

    async def _observed(
        self,
        call: ToolCall,
        entry: Entry,
        arguments: Any,
        work: Callable[[JsonObject], Awaitable[_Outcome]],
        answer: Callable[[CallToolResult], ToolResponse],
    ) -> ToolResponse:
        began = now()
        observation, theirs = self._observers.start(
            Observation(
                id=token_hex(8),
                call=call,
                definition=entry.tool,
                arguments=arguments,
                server=entry.facts,
                trace_id=token_hex(16),
            )
        )
        try:
            result, told = await work(theirs)
            response = answer(result)
        except BaseException as error:
            self._observers.stop(structs.replace(observation, elapsed=now() - began, error=error))
            raise
        self._observers.stop(structs.replace(observation, elapsed=response.elapsed, response=response, error=told))
        return response

    def _answer(
        self, call: ToolCall, entry: Entry, began: float, is_unfit: bool, result: CallToolResult
    ) -> ToolResponse:
        return ToolResponse(
            call.id,
            call.name,
            result,
            entry.server,
            entry.tool.name,
            now() - began,
            is_local=entry.facts is None,
            is_unfit=is_unfit,
        )

    def asks(self, call: ToolCall, entry: Entry, converted: Converted | None) -> bool:
        """Tell whether somebody would be asked for leave before a call; of one that does not fit, nobody is."""
        if self._rules.policy is None:
            return False
        try:
            arguments, wrong = self._read(call, entry, converted)
        except BadSchema:
            return False
        return wrong is None and self._rules.policy.decide(_act(entry, arguments)).verdict is Verdict.ASK

    # -------------------------------------------------------------------------------------------------------- arguments

    def _read(self, call: ToolCall, entry: Entry, converted: Converted | None) -> tuple[Any, str | None]:
        """Give the arguments to send, and what is wrong with them in words for the model."""
        try:
            arguments = read_json(call.arguments)
        except ValueError as error:
            return call.arguments, f"{error}; give one JSON object"
        is_strict = converted is not None and converted.is_strict
        if converted is not None:
            arguments = restored(arguments, converted.renamed)
        if not self._rules.validates:
            return arguments, None if is_object(arguments) else "the arguments are no JSON object"
        arguments, problems = entry.reader.read(arguments, is_strict=is_strict)
        return arguments, complaint(entry.name, problems) if problems else None

    # ---------------------------------------------------------------------------------------------------------- running

    async def _outcome(self, entry: Entry, arguments: Any, wrong: str | None, meta: JsonObject) -> _Outcome:
        """Give the result, or what stands for one, with the error that it tells of."""
        cause: BaseException | None = None
        told: McpError | None = None
        try:
            result = failed(wrong) if wrong else await self._permitted(entry, arguments, meta)
        except ToolFailed as error:
            result, cause = error.result, error
        except (PolicyDenied, ToolChanged, NotOffered) as error:
            result, cause = failed(str(error)), error
        except ServerError as error:
            if self._rules.on_protocol_error == "raise":
                raise
            result, cause, told = failed(str(error)), error, error
        except (TransportError, OutcomeUnknown, McpTimeout) as error:
            if self._rules.on_line_error == "raise":
                raise
            result, cause, told = failed(str(error)), error, error
        except _LocalFailure as error:
            result, cause = failed(str(error)), error.__cause__
        if result.is_error and not self._rules.handles_errors:
            text = result.text or "it did not say why"
            raise ToolFailed(text, tool=entry.tool.name, result=result, server=entry.server) from cause
        return result, told

    async def _permitted(self, entry: Entry, arguments: JsonObject, meta: JsonObject) -> CallToolResult:
        """Run a tool if the policy lets it."""
        policy = self._rules.policy
        if policy is None:
            return await self._run(entry, arguments, meta)
        act = _act(entry, arguments)
        decision = policy.decide(act)
        if decision.verdict is Verdict.DRY_RUN:
            return CallToolResult(content=(TextContent(text=f"Dry run: this would {act}."),))
        if decision.verdict is Verdict.REDACT:
            concealer = Concealer(patterns=decision.patterns)
            result = await self._run(entry, concealer.json(arguments), meta)
            return _concealed(result, concealer)
        if decision.verdict is Verdict.DENY or (decision.verdict is Verdict.ASK and not await self._approved(act)):
            raise PolicyDenied(f"{entry.name} was not allowed", hint=decision.reason or None, server=entry.server)
        return await self._run(entry, arguments, meta)

    async def _approved(self, act: Act) -> bool:
        """Ask whether a call may be made, one question at a time; where there is nobody to ask, it may not."""
        if self._rules.approve is None:
            return False
        async with self._asking:
            return await call_foreign(self._rules.approve, act) in _YES

    async def _run(self, entry: Entry, arguments: JsonObject, meta: JsonObject) -> CallToolResult:
        if entry.offer.local is not None:
            return await self._run_local(entry.offer.local, arguments)
        options: Mapping[str, Any] = {"meta": meta} if meta else {}
        if self._rules.timeout is not None:
            options = {**options, "timeout": self._rules.timeout}
        return await entry.offer.source.call_tool(entry.offer.called, arguments, **options)  # type: ignore[no-any-return]

    async def _run_local(self, local: LocalTool, arguments: JsonObject) -> CallToolResult:
        if self._rules.timeout is None:
            return await _called(local, arguments)
        deadline = Deadline(seconds(self._rules.timeout))
        try:
            return await within_time(partial(_called, local, arguments), deadline, local.tool.name)
        except (_LocalFailure, McpError):
            raise
        except TimeoutError as error:
            waited = deadline.waited
            raise McpTimeout(f"no answer within {waited:.3g} s", method=local.tool.name, waited=waited) from error


def _act(entry: Entry, arguments: JsonObject) -> Act:
    return Act("tool", entry.server or LOCAL, entry.tool.name, arguments, entry.tool)


class _LocalFailure(Exception):
    """A function of this program raised; the cause is what."""


async def _called(local: LocalTool, arguments: JsonObject) -> CallToolResult:
    """Call a function of this program; whatever it raises is its failure, as a server's tool would report one."""
    try:
        return as_result(await call_foreign(local.bound(arguments)))
    except ValidationError as error:
        raise _LocalFailure(f"the arguments do not fit: {error}") from error
    except McpError:
        raise
    except Exception as error:
        raise _LocalFailure(f"{type(error).__name__}: {error}") from error


def _concealed(result: CallToolResult, concealer: Concealer) -> CallToolResult:
    """Take secrets out of the texts of a result, and out of its structured part."""
    content = tuple(
        TextContent(text=concealer.text(block.text)) if isinstance(block, TextContent) else block
        for block in result.content
    )
    structured = concealer.json(result.structured_content)
    return CallToolResult(content=content, structured_content=structured, is_error=result.is_error)

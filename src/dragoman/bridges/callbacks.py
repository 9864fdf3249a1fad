"""What programs for langchain-mcp-adapters hear and answer, as they have it: the server, and the tool, come last."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from dragoman.bridges.spellings import own, spoken
from dragoman.types import ElicitResult, LogMessage, ProgressParams

__all__ = ["CallbackContext", "Callbacks"]


@dataclass
class CallbackContext:
    """Where something came from; the tool is known of progress."""

    server_name: str
    tool_name: str | None = None


@dataclass
class Callbacks:
    """What hears of log messages and progress, and answers elicitation; the last argument is a `CallbackContext`."""

    on_logging_message: Callable[[Any, CallbackContext], Awaitable[None]] | None = None
    on_progress: Callable[[float, float | None, str | None, CallbackContext], Awaitable[None]] | None = None
    on_elicitation: Callable[[Any, Any, CallbackContext], Awaitable[Any]] | None = None

    def options(self, server_name: str) -> dict[str, Any]:
        """Give the options of `connect` that these are; progress is told of call by call."""
        context = CallbackContext(server_name)
        log, elicit = self.on_logging_message, self.on_elicitation

        async def logged(message: LogMessage) -> None:
            await log(spoken(message), context)  # type: ignore[misc]  # it is there when this is given

        async def elicited(params: Any, request: Any) -> Any:
            answer = await elicit(request, spoken(params), context)  # type: ignore[misc]
            return own(answer, ElicitResult) if hasattr(answer, "action") else answer

        answers = {"elicitation": elicited, "url_elicitation": elicited} if elicit else {}
        return {"on_log": logged, **answers} if log else dict(answers)

    def progress(self, server_name: str, tool_name: str) -> Callable[[ProgressParams], Awaitable[None]] | None:
        """Give what hears of the progress of one call."""
        hears = self.on_progress
        if hears is None:
            return None
        context = CallbackContext(server_name, tool_name)

        async def progressed(params: ProgressParams) -> None:
            await hears(params.progress, params.total, params.message, context)

        return progressed

"""Do several things at once, as a schedule allows, or one thing in time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context
from typing import TypeVar

from dragoman.aio._runtime import Crew, Mailbox
from dragoman.deadline import Deadline
from dragoman.models.scheduling import Schedule

__all__ = ["in_parallel", "within_time"]

T = TypeVar("T")


async def in_parallel(work: Callable[[int], Awaitable[T]], schedule: Schedule, name: str) -> list[T]:
    """Do the work of each position of a schedule, in the caller's context; the outcomes come in their order.

    The first failure is raised when what goes on beside it has been ended; what had not begun never does. Likewise if
    whoever waits is interrupted, who waits less long then for what cannot be.
    """
    outcomes: dict[int, T] = {}
    heard: Mailbox[tuple[int, T | None, BaseException | None]] = Mailbox()
    crew = Crew(name, is_interruptible=True)
    in_haste = True
    try:
        while not schedule.is_done:
            for position in schedule.startable():
                crew.start(_reported, copy_context(), work, position, heard)
            position, outcome, failure = await heard.get(Deadline.never())
            schedule.ended(position)
            if failure is not None:
                in_haste = not isinstance(failure, Exception)
                raise failure
            outcomes[position] = outcome  # type: ignore[assignment]  # there is one where nothing failed
        in_haste = False
    finally:
        await crew.end(in_haste=in_haste)
    return [outcomes[position] for position in sorted(outcomes)]


async def within_time(work: Callable[[], Awaitable[T]], deadline: Deadline, name: str) -> T:
    """Do one thing, in the caller's context, and give up waiting for it at the deadline; what can be, is interrupted then.

    Raises:
        TimeoutError: the deadline came first.
    """
    heard: Mailbox[tuple[int, T | None, BaseException | None]] = Mailbox()
    interrupt = Crew(name, is_interruptible=True).start(_reported, copy_context(), lambda _: work(), 0, heard)
    try:
        _, outcome, failure = await heard.get(deadline)
    finally:
        interrupt()
    if failure is not None:
        raise failure
    return outcome  # type: ignore[return-value]  # there is one where nothing failed


async def _reported(
    context: Context,
    work: Callable[[int], Awaitable[T]],
    position: int,
    heard: Mailbox[tuple[int, T | None, BaseException | None]],
) -> None:
    try:
        heard.put((position, await context.run(work, position), None))
    except Exception as error:  # noqa: BLE001 - it is raised where the outcome is waited for
        heard.put((position, None, error))
    except BaseException as error:
        heard.put((position, None, error))
        raise

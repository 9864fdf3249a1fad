"""Decide, each time that a request has failed, whether it is sent again and when; and remember whether it may have run."""

from __future__ import annotations

from collections import Counter
from random import random

from dragoman.aio.caller import Caller
from dragoman.deadline import Deadline
from dragoman.errors import TransportError
from dragoman.protocol.recovery import Budget, Raise, Retry, RetryPolicy, after_failure, likeness, may_have_run
from dragoman.protocol.steps import Call

__all__ = ["Tries"]


_jitter = random  # spreads the waits of many clients; nothing is kept secret by it


class Tries:
    """What has been tried of one request; made when it fails for the first time.

    Attributes:
        has_run: whether any of its attempts may have run.
    """

    def __init__(self, step: Call, caller: Caller, policy: RetryPolicy, budget: Budget) -> None:
        self.has_run = False
        self._error: TransportError | None = None
        self._step = step
        self._caller = caller
        self._policy = policy
        self._budget = budget
        self._failed: Counter[str] = Counter()  # by likeness: a server's restart uses up none of the others

    def delay_after(self, error: TransportError) -> float:
        """Give the seconds to wait before the request is sent again.

        Raises:
            TransportError, OutcomeUnknown: it is not sent again.
        """
        error.server = error.server or self._caller.name
        self._error = error
        self.has_run = self.has_run or may_have_run(error)
        verdict = self._verdict(error, is_repeatable=self._step.is_repeatable)
        self._failed[likeness(error)] += 1
        if isinstance(verdict, Raise):
            raise verdict.error
        return verdict.delay

    async def check(self, deadline: Deadline) -> None:
        """See to it, right before the request is sent again, that what it was declared to be still stands.

        Raises:
            OutcomeUnknown: it may have run, and must not run twice.
        """
        vouch = self._caller.vouch
        if vouch is None or not self.has_run or self._policy.allows(self._step.request.method):
            return
        if self._error is not None and not await vouch(deadline):
            verdict = self._verdict(self._error, is_repeatable=False)
            if isinstance(verdict, Raise):
                raise verdict.error

    def _verdict(self, error: TransportError, *, is_repeatable: bool) -> Retry | Raise:
        return after_failure(
            error,
            method=self._step.request.method,
            is_repeatable=is_repeatable,
            attempt=self._failed[likeness(error)],
            policy=self._policy,
            jitter=_jitter(),
            budget=self._budget,
            has_run=self.has_run,
        )

# generated from src/dragoman/aio/hosting/trusting.py by tools/unasync.py; do not edit
"""Leave for the servers that a project names: remembered, given by whoever is asked, and bound to every detail."""

from __future__ import annotations

import logging

from dragoman.errors import ConnectionClosed, PolicyDenied
from dragoman.files.approvals import Approvals
from dragoman.files.audit import Audit
from dragoman.host.entries import Approval, Entry, runs
from dragoman.host.policy import read_answer
from dragoman.sync.hosting.asking import Asking
from dragoman.sync.hosting.options import Trust

__all__ = ["Trusting"]

log = logging.getLogger("dragoman.sync")


class Trusting:
    """Decides which of a project's servers may be used; `asking` lets one question be asked at a time."""

    def __init__(self, trust: Trust, approvals: Approvals, audit: Audit, asking: Asking) -> None:
        self._trust = trust
        self._approvals = approvals
        self._audit = audit
        self._asking = asking

    def check(self, entry: Entry, written: Entry) -> None:
        """See to it that an entry, with all its variables filled in, has leave to be used; `written` is without.

        Raises:
            PolicyDenied: it has not.
        """
        if not entry.is_project:
            return
        approval = Approval.of(entry)
        is_allowed, by = self._known(approval)
        if is_allowed is None:
            is_allowed, by = self._ask(approval)
        self._audit.write(
            "trust",
            server=entry.name,
            file=entry.file,
            runs=runs(written),
            hash=approval.hash,
            verdict="allow" if is_allowed else "deny",
            by=by,
        )
        if not is_allowed:
            raise PolicyDenied(
                f"{entry.file} comes with a project and wants to use `{runs(written)}`, which has no leave",
                server=entry.name,
                hint=f"look at it, and run `dragoman approve {entry.name}`, or give `trust` a function that asks",
            )

    def _known(self, approval: Approval) -> tuple[bool | None, str]:
        if isinstance(self._trust, bool):
            return (True, "trust=True") if self._trust else (self._approvals.get(approval.hash) is True, "remembered")
        if not callable(self._trust):
            return approval.hash in self._trust or self._approvals.get(approval.hash) is True, "hash"
        return self._approvals.get(approval.hash), "remembered"

    def _ask(self, approval: Approval) -> tuple[bool, str]:
        assert callable(self._trust), "nobody else is asked"
        if self._asking.is_within:
            return False, "wanted by whoever is being asked"
        with self._asking:
            try:
                is_allowed, lasting = read_answer(self._asking.put(self._trust, approval))
            except ConnectionClosed:
                raise
            except Exception as error:  # the application's code
                log.exception("%s: whoever gives leave raised; there is none", approval.entry.name)
                return False, f"{type(error).__name__} while asking"
        # Plain leave is remembered: it is bound to every detail. Plain refusal is not: the question comes again.
        if is_allowed if lasting == "once" else lasting == "always":
            self._approvals.approve(approval.entry, is_allowed=is_allowed)
        return is_allowed, "asked"

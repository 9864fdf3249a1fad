# generated from src/dragoman/aio/hosting/gate.py by tools/unasync.py; do not edit
"""Whatever is about to happen passes here: it is decided, asked for where that is wanted, and recorded."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, TypeVar

from msgspec import Struct, structs

from dragoman.errors import ConnectionClosed, McpError, PolicyDenied
from dragoman.files.approvals import Approvals
from dragoman.files.audit import Audit
from dragoman.host.policy import Act, Decision, Policy, Verdict, decision_key, read_answer, stricter
from dragoman.host.provenance import Provenance
from dragoman.host.secrets import Concealer
from dragoman.sync._runtime import Guard
from dragoman.sync.hosting.asking import Asking
from dragoman.types import CallToolResult, ElicitFormParams, ElicitUrlParams, TextContent, Wire, decode, encode, to_json
from dragoman.views import Question

__all__ = ["Gate", "Passage", "Standing"]

log = logging.getLogger("dragoman.sync")

R = TypeVar("R", bound=Wire)

_WITHIN = "wanted by whoever is being asked"


class Standing(Struct, frozen=True):
    """What a gate knows of the server that an act is with.

    Attributes:
        policy: its own rules, which may be stricter than the host's, and never milder.
        runs: what it runs or speaks with; an answer that is remembered for it holds for nothing else of its name.
    """

    policy: Policy | None = None
    runs: str = ""


class Passage(Struct, frozen=True):
    """Leave for one act: its number in the audit log, what may be sent, and what was decided."""

    number: int
    arguments: Any
    decision: Decision

    @property
    def is_dry(self) -> bool:
        """Whether nothing is to be done."""
        return self.decision.verdict is Verdict.DRY_RUN


class Gate:
    """The gate of one host; owns which answers hold for its life, and what came from where.

    Attributes:
        audit: where everything is recorded. approvals: where lasting answers are kept.
        asking: held while somebody is asked, so that one question is asked at a time.
    """

    def __init__(
        self,
        policy: Policy,
        approve: Callable[[Act], Any] | None,
        approvals: Approvals,
        audit: Audit,
        asking: Asking,
    ) -> None:
        self.audit = audit
        self.approvals = approvals
        self.asking = asking
        self._policy = policy
        self._approve = approve
        self._answers: dict[str, bool] = {}
        self._numbers = count(1)
        self._guard = Guard()
        self._secrets: set[str] = set()
        self._provenance = Provenance() if policy.looks_at_origins else None
        self._concealer = Concealer()

    def conceal(self, *secrets: str) -> None:
        """Let secrets that have become known turn up nowhere."""
        with self._guard:
            self._secrets |= set(secrets)
            self._concealer = Concealer(self._secrets)

    # ------------------------------------------------------------------------------------------------------- before

    def passage(self, act: Act, standing: Standing) -> Passage:
        """Let an act pass.

        Raises:
            PolicyDenied: it may not happen, or cannot be recorded.
        """
        if self._provenance is not None and act.arguments:
            with self._guard:
                act = structs.replace(act, origins=act.origins | self._provenance.origins(act.arguments))
        decision = self._policy.decide(act)
        if standing.policy is not None:
            decision = stricter(decision, standing.policy.decide(act))
        by = "policy"
        if decision.verdict is Verdict.ASK:
            decision, by = self._ask(act, decision, standing)
        with self._guard:
            number = next(self._numbers)
        self._record("decision", number, act, verdict=decision.verdict, rule=decision.rule, by=by)
        if decision.verdict is Verdict.DENY:
            raise self._denied(act, decision, by)
        arguments = act.arguments
        if decision.verdict is Verdict.REDACT:
            arguments = self._redactor(decision).texts(arguments)
        return Passage(number, arguments, decision)

    def _ask(self, act: Act, decision: Decision, standing: Standing) -> tuple[Decision, str]:
        key = decision_key(act, decision, standing.runs)
        if self.asking.is_within:
            return self._answered(decision, False), _WITHIN
        with self.asking:
            # Whoever was asked before us may have answered for both.
            known = self._known(key)
            if known is not None:
                return self._answered(decision, known), "remembered"
            if self._approve is None:
                return self._answered(decision, False), "nobody to ask"
            try:
                asked = structs.replace(act, reason=decision.reason)
                is_allowed, lasting = read_answer(self.asking.put(self._approve, asked))
            except ConnectionClosed:
                raise
            except Exception as error:  # the application's code
                log.exception("%s: whoever is asked raised; the answer is no", act.server)
                return self._answered(decision, False), f"{type(error).__name__} while asking"
            if lasting != "once":
                self._answers[key] = is_allowed
            if lasting == "always":
                self.approvals.put(key, f"{act.kind} {act.shown_name} of {act.server}", is_allowed=is_allowed)
            return self._answered(decision, is_allowed), f"asked ({lasting})"

    def consent(self, act: Act, rule: str, standing: Standing) -> bool:
        """Ask somebody for leave that no rule of the policy is about, and record the answer."""
        decision, by = self._ask(act, Decision(Verdict.ASK, rule, act.reason), standing)
        with self._guard:
            number = next(self._numbers)
        self._record("decision", number, act, verdict=decision.verdict, rule=rule, by=by)
        return decision.verdict is Verdict.ALLOW

    def refused(self, kind: str, server: str, name: str, rule: str) -> None:
        """Record that something was not even decided about, since it may not happen as it is."""
        with self._guard:
            number = next(self._numbers)
        if self.audit.is_kept:
            shown = self._shown(kind, name)
            self.audit.write(
                "decision", call=number, kind=kind, server=server, name=shown, verdict="deny", rule=rule, by="lockfile"
            )

    def _known(self, key: str) -> bool | None:
        known = self._answers.get(key)
        return self.approvals.get(key) if known is None else known

    @staticmethod
    def _answered(decision: Decision, is_allowed: bool) -> Decision:
        return structs.replace(decision, verdict=Verdict.ALLOW if is_allowed else Verdict.DENY)

    def _denied(self, act: Act, decision: Decision, by: str) -> PolicyDenied:
        because = f": {decision.reason}" if decision.reason else ""
        hints = {
            "policy": f"the rule is: {decision.rule}",
            "nobody to ask": "give `approve` a function that decides, or a `policy` that allows it",
            _WITHIN: "whoever is asked may only do what needs no leave, before they have answered",
        }
        return PolicyDenied(
            f"{act.kind} {act.name!r} was not allowed{because}",
            server=act.server,
            hint=hints.get(by, f"who decided: {by}"),
        )

    def question(self, question: Question, standing: Standing) -> bool:
        """Let a question of a server's pass to its handler, or not."""
        params = question.params
        kind, name = ("sampling", "sampling") if question.method.startswith("sampling") else ("elicitation", "form")
        act = Act(kind, question.server, "url" if isinstance(params, ElicitUrlParams) else name, _shown(params))  # type: ignore[arg-type]
        try:
            passage = self.passage(act, standing)
        except (PolicyDenied, ConnectionClosed):
            return False
        self._record("question", passage.number, act)
        return not passage.is_dry

    # -------------------------------------------------------------------------------------------------------- around

    def perform(self, act: Act, passage: Passage, perform: Callable[[Any], R], kind: type[R]) -> R:
        """Do what was let pass, record that and how it went, and take out of the result what it must not bring."""
        self._record("call", passage.number, act, arguments=self._concealer.json(passage.arguments))
        try:
            result = perform(passage.arguments)
        except BaseException as error:
            self._close(passage.number, act, type(error).__name__, str(error) if isinstance(error, McpError) else "")
            raise
        is_error = isinstance(result, CallToolResult) and result.is_error
        self._close(passage.number, act, "error" if is_error else "ok", "")
        if self._provenance is not None:
            with self._guard:
                self._provenance.saw(act.server, to_json(result))
        if passage.decision.verdict is Verdict.REDACT:
            return decode(encode(self._redactor(passage.decision).texts(to_json(result))), kind)
        return result

    def dry(self, act: Act, passage: Passage) -> CallToolResult:
        """Make the result of a call that is not made."""
        self._record("dry-run", passage.number, act, arguments=self._concealer.json(passage.arguments))
        return CallToolResult(content=(TextContent(text=f"dry run, nothing was done: would {act}"),))

    def _close(self, number: int, act: Act, outcome: str, what: str) -> None:
        try:
            self._record("outcome", number, act, outcome=outcome, error=self._concealer.text(what) or None)
        except PolicyDenied as error:
            # It has happened, and whoever waits for it is owed the result.
            log.error("%s: how a call went cannot be recorded: %s", act.server, error)

    def _record(self, event: str, number: int, act: Act, **facts: Any) -> None:
        if self.audit.is_kept:
            origins = sorted(act.origins) or None
            name = self._shown(act.kind, act.name)
            self.audit.write(event, call=number, kind=act.kind, server=act.server, name=name, origins=origins, **facts)

    def _shown(self, kind: str, name: str) -> str:
        """Give a name without secrets: those of resources are addresses, and all others what servers call them."""
        return self._concealer.text(name) if kind == "resource" else name

    def _redactor(self, decision: Decision) -> Concealer:
        return Concealer(self._secrets, decision.patterns)


def _shown(params: Any) -> Mapping[str, Any]:
    shown: dict[str, Any] = to_json(params)
    return shown if not isinstance(params, ElicitFormParams) else {"message": params.message}

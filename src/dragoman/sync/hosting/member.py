# generated from src/dragoman/aio/hosting/member.py by tools/unasync.py; do not edit
"""One server of a host: given leave, connected, kept connected, and asked no more than it can bear."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

from dragoman.deadline import Deadline, seconds
from dragoman.errors import ConfigError, ConnectFailed, ConnectionClosed, McpError, PolicyDenied, UsageError
from dragoman.host.entries import Entry, known_secrets
from dragoman.host.filters import Filter, ServerInfo, chosen, everything
from dragoman.host.lockfile import ItemKind, Surface
from dragoman.host.news import HostEvent, ServerState, ServerStatus
from dragoman.host.policy import read_policy
from dragoman.protocol.recovery import backoff
from dragoman.sync._runtime import Crew, Event, Guard, Lock
from dragoman.sync.assembly import Parts
from dragoman.sync.calls import Calls
from dragoman.sync.client import Client
from dragoman.sync.hosting.absence import absent, is_hopeless, still_connecting
from dragoman.sync.hosting.admission import Admission
from dragoman.sync.hosting.filling import filled
from dragoman.sync.hosting.gate import Standing
from dragoman.sync.hosting.house import House
from dragoman.sync.hosting.lists import KINDS, Lists
from dragoman.sync.hosting.lookout import Lookout, lookout_at, wants_login
from dragoman.sync.hosting.plan import Plan, connection
from dragoman.sync.options import ConnectOptions
from dragoman.sync.targets import transport_to
from dragoman.views import Phase, Question, State

__all__ = ["Member"]

log = logging.getLogger("dragoman.sync")

R = TypeVar("R")

_FIRST_REST = 1.0
_LONGEST_REST = 60.0
_REVIVAL = 10.0  # seconds between attempts to reach a server again that died too often
_STDERR = 20
_STATES = {
    Phase.CONNECTING: ServerState.CONNECTING,
    Phase.READY: ServerState.READY,
    Phase.RESTARTING: ServerState.RESTARTING,
    Phase.FAILED: ServerState.FAILED,
    Phase.CLOSED: ServerState.CLOSED,
}


class Member:
    """One server of a host, from its plan to its end; owns its client and its state.

    Attributes:
        plan: how it is given.
        client: what it is spoken with by; None until it is connected.
        state: where it is in its life. error: what went wrong last.
        settled: set as long as nothing is to be waited for.
        lists: what it offers. standing: how the gate sees it. filter: which of its tools are wanted.
    """

    def __init__(self, plan: Plan, house: House) -> None:
        entry = plan.entry
        self.plan = plan
        self.client: Client | None = None
        self.state = ServerState.CONNECTING
        self.error: McpError | None = None
        self.settled = Event()
        self.lists = Lists(self._learned)
        self.filter: Filter = chosen(entry.tools) if entry else everything
        policy = read_policy(entry.policy) if entry and entry.policy and not plan.problem else None
        self.standing = Standing(policy, plan.runs)
        self._house = house
        self._since = datetime.now(UTC)
        self._stderr: list[str] = []
        self._crew = Crew(plan.name)
        self._guard = Guard()
        self._changing = Lock()
        self._parts: Parts | None = None
        self._line: Parts | Client | None = None
        self._lookout: Lookout | None = None
        self.admission = self._admission()

    def _admission(self) -> Admission:
        entry = self.plan.entry
        return Admission(
            self.name, self._house.breaker, entry.at_once if entry else None, entry.rate if entry else None
        )

    @property
    def name(self) -> str:
        """What the host calls it."""
        return self.plan.name

    @property
    def is_usable(self) -> bool:
        """Whether what it offers is on offer."""
        return self.state in {ServerState.READY, ServerState.RESTARTING}

    @property
    def info(self) -> ServerInfo:
        """Who it is, for whoever chooses tools; instructions that are not as they were pinned are kept back."""
        client = self.client
        if client is None:
            return ServerInfo(self.name, transport=self.plan.transport)
        is_as_pinned = self._house.pinning.difference(self.name, "instructions", "") is None
        return ServerInfo(
            self.name,
            client.server,
            client.era,
            client.protocol_version,
            client.instructions if is_as_pinned else None,
            self.plan.transport,
        )

    @property
    def status(self) -> ServerStatus:
        """How it does."""
        client = self.client
        return ServerStatus(
            self.name,
            self.state,
            self._since,
            self.error or self.lists.error,
            "\n".join(self._stderr),
            self.plan.transport,
            self.plan.shown,
            client.server if client else None,
            client.era if client else None,
            client.protocol_version if client else None,
            self.lists.latency if self.admission.latency is None else self.admission.latency,
            len(self.lists.items("tool")) if self.lists.has("tool") else None,
            self.plan.is_required,
            self.admission.is_paused,
        )

    # --------------------------------------------------------------------------------------------------- its life

    def start(self) -> None:
        """Begin to connect; never waits."""
        self._crew.start(self._live)

    def restart(self) -> None:
        """End it and begin anew; calls that are under way fail.

        Raises:
            ConnectionClosed: it was ended for good.
        """
        with self._changing:
            if self.state is ServerState.CLOSED:
                raise absent(self.name, self.state, None)
            self._end()
            self._crew = Crew(self.name)
            self.admission = self._admission()
            self._enter(ServerState.CONNECTING)
            self.start()

    def close(self) -> None:
        """End it."""
        with self._changing:
            self._end()
            self._enter(ServerState.CLOSED)

    def sever(self) -> None:
        """End it by force, where nothing runs any more that could do it otherwise."""
        if self._parts is not None:
            self._parts.connection.sever()

    def _end(self) -> None:
        with self._guard:
            self._crew.closing.set()
            line, self._line, self._parts, self.client = self._line, None, None, None
        if line is not None:
            line.close()
        self._crew.end()

    def _live(self) -> None:
        """Get leave and connect, again and again where that is worth it."""
        try:
            entry = self._entry()
            if self.state is ServerState.CONNECTING:
                self._keep_connecting(entry)
        except PolicyDenied as error:
            self._enter(ServerState.NOT_APPROVED, error)
        except (ConfigError, UsageError) as error:
            self._enter(ServerState.UNUSABLE, error)
        except ConnectionClosed as error:
            log.debug("%s: it was closed while it was connected to: %s", self.name, error)
        except McpError as error:
            self._enter(ServerState.FAILED, error)
            if self._lookout is not None and wants_login(error):
                self._crew.start(self._wait_for_login, self._lookout)
        except Exception as error:  # such as of a store of approvals of the application's own
            log.exception("%s: it cannot be used", self.name)
            failure = ConnectFailed(f"{type(error).__name__}: {error}", was_sent=False, server=self.name)
            failure.__cause__ = error
            self._enter(ServerState.FAILED, failure)
        finally:
            self.settled.set()

    def _wait_for_login(self, lookout: Lookout) -> None:
        """Connect again as soon as somebody has logged in elsewhere, as by `dragoman login`."""
        if lookout.sees_login(self._crew.closing):
            self._enter(ServerState.CONNECTING, self.error)
            self._live()

    def _entry(self) -> Entry | None:
        """Fill in the variables of the entry, and see to it that it has leave."""
        plan = self.plan
        if plan.entry is not None and plan.entry.disabled:
            self._enter(ServerState.DISABLED)
            return None
        if plan.problem is not None:
            raise plan.problem.error()
        if plan.entry is None:
            return None
        gate = self._house.gate
        entry = filled(plan.entry, plan.config, self._house.inputs, gate.asking, gate.conceal)
        gate.conceal(*known_secrets(entry))
        self._house.trusting.check(entry, plan.entry)
        return entry

    def _keep_connecting(self, entry: Entry | None) -> None:
        attempt = 0
        while not self._could_connect(entry):
            if entry is not None and not entry.restart:
                return
            if self._crew.closing.wait(Deadline(backoff(attempt, _FIRST_REST, _LONGEST_REST))):
                return
            attempt += 1
            self._enter(ServerState.CONNECTING, self.error)

    def _could_connect(self, entry: Entry | None) -> bool:
        """Connect, or note why not; True when there is nothing more to be tried."""
        try:
            self._connect(entry)
        except McpError as error:
            if is_hopeless(error) or isinstance(error, ConnectionClosed):
                raise
            return self._could_not_connect(error)
        except Exception as error:  # a transport of the application's own may raise anything
            log.exception("%s: connecting raised", self.name)
            failure = ConnectFailed(f"{type(error).__name__}: {error}", was_sent=False, server=self.name)
            failure.__cause__ = error
            return self._could_not_connect(failure)
        return True

    def _could_not_connect(self, error: McpError) -> bool:
        log.warning("%s: it cannot be connected to: %s", self.name, error)
        self._enter(ServerState.FAILED, error)
        return False

    def _connect(self, entry: Entry | None) -> None:
        target, own = connection(self.plan, entry, self._house.options)
        options = cast(ConnectOptions, {**own, **self._hooks()})
        self._lookout = lookout_at(target, options.get("auth"))
        transport = transport_to(target, options)
        parts = Parts(transport, options)
        self._hold(parts)
        self._parts = parts
        parts.start()
        client = Client(Calls(parts, transport.key))
        try:
            self._hold(client)
            self._first_lists(client)
            with self._guard:
                self._must_go_on()
                self.client = client
        except BaseException:
            client.close()
            raise
        self._reached(client.state)

    def _hold(self, line: Parts | Client) -> None:
        """Note what is to be closed at the end, unless that has come already."""
        with self._guard:
            self._must_go_on()
            self._line = line

    def _must_go_on(self) -> None:
        if self._crew.closing.is_set():
            raise ConnectionClosed("the host is closed", was_sent=False, server=self.name)

    def _first_lists(self, client: Client) -> None:
        for kind in KINDS if self._house.pinning.is_used else KINDS[:1]:
            self.lists.relist(kind, client)

    def _hooks(self) -> dict[str, Any]:
        hooks: dict[str, Any] = {
            "on_tools_changed": self._tools_changed,
            "on_prompts_changed": self._prompts_changed,
            "on_resources_changed": self._resources_changed,
            "on_state": self._state_changed,
            "approve": self._questioned,
        }
        return {**hooks, "on_stderr": self._remarked} if self.plan.transport == "stdio" else hooks

    # ----------------------------------------------------------------------------------------------- what it tells

    def _questioned(self, question: Question) -> bool:
        return self._house.gate.question(question, self.standing)

    def _tools_changed(self, listed: Any) -> None:
        self.lists.take("tool", listed.items)

    def _prompts_changed(self, listed: Any) -> None:
        self.lists.take("prompt", listed.items)

    def _resources_changed(self, listed: Any) -> None:
        self.lists.take("resource", listed.items)

    def _remarked(self, line: str) -> None:
        self._stderr = [*self._stderr[1 - _STDERR :], line]

    def _state_changed(self, state: State) -> None:
        if self.client is not None and state.phase is not Phase.CLOSED:
            self._reached(state)

    def _reached(self, state: State) -> None:
        if _STATES[state.phase] is self.state:
            return
        self._enter(_STATES[state.phase], state.error)
        if self.state is ServerState.FAILED:
            self._crew.start(self._revive)

    def _revive(self) -> None:
        """Look from time to time whether a server that died too often can be reached again."""
        while (parts := self._parts) is not None and parts.connection.state.phase is Phase.FAILED:
            if self._crew.closing.wait(Deadline(_REVIVAL)):
                return
            try:
                parts.probe()
            except McpError as error:
                log.info("%s: it is still gone: %s", self.name, error)

    def _learned(self, kind: ItemKind) -> None:
        if self._house.pinning.is_used:
            self._house.pinning.check(self.name, self.surface(), frozenset({"instructions", *self.lists.kinds}))
        self._house.changed(kind)

    def surface(self) -> Surface:
        """Give all that it says of itself, as far as it has been listed."""
        parts = self._parts
        if parts is None:
            return self.lists.surface()
        introduction = parts.connection.introduction
        return self.lists.surface(introduction.server.version, introduction.instructions)

    def _enter(self, state: ServerState, error: McpError | None = None) -> None:
        self.state, self.error, self._since = state, error, datetime.now(UTC)
        if state.is_settled:
            self.settled.set()
        else:
            self.settled.clear()
        status = self.status
        self._house.hearing.tell(HostEvent("server", self.name, status, message=str(status)))
        self._house.changed(None)

    # ----------------------------------------------------------------------------------------------- being asked

    def relist(self, kind: ItemKind) -> None:
        """List one kind of thing anew, if it is connected."""
        client = self.client
        if client is not None and self.is_usable:
            self.lists.relist(kind, client)

    def ask(self, method: str, timeout: float | str | None, perform: Callable[[Client, float | None], R]) -> R:
        """Ask it something; waiting for a turn counts into the time-out, in seconds.

        Raises:
            McpError: it is not connected, is left alone for a while, or what asking raises.
        """
        waits = self.timeout if timeout is None else seconds(timeout)
        deadline = Deadline(waits)
        client = self._usable(method, deadline)
        # A restart makes another one; whoever went in here goes out here.
        admission = self.admission
        admission.enter(method, deadline)
        try:
            left = None if timeout is None and deadline.waited < 1 else deadline.remaining
            return admission.measured(lambda: perform(client, left))
        finally:
            admission.leave()

    @property
    def timeout(self) -> float:
        """Seconds that one round trip may take."""
        client = self.client
        return client.timeout if client is not None else seconds(self._house.options.get("timeout", 20.0))

    def _usable(self, method: str, deadline: Deadline) -> Client:
        if self.client is None and not self.settled.wait(deadline):
            raise still_connecting(self.name, method, deadline)
        if self.client is None:
            raise absent(self.name, self.state, self.error) from self.error
        return self.client

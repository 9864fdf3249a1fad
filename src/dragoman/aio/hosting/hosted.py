"""Make a host of its parts, and keep it: servers come and go, configurations are read again, lists are listed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from dragoman.aio._runtime import Crew, Home, Lock
from dragoman.aio.handlers import sampling_handler
from dragoman.aio.hosting.acts import Acts
from dragoman.aio.hosting.asking import Asking
from dragoman.aio.hosting.checking import check_options
from dragoman.aio.hosting.gate import Gate
from dragoman.aio.hosting.hearing import Hearing
from dragoman.aio.hosting.house import House
from dragoman.aio.hosting.lists import KINDS
from dragoman.aio.hosting.member import Member
from dragoman.aio.hosting.members import Members
from dragoman.aio.hosting.offers import Offers
from dragoman.aio.hosting.options import HostOptions, Sources
from dragoman.aio.hosting.pinning import Pinning
from dragoman.aio.hosting.plan import Plan, plan_of, plans, problem_of_name
from dragoman.aio.hosting.trusting import Trusting
from dragoman.deadline import Deadline, seconds
from dragoman.errors import McpError, NotOffered, UsageError
from dragoman.files.approvals import Approvals
from dragoman.files.audit import Audit
from dragoman.files.reading import Given, given, stamp
from dragoman.files.surroundings import asked_once
from dragoman.host.catalog import LOCAL, Changes, HostTool
from dragoman.host.config import read_mapping
from dragoman.host.drift import Difference
from dragoman.host.entries import Problem
from dragoman.host.filters import everything, where
from dragoman.host.limits import BreakerPolicy
from dragoman.host.lockfile import ItemKind, Surface
from dragoman.host.news import HostEvent
from dragoman.host.policy import Act, Policy, read_policy
from dragoman.models.functions import LocalTool
from dragoman.models.functions import tool as local_tool

__all__ = ["Hosted"]

log = logging.getLogger("dragoman.aio")

_PATIENCE = 5.0
_LOOK = 1.0
"""Seconds between looks at the configuration files."""


class Hosted:
    """The parts of one host, which know one another.

    Attributes:
        members: the servers. offers: what they offer. acts: what can be done with it.
        problems: what is wrong in the configuration.
    """

    def __init__(self, sources: Sources, options: HostOptions) -> None:
        check_options(options)
        self.problems: tuple[Problem, ...] = ()
        self._home = Home()
        self._sources = sources
        self._patience = seconds(options.get("patience", _PATIENCE))
        self._hearing = hearing = Hearing(options.get("on_event"))
        self._gate = _gate(options)
        self._pinning = _pinning(options, hearing)
        approvals, asking = self._gate.approvals, self._gate.asking
        self.members = Members(
            House(
                options,
                asked_once(options.get("inputs", {})),
                self._gate,
                Trusting(options.get("trust", False), approvals, self._gate.audit, asking),
                self._pinning,
                hearing,
                options.get("breaker", BreakerPolicy()),
                self._refresh,
            )
        )
        self.offers = Offers(
            lambda: self.members,
            map(_as_local, options.get("local", ())),
            where(options.get("filter", everything)),
            options.get("naming", "collision"),
            self._pinning,
            hearing,
        )
        self.acts = Acts(self.members, self.offers, self._gate, self._pinning)
        self._crew = Crew("host")
        self._changing = Lock()
        self._added: dict[str, Plan] = {}
        self._given = Given(read_mapping({"mcpServers": {}}))
        self._watches = bool(options.get("watch"))

    @classmethod
    async def opened(cls, sources: Sources, options: HostOptions) -> Hosted:
        """Connect to the servers of a configuration."""
        hosted = cls(sources, options)
        try:
            hosted._take(given(sources))
            hosted.members.start(plans(hosted._given))
            await hosted.members.settle(hosted._patience)
            hosted.offers.begin()
        except BaseException:
            await hosted.close()
            raise
        if hosted._watches:
            hosted._crew.start(hosted._watch)
        return hosted

    async def close(self) -> None:
        """End everything, wherever this is called; in a forked child nothing, for there it is the parent's."""
        await self._home.leave(self._end, self._sever)

    def _sever(self) -> None:
        for member in self.members:
            member.sever()

    async def _end(self) -> None:
        self._crew.closing.set()
        self.offers.end()
        self._gate.asking.end()
        await self.members.close()
        await self._crew.end()
        await self._hearing.end()

    def _take(self, found: Given) -> None:
        self._given = found
        self.problems = found.config.problems
        for problem in self.problems:
            log.log(logging.WARNING if problem.is_fatal else logging.INFO, "%s: %s", problem.server, problem)
            self._hearing.tell(HostEvent("problem", problem.server, message=str(problem)))

    def _refresh(self, kind: Any) -> None:
        self.offers.refresh(kind)

    # ---------------------------------------------------------------------------------------------------- servers

    async def ready(self, timeout: float | str | None) -> bool:
        """Wait for all that are still connecting."""
        self._home.check()
        deadline = Deadline(seconds(timeout))
        for member in self.members:
            if not await member.settled.wait(deadline):
                return False
        return True

    async def add(self, name: str, target: Any, options: Mapping[str, Any]) -> None:
        """Add a server."""
        self._home.check()
        async with self._changing:
            problem = problem_of_name(name)
            if problem is not None:
                raise UsageError(problem.message, hint=problem.hint)
            if self.members.has(name):
                raise UsageError(f"the host has a server {name!r} already", hint="remove it first")
            plan = Plan(name, target=target, options=options)
            if isinstance(target, Mapping):
                config = read_mapping({"mcpServers": {name: target}})
                plan = plan_of(config.entry(name), config, options)
            self._added[name] = plan
            self.members.start({name: plan})

    async def remove(self, name: str) -> None:
        """End a server and forget it."""
        self._home.check()
        async with self._changing:
            self._added.pop(name, None)
            await self.members.remove(name)

    async def restart(self, name: str) -> None:
        """End a server and begin anew; wait until that is done, or has failed."""
        self._home.check()
        member = self.members.get(name)
        await member.restart()
        await member.settled.wait(Deadline.never())

    async def reload(self) -> Changes[str]:
        """Read the configuration again."""
        self._home.check()
        async with self._changing:
            self._take(given(self._sources))
            wanted = plans(self._given)
            added, gone, changed = await self.members.replace(
                {**wanted, **{name: plan for name, plan in self._added.items() if name not in wanted}}
            )
        found = Changes(tuple(added), tuple(gone), tuple((name, name) for name in changed))
        words = [
            f"{what} {', '.join(names)}"
            for what, names in (("added", added), ("removed", gone), ("changed", changed))
            if names
        ]
        self._hearing.tell(HostEvent("config", changes=found, message="; ".join(words) or "nothing has changed"))
        return found

    async def _watch(self) -> None:
        """Read the configuration again whenever one of its files is another."""
        seen = dict(self._given.files)
        while not await self._crew.closing.wait(Deadline(_LOOK)):
            now = {file: stamp(file) for file in seen}
            # An empty file is one that is being written, and not what its author wants to say.
            if now != seen and not any(each is not None and not each[1] for each in now.values()):
                seen = now
                try:
                    await self.reload()
                except McpError as error:
                    log.warning("the configuration is kept as it was: %s", error)
                    self._hearing.tell(HostEvent("problem", message=f"the configuration is kept as it was: {error}"))

    # ------------------------------------------------------------------------------------------------------ lists

    async def relist(self, kind: ItemKind) -> None:
        """List one kind of thing anew, at all servers."""
        self._home.check()
        self.offers.hold(kind)
        try:
            await self.members.relist(kind, self._patience)
            for member in self.members:
                await self._settle_drift(member, kind)
        finally:
            self.offers.release(kind)

    async def know(self, kind: ItemKind, name: str) -> None:
        """See to it that what bears a name has been listed, if anything does: prompts and resources are when asked for."""
        is_known = any(each.uri == name for each in self.offers.resources)
        if (kind == "resource" and not is_known and sum(1 for each in self.members if each.is_usable) > 1) or (
            kind == "prompt" and self.offers.known(kind, name) is None
        ):
            await self.relist(kind)

    async def _settle_drift(self, member: Member, kind: ItemKind) -> None:
        """Ask about what is not as it was pinned, where somebody is to be asked."""
        for each in self._pinning.open_questions(member.name, kind):
            act = Act("tool", member.name, each.name, reason=f"it is not as it was pinned:\n{each}")
            if await self._gate.consent(act, f"drift {each.heading}", member.standing):
                self._pinning.let_pass(member.name, each)
            else:
                self._pinning.refuse(member.name, each)

    async def tool(self, server: str, name: str) -> HostTool:
        """Find a tool by its server's name for it."""
        self._home.check()
        if server == "local" and not self.members.has(server):
            server = LOCAL
        member = None if server == LOCAL else self.members.get(server)
        found = self._found(server, name)
        if found is None and member is not None:
            await member.relist("tool")
            self.offers.refresh("tool")
            found = self._found(server, name)
        if found is None:
            self._pinning.require(server, "tool", name)
            raise NotOffered(f"it has no tool {name!r} that is on offer", capability="tools", server=server)
        return found

    def _found(self, server: str, name: str) -> HostTool | None:
        wanted = (each for each in self.offers.tools if each.server == server and each.tool.name == name)
        return next(wanted, None)

    def add_tool(self, function: LocalTool | Callable[..., Any]) -> HostTool:
        """Add a function of this program."""
        return self.offers.add_local(_as_local(function))

    # ---------------------------------------------------------------------------------------------------- pinning

    async def pin(self, servers: Iterable[str]) -> None:
        """Approve what servers say now."""
        self._home.check()
        chosen = [self.members.get(name) for name in servers] or [each for each in self.members if each.is_usable]
        self._pinning.required()
        for member in chosen:
            self._pinning.pin(member.name, await self._surface(member))
        self.offers.refresh(None)

    @property
    def pinned(self) -> tuple[str, ...]:
        """The servers that the lockfile knows."""
        return self._pinning.servers

    async def differences(self, server: str) -> tuple[Difference, ...]:
        """Give what is not as it was pinned."""
        self._home.check()
        await self._surface(self.members.get(server))
        return self._pinning.different(server)

    async def _surface(self, member: Member) -> Surface:
        async def everything_of(client: Any, _: float | None) -> None:
            for kind in KINDS:
                await member.lists.relist(kind, client)

        await member.ask("tools/list", None, everything_of)
        if member.lists.error is not None:
            raise member.lists.error
        return member.surface()


def _as_local(given: LocalTool | Callable[..., Any]) -> LocalTool:
    return given if isinstance(given, LocalTool) else local_tool(given)


def _gate(options: HostOptions) -> Gate:
    approve, policy = options.get("approve"), options.get("policy")
    if policy is None:
        # A policy that lets everything pass asks nobody, and a model costs money.
        sampling_handler(options.get("sampling"), approve)
        # Whoever gives somebody to ask wants them to be asked.
        policy = Policy.permissive() if approve is None else Policy.careful()
    return Gate(read_policy(policy), approve, _approvals(options), Audit(options.get("audit")), Asking())


def _approvals(options: HostOptions) -> Approvals:
    given_ = options.get("approvals", "")
    if isinstance(given_, Approvals):
        return given_
    if given_ is None:
        return Approvals()
    return Approvals(Path(given_)) if given_ else Approvals.of_user()


def _pinning(options: HostOptions, hearing: Hearing) -> Pinning:
    file = options.get("lock")
    return Pinning(
        None if file is None else Path(file),
        options.get("on_drift", "block"),
        pins_new=options.get("pin_new", False),
        hearing=hearing,
    )

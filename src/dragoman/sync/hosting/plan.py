# generated from src/dragoman/aio/hosting/plan.py by tools/unasync.py; do not edit
"""From what a host was given to servers that can be connected to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from dragoman.auth.ways import Way, combined
from dragoman.errors import UsageError
from dragoman.files.places import this_program
from dragoman.files.reading import Given
from dragoman.host.catalog import LOCAL
from dragoman.host.config import Config
from dragoman.host.entries import Entry, Problem, entry_hash, runs
from dragoman.host.policy import read_policy
from dragoman.host.secrets import Concealer
from dragoman.local.command import shown, split
from dragoman.sync.entries import connection_of
from dragoman.sync.hosting.options import CLIENT_OPTIONS

__all__ = ["Plan", "connection", "plan_of", "plans", "problem_of_name"]

_STARTUP = 60.0
"""Seconds to connect in where nothing is said: some launchers fetch a server first, and nobody has to wait for it.

They hold for each round trip of the handshake as well, unless it is said how long a round trip may take.
"""


class Plan(Struct, frozen=True):
    """One server of a host, as it is given.

    Attributes:
        name: the host's name for it.
        entry: what a configuration says of it; None for a target that a program gives.
        target: what is connected to as it is.
        config: what the entry stands in, for its variables.
        problem: why it cannot be used.
        options: what holds for it alone, given by a program.
    """

    name: str
    entry: Entry | None = None
    target: Any = None
    config: Config = Config()
    problem: Problem | None = None
    options: Mapping[str, Any] = {}

    @property
    def key(self) -> object:
        """What is different when the server has to be connected to anew."""
        if self.entry is not None:
            return entry_hash(self.entry), self.entry.required, self.entry.policy
        if self.problem is not None:
            return self.problem
        return self.target if isinstance(self.target, str) else id(self.target)

    @property
    def is_required(self) -> bool:
        """Whether the host cannot do without it."""
        return self.entry.required if self.entry is not None else bool(self.options.get("required"))

    @property
    def transport(self) -> str:
        """How it is reached; empty for what a configuration says so badly that it is not known."""
        match self.entry, self.target:
            case None, None:
                return ""
            case Entry(command=None), _:
                return "http"
            case Entry(), _:
                return "stdio"
            case _, str() as text:
                return "http" if text.lower().startswith(("http://", "https://")) else "stdio"
            case _, list() | tuple():
                return "stdio"
        return "memory"

    @property
    def runs(self) -> str:
        """What it runs or speaks with, as it is written: what an answer that is remembered for it is bound to."""
        if self.entry is None:
            return f"{this_program()}\0{self.shown}" if self.transport == "memory" else self.shown
        given = sorted({**self.entry.env, **self.entry.headers}.items())
        place = (self.entry.url or "", self.entry.cwd or "", self.entry.env_file or "", self.entry.inherit_env or "")
        return "\0".join(
            (self.entry.command or "", *self.entry.args, *place, *(f"{name}={value}" for name, value in given))
        )

    @property
    def shown(self) -> str:
        """What it runs or speaks with, without secrets."""
        if self.entry is not None:
            return runs(self.entry)
        if isinstance(self.target, str | list | tuple):
            return _shown(self.target) if self.transport == "stdio" else Concealer().text(str(self.target))
        return "" if self.target is None else type(self.target).__name__


def _shown(command: str | list[str] | tuple[str, ...]) -> str:
    try:
        return shown(split(command, windows=False))
    except UsageError:  # whoever connects to it is told
        return ""


def plans(given: Given) -> dict[str, Plan]:
    """Make the plan of each server, in the order of the configuration."""
    made: dict[str, Plan] = {}
    broken = {problem.server: problem for problem in given.config.problems if problem.is_fatal and problem.server}
    for entry in given.config.entries:
        made[entry.name] = plan_of(entry, given.config)
    for name, problem in broken.items():
        made.setdefault(name, Plan(name, config=given.config, problem=problem))
    made = {name: made[name] for name in dict.fromkeys((*given.config.order, *made)) if name in made}
    for name, target in given.targets.items():
        made.setdefault(name, Plan(name, target=target, problem=problem_of_name(name)))
    return made


def problem_of_name(name: str) -> Problem | None:
    """Say what is wrong with a server's name; None when nothing is."""
    if name not in {"", LOCAL}:
        return None
    return Problem(f"a server cannot be called {name!r}", "give it another name", server=name)


def plan_of(entry: Entry, config: Config, options: Mapping[str, Any] | None = None) -> Plan:
    """Make the plan of one entry; rules that are none make it unusable, and cost the others nothing."""
    problem = None
    try:
        read_policy(entry.policy)
    except UsageError as error:
        line = config.lines.get((entry.name, "policy"), entry.line)
        problem = Problem(error.message, error.hint, entry.file, line, "policy", entry.name)
    return Plan(entry.name, entry, config=config, problem=problem, options=options or {})


def connection(plan: Plan, entry: Entry | None, shared: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Give what to connect to, and a client's options: the server's own before those of the host.

    `entry` has its variables filled in.
    """
    options: dict[str, Any] = {name: value for name, value in shared.items() if name in CLIENT_OPTIONS}
    target = plan.target
    if entry is not None:
        target, own = connection_of(entry)
        options |= own
        options |= _combined(shared.get("auth"), own.get("auth"))
    options |= {name: value for name, value in plan.options.items() if name != "required"}
    startup = {"connect_timeout": _STARTUP, **({} if "timeout" in options else {"handshake_timeout": _STARTUP})}
    return target, {"name": plan.name, **startup, **options}


def _combined(shared: Any, own: Any) -> dict[str, Any]:
    """Give a server's way in: as its entry says, and the host's for all that it says nothing of."""
    return {"auth": combined(shared, own)} if isinstance(shared, Way) and isinstance(own, Way) else {}

"""All that all servers of a host offer, in the order of the configuration, each thing by a name of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, cast

from dragoman.aio._runtime import Guard
from dragoman.aio.hosting.hearing import Hearing
from dragoman.aio.hosting.member import Member
from dragoman.aio.hosting.pinning import Pinning
from dragoman.errors import UsageError
from dragoman.host.catalog import LOCAL, Changes, HostPrompt, HostResource, HostTemplate, HostTool, changes
from dragoman.host.filters import Filter, ServerInfo
from dragoman.host.lockfile import ItemKind
from dragoman.host.naming import Bearer, Names, Naming
from dragoman.host.news import HostEvent
from dragoman.models.functions import LocalTool

__all__ = ["Offers"]

log = logging.getLogger("dragoman.aio")

_EVENTS: dict[ItemKind, Literal["tools", "resources", "templates", "prompts"]] = {
    "tool": "tools",
    "resource": "resources",
    "template": "templates",
    "prompt": "prompts",
}


class Offers:
    """The lists of a host; owns the names, and what was last on offer.

    No name is given before `begin`: until then servers are still coming, in any order, and the configuration's counts.
    """

    def __init__(
        self,
        members: Callable[[], Iterable[Member]],
        local: Iterable[LocalTool],
        wanted: Filter,
        naming: Naming,
        pinning: Pinning,
        hearing: Hearing,
    ) -> None:
        self._members = members
        self._local = {tool.tool.name: tool for tool in local}
        self._wanted = wanted
        self._pinning = pinning
        self._hearing = hearing
        self._names: dict[ItemKind, Names] = {"tool": Names(naming), "prompt": Names(naming)}
        self._guard = Guard()
        self._has_begun = False
        self._held: list[ItemKind] = []
        self._offered: dict[ItemKind, tuple[Any, ...]] = {}
        self._known: dict[tuple[ItemKind, str], Any] = {}

    def begin(self) -> None:
        """Give names to what there is, and tell of all that changes from now on."""
        with self._guard:
            self._has_begun = True
            for kind in _EVENTS:
                self._offer(kind)

    def end(self) -> None:
        """Tell of nothing any more: that servers go when the host is closed is no news."""
        with self._guard:
            self._has_begun = False

    def hold(self, kind: ItemKind) -> None:
        """Look at one kind no more until `release`: when all servers are asked, who answers first shall not matter."""
        with self._guard:
            self._held.append(kind)

    def release(self, kind: ItemKind) -> None:
        """Look at it again."""
        with self._guard:
            self._held.remove(kind)
        self.refresh(kind)

    def refresh(self, kind: ItemKind | None) -> None:
        """Look again at what is on offer, of one kind or of all, and tell what has changed."""
        for each in _EVENTS if kind is None else (kind,):
            with self._guard:
                if not self._has_begun or each in self._held:
                    continue
                before, after = self._offered[each], self._offer(each)
            self._tell(each, changes(before, after, _key))

    def _offer(self, kind: ItemKind) -> tuple[Any, ...]:
        offered = self._offered[kind] = tuple(self._collected(kind))
        if kind in self._names:
            self._known |= {(kind, each.name): each for each in offered}
        return offered

    def _tell(self, kind: ItemKind, found: Changes[Any]) -> None:
        if found:
            count = f"{len(found.added)} added, {len(found.removed)} removed, {len(found.changed)} changed"
            servers = {each.server for each in (*found.added, *found.removed, *(new for _, new in found.changed))}
            server = servers.pop() if len(servers) == 1 else None
            self._hearing.tell(HostEvent(_EVENTS[kind], server, changes=found, message=count))

    # ----------------------------------------------------------------------------------------------- what there is

    @property
    def tools(self) -> tuple[HostTool, ...]:
        """The tools."""
        return self._offered.get("tool", ())

    @property
    def prompts(self) -> tuple[HostPrompt, ...]:
        """The prompts."""
        return self._offered.get("prompt", ())

    @property
    def resources(self) -> tuple[HostResource, ...]:
        """The resources."""
        return self._offered.get("resource", ())

    @property
    def templates(self) -> tuple[HostTemplate, ...]:
        """The resource templates."""
        return self._offered.get("template", ())

    def known(self, kind: ItemKind, name: str) -> Any:
        """Give what bears a name, as it was last on offer; None where nothing ever did."""
        return self._known.get((kind, name))

    def has(self, item: HostTool | HostPrompt) -> bool:
        """Whether a thing is on offer, by its name."""
        offered = self.tools if isinstance(item, HostTool) else self.prompts
        return any(each.name == item.name for each in offered)

    def local(self, name: str) -> LocalTool:
        """Give a tool of this program, by its own name."""
        return self._local[name]

    def bearer(self, kind: ItemKind, name: str) -> tuple[str, str] | None:
        """Give the server and the thing that a name was ever given to."""
        return self._names[kind].bearer(name)

    def add_local(self, tool: LocalTool) -> HostTool:
        """Add a tool of this program.

        Raises:
            UsageError: there is one of that name.
        """
        if tool.tool.name in self._local:
            raise UsageError(f"there is a local tool {tool.tool.name!r} already")
        self._local[tool.tool.name] = tool
        self.refresh("tool")
        return next(each for each in self.tools if each.server == LOCAL and each.tool.name == tool.tool.name)

    # -------------------------------------------------------------------------------------------------- collecting

    def _collected(self, kind: ItemKind) -> Iterator[Any]:
        found = list(self._found(kind))
        names = self._names.get(kind)
        if names is None:
            make = cast("Callable[..., Any]", HostResource if kind == "resource" else HostTemplate)
            return (make(server, item) for server, _, item in found)
        # What was approved keeps its name while it is blocked: it is nobody else's meanwhile.
        named = found if not self._pinning.is_used else list(self._found(kind, with_changed=True))
        names.give(Bearer(server, item.name, prefix) for server, prefix, item in named)
        make = cast("Callable[..., Any]", HostTool.of if kind == "tool" else HostPrompt)
        return (make(names.name(server, item.name), server, item) for server, _, item in found)

    def _found(self, kind: ItemKind, *, with_changed: bool = False) -> Iterator[tuple[str, str, Any]]:
        """Give what is wanted and usable, each with its server and that server's prefix.

        With `with_changed`, also what is blocked because it was approved as something else.
        """
        if kind == "tool":
            yield from (
                (LOCAL, _LOCAL_PREFIX, each.tool)
                for each in list(self._local.values())
                if self._is_wanted(_LOCAL, each.tool)
            )
        for member in self._members():
            if member.is_usable:
                prefix = member.plan.entry.prefix if member.plan.entry else None
                yield from ((member.name, prefix or member.name, item) for item in self._of(member, kind, with_changed))

    def _of(self, member: Member, kind: ItemKind, with_changed: bool) -> Iterator[Any]:
        info = member.info
        for item in member.lists.items(kind):
            key = item.uri if kind == "resource" else item.uri_template if kind == "template" else item.name
            different = self._pinning.difference(member.name, kind, key)
            if different is not None and not (with_changed and different.what == "changed"):
                continue
            if kind != "tool" or (member.filter(info, item) and self._is_wanted(info, item)):
                yield item

    def _is_wanted(self, info: ServerInfo, tool: Any) -> bool:
        try:
            return self._wanted(info, tool)
        except Exception:  # the application's code
            log.exception("%s: the filter raised for %s; it is left out", info.name, tool.name)
            return False


_LOCAL = ServerInfo(LOCAL)
_LOCAL_PREFIX = "local"


def _key(item: Any) -> tuple[str, str]:
    match item:
        case HostResource():
            return item.server, item.uri
        case HostTemplate():
            return item.server, item.uri_template
    return item.server, item.name

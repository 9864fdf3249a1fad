"""All that all servers offer, as one list of each kind, and what has changed in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct, structs

from dragoman.types import Prompt, PromptArgument, Resource, ResourceTemplate, Tool

__all__ = ["LOCAL", "Changes", "HostPrompt", "HostResource", "HostTemplate", "HostTool", "changes"]

LOCAL = "this program"
"""What the tools of this program have for a server: nothing that anybody calls a server of theirs."""

Item = TypeVar("Item")


class HostTool(Tool, frozen=True):
    """A tool of one of many servers, fit for whatever takes a `Tool`.

    Its `name` is what the host calls it: no other tool has that name, and every provider takes it.
    """

    @classmethod
    def of(cls, name: str, server: str, tool: Tool) -> HostTool:
        """Give a server's tool another name."""
        fields: dict[str, Any] = {field: getattr(tool, field) for field in tool.__struct_fields__}
        fields["name"] = name
        made = cls(**fields)
        # Beside the fields, where what is remembered of the wire is, too: on the wire it is a tool and nothing more.
        structs.force_setattr(made, "_server", server)
        structs.force_setattr(made, "_tool", tool)
        return made

    @property
    def server(self) -> str:
        """The name of the server."""
        server: str = self.__dict__["_server"]
        return server

    @property
    def tool(self) -> Tool:
        """What the server lists, with the name that it gives."""
        tool: Tool = self.__dict__["_tool"]
        return tool


class HostResource(Struct, frozen=True):
    """A resource of one of many servers."""

    server: str
    resource: Resource

    @property
    def uri(self) -> str:
        """What it is read by; two servers may have one URI."""
        return self.resource.uri

    @property
    def name(self) -> str:
        """What the server calls it."""
        return self.resource.name


class HostTemplate(Struct, frozen=True):
    """A resource template of one of many servers."""

    server: str
    template: ResourceTemplate

    @property
    def uri_template(self) -> str:
        """The template of its URIs."""
        return self.template.uri_template

    @property
    def name(self) -> str:
        """What the server calls it."""
        return self.template.name


class HostPrompt(Struct, frozen=True):
    """A prompt of one of many servers, under a name that no other prompt has."""

    name: str
    server: str
    prompt: Prompt

    @property
    def description(self) -> str | None:
        """What it is for."""
        return self.prompt.description

    @property
    def arguments(self) -> tuple[PromptArgument, ...]:
        """What it wants to be told."""
        return self.prompt.arguments or ()


class Changes(Struct, Generic[Item], frozen=True):
    """What is different between two lists."""

    added: tuple[Item, ...] = ()
    removed: tuple[Item, ...] = ()
    changed: tuple[tuple[Item, Item], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def changes(before: Sequence[Any], after: Iterable[Any], key: Callable[[Any], Any]) -> Changes[Any]:
    """Compare two lists whose items are known by a key; of each changed item, give both."""
    old = {key(item): item for item in before}
    new = {key(item): item for item in after}
    return Changes(
        tuple(item for each, item in new.items() if each not in old),
        tuple(item for each, item in old.items() if each not in new),
        tuple((old[each], item) for each, item in new.items() if each in old and old[each] != item),
    )

"""All that all servers offer, as one list of each kind, and what has changed in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct, structs

from dragoman.types import JsonObject, Prompt, PromptArgument, Resource, ResourceTemplate, Tool, ToolAnnotations

__all__ = ["LOCAL", "Changes", "HostPrompt", "HostResource", "HostTemplate", "HostTool", "changes"]

LOCAL = "local"
"""What the tools of this program have for a server."""

Item = TypeVar("Item")


class HostTool(Struct, frozen=True):
    """A tool of one of many servers.

    Attributes:
        name: what the host calls it: no other tool has that name, and every provider takes it.
        server: the server's name. tool: what the server lists, with the name that it gives.
    """

    name: str
    server: str
    tool: Tool

    @property
    def description(self) -> str | None:
        """What it does, in the server's words."""
        return self.tool.description

    @property
    def title(self) -> str | None:
        """What to show to people, if the server says."""
        return self.tool.title

    @property
    def display_name(self) -> str:
        """What to show to people."""
        return self.tool.display_name

    @property
    def input_schema(self) -> JsonObject:
        """The JSON Schema of the arguments, a fresh dict each time."""
        return self.tool.input_schema

    @property
    def output_schema(self) -> JsonObject | None:
        """The JSON Schema of the structured result, or None."""
        return self.tool.output_schema

    @property
    def annotations(self) -> ToolAnnotations | None:
        """What the server says that it does to the world."""
        return self.tool.annotations

    @property
    def hints(self) -> ToolAnnotations:
        """The same, or what is assumed where the server says nothing."""
        return self.tool.hints

    @property
    def definition(self) -> Tool:
        """The tool as if the server had given it the host's name, for whatever takes a `Tool`."""
        return structs.replace(self.tool, name=self.name)


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

"""The lists that a server may have: how each is asked for, read, and joined from its pages."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from msgspec import Raw, Struct, structs

from dragoman.protocol.salvage import Problem, read_list, unique
from dragoman.types import (
    Listing,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    Number,
)

__all__ = ["LISTS", "PROMPTS", "RESOURCES", "RESOURCE_TEMPLATES", "TOOLS", "Kind", "Page"]


class Page(Struct, frozen=True):
    """A list, or one page of it, and what was wrong with it."""

    result: Listing[Any]
    problems: tuple[Problem, ...]


class Kind(Struct, frozen=True):
    """One of the lists: its name in the specification, its method, the capability it needs, its result's type."""

    name: str
    method: str
    capability: str
    type: type[Listing[Any]]
    attribute: str
    key: str = "name"

    def read(self, data: Raw) -> Page:
        """Read one page."""
        return Page(*read_list(data, self.type))

    def keys(self, page: Page) -> set[str]:
        """Give what the items of a page are known by."""
        return set(map(attrgetter(self.key), page.result))

    def join(self, pages: Sequence[Page], *further: Problem) -> Page:
        """Make one list of its pages; it holds for as long as the page that holds the shortest.

        One private page makes the whole private (2026-07-28, Caching).
        """
        items, doubles = unique((item for page in pages for item in page.result), attrgetter(self.key))
        problems = (*(problem for page in pages for problem in page.problems), *doubles, *further)
        if len(pages) == 1 and not doubles and not further:
            return pages[0]
        results = [page.result for page in pages]
        joined = self.type(
            meta=results[-1].meta,
            result_type=results[-1].result_type,
            ttl_ms=_shortest([result.ttl_ms for result in results]),
            cache_scope=_narrowest({result.cache_scope for result in results}),
        )
        joined = structs.replace(joined, **{self.attribute: items})
        return Page(joined, problems)

    def empty(self) -> Listing[Any]:
        """Make the list of a server that does not have any."""
        return self.type()


def _shortest(stated: list[Number | None]) -> Number | None:
    """Give the time that all pages hold; a page that says nothing holds for none, unless no page says anything."""
    return None if set(stated) == {None} else min(each or 0 for each in stated)


def _narrowest(stated: set[str | None]) -> str | None:
    return stated.pop() if len(stated) == 1 else "private"


TOOLS = Kind("tools", "tools/list", "tools", ListToolsResult, "tools")
RESOURCES = Kind("resources", "resources/list", "resources", ListResourcesResult, "resources", "uri")
RESOURCE_TEMPLATES = Kind(
    "resource templates",
    "resources/templates/list",
    "resources",
    ListResourceTemplatesResult,
    "resource_templates",
    "uri_template",
)
PROMPTS = Kind("prompts", "prompts/list", "prompts", ListPromptsResult, "prompts")
LISTS = {kind.name: kind for kind in (TOOLS, RESOURCES, RESOURCE_TEMPLATES, PROMPTS)}

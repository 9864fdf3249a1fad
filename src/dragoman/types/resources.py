"""Resources: what a server lets one read, by URI. URIs are passed on unchanged, never parsed."""

from msgspec import Raw, field

from dragoman.types.base import Wire, nothing
from dragoman.types.content import Annotations, Icon, ResourceContents
from dragoman.types.meta import Meta, Number
from dragoman.types.requests import InputParams, RequestParams
from dragoman.types.results import CacheableResult, Listing, Result

__all__ = [
    "ListResourceTemplatesResult",
    "ListResourcesResult",
    "ReadResourceParams",
    "ReadResourceResult",
    "Resource",
    "ResourceTemplate",
    "ResourceTemplatesPage",
    "ResourcesPage",
    "SubscribeParams",
    "UnsubscribeParams",
]


class Resource(Wire, frozen=True):
    """Something that can be read. `size` is in bytes, before any encoding."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: Number | None = None
    annotations: Annotations | None = None
    icons: tuple[Icon, ...] | None = None
    meta: Meta = field(default=None, name="_meta")


class ResourceTemplate(Wire, frozen=True):
    """A family of resources, as a URI template (RFC 6570)."""

    uri_template: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    annotations: Annotations | None = None
    icons: tuple[Icon, ...] | None = None
    meta: Meta = field(default=None, name="_meta")


class ReadResourceParams(InputParams, frozen=True):
    """Params of `resources/read`."""

    uri: str


class SubscribeParams(RequestParams, frozen=True):
    """Params of `resources/subscribe` (until 2025-11-25)."""

    uri: str


class UnsubscribeParams(RequestParams, frozen=True):
    """Params of `resources/unsubscribe` (until 2025-11-25)."""

    uri: str


class ReadResourceResult(CacheableResult, frozen=True):
    """What a resource holds; one URI may stand for several contents, such as a folder's files."""

    __parts__ = (("contents", "contents"),)

    contents: tuple[ResourceContents, ...] = field(default_factory=nothing)

    @property
    def text(self) -> str:
        """The text of all contents that are text, a line break between two."""
        return "\n".join(contents.text for contents in self.contents if contents.text is not None)


class ListResourcesResult(Listing[Resource], frozen=True):
    """The resources a server offers."""

    __parts__ = (("resources", "resources"),)
    _items = "resources"
    _key = "uri"

    resources: tuple[Resource, ...] = field(default_factory=nothing)

    @property
    def by_uri(self) -> dict[str, Resource]:
        """The resources by their URI; of two with one URI, the first."""
        return self._index()


class ListResourceTemplatesResult(Listing[ResourceTemplate], frozen=True):
    """The families of resources a server offers."""

    __parts__ = (("resource_templates", "resourceTemplates"),)
    _items = "resource_templates"
    _key = "uri_template"

    resource_templates: tuple[ResourceTemplate, ...] = field(default_factory=nothing)

    @property
    def by_uri_template(self) -> dict[str, ResourceTemplate]:
        """The templates by their URI template; of two alike, the first."""
        return self._index()


class ResourcesPage(Result, frozen=True):
    """A page of `resources/list` whose items are not decoded yet."""

    resources: tuple[Raw, ...]
    next_cursor: str | None = None
    ttl_ms: Number | None = None
    cache_scope: str | None = None


class ResourceTemplatesPage(Result, frozen=True):
    """A page of `resources/templates/list` whose items are not decoded yet."""

    resource_templates: tuple[Raw, ...]
    next_cursor: str | None = None
    ttl_ms: Number | None = None
    cache_scope: str | None = None

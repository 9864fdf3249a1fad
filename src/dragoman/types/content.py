"""The blocks that results, prompts and messages are made of."""

import builtins
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import msgspec
from msgspec import UNSET, Raw, field

from dragoman.types.base import Verbatim, Wire, nothing, remember
from dragoman.types.binary import from_base64
from dragoman.types.meta import JsonObject, Meta, Number, Role, is_object

__all__ = [
    "Annotations",
    "AudioContent",
    "ContentBlock",
    "EmbeddedResource",
    "Icon",
    "ImageContent",
    "KnownContent",
    "ResourceContents",
    "ResourceLink",
    "SamplingContent",
    "TextContent",
    "ToolResultContent",
    "ToolUseContent",
    "UnknownContent",
    "joined_text",
    "read_content",
    "read_sampling_content",
]


class Annotations(Wire, frozen=True):
    """For whom a thing is meant, how much it matters (0 to 1), and when it last changed (ISO 8601, as sent)."""

    audience: tuple[Role, ...] | None = None
    priority: Number | None = None
    last_modified: str | None = None


class Icon(Wire, frozen=True):
    """A picture that stands for a thing: `src` is an http(s) or data URI, `sizes` like `48x48` or `any`."""

    src: str
    mime_type: str | None = None
    sizes: tuple[str, ...] | str | None = None
    theme: str | None = None


class _Annotated(Wire, frozen=True, kw_only=True):
    annotations: Annotations | None = None
    meta: Meta = field(default=None, name="_meta")


class TextContent(_Annotated, frozen=True, tag_field="type", tag="text"):
    """Text."""

    type: ClassVar[str] = "text"
    text: str


class ImageContent(_Annotated, frozen=True, tag_field="type", tag="image"):
    """A picture, its `data` in base64 as on the wire."""

    type: ClassVar[str] = "image"
    data: str
    mime_type: str

    @property
    def bytes(self) -> builtins.bytes:
        """The decoded data. Raises BadContent when the server did not send base64."""
        return from_base64(self.data, "ImageContent.data")


class AudioContent(_Annotated, frozen=True, tag_field="type", tag="audio"):
    """A sound, its `data` in base64 as on the wire."""

    type: ClassVar[str] = "audio"
    data: str
    mime_type: str

    @property
    def bytes(self) -> builtins.bytes:
        """The decoded data. Raises BadContent when the server did not send base64."""
        return from_base64(self.data, "AudioContent.data")


class ResourceLink(_Annotated, frozen=True, tag_field="type", tag="resource_link"):
    """A resource that can be read from the server under `uri`, which is passed on unchanged. `size` is in bytes."""

    type: ClassVar[str] = "resource_link"
    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: Number | None = None
    icons: tuple[Icon, ...] | None = None


class ResourceContents(Wire, frozen=True):
    """What a resource holds: either `text`, or `blob` in base64 as on the wire."""

    uri: str
    mime_type: str | None = None
    text: str | None = None
    blob: str | None = None
    meta: Meta = field(default=None, name="_meta")

    @property
    def is_text(self) -> bool:
        """Whether the contents came as text."""
        return self.text is not None

    @property
    def bytes(self) -> builtins.bytes:
        """The contents as bytes: the decoded blob, or the text in UTF-8. Raises BadContent on bad base64."""
        if self.text is not None:
            return self.text.encode()
        return from_base64(self.blob or "", f"the blob of {self.uri}")


class EmbeddedResource(_Annotated, frozen=True, tag_field="type", tag="resource"):
    """The contents of a resource, inside a message."""

    __parts__ = (("resource", "resource"),)

    type: ClassVar[str] = "resource"
    resource: ResourceContents


class ToolUseContent(Wire, frozen=True, tag_field="type", tag="tool_use"):
    """A model's wish to call a tool, in a sampling message."""

    type: ClassVar[str] = "tool_use"
    id: str
    name: str
    input: JsonObject
    meta: Meta = field(default=None, name="_meta")


class ToolResultContent(Wire, frozen=True, tag_field="type", tag="tool_result"):
    """What came of the tool call `tool_use_id`, in a sampling message."""

    __parts__ = (("content", "content"),)

    type: ClassVar[str] = "tool_result"
    tool_use_id: str
    content: "tuple[Content, ...]" = field(default_factory=nothing)
    structured_content: Any = UNSET
    is_error: bool | None = None
    meta: Meta = field(default=None, name="_meta")

    @property
    def structured(self) -> Any:
        """The structured result, or None when there is none."""
        return None if self.structured_content is UNSET else self.structured_content


class UnknownContent(Verbatim):
    """A block of a kind this library does not know; `raw` holds all of it."""

    __slots__ = ()

    @property
    def type(self) -> str:
        """The block's own word for its kind, or an empty string if it has none."""
        raw = self.raw
        return str(raw.get("type", "")) if is_object(raw) else ""


KnownContent: TypeAlias = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource
ContentBlock: TypeAlias = KnownContent | UnknownContent
SamplingContent: TypeAlias = (
    TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent | UnknownContent
)

# The decoder tells blocks apart by their tag and can only be given those that have one; an unknown block is put in its
# place by whoever takes a message apart (`read_content`). To a reader of the fields it is one of the possible blocks.
if TYPE_CHECKING:
    Content: TypeAlias = ContentBlock
    Sampled: TypeAlias = SamplingContent
else:
    Content = KnownContent
    Sampled = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent


def read_content(data: bytes | Raw) -> ContentBlock:
    """Decode one block of a result or a prompt; a kind that is not known becomes `UnknownContent`.

    Raises:
        msgspec.ValidationError: the block is of a known kind and lacks something, or is no object.
    """
    if _head.decode(data).type not in _CONTENT_TAGS:
        return UnknownContent(data)
    block: KnownContent = _content.decode(data)
    return remember(block, data)


def read_sampling_content(data: bytes | Raw) -> SamplingContent:
    """Decode one block of a sampling message; a kind that is not known becomes `UnknownContent`.

    Raises:
        msgspec.ValidationError: the block is of a known kind and lacks something, or is no object.
    """
    if _head.decode(data).type not in _SAMPLING_TAGS:
        return UnknownContent(data)
    block: TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent = _sampled.decode(data)
    return remember(block, data)


def joined_text(blocks: tuple[Any, ...]) -> str:
    """Give the text of all text blocks, a line break between two. Links and embedded resources are left out."""
    if len(blocks) == 1 and isinstance(blocks[0], TextContent):  # as most results are
        return blocks[0].text
    return "\n".join([block.text for block in blocks if isinstance(block, TextContent)])


class _Head(msgspec.Struct):
    type: Any = None


_CONTENT_TAGS = ("text", "image", "audio", "resource_link", "resource")
_SAMPLING_TAGS = ("text", "image", "audio", "tool_use", "tool_result")
_head = msgspec.json.Decoder(_Head)
_content: Any = msgspec.json.Decoder(Content)
_sampled: Any = msgspec.json.Decoder(Sampled)

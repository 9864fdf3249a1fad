"""Tools: what a server offers to do, the request to do it, and what came of it."""

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field
from msgspec.structs import force_setattr, replace

from dragoman.types.base import Wire, encode, nothing
from dragoman.types.content import Content, Icon, joined_text
from dragoman.types.lenient import read_json
from dragoman.types.meta import JsonObject, Meta, Number, is_object
from dragoman.types.requests import InputParams
from dragoman.types.results import Listing, Result
from dragoman.types.tasks import TaskMetadata

__all__ = [
    "CallToolParams",
    "CallToolResult",
    "ListToolsResult",
    "Tool",
    "ToolAnnotations",
    "ToolExecution",
    "ToolsPage",
    "Violation",
    "problems",
    "with_violations",
]

if TYPE_CHECKING:
    Flag = bool
else:
    Flag = bool | None  # decoded leniently; the struct turns null into False


class ToolAnnotations(Wire, frozen=True):
    """Hints about what a tool does, to be trusted as far as its server is. None where the server says nothing."""

    title: str | None = None
    read_only_hint: bool | None = None
    destructive_hint: bool | None = None
    idempotent_hint: bool | None = None
    open_world_hint: bool | None = None

    @property
    def is_read_only(self) -> bool:
        """Whether the tool changes nothing. Assumed false."""
        return self.read_only_hint is True

    @property
    def is_destructive(self) -> bool:
        """Whether the tool may destroy something. Assumed true, and false for one that only reads."""
        return self.destructive_hint is not False and not self.is_read_only

    @property
    def is_idempotent(self) -> bool:
        """Whether doing it twice is as doing it once. Assumed false."""
        return self.idempotent_hint is True

    @property
    def is_open_world(self) -> bool:
        """Whether the tool reaches beyond its server. Assumed true."""
        return self.open_world_hint is not False


class ToolExecution(Wire, frozen=True):
    """Whether a tool may run as a task: `forbidden`, `optional` or `required` (2025-11-25)."""

    task_support: str | None = None


class Tool(Wire, frozen=True):
    """Something a server can do.

    Its schemas stay unparsed until asked for. `input_schema` and `output_schema` give a fresh dict each time, which
    the caller may change. To make a tool, use `Tool.define`.
    """

    name: str
    input_schema_raw: Raw = field(name="inputSchema")
    title: str | None = None
    description: str | None = None
    output_schema_raw: Raw | UnsetType = field(default=UNSET, name="outputSchema")
    annotations: ToolAnnotations | None = None
    icons: tuple[Icon, ...] | None = None
    execution: ToolExecution | None = None
    meta: Meta = field(default=None, name="_meta")

    @classmethod
    def define(
        cls,
        name: str,
        input_schema: JsonObject | None = None,
        *,
        output_schema: JsonObject | None = None,
        **fields: Any,
    ) -> "Tool":
        """Make a tool from plain schemas; without `input_schema` it takes no arguments."""
        schema = {"type": "object"} if input_schema is None else input_schema
        output = UNSET if output_schema is None else Raw(encode(output_schema))
        return cls(name, Raw(encode(schema)), output_schema_raw=output, **fields)

    @property
    def input_schema(self) -> JsonObject:
        """The JSON Schema of the arguments."""
        schema: JsonObject = read_json(self.input_schema_raw)
        return schema

    @property
    def output_schema(self) -> JsonObject | None:
        """The JSON Schema of the structured result, or None when the server gave none that is an object."""
        if isinstance(self.output_schema_raw, UnsetType):
            return None
        schema = read_json(self.output_schema_raw)
        return schema if is_object(schema) else None

    @property
    def hints(self) -> ToolAnnotations:
        """The annotations, or those of a tool about which nothing is said."""
        return self.annotations or _NOTHING_SAID

    @property
    def display_name(self) -> str:
        """What to show to people: the title, the annotations' title, or the name."""
        return self.title or self.hints.title or self.name

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tool):
            return NotImplemented
        return _comparable(self) == _comparable(other)

    def __ne__(self, other: object) -> bool:
        # The struct's own would compare the schemas' bytes.
        return not self == other

    def __hash__(self) -> int:
        return hash((self.name, self.description))


class Violation(Struct, frozen=True):
    """One way in which a result breaks its tool's output schema.

    `path` is a JSON Pointer into the structured result (empty for the whole), `schema_path` one into the schema.
    """

    path: str
    message: str
    schema_path: str = ""

    def __str__(self) -> str:
        return f"{self.path or 'the result'}: {self.message}"


class CallToolParams(InputParams, frozen=True):
    """Params of `tools/call`. `task` asks for a task instead of a result (2025-11-25)."""

    name: str
    arguments: JsonObject | Raw | None = None
    task: TaskMetadata | None = None


class CallToolResult(Result, frozen=True):
    """What came of a tool call.

    `structured_content` is as on the wire, `msgspec.UNSET` when absent; `structured` is the same with None.
    """

    __parts__ = (("content", "content"),)

    content: tuple[Content, ...] = field(default_factory=nothing)
    structured_content: Any = UNSET
    is_error: Flag = False

    def __post_init__(self) -> None:
        if not self.is_error:
            force_setattr(self, "is_error", False)

    @property
    def structured(self) -> Any:
        """The structured result, any JSON; None when there is none."""
        return None if self.structured_content is UNSET else self.structured_content

    @property
    def has_structured(self) -> bool:
        """Whether there is a structured result, null included."""
        return self.structured_content is not UNSET

    @property
    def text(self) -> str:
        """The text of all text blocks, a line break between two; links and embedded resources are left out."""
        return joined_text(self.content)

    @property
    def violations(self) -> tuple[Violation, ...]:
        """What in the structured result breaks the tool's output schema; empty when it was right or not checked."""
        violations: tuple[Violation, ...] = self.__dict__.get("_violations", ())
        return violations


class ListToolsResult(Listing[Tool], frozen=True):
    """The tools a server offers."""

    __parts__ = (("tools", "tools"),)
    _items = "tools"

    tools: tuple[Tool, ...] = field(default_factory=nothing)

    @property
    def by_name(self) -> dict[str, Tool]:
        """The tools by their name; of two with one name, the first."""
        return self._index()


class ToolsPage(Result, frozen=True):
    """A page of `tools/list` whose items are not decoded yet."""

    tools: tuple[Raw, ...]
    next_cursor: str | None = None
    ttl_ms: Number | None = None
    cache_scope: str | None = None


def problems(tool: Tool) -> str | None:
    """Say why a tool cannot be used as it was sent, or None: its input schema has to be an object of type `object`."""
    # Mostly that is what stands first, and then nothing has to be decoded.
    if bytes(tool.input_schema_raw).startswith(_OBJECT):
        return None
    try:
        kind = _schema_head.decode(tool.input_schema_raw).type
    except msgspec.DecodeError:
        return "inputSchema is not an object"
    if kind == "object":
        return None
    return "inputSchema has no type" if kind is UNSET else f'inputSchema is of type {kind!r}, not "object"'


def with_violations(result: CallToolResult, violations: tuple[Violation, ...]) -> CallToolResult:
    """Give the same result with what its validation found; what it remembers of the wire stays."""
    checked = replace(result)
    for name, remembered in {**result.__dict__, "_violations": violations}.items():
        force_setattr(checked, name, remembered)
    return checked


_OBJECT = (b'{"type":"object"', b'{"type": "object"')


class _SchemaHead(Struct):
    type: Any = UNSET


def _comparable(tool: Tool) -> tuple[Any, ...]:
    # Two servers, or one at two times, may write the same schema with other blanks or in another order.
    return (
        tool.name,
        tool.title,
        tool.description,
        tool.annotations,
        tool.icons,
        tool.execution,
        tool.meta,
        tool.input_schema,
        tool.output_schema,
    )


_schema_head = msgspec.json.Decoder(_SchemaHead)
_NOTHING_SAID = ToolAnnotations()

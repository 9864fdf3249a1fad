"""Elicitation: a server asks the user something, in a form or behind a link."""

from typing import Any, ClassVar, TypeAlias

import msgspec
from msgspec import Raw, Struct, field

from dragoman.types.base import Wire, decode
from dragoman.types.meta import JsonObject, Meta, Number, is_array, is_object
from dragoman.types.tasks import TaskMetadata

__all__ = [
    "BooleanSchema",
    "Choice",
    "ElicitFormParams",
    "ElicitParams",
    "ElicitResult",
    "ElicitUrlParams",
    "MultiSelectSchema",
    "NumberSchema",
    "OtherSchema",
    "PrimitiveSchema",
    "SelectSchema",
    "StringSchema",
    "UrlElicitationRequiredData",
    "read_elicit_params",
    "read_primitive_schema",
]


class Choice(Wire, frozen=True):
    """One of the values to choose from, and what to show for it."""

    const: str
    title: str | None = None

    @property
    def label(self) -> str:
        """What to show: the title, or the value itself."""
        return self.const if self.title is None else self.title


class StringSchema(Wire, frozen=True, tag_field="type", tag="string"):
    """A text field; `format` may be `email`, `uri`, `date` or `date-time`, lengths count characters."""

    type: ClassVar[str] = "string"
    title: str | None = None
    description: str | None = None
    min_length: Number | None = None
    max_length: Number | None = None
    format: str | None = None
    pattern: str | None = None
    default: Any = None


class NumberSchema(Wire, frozen=True):
    """A number field; `type` is `number` or `integer`."""

    type: str
    title: str | None = None
    description: str | None = None
    minimum: Number | None = None
    maximum: Number | None = None
    default: Any = None


class BooleanSchema(Wire, frozen=True, tag_field="type", tag="boolean"):
    """A yes or no."""

    type: ClassVar[str] = "boolean"
    title: str | None = None
    description: str | None = None
    default: Any = None


class SelectSchema(Wire, frozen=True, tag_field="type", tag="string"):
    """One of several values: plain (`enum`), titled (`one_of`), or titled the older way (`enum_names`)."""

    type: ClassVar[str] = "string"
    title: str | None = None
    description: str | None = None
    enum: tuple[str, ...] | None = None
    enum_names: tuple[str, ...] | None = None
    one_of: tuple[Choice, ...] | None = None
    default: Any = None

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The values with their titles, however the server wrote them."""
        return _choices(self.one_of, self.enum, self.enum_names)


class _Options(Wire, frozen=True):
    type: str | None = None
    enum: tuple[str, ...] | None = None
    any_of: tuple[Choice, ...] | None = None


class MultiSelectSchema(Wire, frozen=True, tag_field="type", tag="array"):
    """Several of several values; at least `min_items` and at most `max_items` of them."""

    type: ClassVar[str] = "array"
    items: _Options
    title: str | None = None
    description: str | None = None
    min_items: Number | None = None
    max_items: Number | None = None
    default: Any = None

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The values with their titles, however the server wrote them."""
        return _choices(self.items.any_of, self.items.enum, None)


class OtherSchema(Wire, frozen=True):
    """A field of a kind that the specification does not allow; `raw` holds its schema."""

    type: Any = None
    title: Any = None
    description: Any = None
    default: Any = None


PrimitiveSchema: TypeAlias = (
    StringSchema | NumberSchema | BooleanSchema | SelectSchema | MultiSelectSchema | OtherSchema
)


class ElicitFormParams(Wire, frozen=True):
    """Params of `elicitation/create` that show a form; `requested_schema` is a flat JSON Schema of an object."""

    message: str
    requested_schema: JsonObject
    mode: str | None = None
    task: TaskMetadata | None = None
    meta: Meta = field(default=None, name="_meta")

    @property
    def fields(self) -> dict[str, PrimitiveSchema]:
        """The form's fields by name, in the order the server gave."""
        properties = self.requested_schema.get("properties")
        stated = properties if is_object(properties) else {}
        return {name: read_primitive_schema(schema) for name, schema in stated.items()}

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the fields that have to be filled in."""
        required = self.requested_schema.get("required")
        return tuple(map(str, required)) if is_array(required) else ()


class ElicitUrlParams(Wire, frozen=True, tag_field="mode", tag="url"):
    """Params of `elicitation/create` that send the user to `url`.

    `elicitation_id` is what `notifications/elicitation/complete` will name; 2026-07-28 has none.
    """

    mode: ClassVar[str] = "url"
    message: str
    url: str
    elicitation_id: str | None = None
    task: TaskMetadata | None = None
    meta: Meta = field(default=None, name="_meta")


ElicitParams: TypeAlias = ElicitFormParams | ElicitUrlParams


class ElicitResult(Wire, frozen=True):
    """What the user did: `accept` (with the form's content), `decline` or `cancel`."""

    action: str
    content: dict[str, Any] | None = None
    meta: Meta = field(default=None, name="_meta")


class UrlElicitationRequiredData(Wire, frozen=True):
    """The data of error -32042: what the user has to do first (2025-11-25)."""

    __parts__ = (("elicitations", "elicitations"),)

    elicitations: tuple[ElicitUrlParams, ...]


def read_elicit_params(data: bytes | Raw) -> ElicitParams:
    """Decode the params of `elicitation/create` by their mode; without one they show a form.

    Raises:
        msgspec.ValidationError: the mode is not known, or the params are not of their mode's shape.
    """
    mode = _mode.decode(data).mode
    if mode == "url":
        return decode(data, ElicitUrlParams)
    if mode is None or mode == "form":
        return decode(data, ElicitFormParams)
    raise msgspec.ValidationError(f"mode is {mode!r}; known are 'form' and 'url'")


def read_primitive_schema(schema: Any) -> PrimitiveSchema:
    """View one property of a form's schema as the field it describes; `OtherSchema` for what is none."""
    if not is_object(schema):
        return OtherSchema()
    data = msgspec.json.encode(schema)
    try:
        return decode(data, _schema_kind(schema))
    except msgspec.ValidationError:
        return decode(data, OtherSchema)


def _schema_kind(schema: JsonObject) -> type[PrimitiveSchema]:
    kind = schema.get("type")
    if kind == "string" and ("enum" in schema or "oneOf" in schema):
        return SelectSchema
    return _KINDS.get(kind, OtherSchema) if isinstance(kind, str) else OtherSchema


def _choices(
    titled: tuple[Choice, ...] | None, plain: tuple[str, ...] | None, names: tuple[str, ...] | None
) -> tuple[Choice, ...]:
    if titled is not None:
        return titled
    values = plain or ()
    titles = (names or ())[: len(values)]
    return tuple(map(Choice, values, titles + (None,) * (len(values) - len(titles))))


class _Mode(Struct):
    mode: Any = None


_mode = msgspec.json.Decoder(_Mode)
_KINDS: dict[str, type[PrimitiveSchema]] = {
    "string": StringSchema,
    "number": NumberSchema,
    "integer": NumberSchema,
    "boolean": BooleanSchema,
    "array": MultiSelectSchema,
}

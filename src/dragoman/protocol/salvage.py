"""Keep the good items of a bad message.

What is as it should be is decoded straight to its type. Only when that fails is it taken apart, guided by the type:
each field and each item by itself. What cannot be read costs no more than itself, and is reported as a `Problem`;
where something is missing that nothing can stand in for, the whole is a `ProtocolError`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Raw, Struct

from dragoman.errors import BadSchema, ProtocolError
from dragoman.protocol.jsonrpc import excerpt
from dragoman.protocol.mending import Problem, Salvage, members
from dragoman.protocol.schemas import find_remote_reference
from dragoman.types import (
    UNREADABLE,
    CallToolResult,
    CreateMessageParams,
    ElicitFormParams,
    ElicitUrlParams,
    GetPromptResult,
    InputRequiredResult,
    Listing,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListRootsParams,
    ListToolsResult,
    Prompt,
    PromptsPage,
    QuestionParams,
    ReadResourceResult,
    Resource,
    ResourcesPage,
    ResourceTemplate,
    ResourceTemplatesPage,
    Tool,
    ToolsPage,
    Wire,
    decode,
    decode_each,
    problems,
    read_json,
    remember_whole,
)

__all__ = ["Problem", "read", "read_input_required", "read_list", "read_question", "unique"]

W = TypeVar("W", bound=Wire)
L = TypeVar("L", bound=Listing[Any])
Item = TypeVar("Item")

_LONGEST_NAME = 200


def read(data: bytes | Raw, kind: type[W]) -> tuple[W, tuple[Problem, ...]]:
    """Read a result, or the params of what the server asks or tells, and say what was wrong with it.

    Content blocks of a kind that is not known become `UnknownContent`, which is no problem: the server is newer.

    Raises:
        ProtocolError: it is no `kind`, or lacks what a `kind` cannot be without.
    """
    found: tuple[Problem, ...] = ()
    try:
        value = decode(data, kind)
    except UNREADABLE:
        salvage = Salvage()
        value = salvage.whole(data, kind)
        found = salvage.found()
    expected = _EXPECTED.get(kind)
    if expected is None or getattr(value, expected):
        return value, found
    return value, (*found, *_absence(data, expected))


def _absence(data: bytes | Raw, expected: str) -> tuple[Problem, ...]:
    """Report that what a result is made of is not there, unless it is there and empty."""
    salvage = Salvage()
    if expected not in (members(data) or {}):
        salvage.report(expected, f"{expected} is missing", data)
    return salvage.found()


def read_input_required(data: bytes | Raw) -> InputRequiredResult:
    """Read a result that asks for input; a question that cannot be read is left out, so that it is asked again.

    Raises:
        ProtocolError: nothing can be made of it.
    """
    return read(data, InputRequiredResult)[0]


def read_list(data: bytes | Raw, kind: type[L]) -> tuple[L, tuple[Problem, ...]]:
    """Read one page of a list, keep the items that can be used, and name those that cannot.

    Raises:
        ProtocolError: it is no list of that kind at all.
    """
    shape = _LISTS[kind]
    salvage = Salvage()
    page = _page(data, shape, salvage)
    page[shape.attribute] = _Items(shape, shape.judge(data), salvage).read(page[shape.attribute])
    return remember_whole(kind(**page), data), salvage.found()


def unique(items: Iterable[Item], key: Callable[[Item], str]) -> tuple[tuple[Item, ...], tuple[Problem, ...]]:
    """Keep the first of the items that share a key, and report the others by it."""
    items = tuple(items)
    if len(set(map(key, items))) == len(items):
        return items, ()
    kept: dict[str, Item] = {}
    salvage = Salvage()
    for position, item in enumerate(items):
        if kept.setdefault(key(item), item) is not item:
            salvage.report(f"[{position}]", "there is another one before it that is called the same", name=key(item))
    return tuple(kept.values()), salvage.found()


def read_question(method: str, data: bytes | Raw | None) -> tuple[QuestionParams, tuple[Problem, ...]]:
    """Read the params of what a server asks of the client, by the method; None counts as empty.

    Raises:
        ProtocolError: nothing of the kind can be asked, or the params lack what the question cannot be without.
    """
    present = b"{}" if data is None else data
    kind = _question_kind(method, present)
    if kind is None:
        raise ProtocolError(f"no server can ask this of a client: {method}", excerpt=excerpt(bytes(present)))
    return read(present, kind)


def _question_kind(method: str, params: bytes | Raw) -> type[QuestionParams] | None:
    if method != "elicitation/create":
        return _QUESTIONS.get(method)
    mode = (members(params) or {}).get("mode")
    return ElicitFormParams if mode is None else _ELICITATIONS.get(bytes(mode))


# What an answer of these kinds is made of, and may be empty, but should be there.
_EXPECTED: dict[type, str] = {
    CallToolResult: "content",
    GetPromptResult: "messages",
    ReadResourceResult: "contents",
}

_QUESTIONS: dict[str, type[QuestionParams]] = {
    "sampling/createMessage": CreateMessageParams,
    "roots/list": ListRootsParams,
}
_ELICITATIONS: dict[bytes, type[QuestionParams]] = {
    b"null": ElicitFormParams,
    b'"form"': ElicitFormParams,
    b'"url"': ElicitUrlParams,
}


# ------------------------------------------------------------------------------------------------------------- lists


class _Shape(Struct, frozen=True):
    page: type[Wire]
    item: type[Wire]
    attribute: str
    wire: str
    key: str = "name"
    judge: Callable[[bytes | Raw], Callable[[Any], str | None]] = lambda _: lambda _: None
    """Made for a page, tells of each of its items why it cannot be used, or None."""


def _judge_of_tools(page: bytes | Raw) -> Callable[[Tool], str | None]:
    text = bytes(page)
    # Looking for one byte is several times faster than looking for a word, and most pages have neither.
    return _unusable if b"$" in text or b"\\" in text else problems


def _unusable(tool: Tool) -> str | None:
    return problems(tool) or _leads_outside(tool.input_schema_raw)


def _leads_outside(schema: Raw) -> str | None:
    """Say where a schema refers to that is not in it: nothing is fetched, so no arguments could be checked by it."""
    text = bytes(schema)
    if not any(mark in text for mark in _MARKS_OF_REFERENCE):
        return None
    try:
        remote = find_remote_reference(read_json(text))
    except BadSchema as error:
        return error.message
    return f"inputSchema refers to {remote[:_LONGEST_NAME]}, and nothing is fetched" if remote else None


# Between quotes; the third may be any letter of a reference that is written as an escape.
_MARKS_OF_REFERENCE = (b'Ref"', b'$ref"', b"\\u")

_LISTS: dict[Any, _Shape] = {
    ListToolsResult: _Shape(ToolsPage, Tool, "tools", "tools", judge=_judge_of_tools),
    ListPromptsResult: _Shape(PromptsPage, Prompt, "prompts", "prompts"),
    ListResourcesResult: _Shape(ResourcesPage, Resource, "resources", "resources", "uri"),
    ListResourceTemplatesResult: _Shape(
        ResourceTemplatesPage, ResourceTemplate, "resource_templates", "resourceTemplates", "uriTemplate"
    ),
}


def _page(data: bytes | Raw, shape: _Shape, salvage: Salvage) -> dict[str, Any]:
    """Read all of a page but its items, by attribute."""
    try:
        page = decode(data, shape.page)
    except UNREADABLE:
        page = salvage.whole(_with_items(data, shape, salvage), shape.page)
    return msgspec.structs.asdict(page)


def _with_items(data: bytes | Raw, shape: _Shape, salvage: Salvage) -> bytes | Raw:
    """Let a page without its list, or with null for it, be an empty one."""
    parts = members(data)
    if parts is None or bytes(parts.get(shape.wire, b"null")) != b"null":
        return data
    salvage.report(shape.wire, f"{shape.wire} is missing", data)
    return msgspec.json.encode({**parts, shape.wire: ()})


class _Items(Struct, frozen=True):
    """Reads the items of one page."""

    shape: _Shape
    complaint: Callable[[Any], str | None]
    salvage: Salvage

    def read(self, parts: Sequence[Raw]) -> tuple[Wire, ...]:
        """Read all at once, or one by one where one of them is not as it should be."""
        try:
            items = decode_each(parts, self.shape.item)
        except UNREADABLE:
            items = ()
        if len(items) == len(parts) and not any(map(self.complaint, items)):
            return items
        kept = [self._one(each, place) for place, each in enumerate(parts)]
        return tuple(item for item in kept if item is not None)

    def _one(self, data: Raw, place: int) -> Wire | None:
        try:
            item: Wire | None = decode(data, self.shape.item)
        except UNREADABLE:
            item = self._salvaged(data, self._where(place))
        complaint = None if item is None else self.complaint(item)
        if complaint is None:
            return item
        self.salvage.report(self._where(place), complaint, data, name=_claimed_name(data, self.shape))
        return None

    def _where(self, place: int) -> str:
        return f"{self.shape.wire}[{place}]"

    def _salvaged(self, data: Raw, where: str) -> Wire | None:
        self.salvage.name = _claimed_name(data, self.shape)
        item: Wire | None = self.salvage.kept(data, self.shape.item, where)
        self.salvage.name = ""
        return item


def _claimed_name(data: bytes | Raw, shape: _Shape) -> str:
    claimed = (members(data) or {}).get(shape.key, b'""')
    try:
        return msgspec.json.decode(claimed, type=str)[:_LONGEST_NAME]
    except UNREADABLE:
        return ""

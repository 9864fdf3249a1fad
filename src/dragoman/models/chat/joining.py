"""Put the pieces of a reply together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec import Struct

from dragoman.models.chat.events import (
    ModelEvent,
    ModelReply,
    Stop,
    Stopped,
    TextDelta,
    ThinkingDelta,
    ToolCallBegun,
    ToolCallMade,
    Usage,
    UsageReported,
)
from dragoman.models.chat.messages import OWN_ID, Call, ModelMessage, Said, Text, Thinking
from dragoman.types import JsonObject

__all__ = ["Joiner"]

_SURROGATES = re.compile("[\ud800-\udfff]")


class _Open(Struct):
    """Text or a thought to which more may come, until something is kept with it."""

    kind: type[Text | Thinking]
    pieces: list[str]
    kept: JsonObject

    def closed(self) -> Said:
        return self.kind("".join(self.pieces), self.kept)


class Joiner:
    """Joins the events of one reply; owns what has been said up to now.

    Calls get the tools' own names, for those that the model knows them by, and an id that no other call has where the
    model gave them none.
    """

    def __init__(self, model: str = "", names: Mapping[str, str] | None = None, taken: Iterable[str] = ()) -> None:
        self._model = model
        self._names = names or {}
        self._taken = set(taken)
        self._begun: list[tuple[str, str]] = []
        self._parts: list[Call | _Open] = []
        self._half = ""
        self._stopped = Stopped(Stop.OTHER)
        self._usage = Usage()

    def add(self, event: ModelEvent) -> ModelEvent:
        """Take one more event, and give it as it is told onward."""
        match event:
            case TextDelta(kept=kept):
                event = TextDelta(self._mended(event.text), kept)
                self._extend(Text, event.text, kept)
            case ThinkingDelta(kept=kept):
                event = ThinkingDelta(self._mended(event.text), kept)
                self._extend(Thinking, event.text, kept)
            case ToolCallBegun(id=given, name=name):
                event = ToolCallBegun(self._new_id(given), self._own(name))
                self._begun.append((given, event.id))
            case ToolCallMade(id=given, name=name):
                arguments = _without_halves(event.arguments) or "{}"
                event = ToolCallMade(self._id(given), self._own(name), arguments, event.kept)
                self._parts.append(Call(event.id, event.name, arguments, event.kept))
            case UsageReported(usage=usage):
                self._usage = usage
            case _:
                self._stopped = event
        return event

    def _mended(self, text: str) -> str:
        """Keep half a character back until its other half comes: some cut text between the two that JSON writes it by."""
        if not self._half and (text.isascii() or not _SURROGATES.search(text)):
            return text
        text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return _without_halves(text)

    def _own(self, name: str) -> str:
        return self._names.get(name, name)

    def _id(self, given: str) -> str:
        """Give the id that a call was begun by, or a new one where its beginning was not told."""
        for begun in self._begun:
            if begun[0] == given:
                self._begun.remove(begun)
                return begun[1]
        return self._new_id(given)

    def _new_id(self, given: str) -> str:
        number = len(self._taken) + 1
        while not given or given in self._taken:
            given, number = f"{OWN_ID}{number}", number + 1
        self._taken.add(given)
        return given

    def _extend(self, kind: type[Text | Thinking], text: str, kept: JsonObject) -> None:
        last = self._parts[-1] if self._parts else None
        if isinstance(last, _Open) and last.kind is kind and not last.kept:
            last.pieces.append(text)
            last.kept = kept
        elif text or kept:
            self._parts.append(_Open(kind, [text], kept))

    @property
    def usage(self) -> Usage:
        """What has been used up to now."""
        return self._usage

    @property
    def message(self) -> ModelMessage:
        """What has been said up to now."""
        return ModelMessage(
            tuple(part if isinstance(part, Call) else part.closed() for part in self._parts), self._model
        )

    def reply(self) -> ModelReply:
        """Give the whole reply."""
        return ModelReply(self.message, self._stopped.stop, self._stopped.said, self._usage)


def _without_halves(text: str) -> str:
    """Join the halves of characters, and put a mark where one is alone: no provider would take it back."""
    if text.isascii() or not _SURROGATES.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

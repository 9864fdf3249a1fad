"""Find in a server's texts what a person would not see, and what is meant for a model to obey."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from dragoman.host.secrets import plain_text

__all__ = ["Suspicion", "suspicions"]


class Suspicion(Struct, frozen=True):
    """Something odd in a text: what, where in the definition ("description", "inputSchema.properties.x"), and a piece."""

    what: str
    where: str
    excerpt: str

    def __str__(self) -> str:
        return f"{self.where or 'the text'}: {self.what}: {self.excerpt}"


_UNSEEN = (
    (
        "characters that nobody sees",
        re.compile(
            "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0]+"
        ),
    ),
    ("text in invisible tags", re.compile("[\U000e0000-\U000e007f]+")),
    ("bytes hidden in variation selectors", re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")),
    ("text that is shown in another order", re.compile("[\u202a-\u202e\u2066-\u2069]+")),
    ("control characters", re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]+")),
    ("characters that mean nothing", re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]+")),
)
# Letters of other alphabets that look like Latin ones.
_LIKE_LATIN = dict(
    zip(
        "аеіјорсухѕһԁԛԝАВЕІЈКМНОРСТУХЅοΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
        "aeijopcyxshdqwABEIJKMHOPCTYXSoABEZHIKMNOPTYX",
        strict=True,
    )
)
_LOOKALIKE = "".join(_LIKE_LATIN)
_MIXED = re.compile(rf"[A-Za-z][{_LOOKALIKE}]|[{_LOOKALIKE}][A-Za-z]")
_FOLDED = str.maketrans(_LIKE_LATIN)
_COMMANDING = (
    (
        "it tells to disregard other instructions",
        r"(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+|everything\s+)*(?:previous|prior|above|earlier|other|system)\b",
    ),
    (
        "it tells to keep something from the user",
        r"(?:(?:do|must|should|shall|may)\s+not|don'?t|never|without)\s+(?:let|tell|mention|inform|show|reveal|disclos\w+|notify\w*|telling|mentioning|informing|notifying)\b[^.\n]{0,40}\b(?:user|human|anyone|them)",
    ),
    (
        "it poses as a message of the system",
        r"</?\s*(?:important|system|instructions?|secret|admin|hidden)\b[^>]{0,40}>|\[/?INST\]|<\|im_(?:start|end)\|>|^[ \t]*(?:#+[ \t]*)?system\b[ \t]*(?:(?:prompt|message)[ \t]*)?:",
    ),
    (
        "it asks for secrets or private files",
        r"(?:read|include|send|pass|provide|attach|access|cat|contents?\s+of)\b[^.\n]{0,60}(?:~/|\.ssh|id_rsa|\.env\b|\.aws|credentials?\b|api[ _-]?keys?\b|passwords?\b|mcp\.json|private\s+keys?)",
    ),
    (
        "it wants to be used before or instead of others",
        r"(?:before|instead\s+of)\s+(?:using|calling|invoking|running)\s+(?:any|every|all|other)\b[^.\n]{0,30}\btools?|(?:must|always)\s+(?:first\s+)?(?:call|use|invoke|run)\s+this\s+tool\s+(?:first|before|instead)",
    ),
    (
        "it changes what other tools do",
        r"\balways\s+bcc\b|(?:when|whenever|if|after)\s+(?:you\s+)?(?:use|call|invoke|send|using|calling|sending)\b[^.\n]{0,60}\b(?:also|instead|bcc|forward|redirect|change\s+the\s+recipient)\b",
    ),
)
_COMMANDING_PATTERNS = tuple((what, re.compile(f"(?im){pattern}")) for what, pattern in _COMMANDING)
_JOINED_EMOJI = re.compile(
    "(?<=[\u2600-\u27bf\U0001f000-\U0001faff\ufe0f])\u200d(?=[\u2600-\u27bf\U0001f000-\U0001faff])"
)
_LONGEST = 80


def suspicions(value: Any, where: str = "") -> tuple[Suspicion, ...]:
    """Look through all the texts of a definition, its keys included."""
    return tuple(found for place, text in _texts(value, where) for found in _in_text(text, place))


def _texts(value: Any, where: str) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield where, value
        case Mapping():
            for key, each in value.items():
                inner = f"{where}.{plain_text(str(key))}" if where else plain_text(str(key))
                yield f"{inner} (its name)", str(key)
                yield from _texts(each, inner)
        case list() | tuple():
            for index, each in enumerate(value):
                yield from _texts(each, f"{where}.{index}")


def _in_text(text: str, where: str) -> Iterator[Suspicion]:
    seen = _JOINED_EMOJI.sub("", text)
    for what, pattern in _UNSEEN:
        if match := pattern.search(seen):
            yield Suspicion(what, where, _revealed(match[0]))
    bare = unicodedata.normalize("NFKC", seen)
    if match := _MIXED.search(bare):
        yield Suspicion("letters of several alphabets in one word", where, _word_around(bare, match.start()))
    for _, pattern in _UNSEEN:
        bare = pattern.sub("", bare)
    bare = bare.translate(_FOLDED)
    for what, pattern in _COMMANDING_PATTERNS:
        if match := pattern.search(bare):
            yield Suspicion(what, where, plain_text(match[0])[:_LONGEST])


def _word_around(text: str, at: int) -> str:
    start = max(text.rfind(" ", 0, at) + 1, at - _LONGEST // 2)
    return plain_text(text[start : start + _LONGEST].partition(" ")[0])


def _revealed(text: str) -> str:
    """Write what is not seen by its numbers, and what invisible tags say by its letters."""
    tagged = "".join(chr(ord(char) - 0xE0000) for char in text if 0xE0020 <= ord(char) <= 0xE007E)
    if tagged:
        return f"{tagged[:_LONGEST]!r}"
    return " ".join(f"U+{ord(char):04X}" for char in text[:8])

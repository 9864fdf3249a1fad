"""What can be read at the demo's inn: three resources, a fourth behind the cellar door, and three templates."""

import json
from collections.abc import Callable

from dragoman.demo.cities import CITIES, kilometres
from dragoman.demo.inn import Inn
from dragoman.demo.wire import Message

__all__ = ["CLOCK", "NOTE", "definitions", "read", "templates"]

CLOCK = "demo://clock"
NOTE = "demo://note"
TREASURE = "demo://treasure"

GUIDE = """# The demo's inn

Ask for a room with `book_room`, measure a way with `distance`, travel it with `travel`.
`write_note` changes the note at `demo://note`; the clock at `demo://clock` ticks only while somebody watches it.
"""

PHRASES = {"Arabic": "as-salamu alaykum", "Italian": "buongiorno", "Persian": "dorud", "Turkish": "merhaba"}

# One red pixel, as a PNG.
_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"


def definitions(inn: Inn) -> list[Message]:
    """List the resources there are; the treasure only once the cellar is open."""
    guide = {"uri": "demo://guide", "name": "guide", "title": "House guide", "mimeType": "text/markdown"}
    note = {"uri": NOTE, "name": "note", "description": "What write_note wrote.", "mimeType": "text/plain"}
    clock = {"uri": CLOCK, "name": "clock", "description": "Ticks while watched.", "mimeType": "text/plain"}
    treasure = {"uri": TREASURE, "name": "treasure", "mimeType": "image/png"}
    return [guide, note, clock, treasure] if inn.is_cellar_open else [guide, note, clock]


def templates() -> list[Message]:
    """List the resource templates."""
    return [
        {"uriTemplate": "demo://cities/{city}", "name": "city", "mimeType": "application/json"},
        {"uriTemplate": "demo://distances/{origin}/{destination}", "name": "distance", "mimeType": "application/json"},
        {"uriTemplate": "demo://phrases/{language}", "name": "phrase", "mimeType": "text/plain"},
    ]


def read(uri: str, inn: Inn) -> Message | None:
    """Give the contents of one resource, or None where there is none."""
    if uri == TREASURE and inn.is_cellar_open:
        return {"uri": uri, "mimeType": "image/png", "blob": _PIXEL}
    fixed = {
        "demo://guide": ("text/markdown", GUIDE),
        NOTE: ("text/plain", inn.note),
        CLOCK: ("text/plain", f"tick {inn.ticks}"),
    }
    mime_type, text = fixed.get(uri) or _expanded(uri) or (None, None)
    return None if text is None else {"uri": uri, "mimeType": mime_type, "text": text}


def _expanded(uri: str) -> tuple[str, str] | None:
    kind, *variables = uri.removeprefix("demo://").split("/")
    reader = _READERS.get((kind, len(variables)))
    try:
        return reader(*variables) if reader else None
    except KeyError:
        return None


def _city(city: str) -> tuple[str, str]:
    latitude, longitude = CITIES[city]
    return "application/json", json.dumps({"city": city, "latitude": latitude, "longitude": longitude})


def _distance(origin: str, destination: str) -> tuple[str, str]:
    return "application/json", json.dumps({"kilometres": kilometres(origin, destination)})


def _phrase(language: str) -> tuple[str, str]:
    return "text/plain", PHRASES[language]


_READERS: dict[tuple[str, int], Callable[..., tuple[str, str]]] = {
    ("cities", 1): _city,
    ("distances", 2): _distance,
    ("phrases", 1): _phrase,
}

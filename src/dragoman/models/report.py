"""Say what became of a tool on its way to a model: what was weakened, renamed, or left out, and why."""

from collections.abc import Iterable

from msgspec import Struct

__all__ = ["Note", "Omitted", "pointer"]


class Note(Struct, frozen=True, order=True):
    """One difference between a tool's own schema and what a model is told.

    Attributes:
        path: a JSON Pointer (RFC 6901) into the tool's input schema, empty for the whole.
        kind: "weakened" (said in words only; calls are still checked against the tool's own schema), "narrowed" (some
            arguments that the tool would take cannot be given), "renamed" (undone when a call comes back) or "shortened".
        text: the difference, in words.
    """

    path: str
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.path or 'the arguments'} ({self.kind}): {self.text}"


class Omitted(Struct, frozen=True):
    """A tool that a model is not told of, and the reason."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name}: {self.reason}"


def pointer(steps: Iterable[str | int]) -> str:
    """Write steps into a JSON value as a JSON Pointer (RFC 6901)."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)

"""Read a configuration file of any format, and know on which line each of its fields stands."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from dragoman.errors import ConfigError
from dragoman.host.jsonc import DEEPEST, BrokenJson, Path, read_jsonc

__all__ = ["LIMIT", "Document", "read_document"]

LIMIT = 16 * 1024 * 1024
"""The largest file that is read, in characters."""

_TABLE = re.compile(r"\s*\[{1,2}\s*(.+?)\s*\]{1,2}\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(r"\s*((?:[\w-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*(?:[\w-]+|\"[^\"]*\"|'[^']*'))*)\s*=")
_KEY = re.compile(r"\"([^\"]*)\"|'([^']*)'|([\w-]+)")


class Document(Struct, frozen=True):
    """What a file says, and where.

    Attributes:
        value: its contents.
        lines: the line, from 1, on which each field begins, by its path.
        file: what to call it in messages; None where it is no file.
        repeated: the paths of keys that stand there twice.
    """

    value: Any
    lines: Mapping[Path, int] = {}
    file: str | None = None
    repeated: tuple[Path, ...] = ()

    def line(self, path: Path) -> int | None:
        """Give the line of a field, or of the nearest thing around it that has one."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)


def read_document(text: str, file: str | None = None) -> Document:
    """Read a file's text: TOML and YAML by the file's ending, and JSON otherwise.

    Raises:
        ConfigError: it cannot be read; the line is told.
    """
    if len(text) > LIMIT:
        raise ConfigError(f"it has {len(text):,} characters; at most {LIMIT:,} are read", file=file)
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    ending = (file or "").rpartition(".")[2].lower()
    try:
        if ending == "toml":
            return _toml(text, file)
        if ending in {"yaml", "yml"}:
            return _yaml(text, file)
        return _json(text, file)
    except RecursionError:
        raise ConfigError("it is nested too deeply", file=file) from None


def _json(text: str, file: str | None) -> Document:
    try:
        value, lines, repeated = read_jsonc(text)
    except BrokenJson as error:
        hint = error.hint or "comments and trailing commas are fine; all else is as in JSON"
        raise ConfigError(f"it is not JSON: {error}", file=file, line=error.line, hint=hint) from None
    return Document(value, lines, file, repeated)


# ---------------------------------------------------------------------------------------------------------------- YAML


def _yaml(text: str, file: str | None) -> Document:
    # Imported here: only who has such a file pays for it.
    from yaml import YAMLError

    from dragoman.host.yaml_values import read_yaml

    try:
        documents = read_yaml(text)
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        what = getattr(error, "problem", None) or "it has characters that YAML does not allow"
        line = None if mark is None else mark.line + 1
        raise ConfigError(f"it is not YAML: {what}", file=file, line=line) from None
    whole: Any = {}
    lines: dict[Path, int] = {}
    repeated: list[Path] = []
    for value, node in documents:
        if value is not None and not _is_for_some(value):
            own: dict[Path, int] = {}
            _note(node, (), own, set(), repeated)
            lines |= own
            whole = _over(whole, value)
    return Document(whole, lines, file, tuple(repeated))


def _is_for_some(value: Any) -> bool:
    """Whether a document of Spring's holds for some profiles alone."""
    if not isinstance(value, Mapping):
        return False
    spring = value.get("spring")
    config = spring.get("config") if isinstance(spring, Mapping) else None
    is_nested = isinstance(spring, Mapping) and (
        "profiles" in spring or (isinstance(config, Mapping) and "activate" in config)
    )
    return is_nested or any(str(key).startswith(("spring.config.activate", "spring.profiles")) for key in value)


def _over(before: Any, after: Any) -> Any:
    """Lay one document over another: of two that say something of one thing, the later one counts."""
    if not (isinstance(before, Mapping) and isinstance(after, Mapping)):
        return after
    return {**before, **{key: _over(before.get(key), each) for key, each in after.items()}}


def _note(node: Any, path: Path, lines: dict[Path, int], seen: set[int], repeated: list[Path]) -> None:
    # What an alias refers to has the lines of where it was written.
    if id(node) in seen or len(path) >= DEEPEST:
        return
    seen.add(id(node))
    kind = getattr(node, "id", None)
    parts: list[tuple[str | int, Any, Any]] = []
    if kind == "mapping":
        parts = [(str(key.value), key, value) for key, value in node.value]
        repeated += [(*path, name) for name, count in Counter(name for name, _, _ in parts).items() if count > 1]
    elif kind == "sequence":
        parts = [(index, value, value) for index, value in enumerate(node.value)]
    for step, place, value in parts:
        lines.setdefault((*path, step), place.start_mark.line + 1)
        _note(value, (*path, step), lines, seen, repeated)


# ---------------------------------------------------------------------------------------------------------------- TOML


def _toml(text: str, file: str | None) -> Document:
    try:
        value = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise ConfigError(f"it is not TOML: {error}", file=file, line=int(line[1]) if line else None) from None
    return Document(value, _toml_lines(text), file)


def _toml_lines(text: str) -> dict[Path, int]:
    """Find tables and assignments; what stands inside a value has the line of that value."""
    lines: dict[Path, int] = {}
    table: Path = ()
    for number, line in enumerate(text.split("\n"), 1):
        if heading := _TABLE.match(line):
            table = _keys(heading[1])
            lines.setdefault(table, number)
        elif assignment := _ASSIGNMENT.match(line):
            lines.setdefault((*table, *_keys(assignment[1])), number)
    return lines


def _keys(text: str) -> Path:
    return tuple(double or single or bare for double, single, bare in _KEY.findall(text))

"""Write the sync colour from the async one: src/dragoman/aio -> src/dragoman/sync, tests/aio -> tests/sync.

    python tools/unasync.py            writes what has changed
    python tools/unasync.py --check    writes nothing; fails when a file is stale, missing or left over

What it does, in order: statements marked `# async-only` are dropped; `async` and `await` go; `Awaitable[T]` and
`Coroutine[..., T]` become `T`; words are exchanged as WORDS says; `AsyncAnything` becomes `Anything`, and
`async_anything` becomes `anything`. Docstrings, other strings and comments get the same words, and lose `async` before
`with`, `for` and `def`, and `await`.
What cannot be exchanged word by word lives in the files that BY_HAND names, which each colour writes for itself.
"""

import argparse
import io
import keyword
import re
import subprocess
import sys
import tempfile
import tokenize
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from tokenize import TokenInfo

__all__ = ["BY_HAND", "TREES", "WORDS", "SyncError", "Tree", "convert", "generate", "main"]

ROOT = Path(__file__).resolve().parent.parent

WORDS = {
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "aclose": "close",
    "aio": "sync",
    "aiter": "iter",
    "anext": "next",
    "asynccontextmanager": "contextmanager",
    "handle_async_request": "handle_request",
}
"""Each word with its sync counterpart; one that no source uses fails `--check`."""

BY_HAND = (
    "_awaited.py",
    "_home.py",
    "_process.py",
    "_runtime.py",
    "_waiting.py",
    "engines/default.py",
    "test_only_*.py",
)
"""Patterns, from the end of a path, of the files that each colour writes by hand."""

# Not in WORDS, whose every word is used.
_UNKNOWN = frozenset({"__await__"})
_ASYNC_ONLY = "async-only"
_PREFIXED = re.compile(r"Async(?=[A-Z])|^async_(?=[a-z])")
_WORD = re.compile(r"\w+")
_PROSE = re.compile(r"\basync (?=with\b|for\b|def\b)|\bawait ")
_WRAPPERS = frozenset({"Awaitable", "Coroutine"})
_TEXT = frozenset(
    getattr(tokenize, name)
    for name in ("STRING", "COMMENT", "FSTRING_START", "FSTRING_MIDDLE", "FSTRING_END")
    if hasattr(tokenize, name)
)


class SyncError(Exception):
    """A source cannot be turned into sync code: the message names the file, the line and the reason."""


@dataclass(frozen=True)
class Tree:
    """A folder of async sources and the folder of their sync twins, both relative to the checkout."""

    source: str
    target: str


TREES = (Tree("src/dragoman/aio", "src/dragoman/sync"), Tree("tests/aio", "tests/sync"))


@dataclass
class Edits:
    """Replacements in one text, collected in any order and applied at once; owned by one `convert`."""

    text: str
    pending: list[tuple[int, int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        # By "\n" alone, as the tokenizer counts: a source may hold U+2028 in a string.
        self.starts = [0, *accumulate(len(line) + 1 for line in self.text.split("\n"))]

    def offset(self, position: tuple[int, int]) -> int:
        return self.starts[position[0] - 1] + position[1]

    def source(self, token: TokenInfo) -> str:
        # Not `token.string`: from Python 3.12 on, that of an f-string's middle has `{{` unescaped.
        return self.text[self.offset(token.start) : self.offset(token.end)]

    def replace(self, token: TokenInfo, replacement: str) -> None:
        self.pending.append((self.offset(token.start), self.offset(token.end), replacement))

    def drop(self, token: TokenInfo, until: TokenInfo) -> None:
        self.pending.append((self.offset(token.start), self.offset(until.start), ""))

    def drop_lines(self, first: int, last: int) -> None:
        self.pending.append((self.starts[first - 1], self.starts[last], ""))

    def apply(self) -> str:
        parts: list[str] = []
        position = 0
        for start, end, replacement in sorted(self.pending):
            if start < position:
                continue  # inside something already dropped
            parts += self.text[position:start], replacement
            position = end
        return "".join([*parts, self.text[position:]])


def convert(text: str, origin: str, used: Counter[str] | None = None) -> str:
    """Turn the text of one async module into sync code, not yet formatted.

    `used` counts the words that were exchanged. Raises: SyncError, when what remains is not plain sync Python.
    """
    used = Counter() if used is None else used
    _must_be_python(text, origin, "the source")
    edits = Edits(_without_async_only(text))
    tokens = list(tokenize.generate_tokens(io.StringIO(edits.text).readline))
    for index, token in enumerate(tokens):
        if token.type in _TEXT:
            edits.replace(token, _PROSE.sub("", _exchanged(edits.source(token), used)))
        elif token.type == tokenize.NAME:
            _convert_name(edits, tokens, index, used)
    result = edits.apply()
    _must_be_sync(result, origin)
    return f"# generated from {origin} by tools/unasync.py; do not edit\n{result}"


def _without_async_only(text: str) -> str:
    """Drop the statements, whole even when they span lines, that carry the mark."""
    edits = Edits(text)
    for statement in _statements(text):
        if any(token.type == tokenize.COMMENT and _is_mark(token.string) for token in statement):
            edits.drop_lines(statement[0].start[0], statement[-1].start[0])
    return edits.apply()


def _statements(text: str) -> Iterator[list[TokenInfo]]:
    statement: list[TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in {tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}:
            continue
        statement.append(token)
        if token.type == tokenize.NEWLINE or (
            token.type == tokenize.NL and len(statement) <= 2 and _is_aside(statement)
        ):
            yield statement
            statement = []


def _is_aside(tokens: list[TokenInfo]) -> bool:
    return all(token.type in {tokenize.COMMENT, tokenize.NL} for token in tokens)


def _is_mark(comment: str) -> bool:
    return comment.lstrip("# ").startswith(_ASYNC_ONLY)


def _convert_name(edits: Edits, tokens: list[TokenInfo], index: int, used: Counter[str]) -> None:
    token, following = tokens[index], tokens[index + 1]
    if token.string in {"async", "await"}:
        edits.drop(token, following)
        if token.string == "await":
            _drop_needless_parentheses(edits, tokens, index)
    elif token.string in _WRAPPERS and following.string == "[":
        _unwrap(edits, tokens, index)
    else:
        edits.replace(token, _exchanged(token.string, used))


def _exchanged(text: str, used: Counter[str]) -> str:
    def exchange(match: re.Match[str]) -> str:
        word = match[0]
        if word in WORDS:
            used[word] += 1
            return WORDS[word]
        return _PREFIXED.sub("", word)

    return _WORD.sub(exchange, text)


def _closing(tokens: list[TokenInfo], opening: int) -> int:
    depth = 0
    for index in range(opening, len(tokens)):
        if tokens[index].type == tokenize.OP:
            depth += (tokens[index].string in "([{") - (tokens[index].string in ")]}")
            if not depth:
                return index
    raise SyncError(f"line {tokens[opening].start[0]}: a bracket is never closed")


def _unwrap(edits: Edits, tokens: list[TokenInfo], index: int) -> None:
    """Keep only the last argument of `Awaitable[T]` or `Coroutine[Any, Any, T]`."""
    closing = _closing(tokens, index + 1)
    last, depth = index + 2, 0
    for position in range(index + 2, closing):
        depth += (tokens[position].string in tuple("([{")) - (tokens[position].string in tuple(")]}"))
        if tokens[position].string == "," and not depth:
            last = position + 1
    edits.drop(tokens[index], tokens[last])
    edits.replace(tokens[closing], "")


def _drop_needless_parentheses(edits: Edits, tokens: list[TokenInfo], index: int) -> None:
    """Make `(await client.ping()).ok` read `client.ping().ok`, where the parentheses stood for the `await` alone."""
    opening = index - 1
    if tokens[opening].string != "(" or _is_callable_end(tokens[opening - 1]):
        return
    closing = _closing(tokens, opening)
    if tokens[opening].start[0] == tokens[closing].end[0] and _is_primary(tokens, index + 1, closing):
        edits.replace(tokens[opening], "")
        edits.replace(tokens[closing], "")


def _is_callable_end(token: TokenInfo) -> bool:
    return token.string in {")", "]"} or (token.type == tokenize.NAME and not keyword.iskeyword(token.string))


def _is_primary(tokens: list[TokenInfo], start: int, end: int) -> bool:
    position = start
    while position < end:
        token = tokens[position]
        if token.string in {"(", "["}:
            position = _closing(tokens, position)
        elif token.string != "." and (token.type != tokenize.NAME or keyword.iskeyword(token.string)):
            return False
        position += 1
    return True


def _must_be_python(text: str, origin: str, what: str) -> None:
    try:
        compile(text, origin, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise SyncError(f"{origin}: {what} is not Python ({error.msg}): {(error.text or '').strip()}") from error


def _must_be_sync(text: str, origin: str) -> None:
    _must_be_python(text, origin, "the sync form")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and token.string == "asyncio":
            raise SyncError(f"{origin}: asyncio is left in, and belongs into _runtime.py: {token.line.strip()}")
        if token.type == tokenize.NAME and token.string in _UNKNOWN:
            raise SyncError(f"{origin}: {token.string} is left in, and wants a line in WORDS: {token.line.strip()}")


def _sources(root: Path) -> Iterator[tuple[Path, Path]]:
    for tree in TREES:
        for source in sorted((root / tree.source).rglob("*.py")):
            relative = source.relative_to(root / tree.source)
            if not _by_hand(relative):
                yield source, root / tree.target / relative


def _by_hand(path: Path) -> bool:
    return any(path.match(pattern) for pattern in BY_HAND)


def generate(root: Path) -> tuple[dict[Path, str], list[str]]:
    """Convert every source below `root`: the text each target must have, and the words that no source used."""
    used: Counter[str] = Counter()
    texts = {}
    for source, target in _sources(root):
        texts[target] = convert(source.read_text("utf-8"), source.relative_to(root).as_posix(), used)
    return _formatted(texts, root), [word for word in WORDS if not used[word]]


def _formatted(texts: dict[Path, str], root: Path) -> dict[Path, str]:
    with tempfile.TemporaryDirectory() as folder:
        drafts = {target: Path(folder, target.relative_to(root)) for target in texts}
        for target, draft in drafts.items():
            draft.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(texts[target], "utf-8", newline="\n")
        if drafts:
            _ruff(["check", "--fix", "--unsafe-fixes", "--select=I,F401,PYI016", "--exit-zero"], folder)
            _ruff(["format"], folder)
        return {target: draft.read_text("utf-8") for target, draft in drafts.items()}


def _ruff(command: list[str], folder: str) -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]
    options = [
        f"--config=line-length={settings['line-length']}",
        f"--config=target-version='{settings['target-version']}'",
        "--config=lint.isort.known-first-party=['dragoman', 'tests']",
    ]
    subprocess.run(
        [sys.executable, "-m", "ruff", *command, "--isolated", "--no-cache", "--silent", *options, folder],
        check=True,
    )


def _leftovers(root: Path, wanted: Iterable[Path]) -> list[Path]:
    present = {path for tree in TREES for path in (root / tree.target).rglob("*.py")}
    return sorted(
        path
        for path in present - set(wanted)
        if not any(
            _by_hand(path.relative_to(root / tree.target)) for tree in TREES if path.is_relative_to(root / tree.target)
        )
    )


def _complaints(root: Path, texts: dict[Path, str], unused: list[str]) -> Iterator[str]:
    for target, text in texts.items():
        name = target.relative_to(root).as_posix()
        if not target.exists():
            yield f"{name} is missing"
        elif target.read_text("utf-8") != text:
            yield f"{name} is stale"
    for path in _leftovers(root, texts):
        yield f"{path.relative_to(root).as_posix()} has no source"
    for word in unused:
        yield f"the rule '{word}' is used by no source"


def _write(root: Path, texts: dict[Path, str]) -> None:
    for target, text in texts.items():
        if not target.exists() or target.read_text("utf-8") != text:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, "utf-8", newline="\n")
            print("wrote", target.relative_to(root).as_posix())
    for path in _leftovers(root, texts):
        path.unlink()
        print("removed", path.relative_to(root).as_posix())


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run the command line; the exit code is 1 when `--check` finds something to say."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a generated file is not current")
    options = parser.parse_args(arguments)
    try:
        texts, unused = generate(root)
    except SyncError as error:
        print(error, file=sys.stderr)
        return 1
    if not options.check:
        _write(root, texts)
        return 0
    complaints = list(_complaints(root, texts, unused))
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if complaints:
        print("run: python tools/unasync.py", file=sys.stderr)
    return bool(complaints)


if __name__ == "__main__":
    sys.exit(main())

"""Take the programs and the commands out of documents, and run them as a reader would.

A page's ```python blocks are one program, in their order. A comment right before a block changes that:

    <!-- new program -->      the block starts another program
    <!-- not run: reason -->  the block is left out
    <!-- setup: code -->      the code runs first, and the reader does not see it (anywhere on the page); it may import
                              the tests' own servers

A ```console block runs where `<!-- run -->` or `<!-- run: exit 5 -->` stands before it: each line that starts with `$ `
is a command, and the lines below it are what it prints, with `...` for what may differ.
"""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tests.project.sources import ROOT

__all__ = ["Command", "Program", "commands", "environment", "pages", "programs", "run"]

BLOCK = re.compile(
    r"(?:^[ \t]*<!--[ ]*(?P<note>[^\n]*?)[ ]*-->[ \t]*\n\s*)?^(?P<indent>[ \t]*)```(?P<kind>\w+)[^\n]*\n(?P<code>.*?)^(?P=indent)```",
    re.MULTILINE | re.DOTALL,
)
SETUP = re.compile(r"<!--[ ]*setup:(?P<code>.*?)-->", re.DOTALL)
RUNNER = """
import ast, asyncio, inspect, pathlib, sys
code = compile(pathlib.Path(sys.argv[1]).read_text("utf-8"), sys.argv[2], "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
result = eval(code, {"__name__": "__main__"})
if inspect.iscoroutine(result):
    asyncio.run(result)
"""
LAUNCHERS = {
    "uvx": "import sys; sys.argv[1:2] = ['-m', sys.argv[1].replace('-', '_')]; command = [sys.executable, *sys.argv[1:]]",
    "npx": (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tests.servers.installed import npm_server;"
        " *_, name = [word for word in sys.argv if word.startswith('@modelcontextprotocol/')];"
        " command = npm_server(name.partition('/')[2], *sys.argv[sys.argv.index(name) + 1:])"
    ),
}
"""What a reader has on the machine, done here by the servers that the tests have installed anyway."""


@dataclass(frozen=True)
class Program:
    """One Python program of a page, its lines numbered as there."""

    place: str
    code: str


@dataclass(frozen=True)
class Command:
    """One command of a page, with what it shall print and its exit code."""

    place: str
    line: str
    output: str
    exit_code: int


def pages() -> list[Path]:
    """List the documents whose code runs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def programs(page: Path, root: Path = ROOT) -> list[Program]:
    """Find the Python programs of a page."""
    text = page.read_text("utf-8")
    setup = "\n".join(match["code"].strip() for match in SETUP.finditer(text)).replace("\n", "; ")
    found: list[Program] = []
    for block, line in _blocks(text, {"python"}):
        note = block["note"] or ""
        if note.startswith("not run:"):
            assert note.removeprefix("not run:").strip(), f"{page.name}:{line} does not say why it is not run"
        elif not found or note == "new program":
            found.append(Program(f"{page.relative_to(root)}:{line}", _lines(block, line, setup)))
        else:
            found[-1] = replace(found[-1], code=_continued(found[-1].code, block, line))
    return found


def _blocks(text: str, kinds: set[str]) -> Iterator[tuple[re.Match[str], int]]:
    for block in BLOCK.finditer(text):
        if block["kind"] in kinds:
            yield block, text.count("\n", 0, block.start("code")) + 1


def _lines(block: re.Match[str], line: int, setup: str) -> str:
    # The setup stands on the line of the block's fence, so that every line keeps its number.
    return "\n" * (line - 2) + setup + "\n" + _unindented(block)


def _continued(code: str, block: re.Match[str], line: int) -> str:
    return code + "\n" * (line - 1 - code.count("\n")) + _unindented(block)


def _unindented(block: re.Match[str]) -> str:
    return re.sub(f"^{block['indent']}", "", block["code"], flags=re.MULTILINE)


def commands(page: Path, root: Path = ROOT) -> list[Command]:
    """Find the commands of a page that are marked to be run."""
    found: list[Command] = []
    for block, line in _blocks(page.read_text("utf-8"), {"console"}):
        mark = re.fullmatch(r"run(?:: exit (\d+))?", block["note"] or "")
        for match in re.finditer(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", _unindented(block) if mark else "", re.MULTILINE):
            place = f"{page.relative_to(root)}:{line}"
            found.append(Command(place, match[1], match[2], int((mark and mark[1]) or 0)))
    return found


def environment(folder: Path) -> dict[str, str]:
    """Make a reader's machine in a folder: a git repository, and launchers for the usual servers; gives its environment."""
    programs_folder = folder / ".bin"
    programs_folder.mkdir()
    for name, code in LAUNCHERS.items():
        launcher = programs_folder / name
        launcher.write_text(f"#!{sys.executable}\nimport os; {code}; os.execv(command[0], command)\n", "utf-8")
        launcher.chmod(0o755)
    author = ["-c", "user.name=Reader", "-c", "user.email=reader@example.com"]
    for arguments in (["init", "-q"], [*author, "commit", "-q", "--allow-empty", "-m", "Begin"]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    path = [str(programs_folder), str(Path(sys.executable).parent), os.environ["PATH"]]
    return {**os.environ, "PATH": os.pathsep.join(path), "NO_COLOR": "1", "COLUMNS": "100"}


def run(what: Program | Command, folder: Path) -> str:
    """Run a program or a command in a reader's folder; gives what is wrong with it, empty when nothing is."""
    surroundings = environment(folder)
    if isinstance(what, Program):
        source = folder / ".program.py"
        source.write_text(what.code, "utf-8")
        command = [sys.executable, "-W", "error", "-c", RUNNER, str(source), what.place.partition(":")[0]]
        surroundings["PYTHONPATH"] = os.pathsep.join([str(ROOT), surroundings.get("PYTHONPATH", "")])
        outcome = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True, check=False)
        return outcome.stderr if outcome.returncode else ""
    outcome = subprocess.run(
        what.line, shell=True, cwd=folder, env=surroundings, capture_output=True, text=True, check=False
    )
    if outcome.returncode != what.exit_code:
        return f"exit code {outcome.returncode}: {outcome.stderr}{outcome.stdout}"
    alike = doctest.OutputChecker().check_output(what.output, outcome.stdout, doctest.ELLIPSIS)
    return "" if alike or not what.output else f"it printed:\n{outcome.stdout}"

"""What the documents show works: their programs run, their commands print what they say, their links lead somewhere."""

import re
from pathlib import Path

import pytest

from tests.project.programs import Command, Program, commands, pages, programs, run
from tests.project.sources import ROOT

PROGRAMS = [program for page in pages() for program in programs(page)]
COMMANDS = [command for page in pages() for command in commands(page)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.place)
def test_program_runs(program: Program, tmp_path: Path) -> None:
    assert run(program, tmp_path) == ""


@pytest.mark.parametrize("place", sorted({command.place for command in COMMANDS}) or ["no command"])
def test_commands_print_what_the_page_says(place: str, tmp_path: Path) -> None:
    for index, command in enumerate(each for each in COMMANDS if each.place == place):
        folder = tmp_path / str(index)
        folder.mkdir()

        assert run(command, folder) == "", command.line


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_within_the_repository_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\((?!https?://|#|mailto:)([^)#\s]+)", page.read_text("utf-8"))
    broken = [link for link in links if not (page.parent / link).exists()]

    assert broken == []


def test_readme_gives_the_two_commands() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")

    assert "python3 tools/run.py demo" in readme
    assert "python3 tools/run.py test" in readme


def page_with(tmp_path: Path, text: str) -> Path:
    page = tmp_path / "page.md"
    page.write_text(text, "utf-8")
    return page


def test_blocks_of_a_page_are_one_program(tmp_path: Path) -> None:
    page = page_with(tmp_path, "```python\na = 1\n```\ntext\n```python\nassert a == 1\n```\n")
    (program,) = programs(page, tmp_path)

    assert program.code.splitlines() == ["", "a = 1", "", "", "", "assert a == 1"]
    assert run(program, tmp_path) == ""


def test_failing_program_tells_the_line_of_the_page(tmp_path: Path) -> None:
    page = page_with(tmp_path, "text\n\n```python\na = 1\nraise ValueError(a)\n```\n")
    (program,) = programs(page, tmp_path)

    assert '"page.md", line 5' in run(program, tmp_path)


def test_notes_part_leave_out_and_set_up(tmp_path: Path) -> None:
    text = (
        "<!-- setup: b = 2 -->\n```python\nassert b == 2\n```\n"
        "<!-- new program -->\n```python\nawait print(b)\n```\n"
        "<!-- not run: it needs a key -->\n```python\n1 / 0\n```\n"
    )
    first, second = programs(page_with(tmp_path, text), tmp_path)

    assert first.code.splitlines() == ["", "b = 2", "assert b == 2"]
    assert second.code.lstrip("\n") == "b = 2\nawait print(b)\n"


def test_commands_are_run_where_marked(tmp_path: Path) -> None:
    text = "```console\n$ dragoman tools\n```\n<!-- run: exit 3 -->\n```console\n$ echo a b c; exit 3\na ... c\n$ exit 3\n```\n"
    first, second = commands(page_with(tmp_path, text), tmp_path)

    assert (first.line, first.output, first.exit_code) == ("echo a b c; exit 3", "a ... c\n", 3)
    assert second == Command("page.md:6", "exit 3", "", 3)
    assert run(first, tmp_path) == ""

"""What there is can be found: commands, options, settings and public names each stand in the documents."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest

import dragoman
from dragoman.cli.failures import Exit
from dragoman.cli.pages import COMMANDS
from dragoman.cli.parser import help_of
from tests.project.programs import pages
from tests.project.sources import ROOT, modules

DOCS = ROOT / "docs"
COMMAND_LINE = (DOCS / "howto/command-line.md").read_text("utf-8")
SETTINGS = (DOCS / "reference/settings.md").read_text("utf-8")
REFERENCE = "\n".join(page.read_text("utf-8") for page in (DOCS / "reference").glob("*.md"))


def referred() -> set[str]:
    """Give every name that the reference makes a section of."""
    names: set[str] = set()
    for path in re.findall(r"^::: (\S+)", REFERENCE, re.MULTILINE):
        head, _, last = path.rpartition(".")
        try:
            names |= set(importlib.import_module(path).__all__)
        except ModuleNotFoundError:
            assert hasattr(importlib.import_module(head), last), path
            names.add(last)
    return names


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_commands_and_their_options_are_in_the_guide(name: str) -> None:
    options = set(re.findall(r"(?<![\w-])--[a-z-]+", help_of(COMMANDS[name]).partition("examples:")[0])) - {"--help"}

    assert re.search(rf"`(dragoman )?{name}\b", COMMAND_LINE) or f"dragoman {name} " in COMMAND_LINE
    assert [option for option in sorted(options) if not re.search(rf"{option}(?![a-z-])", COMMAND_LINE)] == []


def test_exit_codes_are_in_the_guide() -> None:
    told = set(re.findall(r"^\| (\d+) \|", COMMAND_LINE, re.MULTILINE))

    assert told == {str(int(code)) for code in Exit}


def test_public_names_are_in_the_reference() -> None:
    assert set(dragoman.__all__) - referred() - {"__version__"} == set()


def test_branches_of_the_tree_of_errors_are_in_the_guide() -> None:
    guide = (DOCS / "howto/errors.md").read_text("utf-8")
    branches = [error for error in vars(dragoman.errors).values() if isinstance(error, type)]
    names = {error.__name__ for error in branches if dragoman.McpError in error.__bases__} | {
        dragoman.ModelError.__name__
    }

    assert {name for name in names if f"| `{name}` |" not in guide} == set()


def test_options_of_connecting_and_opening_are_in_the_reference() -> None:
    assert {"ConnectOptions", "ClientOptions", "HostOptions", "ChatOptions"} <= referred()


def test_extras_are_among_the_settings() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]

    assert [extra for extra in extras if f"`{extra}`" not in SETTINGS] == []


def test_variables_of_our_own_are_among_the_settings() -> None:
    sources = "\n".join(module.path.read_text("utf-8") for module in modules())
    variables = set(re.findall(r"\bDRAGOMAN_[A-Z]+\b", sources))

    assert variables
    assert [name for name in sorted(variables) if f"`{name}`" not in SETTINGS] == []


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text("utf-8")
    missing = [page for page in pages() if page.is_relative_to(DOCS)]

    assert [page.name for page in missing if page.relative_to(DOCS).as_posix() not in navigation] == []


def anchors(text: str) -> set[str]:
    """Give the anchors of a page's headings, as they are made from their words."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_to_sections_lead_to_one(page: Path) -> None:
    text = page.read_text("utf-8")
    links = re.findall(r"\]\((?!https?://|mailto:)([^)#\s]*)#([^)\s]+)\)", text)
    targets = [((page.parent / path).resolve() if path else page, anchor) for path, anchor in links]

    assert [anchor for target, anchor in targets if anchor not in anchors(target.read_text("utf-8"))] == []

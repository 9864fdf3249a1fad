"""Bringing a user to a page."""

import io
import os
import sys
import threading
import webbrowser
from pathlib import Path

import pytest

from dragoman.local.browser import has_browser, has_user, open_page, read_lines, say


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(webbrowser, "_tryorder", None)
    monkeypatch.setattr(webbrowser, "_browsers", {})


def test_user_sits_at_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert has_user()
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert not has_user()
    monkeypatch.setattr(sys, "stderr", None)
    assert not has_user()
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    assert has_user()


@pytest.mark.parametrize("name", ["BROWSER", "DISPLAY", "WAYLAND_DISPLAY"])
def test_browser_needs_a_screen(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert not has_browser()
    monkeypatch.setenv(name, "x")
    assert has_browser()


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_some_systems_always_have_one(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)

    assert has_browser()


def opened(url: str) -> bool:
    """Whether a page was opened, as far as one is told."""
    failed = threading.Event()
    open_page(url, failed.set)
    for thread in threading.enumerate():
        if thread.name == "dragoman browser":
            thread.join(20)
    return not failed.is_set()


def test_page_is_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "browser.py"
    program.write_text('import sys; sys.exit(sys.argv[1:] != ["https://x/?a=1&b=$(2);#"])')
    monkeypatch.setenv("BROWSER", f"{sys.executable} {program} %s")
    monkeypatch.setenv("PATH", "")

    assert opened("https://x/?a=1&b=$(2);#")
    assert not opened("https://y/")


@pytest.mark.edge("B80")
@pytest.mark.parametrize("url", ["file:///etc/passwd", "smb://x", "javascript:alert(1)"])
def test_nothing_else_is_opened(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("BROWSER", "true")

    assert not opened(url)


def test_page_cannot_be_opened_without_a_screen() -> None:
    assert not opened("https://x/")


@pytest.mark.parametrize("error", [OSError("no"), webbrowser.Error("no")])
def test_browser_that_fails_is_none(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def fail(_: str) -> bool:
        raise error

    monkeypatch.setenv("BROWSER", "x")
    monkeypatch.setattr(webbrowser, "open", fail)

    assert not opened("https://x/")


def read(wanted: int = 10) -> list[str]:
    """Read lines until there are so many, or there are no more."""
    lines: list[str] = []
    read_lines(lines.append, lambda: len(lines) >= wanted)
    for thread in threading.enumerate():
        if thread.name == "dragoman input":
            thread.join(20)
    return lines


def test_lines_are_handed_over_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(" one \ntwo\n"))

    assert read() == ["one", "two"]


def test_lines_that_nobody_wants_any_more_are_left_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.pipe()
    with os.fdopen(ours) as stdin, os.fdopen(theirs, "w") as keyboard:
        monkeypatch.setattr(sys, "stdin", stdin)
        keyboard.write("one\nfor somebody else\n")
        keyboard.flush()

        assert read(1) == ["one"]
        assert stdin.readline() == "for somebody else\n"


def test_input_that_ends_has_no_more_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.pipe()
    os.write(theirs, b"caf\xe9\nhalf a line")
    os.close(theirs)
    with os.fdopen(ours) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)

        assert read() == ["caf\ufffd"]


def test_line_of_an_input_that_cannot_be_waited_for_is_not_taken_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("one\ntwo\n"))

    assert read(1) == ["one"]


@pytest.mark.parametrize("is_there", [True, False])
def test_closed_input_has_no_lines(monkeypatch: pytest.MonkeyPatch, is_there: bool) -> None:
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stdin", closed if is_there else None)

    assert read() == []


def test_user_is_told_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    say("hello")

    assert capsys.readouterr() == ("", "hello\n")


def test_nothing_that_is_said_does_anything_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    say("log in at \x1b[31mexample.com\u202e\x9b\n\nhere")

    assert capsys.readouterr().err == "log in at \ufffd[31mexample.com\ufffd\ufffd\n\nhere\n"

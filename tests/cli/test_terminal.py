"""The command on a terminal: tables, bars, forms, links, and Ctrl-C."""

import json
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.command import LEGACY, MODERN, ODD
from tests.cli.terminal import terminal
from tests.project.sources import ROOT

STUCK = f'{sys.executable} -c "import time; time.sleep(60)"'


def test_lists_are_tables() -> None:
    with terminal("tools", LEGACY) as screen:
        assert screen.end() == 0
        assert " tool " in screen.text
        assert "what it does" in screen.text
        assert "\x1b[1;36m" in screen.seen


@pytest.mark.parametrize("words", [("--no-color",), ()])
def test_colours_can_be_switched_off(words: tuple[str, ...]) -> None:
    env = {} if words else {"NO_COLOR": "1"}
    with terminal("info", LEGACY, *words, **env) as screen:
        assert screen.end() == 0
        assert "\x1b[36m" not in screen.seen
        assert "\x1b[1;36m" not in screen.seen


def test_nothing_a_server_says_does_anything_on_the_terminal() -> None:
    for words in (("call", ODD, "escapes"), ("tools", ODD), ("read", ODD, "odd://text"), ("info", ODD)):
        with terminal(*words, NO_COLOR="1") as screen:
            assert screen.end() == 0
            shown = screen.text.replace("\n", "")

            assert not {"\x07", "\x9b", "\r", "\u202e", "\x1b"} & set(shown), words
            assert "␛[31mred␛]0;title␇" in "".join(shown.split(" " * 2)), words


@pytest.mark.parametrize("server", [LEGACY, MODERN])
def test_long_call_shows_a_bar_and_takes_it_away(server: str) -> None:
    with terminal("call", server, "travel", "seconds=0.8", "stages=4") as screen:
        screen.expect("stage 2 of 4")
        assert screen.end() == 0
        assert screen.seen.endswith("\x1b[2Karrived after 4 stages\r\n")


@pytest.mark.parametrize("server", [LEGACY, MODERN])
def test_form_is_filled_in_checked_and_sent(server: str) -> None:
    with terminal("call", server, "book_room") as screen:
        screen.expect("asks: Who is coming?")
        screen.expect("Name (text, at least 1 characters): ")
        screen.type("\n")
        screen.expect("! this one is required")
        screen.type("Leila\n")
        screen.expect("Nights (a whole number, 1 to 30) [2]: ")
        screen.type("31\n")
        screen.expect("! 31 is greater than the maximum of 30")
        screen.type("3\n")
        screen.expect("3 tower")
        screen.type("3\n")
        screen.expect("Breakfast (y or n, optional) [y]: ")
        screen.type("\n")
        screen.expect("Send this?")
        screen.type("\n")
        screen.expect("a tower room for Leila, 3 nights, with breakfast")
        assert screen.end() == 0


def test_form_has_every_kind_of_field_and_hides_secrets() -> None:
    with terminal("call", ODD, "form") as screen:
        screen.expect("asks: Tell me ␛[5meverything")
        screen.expect("Where to write to.")
        screen.expect("Mail (an e-mail address): ")
        screen.type("nobody\n")
        screen.expect("!")
        screen.type("leila@example.com\n")
        screen.expect("Password (text, at least 4 characters): ")
        screen.type("abc\n")
        screen.expect("! this is shorter than 4 characters")
        screen.expect("Password")
        screen.type("hunter2\n")
        screen.expect("colour (the number of one): ")
        screen.type("3\n")
        screen.expect("! type a number from 1 to 2")
        screen.type("green\n")
        screen.expect("! type a number from 1 to 2")
        screen.type("2\n")
        screen.expect("sizes (numbers, with commas between, at least 1 of them): ")
        screen.type("none\n")
        screen.expect("!")
        screen.type("2, small\n")
        screen.expect("ratio (a number, at most 1, optional): ")
        screen.type("\n")
        screen.expect("sure (y or n): ")
        screen.type("maybe\n")
        screen.expect("! type y or n")
        screen.type("n\n")
        screen.expect("note (text, optional): ")
        screen.type("ABC\n")
        screen.expect("!")
        screen.type("abc\n")
        screen.expect("Password: ********")
        screen.expect("colour: Green")
        screen.expect("Send this?")
        screen.type("y\n")
        screen.expect('{"action": "accept"')
        sent = screen.expect("\n")
        assert '"mail": "leila@example.com"' in sent
        assert '"colour": "g", "sizes": ["large", "small"], "sure": false, "note": "abc"' in sent
        before, _, _ = screen.text.partition('{"action"')
        assert "hunter2" not in before
        assert screen.end() == 0


@pytest.mark.parametrize(("keys", "action"), [("n\n", "decline"), ("c\n", "cancel"), ("\x04", "cancel")])
def test_form_is_declined_or_cancelled(keys: str, action: str) -> None:
    with terminal("call", MODERN, "book_room") as screen:
        for answer in ("Leila", "2", "1", "y"):
            screen.expect(": ")
            screen.type(f"{answer}\n")
        screen.expect("Send this?")
        screen.type(keys)
        screen.expect("no room was booked")
        assert screen.end() == 0


def test_form_is_edited_with_what_was_typed_as_the_default() -> None:
    with terminal("call", LEGACY, "book_room") as screen:
        for answer in ("Leila", "2", "1", "y"):
            screen.expect("): " if answer == "Leila" else "]: ")
            screen.type(f"{answer}\n")
        screen.expect("Send this?")
        screen.type("e\n")
        screen.expect("[Leila]: ")
        screen.type("Majnun\n")
        for _ in range(3):
            screen.expect("]: ")
            screen.type("\n")
        screen.expect("Send this?")
        screen.type("y\n")
        screen.expect("a plain room for Majnun, 2 nights")
        assert screen.end() == 0


@pytest.fixture
def browser(tmp_path: Path) -> Path:
    """Stand a program in for the browser, which writes down what it is told to open."""
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\n')
    program.chmod(0o755)
    return program


def opened(browser: Path) -> str | None:
    file = browser.with_name("opened")
    return file.read_text().strip() if file.exists() else None


@pytest.mark.parametrize(
    ("keys", "action", "is_opened"),
    [("y\n", "accept", True), ("\nm\n", "accept", False), ("n\n", "decline", False), ("\x04", "cancel", False)],
)
def test_link_is_shown_with_its_host_and_opened_only_when_told_to(
    browser: Path, keys: str, action: str, is_opened: bool
) -> None:
    url = "https://login.example.com:8443/in?state=1"
    with terminal("call", ODD, "visit", f"url={url}", BROWSER=str(browser)) as screen:
        screen.expect("asks: Please sign in.")
        screen.expect(url)
        screen.expect("host: login.example.com:8443")
        screen.expect("Open it in the browser?")
        screen.type(keys)
        screen.expect(f'{{"action": "{action}"')
        assert screen.end() == 0
        assert opened(browser) == (url if is_opened else None)


@pytest.mark.parametrize(
    ("url", "warning"),
    [
        ("https://example.com@evil.example/", "what stands before the @ is no part of the host"),
        ("https://\u0430pple.com/", "the host has letters beyond a to z"),
    ],
)
def test_link_that_looks_like_another_is_warned_of(browser: Path, url: str, warning: str) -> None:
    with terminal("call", ODD, "visit", f"url={url}", BROWSER=str(browser)) as screen:
        screen.expect(warning)
        screen.type("c\n")
        assert screen.end() == 0
        assert opened(browser) is None


@pytest.mark.parametrize("url", ["file:///etc/passwd", "javascript:alert(1)", "https:///nowhere", "https://a b/"])
def test_link_that_is_no_web_page_is_not_opened(browser: Path, url: str) -> None:
    with terminal("call", ODD, "visit", f"url={url}", BROWSER=str(browser)) as screen:
        screen.expect("not opened")
        screen.expect('{"action": "cancel"')
        assert screen.end() == 0
        assert opened(browser) is None


def test_bytes_are_not_written_onto_the_terminal() -> None:
    with terminal("read", ODD, "odd://pixel") as screen:
        assert screen.end() == 2
        assert "is no text but image/png" in screen.text
        assert "-o FILE" in screen.text


@pytest.mark.parametrize("server", [LEGACY, MODERN])
def test_interrupt_ends_a_call_at_once_without_a_traceback(server: str) -> None:
    with terminal("call", server, "travel", "seconds=30", "stages=60") as screen:
        screen.expect("call ")
        began = time.monotonic()
        screen.type("\x03")
        assert screen.end() == 130
        assert time.monotonic() - began < 1
        assert "Traceback" not in screen.text
        assert screen.text.endswith("interrupted\n")


def test_interrupted_call_is_cancelled_at_the_server(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    with terminal("call", ODD, "hang", "--env", f"JOURNAL={journal}", "--verbose") as screen:
        screen.expect('"name":"hang"')
        screen.type("\x03")
        assert screen.end() == 130
        assert journal.read_text() == "cancelled"


def test_interrupt_does_not_wait_for_a_server_that_is_stuck() -> None:
    with terminal("call", ODD, "stick", "--verbose") as screen:
        screen.expect('"name":"stick"')
        began = time.monotonic()
        screen.type("\x03")
        assert screen.end() == 130
        assert time.monotonic() - began < 1.5


def test_interrupt_does_not_wait_for_a_server_that_never_greets() -> None:
    with terminal("info", STUCK, "--verbose") as screen:
        screen.expect("> {")
        began = time.monotonic()
        screen.type("\x03")
        assert screen.end() == 130
        assert time.monotonic() - began < 1.5


def test_interrupt_while_a_secret_is_typed_leaves_the_terminal_as_it_was() -> None:
    with terminal("call", ODD, "form") as screen:
        screen.expect("Mail")
        screen.type("a@example.com\n")
        screen.expect("Password")
        screen.type("\x03")
        assert screen.end() == 130
        assert termios.tcgetattr(screen.descriptor)[3] & termios.ECHO


@pytest.mark.parametrize("server", [LEGACY, MODERN])
def test_interrupt_is_the_good_end_of_watching(server: str) -> None:
    with terminal("watch", server, "demo://clock") as screen:
        screen.expect("demo://clock: tick 1")
        screen.type("\x03")
        assert screen.end() == 0


def test_help_is_in_colour() -> None:
    with terminal("call", "--help") as screen:
        assert screen.end() == 0
        assert "\x1b[1mexamples:\x1b[0m" in screen.seen


def test_demo_asks_whoever_is_there_once_for_both_servers() -> None:
    with terminal("demo") as screen:
        screen.expect("stage 1 of 5")
        screen.expect("The inn asks: Who is coming?")
        screen.type("Leila\n")
        for _ in range(3):
            screen.expect("]: ")
            screen.type("\n")
        screen.expect("Send this?")
        screen.type("\n")
        screen.expect("a courtyard room for Leila, 2 nights")
        screen.expect("a courtyard room for Leila, 2 nights")
        screen.expect("What to type next:")
        assert screen.end() == 0


def test_interrupt_of_the_demo_leaves_no_bar_and_the_cursor() -> None:
    with terminal("demo") as screen:
        screen.expect("stage 2 of 5")
        screen.type("\x03")
        assert screen.end() == 130
        shown, _, after = screen.seen.rpartition("interrupted")
        assert "stage" not in after
        assert shown.rfind("\x1b[?25h") > shown.rfind("\x1b[?25l")


@pytest.mark.parametrize("command", ["resources", "tools"])
def test_names_are_whole_however_narrow_the_terminal_is(command: str) -> None:
    with terminal(command, LEGACY, COLUMNS="40") as screen:
        assert screen.end() == 0
        assert "…" not in screen.text


def test_terminal_without_rich_gets_plain_rows(tmp_path: Path) -> None:
    (tmp_path / "rich.py").write_text("raise ImportError('not installed')")
    with terminal("tools", ODD, PYTHONPATH=f"{tmp_path}:{ROOT / 'src'}") as screen:
        assert screen.end() == 0
        assert screen.text.startswith("typed\tid [count] [ratio]")
        assert "\x1b" not in screen.seen


# ---------------------------------------------------------------------------------------------------------------- chat


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., str]:
    def write(*lines: object) -> str:
        (tmp_path / "script.json").write_text(json.dumps(lines), "utf-8")
        return str(tmp_path / "script.json")

    return write


def called(name: str, **arguments: object) -> dict[str, object]:
    return {"name": name, "arguments": arguments}


def test_chat_shows_calls_and_asks_before_those_that_change_something(script: Callable[..., str]) -> None:
    note = called("write_note", text="hi")
    lines = script(
        {"text": "Let me see.", "thinking": "Hm.", "calls": [called("echo", text="hi")]},
        {"calls": [note]},
        "Nothing written.",
        {"calls": [note]},
        {"calls": [{**note, "id": "again"}]},
        "Written \x1b[31mtwice\x07.",
    )
    with terminal("chat", LEGACY, "--script", lines) as screen:
        screen.expect("> ")
        screen.type("Go.\n")
        screen.expect("Hm.\nLet me see.\n→ echo")
        screen.expect("✓ echo")
        screen.expect("→ write_note")
        screen.expect("[y]es, [a]lways, [N]o: ")
        screen.type("\n")
        screen.expect("✗ write_note")
        screen.expect("Nothing written.\n> ")
        screen.type("Again.\n")
        screen.expect("[y]es, [a]lways, [N]o: ")
        screen.type("a\n")
        screen.expect("✓ write_note")
        asked = screen.expect("✓ write_note")
        screen.expect("Written ␛[31mtwice␇.\n> ")
        screen.type("\x04")
        assert screen.end() == 0

        assert "[N]o" not in asked
        assert "6 replies, 4 calls; tokens: " in screen.text


@pytest.mark.feature("chat.8")
def test_ctrl_c_ends_the_turn_and_not_the_chat(script: Callable[..., str]) -> None:
    travels = [called("travel", seconds=60, stages=2), called("travel", seconds=60, stages=3)]
    lines = script({"calls": travels}, "Still here.")
    with terminal("chat", LEGACY, "--script", lines, "--yes") as screen:
        screen.expect("> ")
        screen.insist(lambda: screen.type("\x03"), "> ")
        screen.type("Go.\n")
        screen.expect("→ travel")
        screen.type("\x03")
        screen.expect("cancelled\n> ")
        screen.type("Are you there?\n")
        screen.expect("Still here.\n> ")
        screen.type("\x04")

        assert screen.end() == 0


def test_failure_of_a_turn_is_not_the_end_of_the_chat(script: Callable[..., str]) -> None:
    with terminal("chat", "--script", script("One.")) as screen:
        screen.expect("> ")
        screen.type("Count.\n")
        screen.expect("One.\n> ")
        screen.type("\n \nCount on.\n")
        screen.expect("error: the script is at its end")
        screen.expect("> ")
        screen.type("\x04")

        assert screen.end() == 0


def test_being_asked_to_end_ends_a_chat(script: Callable[..., str]) -> None:
    with terminal("chat", "--script", script("One.")) as screen:
        screen.expect("> ")
        screen.insist(screen.process.terminate, "tokens: 0 in, 0 out")

        assert screen.end() == 130


def test_server_that_wants_the_model_asks_for_it(script: Callable[..., str]) -> None:
    lines = script({"calls": [called("translate", text="moon", language="French")]}, "lune", "It is lune.")
    with terminal("chat", LEGACY, "--script", lines, "--yes") as screen:
        screen.expect("> ")
        screen.type("Go.\n")
        screen.expect("✓ translate")
        screen.expect("It is lune.\n> ")
        screen.type("\x04")

        assert screen.end() == 0

"""The small parts: harmless text, verbose logs, remembered eras, near names, help."""

import json
import logging
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.cli import connecting
from dragoman.cli.eras import LASTING, Eras, cache_folder
from dragoman.cli.nearest import suggestion
from dragoman.cli.pages import COMMANDS
from dragoman.cli.safe import as_json, one_line, visible
from tests.cli.command import LEGACY, here, surroundings

# ------------------------------------------------------------------------------------------------------- harmless text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain \u00e9 \U0001f600\tx\ny", "plain \u00e9 \U0001f600\tx\ny"),
        ("\x1b[31m", "␛[31m"),
        ("\x00\x07\x08\x7f", "␀␇␈␡"),
        ("a\r\nb\rc", "a\nb␍c"),
        ("\x9b2J", "<U+009B>2J"),
        ("\u202egpj", "<U+202E>gpj"),
        ("\u2066\u2028\ud800", "<U+2066><U+2028><U+D800>"),
        ("\U000e0041", "<U+E0041>"),
        ("1\u200f2\u200e3\u061c", "1<U+200F>2<U+200E>3<U+061C>"),
        ("\u206a", "<U+206A>"),
        ("\u0645\u06cc\u200c\u062e \U0001f469\u200d\U0001f680", "\u0645\u06cc\u200c\u062e \U0001f469\u200d\U0001f680"),
    ],
)
def test_what_could_do_something_is_shown_as_a_sign(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text())
def test_no_control_character_gets_through(text: str) -> None:
    assert all(sign in "\t\n" or sign.isprintable() or ord(sign) >= 0xA0 for sign in visible(text))
    assert "\n" not in one_line(text)
    assert "\t" not in one_line(text)


@given(
    st.recursive(
        st.text() | st.integers() | st.none(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_json_is_the_same_value_and_harmless(value: object) -> None:
    written = as_json(value)

    assert json.loads(written) == value
    assert visible(written) == written


# ------------------------------------------------------------------------------------------------------------- secrets


def test_verbose_shows_the_wire_without_secrets_and_the_words_of_the_server() -> None:
    shown = here("call", LEGACY, "echo", "--verbose", "--args", '{"text": "hi", "password": "hunter2"}').err

    assert '"method":"tools/call"' in shown
    assert '"password":"***"' in shown
    assert "hunter2" not in shown
    assert "dragoman-demo-legacy: open" in shown


# --------------------------------------------------------------------------------------------------- remembered eras


def test_eras_are_remembered_from_one_run_to_the_next(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "eras.json"
    Eras(file)["uvx server --token=hunter2"] = "legacy"

    later = Eras(file)
    assert later["uvx server --token=hunter2"] == "legacy"
    assert "uvx server --token=hunter2" in later
    assert "hunter2" not in file.read_text()
    assert [child.name for child in file.parent.iterdir()] == ["eras.json"]


def test_eras_are_forgotten_after_a_day(tmp_path: Path) -> None:
    file = tmp_path / "eras.json"
    Eras(file)["a"] = "legacy"
    entries = {key: [era, since - LASTING] for key, (era, since) in json.loads(file.read_text()).items()}
    file.write_text(json.dumps(entries))

    assert "a" not in Eras(file)


def test_an_era_that_is_met_again_is_not_made_younger(tmp_path: Path) -> None:
    file = tmp_path / "eras.json"
    Eras(file)["a"] = "legacy"
    before = file.read_text()
    Eras(file)["a"] = "legacy"

    assert file.read_text() == before
    Eras(file)["a"] = "modern"
    assert Eras(file)["a"] == "modern"


@pytest.mark.parametrize("content", ["", "{", "[]", "5", '{"x": 5}', '{"x": ["legacy"]}', '{"x": [1, 2]}', "\xff"])
def test_a_file_that_makes_no_sense_is_no_memory(content: str, tmp_path: Path) -> None:
    file = tmp_path / "eras.json"
    file.write_text(content, "latin-1")
    eras = Eras(file)

    assert dict(eras) == {}
    eras["a"] = "modern"
    assert Eras(file)["a"] == "modern"


def test_memory_that_cannot_be_kept_lasts_for_the_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").touch()
    eras = Eras(tmp_path / "file" / "eras.json")
    with caplog.at_level(logging.DEBUG, "dragoman.cli"):
        eras["a"] = "modern"

    assert eras["a"] == "modern"
    assert "eras are not remembered" in caplog.text
    del eras["a"]
    assert len(eras) == 0


def test_command_remembers_the_era_it_found() -> None:
    began = time.time()
    here("ping", LEGACY)
    entries = json.loads((cache_folder() / "eras.json").read_text())

    assert [era for era, _ in entries.values()] == ["legacy"]
    assert all(began - 1 <= since <= time.time() for _, since in entries.values())


# ---------------------------------------------------------------------------------------------------------- near names


def test_nearest_name_is_suggested_or_all_are_listed() -> None:
    assert suggestion("git_lgo", ["git_log", "git_status"], "tools") == "did you mean 'git_log'?"
    assert suggestion("GITLOG", ["git_log"], "tools") == "did you mean 'git_log'?"
    assert suggestion("zzz", ["a", "b"], "tools") == "the tools are a, b"
    assert suggestion("zzz", [f"n{each}" for each in range(20)], "tools") == (
        "the tools are n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, ..."
    )
    assert suggestion("zzz", [], "tools") is None


# ---------------------------------------------------------------------------------------------------------------- help


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("help",)])
def test_help_names_every_command(words: tuple[str, ...]) -> None:
    outcome = here(*words)

    assert outcome.code == 0
    assert all(f"\n  {name} " in outcome.out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_each_command_teaches_by_examples(name: str) -> None:
    by_option = subprocess.run(
        [sys.executable, "-m", "dragoman.cli", name, "--help"],
        capture_output=True,
        text=True,
        env=surroundings(),
        check=True,
    ).stdout

    assert by_option.startswith(f"usage: dragoman {name}")
    assert f"examples:\n  {COMMANDS[name].examples[0]}\n" in by_option


def test_no_command_is_a_question_for_help() -> None:
    outcome = here()

    assert outcome.code == 2
    assert outcome.out.startswith("usage: dragoman COMMAND")


def test_version() -> None:
    import dragoman

    assert here("--version").out == f"dragoman {dragoman.__version__}\n"


def test_slips_in_commands_are_met_with_the_nearest() -> None:
    assert here("tool").err == "error: there is no command 'tool'\n  hint: did you mean 'tools'?\n"
    assert here("--vrsion").err == "error: there is no option '--vrsion'\n  hint: did you mean '--version'?\n"


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (
            ("--env=A=b", "tools", "x"),
            "there is no option '--env=A=b'",
            "options stand behind the command: dragoman COMMAND ... --env=A=b",
        ),
        (("tools", "x", "--jsn"), "there is no option '--jsn'", "did you mean '--json'?"),
        (("tools", "x", "--timout=3"), "there is no option '--timout'", "did you mean '--timeout'?"),
        (("call", "x", "t", "-dash=5"), "there is no option '-dash'", "behind `--`, -dash=5 is an argument"),
        (("info", "x", "y"), "'y' is a word too many", "`dragoman info --help` shows how it is done"),
        (("call", "x", "t", "--args", "@"), "no file is named", "write its name, as in @FILE"),
    ],
)
def test_slips_in_options_are_met_with_the_way_out(words: tuple[str, ...], error: str, hint: str) -> None:
    assert here(*words).err == f"error: {error}\n  hint: {hint}\n"


def test_file_that_is_not_there_is_told_once() -> None:
    assert (
        here("call", "x", "t", "--args", "@nowhere").err == "error: nowhere cannot be read: No such file or directory\n"
    )


def test_help_loads_neither_the_client_nor_anything_that_draws() -> None:
    code = (
        "import sys; from dragoman.cli import main; main(['--help']); "
        "print(sorted({'rich', 'msgspec', 'dragoman.types', 'dragoman.sync'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=surroundings(), check=True)

    assert done.stdout.splitlines()[-1] == "[]"


# ------------------------------------------------------------------------------------------------------------- options


def test_roots_are_paths_or_uris(tmp_path: Path) -> None:
    assert connecting._root(str(tmp_path)) == tmp_path.as_uri()
    assert connecting._root("demo://place") == "demo://place"


def test_headers_are_read_as_http_writes_them_and_never_told() -> None:
    assert connecting._header("Authorization: Bearer a:b") == ("Authorization", "Bearer a:b")
    outcome = here("info", "http://localhost:9/mcp", "--header", "hunter2")

    assert outcome.code == 2
    assert "write --header 'Name: value'" in outcome.err
    assert "hunter2" not in outcome.err

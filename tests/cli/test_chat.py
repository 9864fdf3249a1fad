"""The command that talks with a model, in pipes."""

import json
import sys
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import LEGACY, here
from tests.servers.providers import INTERFACES
from tests.servers.providers.playing import Called, Failing, Provider, Said

ECHO = {"calls": [{"name": "echo", "arguments": {"text": "hi"}, "id": "c1"}]}
NOTE = {"calls": [{"name": "write_note", "arguments": {"text": "hi"}, "id": "c2"}]}


@pytest.fixture
def script(tmp_path: Path) -> Any:
    numbers = count()

    def write(*lines: Any) -> str:
        file = tmp_path / f"script-{next(numbers)}.json"
        file.write_text(json.dumps(lines), "utf-8")
        return str(file)

    return write


def test_one_turn_is_text_alone_on_standard_output(script: Any) -> None:
    done = here("chat", LEGACY, "--script", script({"text": "Let me see. ", **ECHO}, "It says hi."), "--once", "Go.")

    assert (done.code, done.out) == (0, "Let me see. \nIt says hi.\n")
    assert '→ echo  {"text": "hi"}' in done.err
    assert "✓ echo  0.0 s  hi" in done.err
    assert "2 replies, 1 call; tokens: 0 in, " in done.err


@pytest.mark.feature("chat.8")
def test_one_turn_as_json(script: Any) -> None:
    done = here("chat", LEGACY, "--script", script(ECHO, "It says hi."), "--once", "Go.", "--json")
    (call,) = done.document["calls"]

    assert done.code == 0
    assert (done.document["text"], done.document["stop"], done.document["rounds"]) == ("It says hi.", "end", 2)
    assert (call["id"], call["name"], call["isError"], call["text"]) == ("c1", "echo", False, "hi")


def test_input_is_what_is_said(script: Any) -> None:
    assert here("chat", "--script", script("Hello."), given="Hi.").out == "Hello.\n"


def test_nobody_to_ask_means_no_and_yes_means_yes(script: Any) -> None:
    words = ("chat", LEGACY, "--script", script(NOTE, "So."), "--once", "Go.", "--json")
    refused, allowed = here(*words), here(*words, "--yes")

    assert "was not allowed" in refused.document["calls"][0]["text"]
    assert not allowed.document["calls"][0]["isError"]
    assert (refused.code, allowed.code) == (0, 0)


def test_servers_of_a_configuration_are_asked_for_as_well(script: Any, tmp_path: Path) -> None:
    command, *arguments = LEGACY.split()
    config = tmp_path / "servers.json"
    config.write_text(json.dumps({"mcpServers": {"inn": {"command": command, "args": arguments}}}), "utf-8")
    words = ("chat", "inn", "--config", str(config), "--trust", "--once", "Go.", "--json")
    refused = here(*words, "--script", script(ECHO, NOTE, "So."))
    allowed = here(*words, "--yes", "--script", script(ECHO, NOTE, "So."))

    assert [call["isError"] for call in refused.document["calls"]] == [False, True]
    assert [call["isError"] for call in allowed.document["calls"]] == [False, False]
    assert allowed.document["calls"][0]["server"] == "inn"


def test_chat_goes_on_in_a_file(script: Any, tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    for text in ("One.", "Two."):
        assert here("chat", "--script", script(text), "--once", "Count.", "--history", str(kept)).code == 0
    history = json.loads(kept.read_text("utf-8"))["history"]

    assert [message["role"] for message in history] == ["user", "model", "user", "model"]
    assert sys.platform == "win32" or kept.stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir() if "kept" in path.name] == ["kept.json"]


def test_tool_is_told_of_even_if_there_is_none(script: Any) -> None:
    done = here("chat", "--script", script(ECHO, "So."), "--once", "Go.")

    assert "✗ echo  0.0 s  there is no tool 'echo'" in done.err


@pytest.mark.parametrize(
    ("line", "more", "warned"),
    [
        ({"text": "a", "stop": "max_tokens"}, (), "the reply is cut off"),
        ({"text": "a", "stop": "refusal"}, (), "refused"),
        (ECHO, ("--rounds", "1"), "the limit of 1 replies in one turn is reached"),
    ],
)
def test_turn_that_came_to_no_good_end_has_an_exit_code(script: Any, line: Any, more: Any, warned: str) -> None:
    done = here("chat", "--script", script(line), "--once", "Go.", *more)

    assert done.code == 5
    assert warned in done.err


def test_mistakes_are_told(script: Any, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("[", "utf-8")
    cases = [
        ((), "which model?"),
        (("--model", "claude"), "names no model"),
        (("--script", str(tmp_path / "none.json")), "cannot be read"),
        (("--script", str(tmp_path / "broken.json")), "is not JSON"),
        (("--script", script(7)), "no reply of a script"),
        (("--script", script("a"), "--system", "@/none"), "cannot be read"),
        (("--script", script("a"), "--history", "/none/kept.json"), "cannot be written"),
    ]
    for words, told in cases:
        done = here("chat", "--once", "Go.", *words)
        assert done.code == 2, words
        assert told in done.err, words
        assert "replies" not in done.err, words
    assert "nothing to say" in here("chat", "--script", script("a"), given=" ").err


@pytest.mark.parametrize(("name", "key"), [("openai:x", "OPENAI_API_KEY"), ("gemini:x", "GEMINI_API_KEY")])
def test_missing_key_is_named(name: str, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(key, raising=False)
    done = here("chat", "--model", name, "--once", "Go.")

    assert done.code == 2
    assert key in done.err


def test_real_sdk_from_end_to_end(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = Provider(INTERFACES["completions"])
    provider.plays(Said(("Let me see.",), (Called("c1", "echo", ('{"te', 'xt": "Ζωή"}')),)), Said(("Ζωή",)))
    with provider.serving() as server:
        model = f"openai:any@http://127.0.0.1:{server.port}/v1"
        monkeypatch.setenv("DRAGOMAN_MODEL", model)
        done = here("chat", LEGACY, "--once", "Go.", "--system", "Be brief.")

    assert (done.code, done.out) == (0, "Let me see.\nΖωή\n")
    assert "tokens: 20 in, 10 out" in done.err
    assert provider.requests[0]["messages"][0] == {"role": "system", "content": "Be brief."}


@pytest.mark.parametrize(("status", "code"), [(529, 3), (401, 4), (400, 5)])
def test_failures_of_the_provider_have_exit_codes(status: int, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-the-tests")
    provider = Provider(INTERFACES["anthropic"])
    provider.plays(*[Failing(status, "not now", headers=("x-should-retry: false",))] * 4)
    with provider.serving() as server:
        model = f"anthropic:any@http://127.0.0.1:{server.port}"
        done = here("chat", "--once", "Go.", "--model", model, "--json")

    assert done.code == code
    assert done.document["error"]["status"] == status
    assert "not now" in done.document["error"]["message"]

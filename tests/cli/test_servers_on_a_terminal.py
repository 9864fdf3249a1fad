"""The table of servers, as a person sees it on a terminal."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.terminal import Terminal, terminal
from tests.servers.scripts.play import Puppet, text, wait


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.chdir(tmp_path)
    return {"HOME": str(tmp_path / "home"), "DRAGOMAN_STATE": str(tmp_path / "state")}


def entry(puppet: Puppet, **fields: Any) -> dict[str, Any]:
    return {"command": puppet.command[0], "args": puppet.command[1:], **fields}


def write(file: str, servers: dict[str, Any], **more: Any) -> str:
    Path(file).write_text(json.dumps({"mcpServers": servers, **more}), "utf-8")
    return file


def is_shown(screen: Terminal, server: str, state: str) -> None:
    """Wait until a row shows a server in a state, whatever was drawn before."""
    while True:
        screen.expect(f" {server} ")
        if screen.expect("\n").split(maxsplit=1)[:1] == [state]:
            return


def test_the_table_follows_servers_that_go_and_come(tmp_path: Path, home: dict[str, str]) -> None:
    steady, greeted = (
        Puppet(tmp_path / "steady"),
        Puppet(tmp_path / "late", lives=[{}, {"on": {"initialize": [wait("go")]}}]),
    )
    file = write("servers.json", {"steady": entry(steady), "late": entry(greeted, timeout="30s")})
    with terminal("servers", "--watch", "--config", file, **home) as screen:
        is_shown(screen, "steady", "ready")
        is_shown(screen, "late", "ready")
        os.kill(greeted.pids[-1], signal.SIGKILL)
        is_shown(screen, "late", "restarting")
        screen.type("\x03")

        assert screen.end() == 3
        assert "Traceback" not in screen.text


def test_ctrl_c_is_the_good_end_of_watching(tmp_path: Path, home: dict[str, str]) -> None:
    file = write("servers.json", {"steady": entry(Puppet(tmp_path / "steady"))})
    with terminal("servers", "--watch", "--config", file, **home) as screen:
        is_shown(screen, "steady", "ready")
        screen.type("\x03")

        assert screen.end() == 0
        assert " ms " in screen.text


def test_questions_are_put_one_by_one_before_the_table_is_drawn(tmp_path: Path, home: dict[str, str]) -> None:
    first, second = Puppet(tmp_path / "first"), Puppet(tmp_path / "second", on={"tools/call": [text("x")]})
    question = {"id": "key", "type": "promptString", "description": "Your\x1b[2J key"}
    servers = {
        "first": entry(first),
        "off": entry(first, env={"A": "${input:other}"}, disabled=True),
        "second": entry(second, env={"A": "${input:key}"}),
    }
    write(".mcp.json", servers, inputs=[question])
    with terminal("servers", **home) as screen:
        assert "first runs" in screen.expect("Allow it?")
        screen.type("y\n")
        screen.expect("key: ")
        screen.type("abc\n")
        assert "second runs" in screen.expect("Allow it?")
        screen.type("y\n")
        is_shown(screen, "first", "ready")
        is_shown(screen, "second", "ready")

        assert screen.end() == 0
        assert "\x1b[2J" not in screen.seen


def test_nothing_that_a_file_calls_a_server_does_anything_on_the_terminal(home: dict[str, str]) -> None:
    file = write("servers.json", {"e\x1b[31mvil\x07\u202e": {"command": "x"}})
    with terminal("servers", "--config", file, NO_COLOR="1", **home) as screen:
        assert screen.end() == 3
        assert not {"\x07", "\u202e"} & set(screen.seen)
        assert "\x1b[31m" not in screen.seen
        assert "e␛[31mvil␇<U+202E>" in screen.text

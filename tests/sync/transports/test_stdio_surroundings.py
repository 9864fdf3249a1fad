# generated from tests/aio/transports/test_stdio_surroundings.py by tools/unasync.py; do not edit
"""What a server is started with, and what it writes on its standard error."""

import logging
import os
import sys
from pathlib import Path

import pytest

from dragoman.deadline import Deadline
from dragoman.errors import ConnectFailed, UsageError
from dragoman.protocol.eras import VERSIONS
from dragoman.sync._runtime import Mailbox
from dragoman.sync.transports.stdio import StdioTransport
from tests.sync.transports.wire import NASTY, Wire, nasty


@pytest.mark.feature(34)
@pytest.mark.edge("B15")
def test_users_values_come_over_a_safe_base(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "ours")
    monkeypatch.setenv("LANG", "C.UTF-8")
    with Wire(nasty("environment", env={"API_KEY": "x", "LANG": "de_DE.UTF-8"})) as wire:
        seen = wire.call()

    assert seen["PATH"] == os.environ["PATH"]
    assert (seen["API_KEY"], seen["LANG"], seen["PYTHONUTF8"]) == ("x", "de_DE.UTF-8", "1")
    assert "AWS_SECRET_ACCESS_KEY" not in seen


@pytest.mark.edge("B15")
def test_everything_or_nothing_can_be_inherited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "ours")
    monkeypatch.setenv("BASH_FUNC_x%%", "() { echo; }")
    with Wire(nasty("environment", inherit_env="all")) as wire:
        everything = wire.call()
    with Wire(nasty("environment", inherit_env="none", env={"ONLY": "this"})) as wire:
        nothing = wire.call()

    assert everything["AWS_SECRET_ACCESS_KEY"] == "ours"
    assert "BASH_FUNC_x%%" not in everything
    assert nothing.keys() - {"LC_CTYPE"} == {"ONLY"}


@pytest.mark.edge("B14")
def test_python_child_speaks_utf8_in_any_locale() -> None:
    with Wire(nasty("says_check_mark", env={"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0"})) as wire:
        assert wire.call() == {"text": "✓"}


def test_server_runs_in_the_folder_it_is_given(tmp_path: Path) -> None:
    with Wire(nasty("folder", cwd=tmp_path)) as wire:
        assert wire.call()["cwd"] == str(tmp_path)


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConnectFailed, match=f"there is no folder {tmp_path}/missing"):
        Wire(nasty("echo", cwd=tmp_path / "missing")).open()


def test_file_that_is_no_program_is_named(tmp_path: Path) -> None:
    (tmp_path / "server.py").write_text("print()", "utf-8")
    with pytest.raises(ConnectFailed, match=r"Permission denied.*server\.py.*may you execute it"):
        Wire(StdioTransport([str(tmp_path / "server.py")])).open()


def test_script_whose_interpreter_is_missing_is_named(tmp_path: Path) -> None:
    script = tmp_path / "server"
    script.write_text("#!/nowhere/python\n", "utf-8")
    script.chmod(0o755)
    with pytest.raises(ConnectFailed, match="is there, but not what it runs in"):
        Wire(StdioTransport([str(script)])).open()


def test_long_script_is_named_by_its_beginning() -> None:
    script = "raise SystemExit(5)\n" + "# so it goes\n" * 1000
    with Wire(StdioTransport([sys.executable, "-c", script])) as wire:
        error = wire.lost.get(Deadline(20))

    assert "raise SystemExit(5)" in str(error)
    assert "exited with code 5" in str(error)
    assert len(str(error)) < 1000


def test_arguments_that_are_too_long_are_said_to_be() -> None:
    with pytest.raises(ConnectFailed, match="give it less in arguments and `env`") as caught:
        Wire(StdioTransport([sys.executable, "-c", "x" * 3_000_000])).open()

    assert len(str(caught.value)) < 1000


def test_command_line_is_split_without_a_shell() -> None:
    with Wire(StdioTransport(f"{sys.executable} '{NASTY}' folder 'a b' $HOME ; true")) as wire:
        with pytest.raises(Exception, match="exited with code 1"):
            wire.call()
    with Wire(StdioTransport(f"{sys.executable} '{NASTY}' folder")) as wire:
        assert wire.call()["argv"][1:] == ["folder"]


def test_command_that_cannot_be_is_refused_when_the_transport_is_made() -> None:
    for command in ("", [], "python 'open", ["a\0b"]):
        with pytest.raises(UsageError):
            StdioTransport(command)
    with pytest.raises(UsageError, match="API_KEY is not text"):
        StdioTransport("python", env={"API_KEY": 1})  # type: ignore[dict-item]


@pytest.mark.feature(6)
def test_transport_shows_its_command_without_its_secrets() -> None:
    transport = StdioTransport("uvx mcp-server-git --token hunter2hunter2", env={"API_KEY": "swordfish1"})

    assert transport.name == "mcp-server-git"
    assert transport.key == "uvx mcp-server-git --token ***"
    assert repr(transport) == "StdioTransport('uvx mcp-server-git --token ***')"
    assert transport.protocol_versions() == VERSIONS
    assert transport.stderr == ""


@pytest.mark.feature(46)
@pytest.mark.edge("B18")
def test_standard_error_is_drained_logged_and_kept(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    transport = nasty("chatty", 1_000_000, env={"API_KEY": "swordfish123"})
    with caplog.at_level(logging.INFO, "dragoman.server.nasty"):
        with Wire(transport) as wire:
            wire.call()
            wire.call()

    lines = transport.stderr.splitlines()
    assert len(lines) == 200
    assert lines[-2:] == ["caf\ufffd red api_key=***", "partial"]
    logged = [record.getMessage() for record in caplog.records if record.name == "dragoman.server.nasty"]
    assert len(logged) > 10_000
    assert "swordfish" not in caplog.text
    assert capfd.readouterr().err.count("noise") == 0


def test_each_line_of_standard_error_is_passed_on_in_order() -> None:
    lines: Mailbox[str] = Mailbox()
    with Wire(nasty("die_at_start", on_stderr=lines.put)):
        got = [lines.get(Deadline(10)), lines.get(Deadline(10))]

    assert got == ["loading", "FATAL: database missing"]


def test_callback_that_raises_harms_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def bad(line: str) -> None:
        raise ValueError(line)

    with Wire(nasty("chatty", 100, on_stderr=bad)) as wire:
        assert wire.call() == {}
    assert "ValueError" in caplog.text

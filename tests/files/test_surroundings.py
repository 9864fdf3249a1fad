"""What configurations leave to their surroundings."""

import os
import sys
from pathlib import Path
from typing import Any

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.errors import KeyringError
from msgspec import structs

from dragoman.errors import ConfigError
from dragoman.files.places import home
from dragoman.files.surroundings import (
    asked_once,
    base_folder,
    has_questions,
    lookup,
    read_variables,
    resolve_entry,
    resolved,
    rooted,
)
from dragoman.host.config import Config, Input
from dragoman.host.entries import Entry, Problem

ASKED = Config(inputs={"key": Input("key", "API key"), "mode": Input("mode", default="fast")})


class Ring(KeyringBackend):
    """A keyring that has what it is told to have."""

    priority = 1.0  # pyright: ignore[reportAssignmentType] - as every backend of keyring's own does

    def __init__(self, secrets: dict[tuple[str, str], str]) -> None:
        self.secrets = secrets

    def get_password(self, service: str, username: str) -> str | None:
        if service == "locked":
            raise KeyringError("it is locked")
        return self.secrets.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.secrets[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.secrets[service, username]


@pytest.fixture
def ring() -> Any:
    before = keyring.get_keyring()
    keyring.set_keyring(Ring({("dragoman", "github"): "kept", ("other", "x"): "theirs"}))
    yield
    keyring.set_keyring(before)


def test_variables_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "secret")
    monkeypatch.delenv("UNSET", raising=False)
    look = lookup(Config(), {}, None)

    assert (look("env", "TOKEN"), look("env", "UNSET")) == ("secret", None)


@pytest.mark.usefixtures("ring")
@pytest.mark.parametrize(
    ("name", "secret"), [("github", "kept"), ("other/x", "theirs"), ("none", None), ("locked/x", None)]
)
def test_secrets_come_from_the_keyring(name: str, secret: str | None) -> None:
    assert lookup(Config(), {}, None)("keyring", name) == secret


def test_without_a_keyring_it_has_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)

    assert lookup(Config(), {}, None)("keyring", "github") is None


def test_inputs_are_given_or_asked_for() -> None:
    assert lookup(ASKED, {"key": "typed"}, None)("input", "key") == "typed"
    assert lookup(ASKED, {}, None)("input", "key") is None
    assert lookup(ASKED, {}, None)("input", "mode") == "fast"
    assert lookup(ASKED, lambda asked: asked.question, None)("input", "key") == "API key"
    assert lookup(ASKED, lambda asked: None, None)("input", "mode") == "fast"
    assert lookup(ASKED, lambda asked: asked.id, None)("input", "unheard") == "unheard"


def test_places_are_those_of_the_file(tmp_path: Path) -> None:
    look = lookup(Config(), {}, str(tmp_path / ".vscode" / "mcp.json"))

    assert look("place", "workspaceFolder") == str(tmp_path)
    assert look("place", "workspaceFolderBasename") == tmp_path.name
    assert look("place", "userHome") == home()
    assert look("place", "/") == os.sep
    assert look("place", "elsewhere") is None


def test_a_file_speaks_of_its_folder_or_of_the_project_around_it(tmp_path: Path) -> None:
    assert base_folder(None) == Path.cwd()
    assert base_folder(str(tmp_path / "mcp.json")) == tmp_path
    assert base_folder(str(tmp_path / ".cursor" / "mcp.json")) == tmp_path
    assert base_folder(str(tmp_path / ".kiro" / "settings" / "mcp.json")) == tmp_path / ".kiro" / "settings"


def test_an_entry_is_made_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "secret")
    (tmp_path / ".env").write_text("A=1\nB=2\n", "utf-8")
    entry = Entry(
        name="x",
        command="~/bin/server",
        env={"T": "${TOKEN}", "B": "own"},
        env_file=".env",
        cwd="sub",
        ca_file="~/ca.pem",
        roots=("file:///a", "b"),
        file=str(tmp_path / ".mcp.json"),
    )

    found = resolved(entry, Config(), {})

    assert isinstance(found, Entry)
    assert found.command == str(Path(home()) / "bin" / "server")
    assert found.env == {"A": "1", "B": "own", "T": "secret"}
    assert found.cwd == str(tmp_path / "sub")
    assert found.ca_file == str(Path(home()) / "ca.pem")
    assert found.roots == ("file:///a", (tmp_path / "b").as_uri())


def test_what_cannot_be_filled_in_is_a_problem(tmp_path: Path) -> None:
    config = Config(lines={("x", "env.T"): 9})
    found = resolved(Entry(name="x", command="y", env={"T": "${UNSET_HERE}"}), config, {})

    assert isinstance(found, Problem)
    assert (found.field, found.line) == ("env.T", 9)


def test_a_file_of_variables_that_is_missing_is_a_problem(tmp_path: Path) -> None:
    found = resolved(Entry(name="x", command="y", env_file=str(tmp_path / "none")), Config(), {})

    assert isinstance(found, Problem)
    assert found.field == "env_file"


def test_files_of_variables_are_read(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(
        b'\xef\xbb\xbf# first\nA=1\nexport B = two words # why\nC="quoted # text" # x\nD=\'x\'\nE=\n=7\nodd\nF="open\n#G=1\n'
    )

    assert read_variables(file) == {
        "A": "1",
        "B": "two words",
        "C": "quoted # text",
        "D": "x",
        "E": "",
        "F": '"open',
    }


def test_a_file_of_variables_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xff\xfe\xfa")

    with pytest.raises(ConfigError, match="cannot be read"):
        read_variables(tmp_path / ".env")


def test_what_was_answered_is_not_asked_again() -> None:
    asked: list[str] = []

    def ask(wanted: Input) -> str | None:
        asked.append(wanted.id)
        return None if wanted.id == "later" else "x"

    inputs = asked_once(ask)
    assert callable(inputs)
    given = [inputs(Input(each)) for each in ("key", "key", "later", "later")]

    assert (given, asked) == (["x", "x", None, None], ["key", "later", "later"])
    assert asked_once({"key": "x"}) == {"key": "x"}


def test_an_entry_may_have_questions() -> None:
    assert has_questions(Entry(name="a", url="https://x", headers={"K": "Bearer ${input:key}"}))
    assert has_questions(Entry(name="a", command="x", args=("${A:-${input:key}}",)))
    assert not has_questions(Entry(name="a", command="x", args=("input:key",)))


def test_secrets_are_heeded_by_where_they_come_from(ring: None) -> None:
    config = Config(inputs={"pw": Input("pw", is_secret=True), "id": Input("id")})
    entry = Entry(name="x", command="x", args=("${keyring:github}", "${input:pw}", "${input:id}", "${input:none:-d}"))
    heeded: list[str] = []
    resolve_entry(entry, config, {"pw": "unseen", "id": "seen"}, heed=heeded.append)

    assert heeded == ["kept", "unseen"]


@pytest.mark.parametrize("field", ["command", "cwd", "env_file", "ca_file", "client_cert", "roots"])
@pytest.mark.parametrize("path", ["~nobody-of-this-name/x", "x\0y"])
def test_a_path_that_makes_no_sense_is_told(field: str, path: str) -> None:
    given: dict[str, Any] = {"command": "x", field: (path,) if field == "roots" else path}
    found = resolved(Entry(name="x", **given), Config(lines={("x", field): 4}), {})

    assert isinstance(found, Problem)
    assert (found.field, found.line, found.server) == (field, 4, "x")
    assert "nobody-of-this-name" in found.message or "NUL" in found.message


def test_an_entry_means_the_same_in_another_file(tmp_path: Path) -> None:
    entry = Entry(
        name="x",
        command="${workspaceFolder}/run",
        args=("$${workspaceFolder}", "${OTHER}", "./kept"),
        env={"A": "${workspaceFolderBasename}"},
        cwd="sub",
        ca_file="~/ca.pem",
        client_cert="${CERT}",
        roots=("a", "file:///b", "/c"),
        auth={"scopes": ["x"]},
        file=str(tmp_path / ".vscode/mcp.json"),
    )
    moved = rooted(entry)

    assert moved.command == f"{tmp_path}/run"
    assert moved.args == entry.args
    assert moved.env == {"A": tmp_path.name}
    assert (moved.cwd, moved.ca_file, moved.client_cert) == (str(tmp_path / "sub"), "~/ca.pem", "${CERT}")
    assert moved.roots == (str(tmp_path / "a"), "file:///b", "/c")
    assert rooted(Entry(name="x", url="https://x", headers={"A": "b"})) == Entry(
        name="x", url="https://x", headers={"A": "b"}
    )


def test_what_a_project_names_starts_in_its_folder(tmp_path: Path) -> None:
    file = str(tmp_path / ".vscode/mcp.json")
    written = Entry(name="x", command="./run", file=file, is_project=True)

    assert resolve_entry(written).cwd == str(tmp_path)
    assert rooted(written).cwd == str(tmp_path)
    assert resolve_entry(structs.replace(written, cwd="sub")).cwd == str(tmp_path / "sub")
    assert resolve_entry(structs.replace(written, is_project=False)).cwd is None
    assert resolve_entry(Entry(name="x", url="https://x", file=file, is_project=True)).cwd is None

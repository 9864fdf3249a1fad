"""Reading what a host is given."""

import os
from pathlib import Path
from typing import Any

import pytest

from dragoman.errors import ConfigError, UsageError
from dragoman.files import reading
from dragoman.files.reading import decoded, given, read_configuration, read_file, stamp
from dragoman.host.config import read_mapping

ONE = '{"mcpServers": {"a": {"command": "one"}}}'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mcp.json"
    path.write_text(ONE, "utf-8")
    return path


def test_a_file_is_read(file: Path) -> None:
    found = given(str(file))

    assert found.config.names == ("a",)
    assert found.files == {file: stamp(file)}
    assert found.config.entries[0].file == str(file)
    assert not found.config.entries[0].is_project


@pytest.mark.edge("B117")
def test_a_file_of_a_project_is_known_by_its_place(tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text(ONE, "utf-8")

    assert read_file(tmp_path / ".mcp.json").entries[0].is_project
    assert not read_file(tmp_path / ".mcp.json", is_project=False).entries[0].is_project


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_files_are_read_however_editors_write_them(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes('{"mcpServers": {"é": {"command": "x"}}}\r\n'.encode(encoding))

    assert read_file(path).names == ("é",)


def test_a_link_to_a_file_of_a_project_is_one_and_ones_own_files_may_be_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    written = tmp_path / "clone" / ".cursor" / "mcp.json"
    own = tmp_path / "home" / ".cursor" / "mcp.json"
    for file in (written, own):
        file.parent.mkdir(parents=True)
    written.write_text('{"mcpServers": {"a": {"command": "x"}}}', "utf-8")
    own.symlink_to(written)
    (tmp_path / "innocent.json").symlink_to(written)

    assert read_configuration(tmp_path / "innocent.json").entry("a").is_project
    assert not read_configuration(own).entry("a").is_project


def test_of_several_sources_the_first_stands(file: Path) -> None:
    found = given([{"b": "uvx b", "mcp": object}, file, {"mcpServers": {"a": {"command": "two"}}}, {"b": "uvx other"}])

    assert [(each.name, each.command) for each in found.config.entries] == [("a", "one")]
    assert found.targets["b"] == "uvx b"


def test_a_configuration_that_was_read_is_taken_as_it_is() -> None:
    config = read_mapping({"a": {"command": "x"}})

    assert given(config).config.entries == config.entries


def test_a_mapping_has_entries_and_targets() -> None:
    server = object()
    found = given({"a": {"command": "x"}, "b": ["uvx", "b"], "c": server})

    assert found.config.names == ("a",)
    assert found.targets == {"b": ["uvx", "b"], "c": server}


@pytest.mark.parametrize(
    "mapping",
    [
        {"mcpServers": {"a": {"command": "x"}}},
        {"mcpServers": {"a": {"command": "x"}}, "theme": "dark"},
        {"servers": {"a": {"command": "x"}}, "inputs": []},
        {"a": {"command": "x"}},
    ],
)
def test_a_mapping_may_be_what_a_file_holds(mapping: dict[str, Any]) -> None:
    assert given(mapping).config.names == ("a",)


def test_a_mapping_of_names_with_a_bad_entry_has_a_problem() -> None:
    found = given({"a": {"comand": "x"}, "b": {"command": "y"}})

    assert found.config.names == ("b",)
    assert [each.server for each in found.config.problems if each.is_fatal] == ["a"]


def test_an_empty_mapping_is_an_empty_configuration() -> None:
    assert given({}).config.names == ()


def test_what_is_no_source_is_refused() -> None:
    with pytest.raises(UsageError, match="7 is no configuration"):
        given(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("contents", "what"),
    [
        (None, "there is no such file"),
        (b"\xff\xff\xff", "it cannot be read"),
        (b'{\n"a" 1}', r"mcp\.json:2: it is not JSON"),
        (b'{"theme": "dark"}', "it names no servers"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(tmp_path: Path, contents: bytes | None, what: str) -> None:
    path = tmp_path / "mcp.json"
    if contents is not None:
        path.write_bytes(contents)

    with pytest.raises(ConfigError, match=what) as caught:
        read_configuration(path)

    assert caught.value.file == str(path)


def test_a_file_that_is_too_large_is_not_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LIMIT", 1)

    with pytest.raises(ConfigError, match="too large"):
        read_file(file)


def test_a_file_looks_different_when_it_has_changed(file: Path) -> None:
    before = stamp(file)
    file.write_text(ONE + " ", "utf-8")

    assert stamp(file) != before
    assert stamp(file.parent / "none") is None


def test_texts_are_decoded() -> None:
    assert decoded("é".encode("utf-16")) == decoded("é".encode("utf-8-sig")) == "é"


def test_what_never_ends_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LIMIT", 1000)

    with pytest.raises(ConfigError, match="too large" if os.name == "posix" else ""):
        read_file(Path("/dev/zero"))

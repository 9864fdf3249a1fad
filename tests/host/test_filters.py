"""Choosing tools."""

import pytest

from dragoman.host.entries import ToolChoice
from dragoman.host.filters import (
    Filter,
    ServerInfo,
    chosen,
    destructive,
    everything,
    from_servers,
    idempotent,
    named,
    open_world,
    read_only,
    where,
)
from dragoman.types import Tool, ToolAnnotations

FS = ServerInfo("fs")
READ = Tool.define("read_file", annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))
WRITE = Tool.define("write_file", annotations=ToolAnnotations(destructive_hint=True, idempotent_hint=True))
SILENT = Tool.define("silent")
ALL = [READ, WRITE, SILENT]


def names(choice: Filter, server: ServerInfo = FS) -> list[str]:
    return [tool.name for tool in ALL if choice(server, tool)]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (everything, ["read_file", "write_file", "silent"]),
        (named("read_file"), ["read_file"]),
        (named("*_file"), ["read_file", "write_file"]),
        (named("fs/w*", "silent"), ["write_file", "silent"]),
        (named("git/*"), []),
        (from_servers("f*"), ["read_file", "write_file", "silent"]),
        (from_servers("git"), []),
        (read_only, ["read_file"]),
        (destructive, ["write_file", "silent"]),
        (idempotent, ["write_file"]),
        (open_world, ["write_file", "silent"]),
        (~read_only, ["write_file", "silent"]),
        (named("*_file") & ~read_only, ["write_file"]),
        (read_only | named("silent"), ["read_file", "silent"]),
        (read_only & (lambda server, tool: server.name == "fs"), ["read_file"]),
        (~everything | (lambda _, tool: tool.name == "silent"), ["silent"]),
    ],
)
@pytest.mark.feature(139, 171)
def test_tools_are_chosen(choice: Filter, expected: list[str]) -> None:
    assert names(choice) == expected


@pytest.mark.feature(171)
def test_a_predicate_sees_the_server_and_the_tool() -> None:
    seen: list[tuple[str, str]] = []

    def wanted(server: ServerInfo, tool: Tool) -> bool:
        seen.append((server.name, tool.name))
        return tool.name == "silent"

    assert names(where(wanted)) == ["silent"]
    assert seen == [("fs", "read_file"), ("fs", "write_file"), ("fs", "silent")]


def test_a_filter_is_one_already() -> None:
    assert where(read_only) is read_only


def test_filters_tell_what_they_choose() -> None:
    assert repr((named("a*") & ~read_only) | from_servers("b")) == "((named('a*') & ~read_only) | from_servers('b'))"
    assert repr(where(lambda *_: True)) == "<lambda>"


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (ToolChoice(), ["read_file", "write_file", "silent"]),
        (ToolChoice(include=("*_file",)), ["read_file", "write_file"]),
        (ToolChoice(exclude=("w*",)), ["read_file", "silent"]),
        (ToolChoice(("*_file",), ("w*",)), ["read_file"]),
        (ToolChoice(read_only=True), ["read_file"]),
    ],
)
@pytest.mark.feature(139)
def test_a_configuration_chooses_tools(choice: ToolChoice, expected: list[str]) -> None:
    assert names(chosen(choice)) == expected

"""Costs and search."""

from dragoman.models.catalogue import Costs, estimate_tokens, search
from dragoman.types import Tool, decode

TOOLS = [
    Tool.define("git_log", {"type": "object", "properties": {"repo_path": {}}}, description="Show the commits."),
    Tool.define("readFile", {"type": "object", "properties": {"path": {}}}, description="Read a file."),
    Tool.define("write_file", {"type": "object", "properties": "odd"}, title="Write files", description="Write text."),
    Tool.define("now", [], description=None),  # type: ignore[arg-type]
]


def names(query: str, limit: int = 5) -> list[str]:
    return [tool.name for tool in search(TOOLS, query, limit)]


def test_best_match_comes_first() -> None:
    assert names("show commits") == ["git_log"]
    assert names("files") == ["write_file", "readFile"]
    assert names("read") == ["readFile"]
    assert names("path", limit=1) == ["git_log"]
    assert names("nothing at all") == []


def test_costs_are_counted_by_tool_and_by_server() -> None:
    found = Costs.of([("git", "git_log", {"a": 1}), ("git", "git_show", {}), ("", "now", {})], len)

    assert found.by_tool == {"git_log": 7, "git_show": 2, "now": 2}
    assert found.by_server == {"git": 9, "": 2}
    assert found.total == 11


def test_tokens_are_estimated() -> None:
    assert estimate_tokens("x" * 350) == 100
    assert Costs.of([("", "now", {})]).total == estimate_tokens("{}")


def test_tool_whose_schema_cannot_be_read_is_found_by_its_name() -> None:
    schema = b'{"type":"object","properties":{"a":' * 450 + b"{}" + b"}}" * 450
    deep = decode(b'{"name":"deep","inputSchema":' + schema + b"}", Tool)

    def further_down(levels: int) -> list[Tool]:
        return further_down(levels - 1) if levels else search([deep], "deep")

    assert further_down(0) == further_down(300) == [deep]

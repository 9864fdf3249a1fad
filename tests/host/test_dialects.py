"""Where servers stand in the files of each application."""

from typing import Any

import pytest

from dragoman.host.dialects import Found, find_inputs, find_servers, in_our_words

ENTRY = {"command": "x"}


def names(value: Any, folder: str | None = None) -> list[tuple[str, tuple[Any, ...]]] | None:
    found = find_servers(value, folder)
    return None if found is None else [(each.name, each.path) for each in found]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"mcpServers": {"a": ENTRY}}, ("mcpServers", "a")),
        ({"servers": {"a": ENTRY}, "inputs": []}, ("servers", "a")),
        ({"mcp_servers": {"a": ENTRY}}, ("mcp_servers", "a")),
        ({"context_servers": {"a": ENTRY}}, ("context_servers", "a")),
        ({"extensions": {"a": ENTRY}}, ("extensions", "a")),
        ({"mcp": {"servers": {"a": ENTRY}}}, ("mcp", "servers", "a")),
        ({"mcp": {"a": ENTRY}}, ("mcp", "a")),
        ({"mcpServers": [{"name": "a", **ENTRY}]}, ("mcpServers", 0)),
        ({"a": ENTRY}, ("a",)),
    ],
)
def test_each_place_is_found(value: Any, path: tuple[Any, ...]) -> None:
    assert names(value) == [("a", path)]


def test_a_list_without_names_is_counted() -> None:
    assert names({"mcpServers": [ENTRY, "odd"]}) == [("1", ("mcpServers", 0)), ("2", ("mcpServers", 1))]


@pytest.mark.parametrize("value", [None, [], {"a": 1}, {"a": ENTRY, "b": {"c": 1}}, {"mcp": 1}])
def test_what_has_no_place_for_servers_has_none(value: Any) -> None:
    assert names(value) is None


@pytest.mark.parametrize("value", [{}, {"mcpServers": {}}, {"mcpServers": 7}, {"mcp": {}}])
def test_what_has_a_place_may_be_empty(value: Any) -> None:
    assert names(value) == []


@pytest.mark.feature(141)
@pytest.mark.parametrize(
    ("value", "path"),
    [
        (
            {"spring": {"ai": {"mcp": {"client": {"stdio": {"connections": {"a": ENTRY}}}}}}},
            ("spring", "ai", "mcp", "client"),
        ),
        ({"spring.ai.mcp.client": {"stdio": {"connections": {"a": ENTRY}}}}, ("spring.ai.mcp.client",)),
        ({"spring": {"ai.mcp.client": {"stdio": {"connections": {"a": ENTRY}}}}}, ("spring", "ai.mcp.client")),
        ({"mcp": {"client": {"stdio": {"connections": {"a": ENTRY}}}}}, ("mcp", "client")),
    ],
)
def test_connections_of_spring_are_found(value: Any, path: tuple[str, ...]) -> None:
    assert names(value) == [("a", (*path, "stdio", "connections", "a"))]


def test_connections_of_spring_share_what_is_around_them() -> None:
    client = {
        "request-timeout": "20s",
        "type": "SYNC",
        "stdio": {"connections": {"a": ENTRY}},
        "streamable-http": {"connections": {"b": {"url": "http://x"}}},
        "sse": {"connections": {"c": {"url": "http://y"}}},
        "http": None,
    }
    found = find_servers({"spring": {"ai": {"mcp": {"client": client}, "model": {"chat": {}}}, "other": {}}})

    assert found is not None
    assert [(each.name, dict(each.defaults)) for each in found] == [
        ("a", {"request-timeout": "20s", "type": "stdio"}),
        ("b", {"request-timeout": "20s", "type": "http"}),
        ("c", {"request-timeout": "20s", "type": "sse"}),
    ]


def test_other_settings_are_not_searched_without_end() -> None:
    value: dict[str, Any] = {}
    for _ in range(10):
        value = {"mcp": value}

    assert names({"spring": value}) is None


def test_a_projects_servers_are_found_in_a_file_of_many() -> None:
    value = {
        "mcpServers": {"a": ENTRY},
        "projects": {"/p": {"mcpServers": {"b": ENTRY}}, "/q": {"mcpServers": {"c": ENTRY}}},
    }

    assert names(value, "/p") == [("a", ("mcpServers", "a")), ("b", ("projects", "/p", "mcpServers", "b"))]
    assert names(value, "/r") == [("a", ("mcpServers", "a"))]
    assert names({"mcpServers": {}, "projects": 7}, "/p") == []


def test_inputs_are_found() -> None:
    inputs = [{"id": "a"}, "odd"]

    assert find_inputs({"inputs": inputs}) == ((("inputs", 0), {"id": "a"}),)
    assert find_inputs({"mcp": {"inputs": inputs}}) == ((("mcp", "inputs", 0), {"id": "a"}),)
    assert find_inputs({"inputs": 7}) == find_inputs([]) == ()


@pytest.mark.parametrize(
    ("written", "ours"),
    [
        ({"transport": "sse", "url": "x"}, {"type": "sse", "url": "x"}),
        ({"transport": "sse", "type": "http"}, {"type": "http"}),
        ({"transport": {"type": "http", "url": "x"}}, {"type": "http", "url": "x"}),
        ({"command": ["npx", "-y"], "args": ["p"]}, {"command": "npx", "args": ["-y", "p"]}),
        ({"command": ["npx"], "args": 7}, {"command": "npx", "args": []}),
        ({"command": []}, {"command": []}),
        ({"command": {"path": "npx", "args": ["p"]}}, {"command": "npx", "args": ["p"]}),
        ({"url": "x", "bearer_token_env_var": "T"}, {"url": "x", "headers": {"Authorization": "Bearer ${env:T}"}}),
        ({"env_http_headers": {"X": "V"}, "http_headers": {"Y": "z"}}, {"headers": {"X": "${env:V}", "Y": "z"}}),
        ({"http_headers": {"Y": "z"}}, {"headers": {"Y": "z"}}),
        ({"headers": 7, "bearer_token_env_var": "T"}, {"headers": 7}),
        ({"env_vars": ["A"], "env": {"B": "c"}}, {"env": {"A": "${env:A:-}", "B": "c"}}),
        ({"startup_timeout_ms": 500}, {"startup_timeout": "500ms"}),
    ],
)
def test_habits_are_put_into_our_words(written: dict[str, Any], ours: dict[str, Any]) -> None:
    assert in_our_words(written) == ours


def test_what_was_found_has_no_defaults_unless_given() -> None:
    assert dict(Found("a", {}, ()).defaults) == {}

"""Where servers stand in the files of each application."""

from typing import Any

import pytest

from dragoman.host.dialects import Found, find_inputs, find_servers

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
        (
            {"experimental": {"x": 1, "modelContextProtocolServers": [{"name": "a"}]}},
            ("experimental", "modelContextProtocolServers", 0),
        ),
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


@pytest.mark.parametrize("value", [{}, {"mcpServers": {}}, {"mcpServers": None}, {"mcp": {}}])
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
        ("a", {"request-timeout": "20s", "type": "stdio", "spring.ai": None}),
        ("b", {"request-timeout": "20s", "type": "http", "spring.ai": "/mcp"}),
        ("c", {"request-timeout": "20s", "type": "sse", "spring.ai": "/sse"}),
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


def test_what_gemini_says_about_servers_is_none() -> None:
    about = {"allowed": ["a"], "excluded": [], "serverCommand": "x"}

    assert names({"mcpServers": {"a": ENTRY}, "mcp": about}) == [("a", ("mcpServers", "a"))]
    assert names({"mcp": {"a": ENTRY, **about}}) == [("a", ("mcp", "a"))]
    assert names({"mcp": about}) is None


@pytest.mark.parametrize("section", [7, "x", True])
def test_what_is_no_place_for_servers_is_told(section: object) -> None:
    assert names({"mcpServers": section}) == [("", ("mcpServers",))]


def test_inputs_are_found() -> None:
    inputs = [{"id": "a"}, "odd"]

    assert find_inputs({"inputs": inputs}) == ((("inputs", 0), {"id": "a"}),)
    assert find_inputs({"mcp": {"inputs": inputs}}) == ((("mcp", "inputs", 0), {"id": "a"}),)
    assert find_inputs({"inputs": 7}) == find_inputs([]) == ()


def test_what_was_found_has_no_defaults_unless_given() -> None:
    assert dict(Found("a", {}, ()).defaults) == {}


@pytest.mark.parametrize("name", ["servers", "extensions", "mcp"])
@pytest.mark.parametrize("entry", [{"command": "x"}, {"url": "https://x"}, {"command": ["x", "y"]}])
def test_a_server_may_be_called_what_others_keep_theirs_under(name: str, entry: dict[str, Any]) -> None:
    assert [each.name for each in find_servers({name: entry}) or ()] == [name]


def test_connections_of_spring_are_found_by_keys_that_are_dotted_to_their_end() -> None:
    flat = {
        "spring.ai.mcp.client.stdio.connections.a.command": "x",
        "spring.ai.mcp.client.stdio.connections.a.command.odd": "y",
        "spring.ai.mcp.client.request-timeout": "20s",
        "spring.application.name": "z",
    }
    (found,) = list(find_servers(flat) or ())

    assert (found.name, found.raw, found.defaults["request-timeout"]) == ("a", {"command": "x"}, "20s")


def test_what_spring_has_in_another_file_is_told_of() -> None:
    client = {"stdio": {"servers-configuration": "classpath:mcp.json"}}
    (found,) = list(find_servers({"spring": {"ai": {"mcp": {"client": client}}}}) or ())

    assert (found.name, found.raw) == ("", "classpath:mcp.json")

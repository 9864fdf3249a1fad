"""Whole configurations, in every dialect."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import ConfigError
from dragoman.host.config import Config, Input, merge, read_config, read_mapping
from dragoman.host.entries import Entry, ToolChoice
from dragoman.host.fields import FIELDS

GIT = Entry(name="git", command="uvx", args=("mcp-server-git",))


def entries(config: Config) -> list[Entry]:
    """Give the entries without where they were written."""
    return [
        Entry(**{name: getattr(each, name) for name in each.__struct_fields__ if name not in {"file", "line"}})
        for each in config.entries
    ]


def problems(config: Config) -> list[tuple[str | None, str | None, str, bool]]:
    return [(each.server, each.field, each.message, each.is_fatal) for each in config.problems]


# --------------------------------------------------------------------------------------------------------- the sources


@pytest.mark.feature(124)
def test_the_mapping_of_a_multi_server_client_is_read_as_it_is_printed() -> None:
    config = read_mapping(
        {
            "math": {"command": "python", "args": ["/path/to/math_server.py"], "transport": "stdio"},
            "weather": {"url": "http://localhost:8000/mcp", "transport": "streamable_http"},
        }
    )

    assert entries(config) == [
        Entry(name="math", command="python", args=("/path/to/math_server.py",)),
        Entry(name="weather", url="http://localhost:8000/mcp"),
    ]
    assert config.problems == ()


@pytest.mark.feature(141, 142)
def test_the_yaml_of_spring_is_read_as_it_is_printed() -> None:
    text = """
spring:
  ai:
    mcp:
      client:
        enabled: true
        name: demo
        request-timeout: 20s
        type: SYNC
        toolcallback:
          enabled: true
        stdio:
          connections:
            filesystem:
              command: npx
              args:
                - -y
                - "@modelcontextprotocol/server-filesystem"
                - /tmp/sandbox
            git:
              command: uvx
              args: [mcp-server-git]
              env:
                GIT_PAGER: cat
"""
    config = read_config(text, "application.yml")

    assert entries(config) == [
        Entry(
            name="filesystem",
            command="npx",
            args=("-y", "@modelcontextprotocol/server-filesystem", "/tmp/sandbox"),
            timeout=20.0,
        ),
        Entry(name="git", command="uvx", args=("mcp-server-git",), env={"GIT_PAGER": "cat"}, timeout=20.0),
    ]
    assert config.problems == ()


def test_the_json_of_claude_desktop_is_read() -> None:
    text = """{
      // where a comment stands
      "mcpServers": {
        "git": {"command": "uvx", "args": ["mcp-server-git"],},
      },
    }"""
    config = read_config(text, "claude_desktop_config.json")

    assert entries(config) == [GIT]
    assert config.entries[0].line == 4
    assert config.lines["git", "args.0"] == 4


def test_vs_code_is_read_with_its_inputs() -> None:
    text = json.dumps(
        {
            "inputs": [
                {"type": "promptString", "id": "key", "description": "API key", "password": True},
                {"type": "pickString", "id": "mode", "options": ["a", {"label": "B", "value": "b"}], "default": "a"},
                {"type": "promptString"},
            ],
            "servers": {"web": {"type": "http", "url": "https://x/mcp", "headers": {"K": "${input:key}"}}},
        }
    )
    config = read_config(text, "mcp.json")

    assert config.inputs == {
        "key": Input("key", "API key", None, True),
        "mode": Input("mode", "", "a", False, ("a", "b")),
    }
    assert entries(config) == [Entry(name="web", url="https://x/mcp", headers={"K": "${input:key}"})]


def test_codex_is_read() -> None:
    text = """
[mcp_servers.git]
command = "uvx"
args = ["mcp-server-git"]
startup_timeout_sec = 20
tool_timeout_sec = 60
enabled_tools = ["git_log"]
disabled_tools = ["git_reset"]

[mcp_servers.web]
url = "https://x/mcp"
bearer_token_env_var = "TOKEN"
enabled = false
"""
    config = read_config(text, "config.toml")

    assert entries(config) == [
        Entry(
            name="git",
            command="uvx",
            args=("mcp-server-git",),
            startup=20.0,
            timeout=60.0,
            tools=ToolChoice(("git_log",), ("git_reset",)),
        ),
        Entry(name="web", url="https://x/mcp", headers={"Authorization": "Bearer ${env:TOKEN}"}, disabled=True),
    ]


def test_our_own_fields_are_read() -> None:
    own = {
        "command": "x",
        "cwd": "/p",
        "timeout": "5s",
        "required": True,
        "tools": {"include": ["a*"], "exclude": "b", "read_only": True},
        "prefix": "p",
        "policy": [{"verdict": "ask", "tool": "w*"}],
        "at_once": 2,
        "rate": "10/s",
        "restart": False,
        "log_level": "debug",
        "roots": ["file:///p"],
        "versions": "2025-11-25",
    }

    assert entries(read_mapping({"mcpServers": {"a": own}})) == [
        Entry(
            name="a",
            command="x",
            cwd="/p",
            timeout=5.0,
            required=True,
            tools=ToolChoice(("a*",), ("b",), True),
            prefix="p",
            policy=({"verdict": "ask", "tool": "w*"},),
            at_once=2,
            rate=(10, 1.0),
            restart=False,
            log_level="debug",
            roots=("file:///p",),
            versions=("2025-11-25",),
        )
    ]


@pytest.mark.edge("B120")
@pytest.mark.parametrize(
    "written",
    [
        {"type": kind, "url": "https://x"}
        for kind in (
            "http",
            "streamable-http",
            "streamableHttp",
            "streamable_http",
            "sse",
            "remote",
            "HTTP",
            "http-stream",
        )
    ]
    + [
        {"transportType": "streamable-http", "url": "https://x"},
        {"transport": {"type": "http", "url": "https://x"}},
        {"serverUrl": "https://x"},
        {"httpUrl": "https://x"},
        {"url": "https://x/", "endpoint": "/"},
    ],
)
def test_every_spelling_of_an_address_is_read(written: dict[str, Any]) -> None:
    (entry,) = read_mapping({"mcpServers": {"a": written}}).entries

    assert entry.url is not None
    assert entry.url.rstrip("/") == "https://x"


def test_an_endpoint_is_put_behind_its_address() -> None:
    (entry,) = read_mapping({"mcpServers": {"a": {"url": "http://h:1/", "sse-endpoint": "/events"}}}).entries

    assert entry.url == "http://h:1/events"


def test_a_pattern_alone_chooses_tools() -> None:
    (entry,) = read_mapping({"mcpServers": {"a": {"command": "x", "tools": ["*"]}}}).entries

    assert entry.tools == ToolChoice(("*",))


# ------------------------------------------------------------------------------------------------------------ mistakes


@pytest.mark.parametrize(
    ("entry", "field", "what"),
    [
        (3, None, "an entry is an object"),
        ({}, "command", "it is missing"),
        ({"type": "http"}, "url", "it is missing"),
        ({"command": "x", "url": "https://x"}, "url", "there is a command as well"),
        ({"command": "x", "type": "http"}, "type", "'http' wants a `url`"),
        ({"url": "https://x", "type": "stdio"}, "type", "'stdio' wants a `command`"),
        ({"url": "ws://x"}, "url", "it is no address"),
        ({"url": "x", "type": "websocket"}, "type", "the transport 'websocket' is not known"),
        ({"command": "x", "args": "y"}, "args", "a text stands where a list belongs"),
        ({"command": "x", "tools": {"include": 7}}, "tools.include", "a number stands where a list belongs"),
        ({"command": "x", "tools": {"inklude": ["a"]}}, "tools.inklude", "there is no such field, and it is left out"),
        ({"command": "x", "tools": 7}, "tools", "a number stands where a list belongs"),
        ({"command": " "}, "command", "it is missing"),
        ({"command": "npx -y package"}, "command", "it is a whole command line"),
        ({"command": "C:\temp\node.exe"}, "command", "it holds a control character"),
        ({"command": "x", "cwd": "C:\new"}, "cwd", "it holds a control character"),
        (
            {"command": "x", "policy": [{"verdict": "redact", "patterns": 5}]},
            "policy",
            "`patterns` of a rule cannot be 5",
        ),
    ],
)
def test_a_bad_entry_costs_itself_alone(entry: Any, field: str | None, what: str) -> None:
    config = read_mapping({"mcpServers": {"bad": entry, "git": {"command": "uvx", "args": ["mcp-server-git"]}}})

    assert entries(config) == [GIT]
    assert problems(config) == [("bad", field, what, True)]


@pytest.mark.edge("B120")
def test_an_unknown_field_is_told_and_left_out() -> None:
    config = read_config('{"mcpServers": {"a": {"command": "x",\n"comand": 1}}}', "mcp.json")

    assert config.names == ("a",)
    (problem,) = config.problems
    assert str(problem) == "mcp.json:2: comand: there is no such field, and it is left out"
    assert problem.hint == "did you mean `command`?"
    assert not problem.is_fatal


def test_a_field_that_is_like_none_has_no_hint() -> None:
    (problem,) = read_mapping({"mcpServers": {"a": {"command": "x", "zzz": 1}}}).problems

    assert problem.hint is None


def test_a_name_that_is_there_twice_is_told() -> None:
    config = read_config('{"mcpServers": {"a": {"command": "x"}, "a": {"command": "y"}}}')

    assert entries(config) == [Entry(name="a", command="y")]
    assert problems(config) == [("a", None, "the name stands there twice; the last one counts", False)]


def test_two_places_with_one_name_are_told() -> None:
    config = read_mapping({"mcpServers": {"a": {"command": "x"}}, "servers": {"a": {"command": "y"}}})

    assert entries(config) == [Entry(name="a", command="x")]
    assert problems(config) == [("a", None, "it is left out: an earlier server has the same name", False)]


def test_what_an_application_has_built_in_is_left_alone() -> None:
    config = read_mapping({"extensions": {"developer": {"type": "builtin", "enabled": True}, "g": {"cmd": "x"}}})

    assert config.names == ("g",)
    assert config.problems == ()


def test_a_file_without_servers_is_refused_unless_it_may_be_another() -> None:
    with pytest.raises(ConfigError, match="it names no servers"):
        read_config('{"editor.fontSize": 12}', "settings.json")

    assert read_config('{"editor.fontSize": 12}', "settings.json", may_be_another=True) == Config()
    assert read_config('{"mcp": {"servers": {}}}', "settings.json", may_be_another=True) == Config()


def test_entries_of_a_project_are_marked() -> None:
    (entry,) = read_config('{"mcpServers": {"a": {"command": "x"}}}', "/p/.mcp.json", is_project=True).entries

    assert entry.is_project
    assert entry.file == "/p/.mcp.json"


# ------------------------------------------------------------------------------------------------------ several, lookup


def test_of_two_files_the_first_one_stands() -> None:
    mine = read_config('{"mcpServers": {"a": {"command": "mine"}}}', "mine.json")
    theirs = read_config(
        '{"mcpServers": {"a": {"command": "theirs"}, "b": {"command": "y"}}, "inputs": [{"id": "k"}]}', "theirs.json"
    )

    merged = merge([mine, theirs])

    assert [(each.name, each.command) for each in merged.entries] == [("a", "mine"), ("b", "y")]
    assert [str(each) for each in merged.problems] == [
        "theirs.json:1: it is left out: an earlier server has the same name, which stands in mine.json"
    ]
    assert set(merged.inputs) == {"k"}
    assert ("b", "command") in merged.lines


def test_what_is_broken_is_not_replaced_by_another_file() -> None:
    mine = read_mapping({"mcpServers": {"a": {"command": 1, "args": 7}}})
    theirs = read_mapping({"mcpServers": {"a": {"command": "theirs"}}})

    merged = merge([mine, theirs])

    assert merged.entries == ()
    assert [each.is_fatal for each in merged.problems] == [True, False]


def test_an_entry_is_found_by_its_name() -> None:
    config = read_mapping({"mcpServers": {"git": {"command": "x"}, "bad": {}}})

    assert config.entry("git").command == "x"
    with pytest.raises(ConfigError, match="did you mean 'git'"):
        config.entry("gti")
    with pytest.raises(ConfigError, match="there are git"):
        config.entry("other")
    with pytest.raises(ConfigError, match="command: it is missing"):
        config.entry("bad")
    with pytest.raises(ConfigError, match="there are none"):
        Config().entry("git")


def test_a_section_that_is_none_is_told_of() -> None:
    config = read_config('{\n"mcpServers": 7}', "m.json")

    assert [str(each) for each in config.problems] == ["m.json:2: mcpServers: servers stand in an object"]
    assert config.problems[0].server is None


def test_what_some_would_fill_in_and_others_not_is_told_of() -> None:
    config = read_mapping({"mcpServers": {"a": {"url": "https://x", "headers": {"A": "Bearer $TOKEN", "B": "$1 $x"}}}})

    assert [(each.field, each.hint, each.is_fatal) for each in config.problems] == [
        ("headers.A", "if it is a variable, write Bearer ${TOKEN}", False)
    ]


def test_what_an_application_has_in_itself_is_left_out() -> None:
    config = read_mapping({"extensions": {"a": {"type": "platform"}, "b": {"cmd": "x", "type": "stdio"}}})

    assert (config.names, config.problems) == (("b",), ())


def test_rules_that_are_none_are_a_mistake() -> None:
    config = read_config('{"mcpServers": {"a": {"command": "x",\n "policy": [{"verdict": "perhaps"}]}}}', "m.json")

    assert (config.names, config.order) == ((), ("a",))
    assert [str(each) for each in config.problems] == ["m.json:2: policy: 'perhaps' is no verdict"]


@pytest.mark.parametrize("command", ["/opt/my programs/x", "C:\\Program Files\\x.exe", "${HOME}/a b", "x"])
def test_the_path_of_a_program_may_have_blanks(command: str) -> None:
    assert read_mapping({"mcpServers": {"a": {"command": command}}}).names == ("a",)
    assert read_mapping({"mcpServers": {"a": {"command": "my program", "args": []}}}).names == ("a",)


@pytest.mark.parametrize("name", ["", "this program", "a\nb", "a\x1b[2J"])
def test_some_names_are_taken(name: str) -> None:
    config = read_mapping({"mcpServers": {name: {"command": "x"}}})

    assert config.entries == ()
    assert problems(config) == [(name, None, f"a server cannot be called {name!r}", True)]


def test_a_level_too_much_is_told_of() -> None:
    config = read_mapping({"mcpServers": {"mcpServers": {"a": {"command": "x"}}}})

    assert "it holds servers, and is none itself" in {each.message for each in config.problems}


def test_spring_can_switch_its_servers_off_and_keep_them_elsewhere() -> None:
    client = {
        "enabled": False,
        "stdio": {"servers-configuration": "classpath:x.json", "connections": {"a": {"command": "x"}}},
    }
    config = read_mapping({"spring": {"ai": {"mcp": {"client": client}}}})

    assert config.entry("a").disabled
    assert [(each.field, each.message) for each in config.problems] == [
        ("servers-configuration", "the file that it names is not read from here")
    ]


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ({"options": 5}, Input("a")),
        ({"options": {"x": 1}, "default": {"x": 1}}, Input("a")),
        (
            {"options": ["x", {"label": "y"}, {"label": "l", "value": "z"}, None, []], "default": 5},
            Input("a", "", "5", options=("x", "y", "z")),
        ),
    ],
)
def test_questions_are_read_however_odd_they_are(asked: dict[str, Any], read: Input) -> None:
    config = read_mapping({"inputs": [{"id": "a", **asked}], "servers": {"x": {"command": "x"}}})

    assert (config.inputs, config.names) == ({"a": read}, ("x",))


def test_what_is_there_for_nothing_is_told_of() -> None:
    config = read_mapping(
        {
            "mcpServers": {
                "program": {"command": "x", "headers": {"A": "b"}, "oauth": True, "env": {"A": "b"}},
                "address": {"url": "https://x", "args": ["x"], "environment": {"A": "b"}, "headers": {"A": "b"}},
                "both": {"url": "https://x", "command": "x", "headers": {"A": "b"}},
                "empty": {"url": "https://x", "args": [], "env": {}},
            }
        }
    )

    assert config.names == ("program", "address", "empty")
    assert [(each.server, each.field, each.message) for each in config.problems if not each.is_fatal] == [
        ("program", "headers", "it means nothing for a program"),
        ("program", "oauth", "it means nothing for a program"),
        ("address", "args", "it means nothing for an address"),
        ("address", "environment", "it means nothing for an address"),
    ]


_WORDS = [field.name for field in FIELDS] + [
    *("servers", "mcpServers", "mcp", "spring", "ai", "client", "stdio", "connections", "projects", "experimental"),
    *(
        "extensions",
        "inputs",
        "id",
        "options",
        "default",
        "transport",
        "requestOptions",
        "apiKey",
        "env_vars",
        "env_keys",
    ),
    *("bearer_token_env_var", "env_http_headers", "http_headers", "customUserVars", "toolTimeoutMs", "uses", "source"),
    *("settings", "servers-configuration", "modelContextProtocolServers", "enabled", "path", "name", "a"),
]
_ATOMS: st.SearchStrategy[Any] = st.sampled_from(
    [None, True, False, 0, 1, -1, 1.5, "", "x", "${A}", "${", "20s", "~", "x y", "\0", "\n", 10**20]
)
_ODD = st.recursive(
    _ATOMS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_WORDS), inner, max_size=5),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(_WORDS), _ODD, max_size=4), _ODD)
def test_whatever_a_configuration_holds_is_read_or_refused(outer: dict[str, Any], inner: Any) -> None:
    for written in (
        outer,
        {"mcpServers": {"a": outer}},
        {"mcpServers": inner},
        {"servers": {"a": inner}, "inputs": inner},
    ):
        with contextlib.suppress(ConfigError):
            config = read_mapping(written)

            assert all(entry.name in config.order for entry in config.entries)
            assert all(str(problem) for problem in config.problems)


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ({"url": "https://x", "apiKey": "k", "headers": "odd"}, "headers"),
        ({"command": "x", "env_keys": ["A"], "env": True}, "env"),
    ],
)
def test_what_cannot_be_added_to_is_told_of(entry: dict[str, Any], field: str) -> None:
    (problem,) = read_mapping({"mcpServers": {"a": entry}}).problems

    assert (problem.field, problem.is_fatal) == (field, True)


def test_headers_that_are_named_by_no_table_are_none() -> None:
    entry = {"url": "https://x", "bearer_token_env_var": "T", "env_http_headers": ["A"]}

    assert read_mapping({"mcp_servers": {"a": entry}}).entry("a").headers == {"Authorization": "Bearer ${env:T}"}

"""What applications write in ways of their own."""

from typing import Any

import pytest

from dragoman.host.habits import SPRING, in_our_words, is_of_another_kind, written_as


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
        ({"env_vars": ["A", {"name": "B", "source": "local"}]}, {"env": {"A": "${env:A:-}", "B": "${env:B:-}"}}),
        ({"env_vars": ["A"], "env": ["B=c"]}, {"env": ["B=c"]}),
        ({"env_keys": ["A"], "envs": {"B": "c"}}, {"envs": {"A": "${env:A}", "B": "c"}}),
        ({"startup_timeout_ms": 500}, {"startup_timeout": "500ms"}),
        ({"startup_timeout_sec": 20}, {"startup_timeout": "20s"}),
        ({"tool_timeout_sec": 1800.5}, {"tool_timeout": "1800.5s"}),
        ({"read_timeout_seconds": "1m"}, {"read_timeout": "1m"}),
        ({"startup": False}, {}),
        ({"startup": "5s"}, {"startup": "5s"}),
        (
            {"requestOptions": {"headers": {"A": "b"}}, "apiKey": "k"},
            {"headers": {"Authorization": "Bearer k", "A": "b"}},
        ),
        ({"requestOptions": {"timeout": 5}, "apiKey": 7}, {}),
        ({"tools": {"a": {"enabled": False}, "b": {"approval_mode": "auto"}}}, {"exclude": ["a"]}),
        ({"tools": {"a": {"disabled": True}}, "disabled_tools": ["b"]}, {"disabled_tools": ["b", "a"]}),
        ({"tools": {"a": {"approval_mode": "auto"}}}, {}),
        ({"tools": {"include": ["a"]}}, {"tools": {"include": ["a"]}}),
        ({"tools": {}}, {"tools": {}}),
        ({"headers": {"U": "{{LIBRECHAT_USER_ID}}"}}, {"headers": {"U": "${env:LIBRECHAT_USER_ID}"}}),
        (
            {"headers": {"K": "{{MY_KEY}} {{OTHER}}"}, "args": ["{{ MY_KEY }}", 7], "customUserVars": {"MY_KEY": {}}},
            {"headers": {"K": "${input:MY_KEY} {{OTHER}}"}, "args": ["${input:MY_KEY}", 7]},
        ),
        ({"args": ["{{MY_KEY}}"], "customUserVars": {}}, {"args": ["{{MY_KEY}}"]}),
    ],
)
def test_habits_are_put_into_our_words(written: dict[str, Any], ours: dict[str, Any]) -> None:
    assert in_our_words(written) == ours


@pytest.mark.parametrize(
    ("url", "usual", "endpoint"),
    [
        ("http://x:1", "/mcp", "/mcp"),
        ("http://x:1/", "/sse", "/sse"),
        ("x", "/sse", "/sse"),
        ("http://x/mcp", "/mcp", None),
        ("http://x", None, None),
        (7, "/mcp", None),
    ],
)
def test_spring_has_usual_paths(url: object, usual: str | None, endpoint: str | None) -> None:
    assert in_our_words({"url": url, SPRING: usual}).get("endpoint") == endpoint
    assert "endpoint" not in in_our_words({"url": url, "sse-endpoint": "/own", SPRING: usual})


@pytest.mark.edge("B119")
@pytest.mark.parametrize(
    ("file", "text", "ours"),
    [
        ("/home/me/.gemini/settings.json", "Bearer $TOKEN", "Bearer ${env:TOKEN}"),
        ("C:\\me\\.gemini\\settings.json", "${TOKEN} $$X", "${TOKEN} $$X"),
        ("/p/.crush.json", "$TOKEN-$(echo $TOKEN)", "$TOKEN-$(echo $TOKEN)"),
        ("/p/crush.json", "$TOKEN", "${env:TOKEN}"),
        ("/p/opencode.json", "{env:TOKEN} ${env:A}", "${env:TOKEN} ${env:A}"),
        ("/p/opencode.jsonc", "{file:~/.key}", "${file:~/.key}"),
        ("/p/mcp.json", "$TOKEN {env:TOKEN}", "$TOKEN {env:TOKEN}"),
        (None, "$TOKEN", "$TOKEN"),
    ],
)
def test_each_application_has_its_form_of_variables(file: str | None, text: str, ours: str) -> None:
    assert in_our_words({"env": {"A": text}}, written_as(file)) == {"env": {"A": ours}}


def test_spring_has_defaults_after_a_colon() -> None:
    assert in_our_words({"args": ["${A:b} ${A:-c} ${D}"], SPRING: None}) == {"args": ["${A:-b} ${A:-c} ${D}"]}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ({"type": "builtin", "name": "developer"}, True),
        ({"type": "platform"}, True),
        ({"type": "inline_python", "code": "x"}, True),
        ({"source": "extension", "enabled": True}, True),
        ({"enabled": True, "settings": {}}, True),
        ({"uses": "anthropic/memory"}, True),
        ({"source": "custom", "command": "x"}, False),
        ({"settings": {}, "command": "x"}, False),
        ({"source": "extension", "httpUrl": "http://x"}, False),
        ({"args": []}, False),
    ],
)
def test_what_an_application_has_in_itself_is_no_server(raw: dict[str, Any], expected: bool) -> None:
    assert is_of_another_kind(raw) is expected

"""Errors say what happened, to what, and the way out; and keep it in attributes."""

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from dragoman import errors
from dragoman.errors import (
    AuthError,
    ConfigError,
    ConnectFailed,
    ConnectionLost,
    HttpError,
    McpError,
    McpTimeout,
    MissingClientCapability,
    NotOffered,
    OutcomeUnknown,
    ProtocolError,
    SchemaViolation,
    ServerError,
    ServerExited,
    ToolFailed,
    TransportError,
    UnsupportedProtocolVersion,
    UrlElicitationRequired,
    UsageError,
)
from dragoman.types import CallToolResult


def test_every_error_is_one_of_this_library() -> None:
    named = [getattr(errors, name) for name in errors.__all__]

    assert all(issubclass(each, McpError) for each in named)


def test_every_error_is_drawn_in_the_tree() -> None:
    missing = [name for name in errors.__all__ if name not in inspect.getdoc(errors)]  # type: ignore[operator]

    assert missing == []


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (TransportError("a"), ConnectionError),
        (McpTimeout("a", method="m", waited=1.0), TimeoutError),
        (UsageError("a"), ValueError),
    ],
)
def test_what_others_have_a_name_for_is_caught_by_it(error: McpError, kind: type[Exception]) -> None:
    assert isinstance(error, kind)


@pytest.mark.parametrize(
    "error",
    [
        McpError("no", server="s", hint="h"),
        ServerError("no", code=5, data={"a": 1}, method="ping", server="s"),
        ServerExited("gone", argv=["a"], exit_code=3, stderr="why", was_sent=False, server="s"),
        HttpError("no", status=502, headers={"a": "b"}, body="c"),
        OutcomeUnknown("perhaps", method="tools/call"),
        McpTimeout("late", method="ping", waited=1.5),
        ToolFailed("no", tool="t", result=CallToolResult(is_error=True)),
        NotOffered("no", capability="tools"),
        ConfigError("no", file="a.json", line=5),
    ],
)
@pytest.mark.parametrize("copied", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_error_goes_whole_to_another_process(error: McpError, copied: Callable[[McpError], McpError]) -> None:
    same = copied(error)

    assert type(same) is type(error)
    assert str(same) == str(error)
    assert same.args == error.args
    assert vars(same) == vars(error)


def test_an_error_says_what_happened_to_what_and_the_way_out() -> None:
    error = McpError("it broke", server="files", hint="mend it")

    assert str(error) == "files: it broke (mend it)"
    assert (error.message, error.server, error.hint) == ("it broke", "files", "mend it")


def test_an_error_may_know_no_more_than_what_happened() -> None:
    assert str(McpError("it broke")) == "it broke"


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({}, "no [7]"),
        ({"method": "tools/call"}, "tools/call failed: no [7]"),
        (
            {"method": "tools/call", "server": "files", "hint": "ask again"},
            "files: tools/call failed: no [7] (ask again)",
        ),
    ],
)
def test_a_server_error_names_its_code_and_its_request(known: dict[str, Any], expected: str) -> None:
    error = ServerError("no", code=7, data=[1], **known)

    assert str(error) == expected
    assert (error.code, error.data, error.method) == (7, [1], known.get("method"))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"supported": ["2026-07-28", 5, "2025-11-25"]}, ("2026-07-28", "2025-11-25")),
        ({"supported": "2026-07-28"}, ()),
        ({}, ()),
        (None, ()),
        (["2026-07-28"], ()),
    ],
)
def test_the_versions_that_a_server_names_are_read(data: Any, expected: tuple[str, ...]) -> None:
    assert UnsupportedProtocolVersion("no", code=-32022, data=data).supported == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [({"requiredCapabilities": {"sampling": {}}}, {"sampling": {}}), ({"requiredCapabilities": 5}, {}), (None, {})],
)
def test_the_capability_that_a_server_wants_is_read(data: Any, expected: dict[str, Any]) -> None:
    assert MissingClientCapability("no", code=-32021, data=data).required == expected


def test_there_may_be_no_url_to_visit() -> None:
    assert UrlElicitationRequired("no", code=-32042).elicitations == ()


def test_a_protocol_error_shows_what_was_sent() -> None:
    error = ProtocolError("this is no message", excerpt="hello", server="files")

    assert str(error) == "files: this is no message: hello"
    assert error.excerpt == "hello"


def test_a_protocol_error_may_have_nothing_to_show() -> None:
    assert str(ProtocolError("nothing came")) == "nothing came"


def test_a_broken_schema_keeps_its_result() -> None:
    assert SchemaViolation("it broke", result=5, server="files").result == 5


@pytest.mark.parametrize("kind", [TransportError, ConnectFailed, ConnectionLost])
def test_a_request_counts_as_sent_unless_it_is_known_not_to_be(kind: type[TransportError]) -> None:
    assert kind("it broke").was_sent
    assert not kind("it broke", was_sent=False).was_sent


@pytest.mark.edge("B02")
def test_the_end_of_a_server_is_told_with_its_last_words() -> None:
    error = ServerExited(
        "it exited with status 3",
        argv=["uvx", "files"],
        exit_code=3,
        stderr="FATAL: database missing\n",
        server="files",
    )

    assert str(error) == "files: it exited with status 3\nFATAL: database missing"
    assert (error.argv, error.exit_code, error.signal) == (("uvx", "files"), 3, None)


def test_a_server_may_end_without_a_word() -> None:
    assert str(ServerExited("it was ended", signal="SIGKILL", stderr=" \n")) == "it was ended"


@pytest.mark.edge("B25")
def test_an_http_error_keeps_its_status_headers_and_body() -> None:
    error = HttpError("502 Bad Gateway", status=502, headers={"Retry-After": "7"}, body="<html>")

    assert (error.status, error.headers, error.body, error.was_sent) == (502, {"Retry-After": "7"}, "<html>", True)


def test_an_http_error_may_have_no_headers() -> None:
    assert HttpError("404", status=404).headers == {}


def test_an_unknown_outcome_names_its_request() -> None:
    assert OutcomeUnknown("it may have run", method="tools/call").method == "tools/call"


def test_a_timeout_tells_what_was_waited_for_and_how_long() -> None:
    error = McpTimeout("no answer", method="tools/call", waited=20.0, phase="writing", was_sent=False)

    assert (error.method, error.waited, error.phase, error.was_sent) == ("tools/call", 20.0, "writing", False)


def test_an_auth_error_tells_what_is_wanted() -> None:
    error = AuthError("log in", status=401, challenge="Bearer", scope="files", url="https://example.com")

    assert (error.status, error.challenge, error.scope, error.url) == (401, "Bearer", "files", "https://example.com")


def test_what_is_not_offered_is_named() -> None:
    assert NotOffered("no", capability="resources.subscribe").capability == "resources.subscribe"


def test_a_failed_tool_keeps_its_result() -> None:
    error = ToolFailed("it failed", tool="search", result=5)

    assert (error.tool, error.result) == ("search", 5)


def test_a_config_error_names_its_place() -> None:
    error = ConfigError("no", file="mcp.json", line=3, field="url")

    assert (error.file, error.line, error.field) == ("mcp.json", 3, "url")

# generated from tests/aio/interop/test_libraries.py by tools/unasync.py; do not edit
"""Servers written with the libraries people use, in both eras, as processes and inside this one."""

from collections.abc import Callable
from typing import Any

import pytest

from dragoman import InvalidParams, McpTimeout, ToolFailed
from dragoman.types import (
    ImageContent,
    LoggingLevel,
)
from tests.servers import mcp_server
from tests.sync.interop.variants import TOOLS, Connected, in_python, in_typescript, legacy, modern, of
from tests.sync.transports.wire import together

# The servers use what the protocol has deprecated and clients must go on serving.
pytestmark = [pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")]


# ----------------------------------------------------------------------------------------------------------- who it is


@of()
@pytest.mark.feature(2, 5)
def test_server_is_introduced(each: Connected) -> None:
    server = each.client.server

    assert (server.name, server.version) == (f"test-{each.variant.library}", "1.2.3")
    assert each.client.instructions == "Ask for anything."


@of()
@pytest.mark.feature(4)
def test_the_only_version_offered_is_spoken(each: Connected) -> None:
    assert each.client.protocol_version == each.variant.version[0]
    assert each.client.era == ("modern" if each.is_modern else "legacy")


@of()
@pytest.mark.feature(81)
def test_ping_is_answered(each: Connected) -> None:
    assert 0 < each.client.ping() < 10


# --------------------------------------------------------------------------------------------------------------- tools


@of()
@pytest.mark.feature(26, 97)
def test_tools_are_listed(each: Connected) -> None:
    tools = each.client.list_tools()

    assert {tool.name for tool in tools} >= TOOLS
    assert tools.problems == ()


@of(in_typescript, modern)
def test_list_is_kept_as_long_as_the_server_says(each: Connected) -> None:
    listed = each.client.list_tools()

    assert listed.ttl_ms == 60_000
    assert each.client.list_tools() is listed


@of(legacy)
def test_list_without_such_a_word_is_not_kept(each: Connected) -> None:
    assert each.client.list_tools() is not each.client.list_tools()


@of()
@pytest.mark.parametrize("text", ["hello", "naïve ✓ 🖥️", "a\u2028b\u0085c\r\nd", ""])
def test_text_comes_back_as_it_was_sent(each: Connected, text: str) -> None:
    assert each.text_of("echo", {"text": text}) == text


@of()
@pytest.mark.feature(98, 101)
def test_structured_result_fits_its_schema(each: Connected) -> None:
    each.client.list_tools()
    result = each.client.call_tool("weather", {"city": "Rome"})

    assert result.structured == {"city": "Rome", "celsius": 21.5, "hours": [9, 12, 15]}
    assert result.violations == ()


@of(in_python)
def test_plain_result_is_structured_by_the_library(each: Connected) -> None:
    assert each.client.call_tool("add", {"a": 1, "b": 2}).structured == {"result": 3}


@of()
@pytest.mark.feature(92)
def test_failing_tool_is_a_result(each: Connected) -> None:
    result = each.client.call_tool("fail")

    assert result.is_error is True
    assert result.text.endswith("it broke")


@of()
def test_failing_tool_raises_where_that_is_wished_for(each: Connected) -> None:
    with pytest.raises(ToolFailed, match="it broke") as caught:
        each.client.call_tool("fail", raise_on_error=True)

    assert caught.value.result.is_error is True


@of()
def test_wrong_arguments_are_a_result(each: Connected) -> None:
    result = each.client.call_tool("add", {"a": "one"})

    assert result.is_error is True
    assert "valid" in result.text.lower()


@of(in_python)
def test_unknown_tool_is_a_result(each: Connected) -> None:
    result = each.client.call_tool("nothing")

    assert result.is_error is True
    assert "Unknown tool" in result.text


@of(in_typescript)
def test_unknown_tool_raises_where_the_server_says_so(each: Connected) -> None:
    with pytest.raises(InvalidParams, match="Tool nothing not found"):
        each.client.call_tool("nothing")


@of()
def test_long_text_arrives_whole(each: Connected) -> None:
    assert len(each.text_of("big", {"megabytes": 2})) == 2_000_000


@of()
def test_picture_arrives(each: Connected) -> None:
    (image,) = each.client.call_tool("image").content

    assert isinstance(image, ImageContent)
    assert (image.mime_type, image.bytes) == ("image/png", mcp_server.PIXEL)


@of()
def test_calls_may_be_made_at_once(each: Connected) -> None:
    def called(number: int) -> Callable[[], Any]:
        def call() -> str:
            return each.text_of("echo", {"text": str(number)})

        return call

    assert together(*map(called, range(20))) == [str(number) for number in range(20)]


# ----------------------------------------------------------------------------------------------- progress, cancel, logs


@of()
@pytest.mark.feature(79)
def test_progress_has_its_message(each: Connected) -> None:
    each.application.heard("on_progress")
    assert each.text_of("slow", {"steps": 3, "seconds": 0.06}) == "3 steps"
    heard = [(told.progress, told.total, told.message) for told in each.application.heard("on_progress")]

    assert heard == [(1, 3, "step 1"), (2, 3, "step 2"), (3, 3, "step 3")]


@of()
@pytest.mark.feature(91)
@pytest.mark.edge("B59")
def test_call_that_timed_out_is_cancelled_at_the_server(each: Connected) -> None:
    before = each.text_of("cancelled")
    with pytest.raises(McpTimeout):
        each.client.call_tool("slow", {"steps": 1, "seconds": 30}, timeout=0.1)
    now = each.text_of("cancelled")
    while now == before:
        now = each.text_of("cancelled")

    assert int(now) == int(before) + 1


@of()
@pytest.mark.feature(75, 76)
def test_log_messages_from_the_level_upwards_are_heard(each: Connected) -> None:
    each.client.set_log_level("warning")
    each.application.heard("on_log")
    each.text_of("log")
    levels = [each.application.hears("on_log").level for _ in range(5)]
    each.client.set_log_level("debug")

    assert levels == [level for level in LoggingLevel if level >= LoggingLevel.WARNING]


@of()
@pytest.mark.feature(75)
def test_log_message_names_its_logger(each: Connected) -> None:
    each.client.set_log_level("emergency")
    each.text_of("log")
    message = each.application.hears("on_log", lambda message: message.level is LoggingLevel.EMERGENCY)

    assert message.logger == "test"
    assert message.data == (
        {"msg": "said emergency", "extra": None} if each.variant.library == "fastmcp" else {"said": "emergency"}
    )

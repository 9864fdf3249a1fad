# generated from tests/aio/interop/test_habits.py by tools/unasync.py; do not edit
"""Habits of the libraries that servers are written with, which no specification tells of."""

import logging

import pytest

from dragoman import Client, McpError
from dragoman.types import LoggingLevel
from tests.servers.talker import talker
from tests.servers.written import demo_server, fastmcp_server
from tests.sync.interop.application import party

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")


@pytest.mark.feature(75)
def test_server_that_logs_without_having_said_so_is_heard() -> None:
    with party(talker()) as connected:
        assert connected.client.capabilities.logging is None
        connected.text_of("talk")
        message = connected.application.hears("on_log")

        assert (message.level, message.data) == (LoggingLevel.INFO, "hello")


@pytest.mark.feature(77)
def test_level_given_when_connecting_holds_for_such_a_server() -> None:
    with party(talker(), log_level="error") as connected:
        connected.text_of("talk")
        message = connected.application.hears("on_log")

        assert (message.level, message.data) == (LoggingLevel.ERROR, "help")


def test_what_a_server_logs_and_prints_goes_to_one_logger(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "dragoman.server"):
        with Client.connect(demo_server("modern"), name="inn.example", log_level="error") as client:
            client.call_tool("log")

    loggers = {record.name for record in caplog.records if record.name.startswith("dragoman.server")}
    assert loggers == {"dragoman.server.inn_example"}
    assert "dragoman-demo-modern: open" in caplog.messages
    assert "demo: {'about': 'the inn', 'level': 'error'}" in caplog.messages


@pytest.mark.parametrize("tool", ["ask_url", "roots"])
def test_question_that_cannot_be_answered_names_its_server(tool: str) -> None:
    with Client.connect(fastmcp_server(), versions=["2026-07-28"], name="inn") as client:
        with pytest.raises(McpError, match=r"^inn: ") as caught:
            client.call_tool(tool)

    assert caught.value.server == "inn"


@pytest.mark.feature(61)
def test_way_out_is_logged_where_the_tools_own_word_is_returned(caplog: pytest.LogCaptureFixture) -> None:
    with Client.connect(fastmcp_server(), elicitation=lambda form: False) as client:
        result = client.call_tool("ask_outright")
        client.call_tool("ask_outright")
    said = [record.getMessage() for record in caplog.records if "could not ask" in record.getMessage()]

    assert result.is_error
    assert len(said) == 1
    assert "connect with versions=['2025-11-25']" in said[0]

"""Habits of the libraries that servers are written with, which no specification tells of."""

import logging

import pytest

from dragoman import AsyncClient, McpError
from dragoman.types import LoggingLevel
from tests.aio.interop.application import party
from tests.servers.talker import talker
from tests.servers.written import demo_server, fastmcp_server

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")


@pytest.mark.feature(75)
async def test_server_that_logs_without_having_said_so_is_heard() -> None:
    async with party(talker()) as connected:
        assert connected.client.capabilities.logging is None
        await connected.text_of("talk")
        message = await connected.application.hears("on_log")

        assert (message.level, message.data) == (LoggingLevel.INFO, "hello")


@pytest.mark.feature(77)
async def test_level_given_when_connecting_holds_for_such_a_server() -> None:
    async with party(talker(), log_level="error") as connected:
        await connected.text_of("talk")
        message = await connected.application.hears("on_log")

        assert (message.level, message.data) == (LoggingLevel.ERROR, "help")


async def test_what_a_server_logs_and_prints_goes_to_one_logger(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "dragoman.server"):
        async with AsyncClient.connect(demo_server("modern"), name="inn.example", log_level="error") as client:
            await client.call_tool("log")

    loggers = {record.name for record in caplog.records if record.name.startswith("dragoman.server")}
    assert loggers == {"dragoman.server.inn_example"}
    assert "dragoman-demo-modern: open" in caplog.messages
    assert "demo: {'about': 'the inn', 'level': 'error'}" in caplog.messages


@pytest.mark.parametrize("tool", ["ask_url", "roots"])
async def test_question_that_cannot_be_answered_names_its_server(tool: str) -> None:
    async with AsyncClient.connect(fastmcp_server(), versions=["2026-07-28"], name="inn") as client:
        with pytest.raises(McpError, match=r"^inn: ") as caught:
            await client.call_tool(tool)

    assert caught.value.server == "inn"


@pytest.mark.feature(61)
async def test_way_out_is_logged_where_the_tools_own_word_is_returned(caplog: pytest.LogCaptureFixture) -> None:
    async with AsyncClient.connect(fastmcp_server(), elicitation=lambda form: False) as client:
        result = await client.call_tool("ask_outright")
        await client.call_tool("ask_outright")
    said = [record.getMessage() for record in caplog.records if "could not ask" in record.getMessage()]

    assert result.is_error
    assert len(said) == 1
    assert "connect with versions=['2025-11-25']" in said[0]

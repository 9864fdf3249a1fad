"""Habits of the libraries that servers are written with, which no specification tells of."""

import pytest

from dragoman.types import LoggingLevel
from tests.aio.interop.application import party
from tests.servers.talker import talker

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

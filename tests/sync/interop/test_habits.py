# generated from tests/aio/interop/test_habits.py by tools/unasync.py; do not edit
"""Habits of the libraries that servers are written with, which no specification tells of."""

import pytest

from dragoman.types import LoggingLevel
from tests.servers.talker import talker
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

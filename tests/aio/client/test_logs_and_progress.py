"""What a server says while it works: log messages and progress; and whether it is alive."""

import logging
from typing import Any

import pytest

from dragoman import AsyncClient
from dragoman.errors import UsageError
from dragoman.types import LoggingLevel
from tests.aio.client.support import Seen, failure, until
from tests.servers.scripts.play import Move, Puppeteer, ask, default, flood, progress, refuse, stderr, tell, text

LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"]
LEVEL_KEY = "io.modelcontextprotocol/logLevel"


def logged(level: str, data: Any = "x") -> Move:
    return tell("notifications/message", {"level": level, "logger": "engine", "data": data})


ALL: dict[str, Any] = {"tools/call log": [*(logged(level, {"level": level}) for level in LEVELS), text("logged")]}


@pytest.mark.feature(75)
async def test_a_log_message_has_level_logger_and_data(puppet: Puppeteer, era: str) -> None:
    seen = Seen()
    server = puppet(era, on={"tools/call log": [logged("warning", {"deep": [1]}), text("")]})
    async with AsyncClient.connect(server.command, on_log=seen) as client:
        await client.call_tool("log")
        message = await seen.first()

        assert message.level is LoggingLevel.WARNING
        assert message.logger == "engine"
        assert message.data == {"deep": [1]}


@pytest.mark.feature(78)
async def test_levels_are_in_order() -> None:
    assert [level.word for level in sorted(LoggingLevel)] == LEVELS
    assert list(LoggingLevel) == list(range(8))


@pytest.mark.feature(76)
async def test_a_legacy_server_is_told_the_level(puppet: Puppeteer) -> None:
    server = puppet("legacy")
    async with AsyncClient.connect(server.command) as client:
        await client.set_log_level("warning")
        await client.set_log_level(LoggingLevel.ALERT)

    assert server.params("logging/setLevel") == [{"level": "warning"}, {"level": "alert"}]


@pytest.mark.feature("12.3")
async def test_a_modern_server_is_told_the_level_with_each_request(puppet: Puppeteer) -> None:
    server = puppet("modern")
    async with AsyncClient.connect(server.command) as client:
        await client.call_tool("echo")
        await client.set_log_level("warning")
        await client.call_tool("echo")
        await client.call_tool("echo")
    levels = [message["params"]["_meta"].get(LEVEL_KEY) for message in server.heard("tools/call")]

    assert levels == [None, "warning", "warning"]


@pytest.mark.feature("12.3")
async def test_a_modern_server_logs_for_whoever_listens(puppet: Puppeteer) -> None:
    server = puppet("modern")
    async with AsyncClient.connect(server.command, on_log=Seen()) as client:
        await client.call_tool("echo")

    assert server.heard("tools/call")[0]["params"]["_meta"][LEVEL_KEY] == "info"


@pytest.mark.feature(77, "12.3")
async def test_what_is_below_the_level_is_dropped_even_when_it_is_sent(puppet: Puppeteer, era: str) -> None:
    seen = Seen()
    async with AsyncClient.connect(puppet(era, on=ALL).command, on_log=seen, log_level="error") as client:
        await client.call_tool("log")
        await seen.at_least(4)

    assert [message.level.word for message in seen.values] == LEVELS[4:]


@pytest.mark.feature(77)
async def test_the_level_can_be_changed(puppet: Puppeteer, era: str) -> None:
    seen = Seen()
    async with AsyncClient.connect(puppet(era, on=ALL).command, on_log=seen, log_level="error") as client:
        await client.set_log_level("emergency")
        await client.call_tool("log")

    assert [message.level.word for message in seen.values] == ["emergency"]


@pytest.mark.feature(77)
async def test_a_server_that_cannot_set_the_level_is_filtered_all_the_same(puppet: Puppeteer) -> None:
    seen = Seen()
    server = puppet("legacy", on={**ALL, "logging/setLevel": [refuse(-32601, "no")]})
    async with AsyncClient.connect(server.command, on_log=seen, log_level="alert") as client:
        await client.call_tool("log")

    assert [message.level.word for message in seen.values] == ["alert", "emergency"]


async def test_a_level_that_does_not_exist_is_refused(puppet: Puppeteer, era: str) -> None:
    async with AsyncClient.connect(puppet(era).command) as client:
        error = await failure(client.set_log_level, "loud")

        assert isinstance(error, UsageError)
        assert "emergency" in str(error)


async def test_messages_that_nobody_wants_go_to_a_logger(
    puppet: Puppeteer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "dragoman.server")
    async with AsyncClient.connect(puppet(era, on=ALL).command) as client:
        await client.call_tool("log")
    records = [record for record in caplog.records if record.name == "dragoman.server.puppet"]

    assert [record.levelno for record in records] == [10, 20, 20, 30, 40, 50, 50, 50]


async def test_messages_are_delivered_in_order(puppet: Puppeteer, era: str) -> None:
    seen = Seen()
    server = puppet(era, on={"tools/call log": [flood(2000, logged("info", "$n")), text("")]})
    async with AsyncClient.connect(server.command, on_log=seen) as client:
        await client.call_tool("log")
        await seen.at_least(2000)

    assert [message.data for message in seen.values] == list(range(2000))


# -------------------------------------------------------------------------------------------------------------- progress


@pytest.mark.feature(79)
async def test_progress_has_its_numbers_and_words_and_comes_before_the_result(puppet: Puppeteer, era: str) -> None:
    seen = Seen()
    moves = [progress(1, 3, "one"), progress(2.5, 3), progress(3), text("done")]
    async with AsyncClient.connect(puppet(era, on={"tools/call": moves}).command) as client:
        await client.call_tool("echo", on_progress=seen)

        told = [(each.progress, each.total, each.message) for each in seen.values]
        assert told == [(1, 3, "one"), (2.5, 3, None), (3, None, None)]


@pytest.mark.feature(80)
async def test_progress_of_every_call_reaches_the_clients_consumer(puppet: Puppeteer, era: str) -> None:
    everything, own = Seen(), Seen()
    moves = [progress(1), default()]
    server = puppet(era, on={"tools/call": moves, "resources/read": moves, "prompts/get": moves})
    async with AsyncClient.connect(server.command, on_progress=everything) as client:
        await client.call_tool("echo")
        await client.read_resource("mem://a")
        await client.get_prompt("greet", on_progress=own)

    assert len(everything) == 3
    assert len(own) == 1


@pytest.mark.feature(80)
async def test_progress_can_be_told_apart_by_its_call(puppet: Puppeteer, era: str) -> None:
    seen: list[str] = []

    async def on_progress(_: Any, context: Any) -> None:
        seen.append(context.request.params.name)

    server = puppet(era, on={"tools/call": [progress(1), text("done")]})
    async with AsyncClient.connect(server.command, on_progress=on_progress) as client:
        await client.call_tool("echo")
        await client.call_tool("slow")

    assert seen == ["echo", "slow"]


async def test_a_consumer_of_progress_that_raises_costs_the_call_nothing(
    puppet: Puppeteer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    seen = Seen(LookupError("the consumer's own"))
    server = puppet(era, on={"tools/call": [progress(1), progress(2), text("done")]})
    async with AsyncClient.connect(server.command) as client:
        result = await client.call_tool("echo", on_progress=seen)

        assert result.text == "done"
        assert len(seen) == 2
        assert "the consumer's own" in caplog.text


@pytest.mark.parametrize(
    "params", [{}, {"progressToken": "$token"}, {"progressToken": "$token", "progress": "half"}, []]
)
async def test_progress_that_cannot_be_read_costs_the_call_nothing(puppet: Puppeteer, era: str, params: Any) -> None:
    server = puppet(era, on={"tools/call": [tell("notifications/progress", params), text("done")]})
    async with AsyncClient.connect(server.command, on_progress=Seen()) as client:
        assert (await client.call_tool("echo")).text == "done"


# ------------------------------------------------------------------------------------------------------------------ ping


@pytest.mark.feature(81, "12.2")
async def test_a_ping_returns_the_seconds_that_it_took(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    async with AsyncClient.connect(server.command) as client:
        took = await client.ping()

    assert 0 < took < 10
    assert server.heard()[-1]["method"] == {"legacy": "ping", "modern": "server/discover"}[era]


@pytest.mark.feature(81)
async def test_the_servers_own_ping_is_answered(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"tools/call": [ask("ping"), text("json:$answer")]})
    async with AsyncClient.connect(server.command) as client:
        assert (await client.call_tool("echo")).text == "{}"


async def test_a_consumer_may_take_its_time_without_holding_up_calls(puppet: Puppeteer, era: str) -> None:
    released: list[bool] = []

    async def on_log(_: Any) -> None:
        await until(lambda: released)

    server = puppet(era, on={"tools/call log": [logged("info"), text("logged")]})
    async with AsyncClient.connect(server.command, on_log=on_log) as client:
        await client.call_tool("log")
        results = [(await client.call_tool("echo")).text for _ in range(10)]
        released.append(True)

        assert results == ["echo {}"] * 10


# ------------------------------------------------------------------------------------------ logs of logs that go wrong


class Stumbling(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        raise ValueError("a filter stumbles")


async def test_a_filter_that_raises_costs_neither_an_answer_nor_later_ones(
    puppet: Puppeteer, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    moves = [stderr("loud\n"), logged("warning"), text("so")]
    logger, stumbling = logging.getLogger("dragoman.server.stumbling"), Stumbling()
    server = puppet(era, on={"tools/call log": moves})
    logger.addFilter(stumbling)
    try:
        with caplog.at_level(logging.INFO):
            async with AsyncClient.connect(server.command, name="stumbling") as client:
                await client.set_log_level("debug")
                assert (await client.call_tool("log")).text == "so"
                assert (await client.call_tool("log")).text == "so"
                assert await client.ping() > 0
    finally:
        logger.removeFilter(stumbling)

    assert caplog.text.count("ValueError: a filter stumbles") == 4

"""What servers ask over HTTP, in the middle of a call or apart from it, and how long answering may take."""

import json
from typing import Any

import pytest

from dragoman.aio._runtime import pause
from dragoman.errors import McpTimeout
from dragoman.types import CreateMessageParams, ElicitFormParams
from tests.aio.client.support import Background, failure, until
from tests.aio.http.support import Ruder, connect
from tests.servers.rude import Exchange, Rude, acts

FORM = {"message": "Who comes?", "requestedSchema": {"type": "object", "properties": {"name": {"type": "string"}}}}
PROMPT = {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}], "maxTokens": 10}
SLOWLY = 0.9
HURRY = 0.3


@pytest.fixture(params=["in the answer", "on the standing stream", "on the only stream"])
def asking(request: pytest.FixtureRequest, rude: Ruder) -> Any:
    """Make a server that asks in one of the ways that legacy servers can."""

    def make(method: str, params: Any = None) -> Rude:
        way: str = request.param
        is_sse = way == "on the only stream"
        act = acts.asks(method, params, apart=way != "in the answer")
        return rude(is_sse=is_sse, stands=way == "on the standing stream", on={"tools/call": act})

    return make


async def ready(server: Rude) -> None:
    """Wait until a server that is to ask apart from its answers can do so."""
    if server.stands or server.is_sse:
        await until(lambda: server.streams)


async def fill_in(form: ElicitFormParams) -> dict[str, Any]:
    return {"name": "Ada", "asked": form.message}


async def fill_in_slowly(form: ElicitFormParams) -> dict[str, Any]:
    await pause(SLOWLY)
    return {"name": "Ada"}


async def write(asked: CreateMessageParams) -> str:
    return "a model's words"


@pytest.mark.edge("B54")
async def test_of_calls_at_once_each_hears_of_its_own_handlers_failure(rude: Ruder, engine: str) -> None:
    def ask_by_name(exchange: Exchange) -> None:
        acts.asks("elicitation/create", {**FORM, "message": str(exchange.params["arguments"]["n"])})(exchange)

    async def fail(form: ElicitFormParams) -> dict[str, Any]:
        raise LookupError(form.message)

    async with connect(rude(on={"tools/call": ask_by_name}), engine=engine, elicitation=fail) as client:
        calls = [Background(client.call_tool, "echo", {"n": number}) for number in range(5)]
        errors = [await call.failure() for call in calls]

        assert [type(error) for error in errors] == [LookupError] * 5
        assert [str(error) for error in errors] == ["0", "1", "2", "3", "4"]


@pytest.mark.feature(65)
async def test_a_form_is_filled_in(asking: Any, engine: str) -> None:
    server = asking("elicitation/create", FORM)
    async with connect(server, engine=engine, elicitation=fill_in) as client:
        await ready(server)
        answer = json.loads((await client.call_tool("echo")).text)

        assert answer == {"action": "accept", "content": {"name": "Ada", "asked": "Who comes?"}}


async def test_a_prompt_is_answered(asking: Any, engine: str) -> None:
    server = asking("sampling/createMessage", PROMPT)
    async with connect(server, engine=engine, sampling=write) as client:
        await ready(server)
        answer = json.loads((await client.call_tool("echo")).text)

        assert answer["content"] == {"type": "text", "text": "a model's words"}


async def test_roots_are_told(asking: Any, engine: str) -> None:
    server = asking("roots/list")
    async with connect(server, engine=engine, roots=["file:///home/ada"]) as client:
        await ready(server)

        assert json.loads((await client.call_tool("echo")).text) == {"roots": [{"uri": "file:///home/ada"}]}


async def test_what_nobody_offered_is_refused(asking: Any) -> None:
    server = asking("sampling/createMessage", PROMPT)
    async with connect(server) as client:
        await ready(server)

        assert json.loads((await client.call_tool("echo")).text)["code"] == -32601


@pytest.mark.edge("B60")
async def test_a_call_waits_for_as_long_as_the_user_takes(asking: Any, engine: str) -> None:
    server = asking("elicitation/create", FORM)
    async with connect(server, engine=engine, elicitation=fill_in_slowly) as client:
        await ready(server)
        result = await client.call_tool("echo", timeout=HURRY)

        assert json.loads(result.text)["content"] == {"name": "Ada"}
        assert server.ran["echo"] == 1


@pytest.mark.parametrize("apart", [False, True], ids=["in the answer", "apart"])
async def test_a_question_in_a_calls_own_answer_holds_no_other_call(rude: Ruder, engine: str, apart: bool) -> None:
    asks = acts.asks("elicitation/create", FORM, apart=apart)
    server = rude(stands=apart, on={"tools/call ask": asks, "tools/call slow": acts.at_leisure("done", 30)})
    async with connect(server, engine=engine, elicitation=fill_in_slowly) as client:
        await ready(server)
        slow = Background(client.call_tool, "slow", timeout=2 * HURRY)
        await until(lambda: server.heard("tools/call"))
        asked = Background(client.call_tool, "ask", timeout=HURRY)
        error = await slow.failure()

        assert json.loads((await asked.wait()).text)["action"] == "accept"
        assert isinstance(error, McpTimeout)
        assert (error.waited > SLOWLY) is apart


def ask_and_be_silent(exchange: Exchange) -> None:
    exchange.begin()
    exchange.send({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": FORM})
    exchange.line.wait_for_the_end()


async def test_after_the_answer_a_server_has_the_time_that_was_left(rude: Ruder, engine: str) -> None:
    server = rude(on={"tools/call": ask_and_be_silent})
    async with connect(server, engine=engine, elicitation=fill_in_slowly) as client:
        error = await failure(client.call_tool, "echo", timeout=HURRY)

        assert isinstance(error, McpTimeout)
        assert SLOWLY < error.waited < SLOWLY + 2


async def test_the_cap_holds_however_long_the_user_takes(rude: Ruder, engine: str) -> None:
    async def never(form: ElicitFormParams) -> None:
        await pause(2)

    server = rude(on={"tools/call": ask_and_be_silent})
    async with connect(server, engine=engine, elicitation=never, max_timeout=0.6) as client:
        error = await failure(client.call_tool, "echo", timeout=HURRY)

        assert isinstance(error, McpTimeout)
        assert 0.5 < error.waited < 1.8


@pytest.mark.feature("12.7")
async def test_a_modern_server_asks_in_rounds_that_take_as_long_as_the_user(rude: Ruder, engine: str) -> None:
    def rounds(exchange: Exchange) -> None:
        given = exchange.params.get("inputResponses")
        if given is None:
            asked = {"who": {"method": "elicitation/create", "params": FORM}}
            exchange.reply(
                exchange.response({"resultType": "input_required", "inputRequests": asked, "requestState": "s"})
            )
        else:
            exchange.reply(exchange.text(json.dumps([given["who"]["content"], exchange.params["requestState"]])))

    server = rude("modern", on={"tools/call": rounds})
    async with connect(server, engine=engine, elicitation=fill_in_slowly) as client:
        result = await client.call_tool("echo", timeout=HURRY)

        assert json.loads(result.text) == [{"name": "Ada"}, "s"]


@pytest.mark.edge("B54")
async def test_a_handler_that_fails_fails_its_call(asking: Any, engine: str) -> None:
    async def fail(form: ElicitFormParams) -> None:
        raise ZeroDivisionError("by the handler")

    server = asking("elicitation/create", FORM)
    async with connect(server, engine=engine, elicitation=fail) as client:
        await ready(server)
        error = await failure(client.call_tool, "echo")

        assert isinstance(error, ZeroDivisionError)
        assert server.answer_to(f"question {server.heard('tools/call')[0].id}")["error"]["code"] == -32603


@pytest.mark.edge("B23")
async def test_an_answer_that_nobody_takes_costs_no_more_than_its_call(rude: Ruder) -> None:
    server = rude(on={"tools/call": acts.asks("elicitation/create", FORM), "answer": acts.body(b"", 500)})
    async with connect(server, elicitation=fill_in) as client:
        await client.call_tool("echo")
        server.on.clear()

        assert (await client.call_tool("echo")).text == "echo {}"

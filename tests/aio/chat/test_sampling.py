"""Models that are lent to servers: with leave, within a budget, in the server's own words."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec import structs

from dragoman import (
    AnthropicModel,
    AsyncClient,
    AsyncHost,
    AsyncSampling,
    ModelUnavailable,
    PolicyDenied,
    ScriptedModel,
    ScriptedReply,
    ToolCall,
    UsageError,
)
from dragoman.models.chat.choices import Choice
from dragoman.models.chat.events import ModelEvent, Usage, UsageReported
from dragoman.models.chat.request import ModelRequest
from dragoman.types import CreateMessageParams, ModelHint, ModelPreferences, SamplingMessage, TextContent
from dragoman.views import Context
from tests.aio.client.support import Seen, failure
from tests.servers.providers.playing import Provider, Said
from tests.servers.scripts.play import Puppeteer, ask, text
from tests.servers.scripts.play import tool as listed

# The newest aiohttp warns of what Gemini's SDK does with it.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession")

QUESTION: dict[str, Any] = {
    "messages": [{"role": "user", "content": {"type": "text", "text": "Why?"}}],
    "maxTokens": 100,
    "systemPrompt": "Be brief.",
    "stopSequences": ["END"],
    "modelPreferences": {"hints": [{"name": "large"}]},
}
TOOL = {"name": "look up", "inputSchema": {"type": "object", "properties": {"a word": {"type": "string"}}}}
SAMPLING: dict[str, Any] = {"tools/call think": [ask("sampling/createMessage", QUESTION), text("json:$answer")]}
PARAMS = CreateMessageParams(messages=(SamplingMessage(role="user", content=TextContent(text="Why?")),), max_tokens=100)
CONTEXT = Context("puppet")


async def sampled(client: AsyncClient) -> Any:
    """Give what the server gets for an answer."""
    return json.loads((await client.call_tool("think")).text)


@pytest.fixture(params=["legacy", "modern"])
def era(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.feature(54, 59)
async def test_model_answers_the_server(puppet: Puppeteer, era: str) -> None:
    model = ScriptedModel("Because.")
    approve = Seen(True)
    server = puppet(era, on=SAMPLING)
    async with AsyncClient.connect(server.command, sampling=model, approve=approve) as client:
        answered = await sampled(client)

    assert answered == {
        "role": "assistant",
        "model": "scripted",
        "stopReason": "endTurn",
        "content": {"type": "text", "text": "Because."},
    }
    assert [question.server for question in approve.values] == ["puppet"]
    (request,) = model.requests
    assert (request.system, request.max_tokens, request.stop_sequences) == ("Be brief.", 100, ("END",))


async def test_model_of_a_provider_answers_the_server(puppet: Puppeteer, provider: Provider, choice: Choice) -> None:
    provider.plays(Said(("Be", "cause.")), Said(("So.",)))
    server = puppet("legacy", on=SAMPLING)
    async with AsyncClient.connect(server.command, sampling=choice, approve=Seen(True)) as client:
        answers = [(await sampled(client))["content"]["text"] for _ in range(2)]

    assert answers == ["Because.", "So."]
    assert "Be brief." in repr(provider.requests[0])


@pytest.mark.feature("chat.7")
async def test_tools_of_the_server_are_the_models(puppet: Puppeteer) -> None:
    question = {**QUESTION, "tools": [TOOL], "toolChoice": {"mode": "required"}}
    model = ScriptedModel(ScriptedReply("Well:", (ToolCall.scripted("look up", {"a word": "x"}, id="c1"),)))
    server = puppet("legacy", on={"tools/call think": [ask("sampling/createMessage", question), text("json:$answer")]})
    async with AsyncClient.connect(server.command, sampling=model, approve=Seen(True)) as client:
        answered = await sampled(client)

    assert answered["content"] == [
        {"type": "text", "text": "Well:"},
        {"type": "tool_use", "id": "c1", "name": "look up", "input": {"a word": "x"}},
    ]
    assert answered["stopReason"] == "toolUse"
    assert model.requests[0].tool_use == "required"
    assert server.params("initialize")[0]["capabilities"]["sampling"] == {"tools": {}}


async def test_hints_choose_among_models() -> None:
    small, large = ScriptedModel("s", "s", name="a-small-one"), ScriptedModel("l", name="a-large-one")
    sampling = AsyncSampling(small, large, approve=Seen(True))
    preferences = ModelPreferences(hints=(ModelHint(name="large"),))
    hinted = CreateMessageParams(messages=(), max_tokens=5, model_preferences=preferences)

    assert (await sampling(hinted, CONTEXT)).model == "a-large-one"
    assert (await sampling(PARAMS, CONTEXT)).model == "a-small-one"


@pytest.mark.feature(58, 74)
async def test_refusal_lets_no_model_run(puppet: Puppeteer) -> None:
    model = ScriptedModel("Because.")
    server = puppet("legacy", on=SAMPLING)
    async with AsyncClient.connect(server.command, sampling=model, approve=Seen(False)) as client:
        answered = await sampled(client)

    assert answered["error"]["code"] == -1
    assert model.requests == []


async def test_nobody_to_ask_is_a_mistake(puppet: Puppeteer) -> None:
    command = puppet("legacy", on=SAMPLING).command
    for sampling in ("anthropic:x", ScriptedModel(), AnthropicModel("x"), AsyncSampling("openai:x")):
        error = await failure(_connected, command, sampling=sampling)
        assert isinstance(error, UsageError)
        assert "nobody is asked" in str(error)
    hosted = await failure(_hosted, {"a": command}, sampling="anthropic:x")

    assert "nobody is asked" in str(hosted)


async def _connected(target: Any, **options: Any) -> None:
    async with AsyncClient.connect(target, **options):
        pass


async def _hosted(sources: Any, **options: Any) -> None:
    async with AsyncHost.open(sources, **options):
        pass


async def test_gate_of_its_own_will_do(puppet: Puppeteer) -> None:
    approve = Seen(False)
    sampling = AsyncSampling(ScriptedModel("Because."), approve=approve)
    async with AsyncClient.connect(puppet("legacy", on=SAMPLING).command, sampling=sampling) as client:
        answered = await sampled(client)

    assert "error" in answered
    assert approve.values[0].params.messages[0].text == "Why?"
    assert sampling.calls == 0


async def test_gate_of_a_host_is_asked(puppet: Puppeteer) -> None:
    approve = Seen(True)
    command = puppet("legacy", on=SAMPLING, tools=[listed("think")]).command
    async with AsyncHost.open({"a": command}, sampling=ScriptedModel("Because."), approve=approve) as host:
        result = await host.call_tool("think")

    assert json.loads(result.text)["content"]["text"] == "Because."
    assert "sampling" in [act.kind for act in approve.values]


async def test_what_is_no_model_is_refused(puppet: Puppeteer) -> None:
    error = await failure(_connected, puppet("legacy").command, sampling="claude", approve=Seen(True))
    other = await failure(_connected, puppet("legacy").command, sampling=7)

    assert "names no model" in str(error)
    assert "a function, or a model" in str(other)
    with pytest.raises(UsageError, match="no model to lend"):
        AsyncSampling()


# -------------------------------------------------------------------------------------------------------------- budgets


@pytest.mark.feature("chat.7")
async def test_calls_are_budgeted() -> None:
    sampling = AsyncSampling(ScriptedModel("a", "b"), approve=Seen(True), calls=1)
    await sampling(PARAMS, CONTEXT)
    error = await failure(sampling, PARAMS, CONTEXT)

    assert isinstance(error, PolicyDenied)
    assert "the budget of 1 requests" in str(error)
    assert sampling.calls == 1


async def test_tokens_are_budgeted_before_they_are_spent() -> None:
    model = ScriptedModel(ScriptedReply("a", usage=Usage(60, 50)), ScriptedReply("b", usage=Usage(1, 1)))
    sampling = AsyncSampling(model, approve=Seen(True), tokens=200)
    await sampling(PARAMS, CONTEXT)
    error = await failure(sampling, PARAMS, CONTEXT)

    assert sampling.usage == Usage(60, 50)
    assert "the budget of 200 tokens" in str(error)
    assert len(model.requests) == 1


async def test_answers_are_no_longer_than_they_may_be() -> None:
    model = ScriptedModel("a")
    await AsyncSampling(model, max_tokens=10)(PARAMS, CONTEXT)

    assert model.requests[0].max_tokens == 10


@pytest.mark.parametrize("most", [0, -1_000_000])
async def test_budget_does_not_grow_by_what_a_server_asks_for(most: int) -> None:
    model = ScriptedModel(ScriptedReply("a", usage=Usage(6, 4)), "b")
    sampling = AsyncSampling(model, tokens=10, max_tokens=5)
    wrong = structs.replace(PARAMS, max_tokens=most)
    await sampling(wrong, CONTEXT)
    error = await failure(sampling, wrong, CONTEXT)

    assert isinstance(error, PolicyDenied)
    assert model.requests[0].max_tokens == 1


class Breaking:
    """A model that breaks off when it has used something."""

    name = "breaking"
    format = "plain"

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        yield UsageReported(Usage(5, 2))
        raise ModelUnavailable("busy")


async def test_what_a_failed_request_has_used_is_spent() -> None:
    sampling = AsyncSampling(Breaking(), tokens=1000)
    await failure(sampling, PARAMS, CONTEXT)

    assert sampling.usage == Usage(5, 2)


async def test_failed_request_gives_back_what_was_set_aside() -> None:
    model = ScriptedModel(ModelUnavailable("busy"), "b")
    sampling = AsyncSampling(model, tokens=100)
    error = await failure(sampling, PARAMS, CONTEXT)

    assert isinstance(error, ModelUnavailable)
    assert (await sampling(PARAMS, CONTEXT)).text == "b"


async def test_asks_tells_whether_somebody_is_asked() -> None:
    assert AsyncSampling("openai:x", approve=Seen(True)).asks
    assert not AsyncSampling("openai:x").asks

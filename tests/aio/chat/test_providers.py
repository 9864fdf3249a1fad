"""Chats over the providers' own SDKs, with servers that play the providers."""

import base64
import sys
from typing import Any

import pytest
from msgspec import structs

from dragoman import (
    AsyncChat,
    McpError,
    ModelRejected,
    ModelUnavailable,
    OpenAIModel,
    ScriptedModel,
    Stop,
    TextDelta,
    ThinkingDelta,
    ToolCallMade,
    UsageError,
)
from dragoman.models.chat.choices import Choice
from dragoman.models.chat.events import Usage
from tests.aio.chat.support import add, greet
from tests.aio.client.support import failure
from tests.servers.providers import INTERFACES, gemini
from tests.servers.providers.completions import chunk
from tests.servers.providers.playing import Called, Failing, Provider, Said, sse

# The newest aiohttp warns of what Gemini's SDK does with it.
pytestmark = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession")


ADDING = Called("call_1", "add", ("{", '"a"', ":1", ",", '"b":', "2", "}"))
GREETING = Called("call_2", "greet", ('{"na', 'me": "Ζω', 'ή 🌿"}'))


@pytest.mark.feature("chat.2")
async def test_text_comes_in_pieces(provider: Provider, choice: Choice) -> None:
    provider.plays(Said(("Hel", "lo", "", " 🌿")))
    async with AsyncChat(choice) as chat, chat.stream("Hi.") as turn:
        pieces = [event.text async for event in turn if isinstance(event, TextDelta)]

    assert "".join(pieces) == "Hello 🌿"
    assert len([piece for piece in pieces if piece]) == 3
    assert (turn.reply.stop, turn.reply.usage) == (Stop.END, Usage(10, 5))


@pytest.mark.feature("chat.1")
async def test_calls_are_run_and_answered(provider: Provider, choice: Choice) -> None:
    provider.plays(Said(("Let me see.",), (ADDING, GREETING)), Said(("3, and she is greeted.",), usage=(30, 6, 20)))
    async with AsyncChat(choice, add, greet) as chat:
        reply = await chat.send("What is 1 + 2? And greet Ζωή.")

    assert [(each.id, each.name, each.text) for each in reply.responses] == [
        ("call_1", "add", "3"),
        ("call_2", "greet", "Ἀσπάζομαί σε, Ζωή 🌿"),
    ]
    assert reply.text == "3, and she is greeted."
    assert (reply.rounds, reply.usage) == (2, Usage(40, 11, 20))
    assert "Ἀσπάζομαί σε, Ζωή 🌿" in repr(provider.requests[1])


async def test_unicode_is_whole_however_the_bytes_are_cut(provider: Provider, choice: Choice) -> None:
    provider.plays(Said(("Ζωή ", "🌿🌿"), (GREETING,), size=3), Said(("εὖ",), size=1))
    async with AsyncChat(choice, greet) as chat:
        reply = await chat.send("Greet her.")

    assert reply.responses[0].text == "Ἀσπάζομαί σε, Ζωή 🌿"
    assert reply.text == "εὖ"


async def test_unknown_events_are_passed_over(provider: Provider, choice: Choice) -> None:
    provider.plays(Said(("Well",), odd=True))
    async with AsyncChat(choice) as chat:
        assert (await chat.send("Hi.")).text == "Well"


@pytest.mark.feature("chat.2")
async def test_thoughts_are_told_and_given_back(provider: Provider, choice: Choice) -> None:
    provider.plays(Said(("Let me see.",), (ADDING,), thinking=("Hm", "mm.")), Said(("3",)))
    async with AsyncChat(choice, add) as chat, chat.stream("What is 1 + 2?") as turn:
        thoughts = [event.text async for event in turn if isinstance(event, ThinkingDelta)]

    assert "".join(thoughts) == "Hmmm."
    sent = repr(provider.requests[1])
    assert "s1g" in sent or "thoughtSignature" in sent or "Hmmm." in sent


@pytest.mark.feature("chat.4")
async def test_history_goes_on_with_any_other_provider(provider: Provider, choice: Choice) -> None:
    provider.plays(Said(("Let me see.",), (ADDING,), thinking=("Hm",)), Said(("3",)))
    async with AsyncChat(choice, add) as chat:
        await chat.send("What is 1 + 2?")
        kept = chat.to_json()
    provider.plays(Said(("Yes.",)))
    async with AsyncChat.from_json(kept, ScriptedModel("Four."), add) as other:
        await other.send("And 2 + 2?")
        kept = other.to_json()
    async with AsyncChat.from_json(kept, choice, add) as again:
        await again.send("Sure?")

    assert "Four." in repr(provider.requests[2])
    assert len(again.history) == 8


@pytest.mark.parametrize("status", [429, 503])
async def test_busy_provider_is_told_and_nothing_is_lost(provider: Provider, choice: Choice, status: int) -> None:
    busy = Failing(status, "Too much", "rate_limit_error", ("Retry-After: 7", "x-should-retry: false"))
    provider.plays(*[busy] * 5)
    async with AsyncChat(choice, add) as chat:
        error = await failure(chat.send, "What is 1 + 2?")
        provider.replies.clear()
        provider.plays(Said(("3",)))
        reply = await chat.proceed()

    assert isinstance(error, ModelUnavailable)
    assert (error.status, error.retry_after) == (status, 7.0)
    assert "Too much" in str(error)
    assert reply.text == "3"
    assert len(chat.history) == 2


@pytest.mark.parametrize("status", [400, 401, 404])
async def test_refused_request_is_told(provider: Provider, choice: Choice, status: int) -> None:
    provider.plays(Failing(status, "not like this", "invalid_request_error"))
    async with AsyncChat(choice) as chat:
        error = await failure(chat.send, "Hi.")

    assert isinstance(error, ModelRejected)
    assert error.status == status
    assert "not like this" in str(error)


@pytest.mark.feature("chat.3")
async def test_overload_in_the_middle_loses_nothing(provider: Provider, choice: Choice) -> None:
    overloaded = Said(("Hel", "lo", " there"), breaks_after=4, failure=provider.interface.overloaded)
    provider.plays(Said((), (ADDING,)), overloaded, Said(("It is 3.",)))
    async with AsyncChat(choice, add) as chat:
        error = await failure(chat.send, "What is 1 + 2?")
        before = chat.history
        reply = await chat.proceed()

    assert isinstance(error, ModelUnavailable)
    assert "Overloaded" in str(error)
    assert error.partial is not None
    assert error.partial.text.startswith("Hel")
    assert len(before) == 3
    assert reply.text == "It is 3."


@pytest.mark.parametrize("pieces", [1, 3, 4])
async def test_broken_stream_is_no_reply(provider: Provider, choice: Choice, pieces: int) -> None:
    provider.plays(Said(("Hel", "lo", " there", "!"), breaks_after=pieces), Said(("Hello",)))
    async with AsyncChat(choice) as chat:
        error = await failure(chat.send, "Hi.")
        reply = await chat.proceed()

    assert isinstance(error, ModelUnavailable)
    assert reply.text == "Hello"
    assert [type(message).__name__ for message in chat.history] == ["UserMessage", "ModelMessage"]


async def test_reply_that_is_cut_off_runs_no_call(provider: Provider, choice: Choice) -> None:
    cut = Called("call_2", "greet", ('{"name": "Z',))
    provider.plays(Said(("Well,",), (cut,), stop="max_tokens"), Said(("Sorry.",)))
    async with AsyncChat(choice, greet) as chat:
        reply = await chat.send("Greet her.")
        after = await chat.send("Again.")

    assert (reply.stop, reply.responses, reply.text) == (Stop.MAX_TOKENS, (), "Well,")
    assert after.text == "Sorry."


async def test_refusal_ends_the_turn(provider: Provider, choice: Choice) -> None:
    provider.plays(Said(("I would rather not.",), stop="refusal"))
    async with AsyncChat(choice, greet) as chat:
        reply = await chat.send("Insult her.")

    assert (reply.stop, reply.text) == (Stop.REFUSAL, "I would rather not.")


async def test_tools_and_system_prompt_are_sent(provider: Provider, choice: Choice) -> None:
    provider.plays(Said(("Aye.",)))
    async with AsyncChat(choice, add, system="Talk like a pirate.", max_tokens=99, temperature=0.5) as chat:
        await chat.send("Hi.")

    sent = repr(provider.requests[0])
    assert all(each in sent for each in ("Talk like a pirate.", "Add two numbers.", "99", "0.5"))


async def test_calls_without_an_id_get_one(provider: Provider, choice: Choice) -> None:
    nameless = Called("", "add", ('{"a": 1, "b": 2}',)), Called("", "add", ('{"a": 2, "b": 2}',))
    provider.plays(Said((), nameless), Said(("3 and 4",)))
    async with AsyncChat(choice, add) as chat, chat.stream("?") as turn:
        made = [event.id async for event in turn if isinstance(event, ToolCallMade)]

    assert made == ["dragoman_call_1", "dragoman_call_2"]
    assert [(each.id, each.text) for each in turn.reply.responses] == [
        ("dragoman_call_1", "3"),
        ("dragoman_call_2", "4"),
    ]


MISSHAPEN = {
    "anthropic": sse(
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta"}}, "content_block_delta"
    ),
    "openai": sse({"choices": [{"delta": {"tool_calls": [7]}}]}),
    "openai-responses": sse({"type": "response.failed"}, "response.failed"),
    "gemini": sse({"candidates": 7}),
}


async def test_pieces_of_an_unheard_of_shape_are_no_reply(provider: Provider, choice: Choice) -> None:
    pieces = MISSHAPEN[choice.format]
    provider.plays(Said(("Hel", "lo"), breaks_after=3, failure=pieces), Said(("Hello",)))
    async with AsyncChat(choice) as chat:
        error = await failure(chat.send, "Hi.")
        reply = await chat.proceed()

    assert isinstance(error, ModelUnavailable)
    assert reply.text == "Hello"


async def test_data_that_is_no_event_is_passed_over() -> None:
    provider = Provider(INTERFACES["completions"])
    nothing = Said(("Hel",), breaks_after=1, failure=b'data: null\n\ndata: "x"\n\n' + sse(chunk({}, "stop")))
    provider.plays(nothing)
    with provider.serving() as server:
        async with AsyncChat(OpenAIModel("gpt-played", base_url=f"http://127.0.0.1:{server.port}/v1")) as chat:
            reply = await chat.send("Hi.")

    assert reply.stop is Stop.END


async def test_request_that_the_sdk_does_not_take_is_rejected(choice: Choice) -> None:
    async with AsyncChat(structs.replace(choice, extra={"gilded": True})) as chat:
        error = await failure(chat.send, "Hi.")

    assert isinstance(error, ModelRejected)
    assert "gilded" in str(error)
    assert "`extra`" in str(error)


@pytest.mark.parametrize("module", [("anthropic", "anthropic"), ("openai", "openai"), ("gemini", "google")])
async def test_missing_sdk_names_its_extra(module: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    name, package = module
    monkeypatch.setitem(sys.modules, package, None)
    error = await failure(AsyncChat(f"{name}:any").send, "Hi.")

    assert isinstance(error, UsageError)
    assert error.hint == f"pip install 'dragoman[{name}]'"


@pytest.mark.parametrize("name", ["openai", "gemini", "anthropic"])
async def test_missing_key_names_its_variable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    async with AsyncChat(f"{name}:any") as chat:
        error = await failure(chat.send, "Hi.")

    assert isinstance(error, McpError)
    assert error.hint == f"set {name.upper()}_API_KEY"


@pytest.mark.parametrize("provider", ["gemini"], indirect=True)
async def test_signatures_of_thoughts_come_back_byte_by_byte(provider: Provider, choice: Choice) -> None:
    provider.plays(Said((), (ADDING,)), Said(("3",)))
    async with AsyncChat(choice, add) as chat:
        await chat.send("What is 1 + 2?")
    (said,) = [content for content in provider.requests[1]["contents"] if content["role"] == "model"]

    assert base64.urlsafe_b64decode(said["parts"][0]["thoughtSignature"]) == gemini.SIGNATURE


async def test_client_of_ones_own_is_used_and_stays_open(provider: Provider, choice: Choice) -> None:
    provider.plays(Said(("Hi.",)), Said(("Again.",)))
    client = own_client(choice)
    owned = provider.interface.choice("", client)
    async with AsyncChat(owned) as chat:
        await chat.send("Hi.")
    async with AsyncChat(owned) as chat:
        reply = await chat.send("Hi.")
    await ended(client)

    assert reply.text == "Again."


def own_client(choice: Choice) -> Any:
    match choice.provider:
        case "anthropic":
            from anthropic import AsyncAnthropic

            return AsyncAnthropic(base_url=choice.base_url)
        case "openai":
            from openai import AsyncOpenAI

            return AsyncOpenAI(base_url=choice.base_url)
    from google import genai

    return genai.Client(http_options=genai.types.HttpOptions(base_url=choice.base_url))


async def ended(client: Any) -> None:
    if hasattr(client, "aio"):
        await client.aio.aclose()
    else:
        await client.close()


@pytest.mark.parametrize("provider", ["anthropic", "completions", "responses"], indirect=True)
async def test_sdk_tries_again_by_itself(provider: Provider, choice: Choice) -> None:
    provider.plays(Failing(429, "Too much", headers=("Retry-After-Ms: 1",)), Said(("Hello",)))
    async with AsyncChat(choice) as chat:
        reply = await chat.send("Hi.")

    assert (reply.text, len(provider.requests)) == ("Hello", 2)


async def test_stream_that_ends_in_good_order_but_early_is_no_reply(provider: Provider, choice: Choice) -> None:
    provider.plays(Said(("Hel", "lo"), breaks_after=2, failure=sse({"type": "ping"})), Said(("Hello",)))
    async with AsyncChat(choice) as chat:
        error = await failure(chat.send, "Hi.")
        reply = await chat.proceed()

    assert isinstance(error, ModelUnavailable)
    assert "ended before the reply did" in str(error)
    assert reply.text == "Hello"


@pytest.mark.parametrize("provider", ["completions"], indirect=True)
async def test_model_at_home_needs_no_key(provider: Provider, choice: Choice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    provider.plays(Said(("Hello",)))
    async with AsyncChat(f"openai:any@{choice.base_url}") as chat:
        reply = await chat.send("Hi.")

    assert reply.text == "Hello"

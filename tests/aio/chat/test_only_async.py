"""What only tasks can do to a chat: cancel it in the middle."""

import asyncio
from typing import Any

import pytest

from dragoman import AsyncChat, AsyncClient, ScriptedModel, UsageError, tool
from dragoman.deadline import Deadline
from dragoman.models.chat.messages import ToolMessage
from tests.aio.chat.support import Halting, add, kinds, scripted
from tests.aio.client.support import until
from tests.aio.runner.support import SCRIPT
from tests.servers.providers import INTERFACES
from tests.servers.providers.playing import Provider, Said
from tests.servers.scripts.play import Puppeteer, wait


async def cancelled(chat: AsyncChat, begun: Any) -> None:
    task = asyncio.create_task(chat.send("Go."))
    await begun()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_cancelling_keeps_what_the_user_has_seen() -> None:
    model = Halting()
    chat = AsyncChat(model)

    async def begun() -> None:
        await model.begun.wait(Deadline(20))

    await cancelled(chat, begun)

    assert model.is_closed
    assert kinds(chat.history) == ["UserMessage", "ModelMessage"]
    assert chat.usage.total == 7


async def test_cancelled_calls_are_answered() -> None:
    entered = asyncio.Event()

    @tool(name="wait")
    async def endless() -> str:
        """Wait for ever."""
        entered.set()
        await asyncio.Event().wait()
        return "never"

    adding = scripted("add", {"a": 1, "b": 2})
    chat = AsyncChat(ScriptedModel([adding, scripted("wait")], "So."), add, endless)
    await cancelled(chat, entered.wait)

    last = chat.history[-1]
    assert isinstance(last, ToolMessage)
    assert [each.id for each in last.responses] == [adding.id, scripted("wait").id]
    assert last.responses[1].is_error
    assert (await chat.proceed()).text == "So."


async def test_server_is_told_of_a_cancelled_call(puppet: Puppeteer) -> None:
    server = puppet(**{**SCRIPT, "on": {**SCRIPT["on"], "tools/call slow": [wait("never")]}})
    async with AsyncClient.connect(server.command) as client:
        chat = AsyncChat(ScriptedModel(scripted("slow"), "So."), client)
        await cancelled(chat, lambda: until(lambda: bool(server.called("slow"))))
        await until(lambda: bool(server.heard("notifications/cancelled")))

    assert isinstance(chat.history[-1], ToolMessage)


def test_chat_goes_on_in_another_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-tests")
    provider = Provider(INTERFACES["completions"])
    provider.plays(Said(("One.",), closes=True), Said(("Two.",)))
    with provider.serving() as server:
        chat = AsyncChat(provider.interface.choice(f"http://127.0.0.1:{server.port}", None))
        asyncio.run(said(chat))
        text = asyncio.run(said(chat, closing=True))

    assert text == "Two."


async def said(chat: AsyncChat, *, closing: bool = False) -> str:
    reply = await chat.send("Count.")
    if closing:
        await chat.close()
    return reply.text


async def test_two_turns_at_once_are_refused() -> None:
    model = Halting()
    chat = AsyncChat(model)
    task = asyncio.create_task(chat.send("Go."))
    await model.begun.wait(Deadline(20))
    with pytest.raises(UsageError, match="goes on"):
        await chat.send("Me too.")
    model.may_go_on.set()

    assert (await task).text == "Well, yes."


async def test_chat_with_a_coroutine_function_as_a_tool() -> None:
    @tool
    async def later() -> str:
        """Take a moment."""
        await asyncio.sleep(0)
        return "now"

    reply = await AsyncChat(ScriptedModel(scripted("later"), "So."), later).send("Go.")

    assert reply.responses[0].text == "now"

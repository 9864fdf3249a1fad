"""Tools of the sync client in frameworks: run as they are where those are sync, and in a thread where they only await."""

import asyncio
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agents import Agent as OpenAIAgent
from agents import RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message, function_call
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.models.test import TestModel

from dragoman import Client, ToolRunner, tool
from tests.bridges.script import SCRIPT
from tests.servers.scripts.play import Puppet


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with Client.connect(Puppet(tmp_path / "puppet", **SCRIPT).command) as client:
        yield client


def named(tools: list[Any]) -> dict[str, Any]:
    return {each.name: each for each in tools}


def test_langchain_invokes_them(client: Client) -> None:
    tools = named(client.tools_for("langchain"))

    assert tools["echo"].invoke({"text": "hi"}) == [{"type": "text", "text": '{"text": "hi"}'}]
    assert tools["fail"].invoke({}) == [{"type": "text", "text": "ENOENT: no such file"}]


def test_openai_s_agents_await_them(client: Client) -> None:
    calls: list[Any] = [[function_call("echo", json.dumps({"text": "hi"}), call_id="1")], [assistant_message("Done.")]]
    agent = OpenAIAgent("host", tools=client.tools_for("openai-agents"), model=ScriptedModel(calls))
    # Not by `run_sync`, which leaves its loop behind, unclosed.
    running = Runner.run(agent, "Go.", run_config=RunConfig(tracing_disabled=True))
    items: Any = asyncio.run(running).to_input_list()

    assert [item["output"] for item in items if item.get("type") == "function_call_output"] == ['{"text": "hi"}']


def test_pydantic_s_agents_await_them(client: Client) -> None:
    agent = PydanticAgent(TestModel(call_tools=["count"]), tools=client.tools_for("pydantic-ai"))

    assert asyncio.run(agent.run("Go.")).output == '{"count":{"rooms":3}}'


def test_framework_s_loop_goes_on_meanwhile() -> None:
    threads: list[threading.Thread] = []

    @tool
    def where() -> str:
        """Tell the thread."""
        threads.append(threading.current_thread())
        return "here"

    agent = PydanticAgent(TestModel(call_tools=["where"]), tools=ToolRunner(where).tools_for("pydantic-ai"))
    asyncio.run(agent.run("Go."))

    assert threads[0] is not threading.current_thread()

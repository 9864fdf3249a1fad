"""Let an agent of Pydantic AI use a server's tools, and have a person approve what cannot be undone.

The model here follows a script, so that no key is needed: give `Agent` the name of a real one instead.
Needs `pip install 'dragoman[pydantic-ai]'`.
"""

import asyncio
import sys

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from dragoman import AsyncClient, Policy
from dragoman.bridges.pydantic_ai import DragomanToolset

SCRIPT: list[ToolCallPart | TextPart] = [
    ToolCallPart("distance", {"origin": "Cairo", "destination": "Aleppo"}),
    ToolCallPart("book_room", {"guest": "Ada", "nights": 2}),
    TextPart("You are expected at the inn."),
]


def follow_the_script(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    return ModelResponse(parts=[SCRIPT[sum(isinstance(each, ModelResponse) for each in messages)]])


def is_fine(call: ToolCallPart) -> bool:
    """Ask a person here."""
    print(f"may I {call.tool_name} with {call.args}? yes")
    return True


async def main() -> None:
    server = [sys.executable, "-m", "dragoman.demo.modern"]
    inn = DragomanToolset[object](lambda: AsyncClient.connect(server), policy=Policy.careful(), instructions=True)
    agent = Agent(FunctionModel(follow_the_script), toolsets=[inn], output_type=[str, DeferredToolRequests])
    async with agent:
        result = await agent.run("Find out how far it is, and book me a room for two nights.")
        while isinstance(result.output, DeferredToolRequests):
            answers = DeferredToolResults()
            for call in result.output.approvals:
                answers.approvals[call.tool_call_id] = is_fine(call)
            result = await agent.run(message_history=result.all_messages(), deferred_tool_results=answers)
    print(result.output)


asyncio.run(main())

"""What a server asks a model for, and what it gets."""

from typing import Any

import pytest

from dragoman.models.chat.choices import AnthropicModel
from dragoman.models.chat.events import ModelReply, Stop
from dragoman.models.chat.messages import Call, ModelMessage, Text, ToolMessage, said_by_user
from dragoman.models.chat.sampling import answer_of, preferred, request_of
from dragoman.types import (
    CreateMessageParams,
    ImageContent,
    ModelHint,
    ModelPreferences,
    SamplingMessage,
    TextContent,
    Tool,
    ToolChoice,
    ToolResultContent,
    ToolUseContent,
)

MODELS = [AnthropicModel("claude-haiku-9"), AnthropicModel("claude-opus-9")]
TOOLS = (Tool.define("git log", {"type": "object", "properties": {"a b": {}}}, description="Show."),)


def asking(*messages: SamplingMessage, **more: Any) -> CreateMessageParams:
    return CreateMessageParams(messages=messages, max_tokens=100, **more)


def says(role: Any, *content: Any) -> SamplingMessage:
    return SamplingMessage(role=role, content=content)


@pytest.mark.parametrize(
    ("hints", "name"),
    [
        (["Opus"], "claude-opus-9"),
        (["gpt", "haiku", "opus"], "claude-haiku-9"),
        (["gpt"], "claude-haiku-9"),
        ([None, ""], "claude-haiku-9"),
        ([], "claude-haiku-9"),
    ],
)
def test_hints_choose_the_model(hints: list[str | None], name: str) -> None:
    preferences = ModelPreferences(hints=tuple(ModelHint(name=hint) for hint in hints))

    assert preferred(MODELS, preferences).name == name


def test_without_preferences_it_is_the_first() -> None:
    assert preferred(MODELS, None) is MODELS[0]
    assert preferred(MODELS, ModelPreferences()) is MODELS[0]


def test_conversation_is_read() -> None:
    picture = ImageContent(data="AAAA", mime_type="image/png")
    request = request_of(
        asking(
            SamplingMessage(role="user", content=TextContent(text="Look.")),
            says(
                "assistant", TextContent(text="Well:"), picture, ToolUseContent(id="c1", name="git log", input={"n": 1})
            ),
            says(
                "user", ToolResultContent(tool_use_id="c1", content=(picture,), is_error=True), TextContent(text="So?")
            ),
            says("assistant", ToolUseContent(id="c2", name="git log", input={})),
            says("user", ToolResultContent(tool_use_id="c9")),
            says("assistant", ToolUseContent(id="c3", name="git log", input={})),
            system_prompt="Be brief.",
            temperature=1,
            stop_sequences=("END",),
            tools=TOOLS,
            tool_choice=ToolChoice(mode="required"),
        ),
        "openai-strict",
    )

    assert request.messages[0] == said_by_user("Look.")
    said = Text("Well:"), Text("[image: image/png, 3 bytes]"), Call("c1", "git log", '{"n":1}')
    assert request.messages[1] == ModelMessage(said)
    assert isinstance(request.messages[2], ToolMessage)
    assert (request.messages[2].responses[0].name, request.messages[2].responses[0].is_error) == ("git log", True)
    assert request.messages[3] == said_by_user("So?")
    assert isinstance(request.messages[-1], ToolMessage)
    assert (request.system, request.temperature, request.stop_sequences) == ("Be brief.", 1.0, ("END",))
    assert (request.tool_use, request.max_tokens) == ("required", 100)
    assert "strict" not in request.tools[0]["function"]


def test_what_is_not_said_is_not_asked_for() -> None:
    request = request_of(asking(tool_choice=ToolChoice(mode="sometimes")), "anthropic", most=9)

    assert (request.messages, request.system, request.temperature, list(request.tools)) == ((), None, None, [])
    assert (request.tool_use, request.max_tokens) == ("auto", 9)


def test_text_is_one_block() -> None:
    reply = ModelReply(ModelMessage((Text("a"), Text("b")), "m"), Stop.END, "end_turn")
    result = answer_of(reply, request_of(asking(), "anthropic").tools, "n")

    assert (result.content, result.model, result.stop_reason) == (TextContent(text="ab"), "m", "endTurn")


def test_calls_are_in_the_servers_own_words() -> None:
    tools = request_of(asking(tools=TOOLS), "anthropic").tools
    (name,) = tools.names
    (argument,) = tools[0]["input_schema"]["properties"]
    said = Text("Well:"), Call("c1", name, f'{{"{argument}": 1}}'), Call("c2", "other")

    result = answer_of(ModelReply(ModelMessage(said), Stop.TOOLS), tools, "n")

    assert result.content == (
        TextContent(text="Well:"),
        ToolUseContent(id="c1", name="git log", input={"a b": 1}),
        ToolUseContent(id="c2", name="other", input={}),
    )
    assert (result.model, result.stop_reason) == ("n", "toolUse")
    assert answer_of(ModelReply(ModelMessage(said[1:2]), Stop.TOOLS), tools, "n").content == (result.content[1],)  # type: ignore[index]


@pytest.mark.parametrize(
    ("stop", "said", "reason"),
    [
        (Stop.MAX_TOKENS, "length", "maxTokens"),
        (Stop.STOP_SEQUENCE, "", "stopSequence"),
        (Stop.REFUSAL, "SAFETY", "SAFETY"),
        (Stop.OTHER, "", "other"),
    ],
)
def test_reasons_are_told(stop: Stop, said: str, reason: str) -> None:
    cut = Call("c1", "t", "{")
    result = answer_of(ModelReply(ModelMessage((cut,)), stop, said), request_of(asking(), "plain").tools, "n")

    assert (result.content, result.stop_reason) == (TextContent(text=""), reason)

# generated from tests/aio/client/test_sampling.py by tools/unasync.py; do not edit
"""Sampling: the server asks for a model's words, and the application decides."""

import json
from typing import Any

import pytest

from dragoman import Client
from dragoman.errors import McpError, PolicyDenied, ProtocolError
from dragoman.types import CreateMessageParams, CreateMessageResult, ImageContent, TextContent
from dragoman.views import Question
from tests.servers.scripts.play import Puppeteer, ask, text
from tests.sync.client.support import Seen, failure

QUESTION: dict[str, Any] = {
    "messages": [{"role": "user", "content": {"type": "text", "text": "Why?"}}],
    "maxTokens": 100,
    "systemPrompt": "Be brief.",
    "includeContext": "thisServer",
    "modelPreferences": {"hints": [{"name": "small"}], "costPriority": 1},
}
SAMPLING: dict[str, Any] = {"tools/call think": [ask("sampling/createMessage", QUESTION), text("json:$answer")]}


def sampled(client: Client) -> Any:
    """Give what the server gets for an answer."""
    return json.loads(client.call_tool("think").text)


@pytest.mark.feature(54, 57, "12.7")
def test_the_handler_gets_the_request_and_its_answer_the_server(puppet: Puppeteer, era: str) -> None:
    sampling = Seen(CreateMessageResult.from_text("Because.", "tiny-1"))
    with Client.connect(puppet(era, on=SAMPLING).command, sampling=sampling) as client:
        answered = sampled(client)
        (asked,) = sampling.values

        assert asked.messages[0].text == "Why?"
        assert asked.system_prompt == "Be brief."
        assert asked.include_context == "thisServer"
        assert asked.max_tokens == 100
        assert answered == {
            "role": "assistant",
            "model": "tiny-1",
            "stopReason": "endTurn",
            "content": {"type": "text", "text": "Because."},
        }


@pytest.mark.feature(54)
def test_plain_text_will_do_for_an_answer(puppet: Puppeteer, era: str) -> None:
    with Client.connect(puppet(era, on=SAMPLING).command, sampling=Seen("Because.")) as client:
        assert sampled(client)["content"] == {"type": "text", "text": "Because."}


@pytest.mark.feature(56)
def test_images_go_both_ways(puppet: Puppeteer, era: str) -> None:
    image = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    question = {"messages": [{"role": "user", "content": image}], "maxTokens": 5}
    sampling = Seen(CreateMessageResult(ImageContent("aG8=", "image/png"), "painter"))
    server = puppet(era, on={"tools/call think": [ask("sampling/createMessage", question), text("json:$answer")]})
    with Client.connect(server.command, sampling=sampling) as client:
        answered = sampled(client)

        assert isinstance(sampling.values[0].messages[0].content, ImageContent)
        assert answered["content"] == {"type": "image", "data": "aG8=", "mimeType": "image/png"}


@pytest.mark.feature(59)
def test_the_application_chooses_the_model_and_keeps_the_account(puppet: Puppeteer, era: str) -> None:
    account: dict[str, int] = {}

    def sampling(question: Any) -> CreateMessageResult:
        model = "small-model" if question.model_preferences.hints[0].name == "small" else "large-model"
        account[model] = account.get(model, 0) + 1
        return CreateMessageResult(TextContent("Because."), model, stop_reason="maxTokens")

    with Client.connect(puppet(era, on=SAMPLING).command, sampling=sampling) as client:
        answers = [sampled(client) for _ in range(3)]

        assert account == {"small-model": 3}
        assert {answered["model"] for answered in answers} == {"small-model"}


@pytest.mark.feature(58, 74, "13.5")
def test_a_refusal_reaches_the_server_as_an_error_and_no_model_runs(puppet: Puppeteer) -> None:
    sampling = Seen("Because.")
    approve = Seen(False)
    server = puppet("legacy", on=SAMPLING)
    with Client.connect(server.command, sampling=sampling, approve=approve) as client:
        answered = sampled(client)
        (question,) = approve.values

        assert answered["error"]["code"] == -1
        assert len(sampling) == 0
        assert isinstance(question, Question)
        assert question.method == "sampling/createMessage"
        assert isinstance(question.params, CreateMessageParams)
        assert question.params.messages[0].text == "Why?"
        assert question.server == "puppet"


@pytest.mark.feature(58, "12.12")
def test_a_refusal_on_a_modern_server_is_the_callers(puppet: Puppeteer) -> None:
    sampling = Seen("Because.")
    server = puppet("modern", on=SAMPLING)
    with Client.connect(server.command, sampling=sampling, approve=Seen(False)) as client:
        error = failure(client.call_tool, "think")

        assert isinstance(error, PolicyDenied)
        assert len(sampling) == 0


@pytest.mark.feature(58, 74, "12.12", "13.5")
def test_what_is_approved_is_done(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on=SAMPLING)
    with Client.connect(server.command, sampling=Seen("Because."), approve=Seen(True)) as client:
        assert sampled(client)["content"]["text"] == "Because."


@pytest.mark.feature(60)
@pytest.mark.edge("B54")
def test_a_handler_that_raises_costs_the_server_an_error(puppet: Puppeteer) -> None:
    server = puppet("legacy", on=SAMPLING)
    with Client.connect(server.command, sampling=Seen(LookupError("no model"))) as client:
        answered = sampled(client)

        assert answered["error"]["code"] == -32603
        assert "no model" not in answered["error"]["message"]
        assert client.call_tool("echo").text == "echo {}"


@pytest.mark.feature(13, 14)
def test_sampling_that_was_never_offered_is_answered_with_an_error(puppet: Puppeteer) -> None:
    with Client.connect(puppet("legacy", on=SAMPLING).command) as client:
        assert sampled(client)["error"]["code"] == -32601


@pytest.mark.feature(13, "12.7")
def test_a_modern_server_that_asks_for_what_was_never_offered_breaks_the_protocol(puppet: Puppeteer) -> None:
    with Client.connect(puppet("modern", on=SAMPLING).command) as client:
        error = failure(client.call_tool, "think")

        assert isinstance(error, ProtocolError)
        assert "sampling/createMessage" in str(error)
        assert client.call_tool("echo").text == "echo {}"


@pytest.mark.parametrize("params", [{}, {"messages": "x"}, {"messages": [], "maxTokens": "many"}, [], 7])
def test_a_question_that_cannot_be_read_is_refused(puppet: Puppeteer, params: Any) -> None:
    server = puppet("legacy", on={"tools/call think": [ask("sampling/createMessage", params), text("json:$answer")]})
    sampling = Seen("Because.")
    with Client.connect(server.command, sampling=sampling) as client:
        answered = sampled(client)

        assert answered["error"]["code"] == -32602
        assert len(sampling) == 0


def test_a_handler_that_returns_nonsense_costs_the_server_an_error(puppet: Puppeteer) -> None:
    with Client.connect(puppet("legacy", on=SAMPLING).command, sampling=Seen(7)) as client:
        assert sampled(client)["error"]["code"] == -32603


@pytest.mark.feature("12.7")
def test_a_modern_server_that_never_stops_asking_is_stopped(puppet: Puppeteer) -> None:
    endless = {"resultType": "input_required", "requestState": "s", "inputRequests": {"q": {"method": "roots/list"}}}
    server = puppet("modern", on={"tools/call": [["say", {"id": "$id", "result": endless}]]})
    with Client.connect(server.command, roots=[]) as client:
        error = failure(client.call_tool, "echo")

        assert isinstance(error, McpError)
        assert "16 times" in str(error)
        assert server.called("echo") == 16


@pytest.mark.feature("12.7")
def test_a_modern_call_goes_on_with_all_its_answers_and_its_state(puppet: Puppeteer) -> None:
    moves = [ask("roots/list", key="first"), ask("sampling/createMessage", QUESTION, key="second"), text("done")]
    needed = {"first": {"method": "roots/list"}, "second": {"method": "sampling/createMessage", "params": QUESTION}}
    both = {"resultType": "input_required", "requestState": "opaque", "inputRequests": needed}
    server = puppet("modern", on={"tools/call": [["turns", [[["say", {"id": "$id", "result": both}]], moves]]]})
    with Client.connect(server.command, roots=["file:///a"], sampling=Seen("Because.")) as client:
        result = client.call_tool("echo", {"n": 1})
    first, second = server.params("tools/call")

    assert result.text == "done"
    assert first == {"name": "echo", "arguments": {"n": 1}}
    assert second["arguments"] == {"n": 1}
    assert second["requestState"] == "opaque"
    assert second["inputResponses"]["first"] == {"roots": [{"uri": "file:///a"}]}
    assert second["inputResponses"]["second"]["content"]["text"] == "Because."


@pytest.mark.feature("12.7")
def test_a_handler_knows_for_which_call_a_modern_server_asks(puppet: Puppeteer) -> None:
    contexts: list[Any] = []

    def sampling(question: Any, context: Any) -> str:
        contexts.append(context)
        return "Because."

    with Client.connect(puppet("modern", on=SAMPLING).command, sampling=sampling) as client:
        client.call_tool("think")
        (context,) = contexts

        assert context.server == "puppet"
        assert context.request.method == "tools/call"
        assert context.request.params.name == "think"

"""What providers are told is what their own libraries say that they take."""

import warnings
from importlib import import_module
from typing import Any

import pytest
from pydantic import TypeAdapter

from dragoman.models.formats import FORMATS
from tests.models.making import response
from tests.models.test_corpus import ALL

with warnings.catch_warnings():
    # Their own imports may warn; that is for them to mend.
    warnings.simplefilter("ignore")
    from anthropic.types import Message, MessageParam, ToolParam
    from google.genai import types as gemini
    from openai.types.chat import (
        ChatCompletion,
        ChatCompletionFunctionToolParam,
        ChatCompletionMessageParam,
        ChatCompletionToolMessageParam,
    )
    from openai.types.responses import FunctionToolParam
    from openai.types.responses import Response as OpenaiResponse
    from openai.types.responses.response_input_item_param import FunctionCallOutput

PICTURE = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
PDF = {"type": "resource", "resource": {"uri": "file:///a.pdf", "mimeType": "application/pdf", "blob": "AAAA"}}
ODD = {"type": "image", "data": "_-_-\n", "mimeType": "image/jpg"}
BAD = {"type": "image", "data": "no base64!", "mimeType": "image/png"}
RESPONSES = [
    response("a", PICTURE, PDF),
    response(ODD, BAD, PDF),
    response("no", is_error=True),
    response(structured_content={"a": 1}),
]


def fits(kind: Any, value: Any) -> None:
    """Demand that a value is of a library's type."""
    TypeAdapter(kind).validate_python(value)


def named(name: str) -> list[Any]:
    return list(FORMATS[name].definitions(ALL))


@pytest.mark.feature(129)
def test_definitions_are_those_of_anthropic() -> None:
    for definition in named("anthropic"):
        fits(ToolParam, definition)


@pytest.mark.feature(130)
@pytest.mark.parametrize("suffix", ["", "-strict"])
def test_definitions_are_those_of_openai(suffix: str) -> None:
    for definition in named(f"openai{suffix}"):
        fits(ChatCompletionFunctionToolParam, definition)
    for definition in named(f"openai-responses{suffix}"):
        fits(FunctionToolParam, definition)


@pytest.mark.parametrize("name", ["gemini", "gemini-openapi"])
def test_definitions_are_those_of_gemini(name: str) -> None:
    assert gemini.FunctionDeclaration.model_config.get("extra") == "forbid"
    for definition in named(name):
        gemini.FunctionDeclaration.model_validate(definition)


def converse(**parts: Any) -> str:
    """Tell what Amazon's own description of Converse has against a request."""
    # Imported by name: it has no types.
    loaders, model, validate = (import_module(f"botocore.{name}") for name in ("loaders", "model", "validate"))
    service = model.ServiceModel(loaders.Loader().load_service_model("bedrock-runtime", "service-2"))
    shape = service.operation_model("Converse").input_shape
    whole = {"modelId": "any", "messages": [], **parts}
    return str(validate.ParamValidator().validate(whole, shape).generate_report())


def test_definitions_and_results_are_those_of_converse() -> None:
    way = FORMATS["bedrock"]

    assert converse(**way.definitions(ALL).request) == ""
    assert converse(messages=way.answered(RESPONSES)) == ""
    assert "Unknown parameter" in converse(messages=[{"role": "user", "content": [{"nonsense": {}}]}])


@pytest.mark.feature(133)
def test_results_are_those_of_the_libraries() -> None:
    for message in FORMATS["anthropic"].answered(RESPONSES):
        fits(MessageParam, message)
    for message in FORMATS["openai"].answered(RESPONSES):
        fits(ChatCompletionMessageParam, message)
    for message in FORMATS["openai-text"].answered(RESPONSES):
        fits(ChatCompletionToolMessageParam, message)
    for item in FORMATS["openai-responses"].answered(RESPONSES):
        fits(FunctionCallOutput, item)
    for name in ("gemini", "gemini-openapi"):
        for turn in FORMATS[name].answered(RESPONSES):
            gemini.Content.model_validate(turn)


@pytest.mark.feature(132)
def test_objects_of_the_libraries_are_read() -> None:
    usage = {"input_tokens": 1, "output_tokens": 1}
    call = {"type": "tool_use", "id": "1", "name": "find", "input": {"a": 1}}
    message = Message.model_validate(
        {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [call], "usage": usage}
        | {"stop_reason": "tool_use", "stop_sequence": None}
    )
    function = {"id": "1", "type": "function", "function": {"name": "find", "arguments": '{"a":1}'}}
    completion = ChatCompletion.model_validate(
        {"id": "c", "object": "chat.completion", "created": 1, "model": "x"}
        | {
            "choices": [
                {"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "tool_calls": [function]}}
            ]
        }
    )
    item = {"type": "function_call", "call_id": "1", "name": "find", "arguments": '{"a":1}', "id": "i"}
    answer = OpenaiResponse.model_construct(output=[item])
    turn = gemini.GenerateContentResponse.model_validate(
        {
            "candidates": [
                {
                    "content": {
                        "role": "model",
                        "parts": [{"functionCall": {"id": "1", "name": "find", "args": {"a": 1}}}],
                    }
                }
            ]
        }
    )
    given = {"anthropic": message, "openai": completion, "openai-responses": answer, "gemini": turn}

    for name, found in given.items():
        (read,) = FORMATS[name].calls(found)
        assert (read.id, read.name) == ("1", "find"), name
        assert FORMATS[name].said(found), name

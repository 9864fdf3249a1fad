from typing import Any

import pytest
from msgspec import Raw

from dragoman.errors import UsageError
from dragoman.protocol.wording import (
    completion_argument,
    completion_reference,
    meta_of,
    prompt_params,
    resource_params,
    resource_uri,
    text,
    texts,
    tool_params,
)
from dragoman.types import (
    CallToolParams,
    CompletionArgument,
    GetPromptParams,
    Prompt,
    PromptReference,
    ReadResourceParams,
    Resource,
    ResourceTemplate,
    ResourceTemplateReference,
    Tool,
)


@pytest.mark.feature(99)
@pytest.mark.parametrize("written", ["add", Tool.define("add"), CallToolParams("add", {"a": 1})])
def test_a_tool_may_be_written_by_name_by_what_was_listed_or_as_a_request(written: str | Tool | CallToolParams) -> None:
    assert tool_params(written, {"a": 1}) == CallToolParams("add", {"a": 1})


def test_a_tool_without_arguments_is_sent_none() -> None:
    assert tool_params("add", None) == CallToolParams("add")


@pytest.mark.parametrize("written", [CallToolParams("add"), CallToolParams("add", Raw(b'{"a":1}'))])
def test_a_request_whose_arguments_are_absent_or_encoded_already_is_taken_as_it_is(written: CallToolParams) -> None:
    assert tool_params(written, None) is written


@pytest.mark.feature(112)
@pytest.mark.parametrize("written", ["a:b", Resource("a:b", "b"), ReadResourceParams("a:b")])
def test_a_resource_may_be_written_by_uri_by_what_was_listed_or_as_a_request(
    written: str | Resource | ReadResourceParams,
) -> None:
    assert resource_params(written) == ReadResourceParams("a:b")


@pytest.mark.parametrize("written", ["greet", Prompt("greet"), GetPromptParams("greet", {"who": "you"})])
def test_a_prompt_may_be_written_by_name_by_what_was_listed_or_as_a_request(
    written: str | Prompt | GetPromptParams,
) -> None:
    assert prompt_params(written, {"who": "you"}) == GetPromptParams("greet", {"who": "you"})


def test_a_prompt_without_arguments_is_sent_none() -> None:
    assert prompt_params("greet", None) == GetPromptParams("greet")
    assert prompt_params(GetPromptParams("greet"), None) == GetPromptParams("greet")


@pytest.mark.parametrize(
    ("written", "reference"),
    [
        (Prompt("greet"), PromptReference("greet")),
        (ResourceTemplate("a:{b}", "b"), ResourceTemplateReference("a:{b}")),
        (PromptReference("greet"), PromptReference("greet")),
    ],
)
def test_a_reference_may_be_what_was_listed_of_it(
    written: Prompt | ResourceTemplate | PromptReference, reference: PromptReference | ResourceTemplateReference
) -> None:
    assert completion_reference(written) == reference


def test_what_a_request_carries_beside_its_params_is_a_mapping() -> None:
    assert meta_of({"a": 1}) == {"a": 1}
    assert meta_of({}) is None
    assert meta_of(None) is None


def test_what_is_watched_is_named_by_its_uri() -> None:
    assert resource_uri("a:b") == "a:b"


def test_what_is_completed_is_named_with_what_there_is_of_it() -> None:
    assert completion_argument("who", "y") == CompletionArgument("who", "y")


def test_text_is_text() -> None:
    assert text("a", "a cursor", "text") == "a"


def test_texts_are_a_mapping_of_names_to_text() -> None:
    assert texts({"who": "you"}, "the arguments") == {"who": "you"}


@pytest.mark.parametrize(
    ("read", "given", "words"),
    [
        (tool_params, (None, None), "a tool cannot be None"),
        (tool_params, (5, None), "a tool cannot be 5"),
        (tool_params, ("add", [1]), "the arguments of add cannot be a list"),
        (tool_params, ("add", "a=1"), "the arguments of add cannot be a str"),
        (tool_params, ("add", {1: 2}), "a name in the arguments of add cannot be 1"),
        (tool_params, (CallToolParams(["add"]), None), "a tool cannot be a list"),  # type: ignore[arg-type]
        (tool_params, (CallToolParams("add", 5), None), "the arguments of add cannot be 5"),  # type: ignore[arg-type]
        (resource_params, (None,), "a resource cannot be None"),
        (resource_params, (ReadResourceParams(5),), "a resource cannot be 5"),  # type: ignore[arg-type]
        (resource_params, ("a:\ud800",), r"a resource cannot be 'a:\\ud800': surrogates not allowed"),
        (prompt_params, (GetPromptParams(5), None), "a prompt cannot be 5"),  # type: ignore[arg-type]
        (prompt_params, (GetPromptParams("greet", {"who": 5}), None), "'who' among the"),  # type: ignore[dict-item]
        (resource_uri, (Resource("a:b", "b"),), "a resource to watch cannot be a Resource"),
        (prompt_params, (b"greet", None), "a prompt cannot be a bytes"),
        (prompt_params, ("greet", ["you"]), "the arguments of greet cannot be a list"),
        (prompt_params, ("greet", {"who": 5}), "'who' among the arguments of greet cannot be 5"),
        (completion_reference, ("greet",), "what is to be completed cannot be a str"),
        (completion_argument, (1, "y"), "an argument cannot be 1"),
        (completion_argument, ("who", None), "the beginning of who cannot be None"),
        (meta_of, ([1],), "`meta` cannot be a list"),
    ],
)
def test_what_is_written_otherwise_is_refused_with_what_to_write(read: Any, given: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        read(*given)

    assert str(caught.value.hint).startswith("give ")

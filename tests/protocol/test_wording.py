import pytest

from dragoman.protocol.wording import completion_reference, prompt_params, resource_params, tool_params
from dragoman.types import (
    CallToolParams,
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

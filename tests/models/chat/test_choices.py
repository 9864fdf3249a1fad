"""Which model a string names."""

import pytest

from dragoman.errors import UsageError
from dragoman.models.chat.choices import AnthropicModel, GeminiModel, OpenAIModel, read_choice


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("anthropic:claude-x", AnthropicModel("claude-x")),
        ("openai:gpt-x", OpenAIModel("gpt-x")),
        ("openai-responses:gpt-x", OpenAIModel("gpt-x", api="responses")),
        ("gemini:gemini-x", GeminiModel("gemini-x")),
        (
            "openai:llama3.2:3b@http://localhost:11434/v1",
            OpenAIModel("llama3.2:3b", base_url="http://localhost:11434/v1"),
        ),
        ("anthropic:a/b@c@https://x.example", AnthropicModel("a/b@c", base_url="https://x.example")),
        ("gemini:g@https://x.example", GeminiModel("g", base_url="https://x.example")),
    ],
)
def test_string_names_a_model(text: str, choice: object) -> None:
    assert read_choice(text) == choice


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("antropic:claude-x", "did you mean anthropic:claude-x?"),
        ("openia", "did you mean openai:NAME?"),
        ("anthropic:", "it is "),
        ("claude", "it is "),
        ("openai:@http://localhost", "it is "),
        ("openai", "it is "),
    ],
)
def test_what_names_none_is_told(text: str, hint: str) -> None:
    with pytest.raises(UsageError, match="names no model") as caught:
        read_choice(text)

    assert hint in (caught.value.hint or "")


def test_each_has_its_format_and_origin() -> None:
    assert (AnthropicModel("a").format, AnthropicModel("a").origin) == ("anthropic", "anthropic")
    assert (GeminiModel("a").format, GeminiModel("a").origin) == ("gemini", "gemini")
    assert (OpenAIModel("a").format, OpenAIModel("a").origin) == ("openai", "completions@openai")
    assert OpenAIModel("a", api="responses", strict=True).format == "openai-responses-strict"
    assert OpenAIModel("a", base_url="http://x").origin == "completions@http://x"

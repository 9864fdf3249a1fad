"""Each model has its dialect."""

import pytest

from dragoman.models.chat import anthropic, completions, gemini, responses
from dragoman.models.chat.choices import AnthropicModel, Choice, GeminiModel, OpenAIModel
from dragoman.models.chat.dialects import dialect_of


@pytest.mark.parametrize(
    ("choice", "module"),
    [
        (AnthropicModel("a"), anthropic),
        (OpenAIModel("a"), completions),
        (OpenAIModel("a", api="responses"), responses),
        (GeminiModel("a"), gemini),
    ],
)
def test_model_is_spoken_with_in_its_dialect(choice: Choice, module: object) -> None:
    assert dialect_of(choice).write is vars(module)["written"]

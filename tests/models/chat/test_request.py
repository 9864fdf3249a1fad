"""What is asked of a model."""

from dragoman.models.chat.request import ModelRequest


def test_request_asks_for_nothing_that_is_not_wanted() -> None:
    request = ModelRequest(())

    assert (list(request.tools), request.tool_use, request.max_tokens, request.stop_sequences) == ([], "auto", None, ())

"""What a function takes."""

from functools import partial
from typing import Any

import msgspec
import pytest
from pydantic import Field

from dragoman.errors import UsageError
from dragoman.models.signatures import Signature, documented, named


class Odd:
    pass


class Greeter:
    def __call__(self, name: str) -> str:
        """Greet somebody."""
        return f"Hello, {name}."


class Told(Greeter):
    """A greeter."""


def search(query: str, limit: int = 5, tags: list[str] = ["a"]) -> str:  # noqa: B006
    """Search."""
    return f"{query} {limit} {tags}"


def test_names_and_words_are_those_of_what_is_called() -> None:
    assert [named(each) for each in (search, partial(search, "x"), Greeter())] == ["search", "search", "Greeter"]
    assert [documented(each) for each in (search, partial(search, "x"), Greeter(), Told())] == [
        "Search.",
        "Search.",
        "Greet somebody.",
        "A greeter.",
    ]
    assert documented(lambda: None) == ""


def test_schema_has_a_property_for_each_parameter() -> None:
    found = Signature.of(search, {"query": "What."})

    assert found.schema["properties"]["query"] == {"type": "string", "description": "What."}
    assert found.schema["required"] == ["query"]
    assert found.schema["additionalProperties"] is False
    assert found.typed({"query": "x"}) == {"query": "x", "limit": 5, "tags": ["a"]}
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        found.typed({"query": "x", "more": 1})


def test_further_arguments_have_a_type() -> None:
    def function(a: int, **more: int) -> None: ...

    found = Signature.of(function, {})

    assert found.schema["additionalProperties"] == {"type": "integer"}
    assert found.typed({"a": 1, "b": 2.0}) == {"a": 1, "b": 2}

    def open_function(**more: Any) -> None: ...

    assert Signature.of(open_function, {}).schema["additionalProperties"] in (True, {})


def test_what_a_partial_was_given_is_not_asked_for() -> None:
    assert list(Signature.of(partial(search, limit=1), {}).schema["properties"]) == ["query", "tags"]


def test_field_of_pydantic_s_is_a_default_with_words() -> None:
    def function(a: int = Field(description="Which."), b: int = Field(5)) -> None: ...

    found = Signature.of(function, {})

    assert found.schema["required"] == ["a"]
    assert found.schema["properties"]["a"]["description"] == "Which."
    assert found.typed({"a": 1}) == {"a": 1, "b": 5}


def test_object_that_is_called_has_the_signature_of_its_call() -> None:
    assert Signature.of(Greeter(), {}).schema["properties"] == {"name": {"type": "string"}}


def test_what_a_model_cannot_give_is_refused() -> None:
    def positional(a: int, /) -> None: ...

    def several(*a: int) -> None: ...

    def odd(a: Odd) -> None: ...

    def yields() -> Any:
        yield 1

    refused: list[tuple[Any, str]] = [
        (positional, "'a' of positional cannot be given by name"),
        (several, "'a' of several cannot be given by name"),
        (odd, "the signature of odd cannot be said"),
        (yields, "yields yields its results"),
    ]
    for function, why in refused:
        with pytest.raises(UsageError, match=why):
            Signature.of(function, {})

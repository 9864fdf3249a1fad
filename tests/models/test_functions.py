"""Functions as tools."""

from dataclasses import dataclass
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pytest
from pydantic import BaseModel, Field

from dragoman.errors import UsageError
from dragoman.models.functions import LocalTool, as_result, failed, tool
from dragoman.models.modern import checker
from dragoman.types import CallToolResult, ImageContent, TextContent, ToolAnnotations


class Unit(Enum):
    CELSIUS = "celsius"
    KELVIN = "kelvin"


@dataclass
class Place:
    name: str
    height: int = 0


@tool
def forecast(
    city: str,
    days: int = 3,
    unit: Unit = Unit.CELSIUS,
    *,
    place: Place | None = None,
    tags: list[str] = ["a"],  # noqa: B006
) -> str:
    """Tell the weather.

    Args:
        city: Where.
        days: For how long.
    """
    return f"{city} {days} {unit.name} {place} {tags}"


@pytest.mark.feature(159)
def test_tool_is_made_of_the_signature_and_the_docstring() -> None:
    schema = forecast.tool.input_schema

    assert (forecast.tool.name, forecast.tool.description) == ("forecast", "Tell the weather.")
    assert schema["properties"]["city"] == {"description": "Where.", "type": "string"}
    assert schema["properties"]["days"] == {"description": "For how long.", "type": "integer", "default": 3}
    assert schema["required"] == ["city"]
    assert schema["additionalProperties"] is False
    assert schema["$defs"].keys() == {"Unit", "Place"}
    assert "title" not in schema


def test_function_stays_a_function() -> None:
    assert forecast("Bern", tags=[]).startswith("Bern 3 CELSIUS")
    assert forecast.__name__ == "forecast"
    assert repr(forecast) == "<tool 'forecast'>"


def test_arguments_become_the_types_of_the_signature() -> None:
    call = forecast.bound({"city": "Bern", "unit": "kelvin", "place": {"name": "Gurten"}})

    assert call() == "Bern 3 KELVIN Place(name='Gurten', height=0) ['a']"


def test_default_is_not_shared_between_calls() -> None:
    first = forecast.bound({"city": "Bern"}).keywords["tags"]
    first.append("b")

    assert forecast.bound({"city": "Bern"}).keywords["tags"] == ["a"]


def test_arguments_of_other_types_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        forecast.bound({"city": 5})


def test_name_description_schema_and_hints_can_be_given() -> None:
    schema = {"type": "object", "properties": {"a": {}}}

    @tool(
        name="other",
        description="Said.",
        input_schema=schema,
        annotations=ToolAnnotations(read_only_hint=True),
        is_exclusive=True,
    )
    def function(**arguments: Any) -> Any:
        return arguments

    assert (function.tool.name, function.tool.description) == ("other", "Said.")
    assert function.tool.input_schema == schema
    assert function.tool.hints.is_read_only
    assert function.is_exclusive
    assert function.bound({"a": "1"})() == {"a": "1"}


def test_function_may_take_whatever_else_is_given() -> None:
    @tool
    def function(a: int, **others: Any) -> Any:
        return a, others

    assert function.tool.input_schema.get("additionalProperties") is not False
    assert function.bound({"a": 1, "b": 2})() == (1, {"b": 2})


def test_object_that_can_be_called_is_a_tool() -> None:
    class Adder:
        def __call__(self, a: int) -> int:
            return a + 1

    found = tool(Adder())

    assert (found.tool.name, found.tool.description) == ("Adder", None)
    assert found.bound({"a": 1})() == 2


def test_unannotated_parameter_may_be_anything() -> None:
    def function(a, b=None):  # type: ignore[no-untyped-def]
        return a

    assert tool(function).tool.input_schema["properties"] == {"a": {}, "b": {"default": None}}


def test_parameter_without_a_name_for_callers_is_refused() -> None:
    def positional(a: int, /) -> None: ...
    def many(*a: int) -> None: ...

    for function in (positional, many):
        with pytest.raises(UsageError, match="cannot be given by name"):
            tool(function)


def test_type_that_json_schema_cannot_say_is_refused() -> None:
    def function(a: partial[Any]) -> None: ...

    with pytest.raises(UsageError, match="give `input_schema`"):
        tool(function)


@pytest.mark.parametrize(
    ("value", "text", "structured"),
    [
        ("hello", "hello", None),
        (None, "", None),
        ({"a": 1}, '{"a":1}', {"a": 1}),
        (5, "5", 5),
        ([], "[]", []),
        (Place("Gurten", 858), '{"name":"Gurten","height":858}', {"name": "Gurten", "height": 858}),
    ],
)
def test_what_a_function_returns_is_a_result(value: Any, text: str, structured: Any) -> None:
    found = as_result(value)

    assert (found.text, found.structured, found.is_error) == (text, structured, False)


def test_blocks_and_results_are_taken_as_they_are() -> None:
    block = ImageContent(data="AA==", mime_type="image/png")
    whole = CallToolResult(content=(block,))

    assert as_result(whole) is whole
    assert as_result(block) == whole
    assert as_result([block, TextContent(text="a")]).content == (block, TextContent(text="a"))


def test_list_of_texts_and_blocks_is_all_blocks() -> None:
    block = ImageContent(data="AA==", mime_type="image/png")

    assert as_result(["a", block, {"b": 1}]).content == (TextContent(text="a"), block, TextContent(text='{"b":1}'))


def test_object_without_a_json_form_is_refused_and_never_a_repr() -> None:
    with pytest.raises(TypeError):
        as_result(object())


def test_failure_says_why() -> None:
    assert (failed("no").text, failed("no").is_error) == ("no", True)


class Order(BaseModel):
    class Line(BaseModel):
        dish: str

    lines: list[Line]
    table: int = 1


def test_model_of_pydantic_s_is_taken_and_given() -> None:
    def function(order: Order, others: list[Order] = []) -> Order:  # noqa: B006
        return order

    made = tool(function)
    bound = made.bound({"order": {"lines": [{"dish": "soup"}]}})

    assert made.tool.input_schema["$defs"]["Order.Line"]["required"] == ["dish"]
    assert "#/$defs/Order.Line" in str(made.tool.input_schema["properties"])
    assert checker(made.tool.input_schema).violations({"order": {"lines": [{"dish": 5}]}})
    assert bound() == Order(lines=[Order.Line(dish="soup")])
    assert as_result(bound()).structured == {"lines": [{"dish": "soup"}], "table": 1}
    with pytest.raises(msgspec.ValidationError, match="lines"):
        made.bound({"order": {}})


def test_words_and_bounds_are_taken_from_annotations() -> None:
    def function(
        a: Annotated[int, "How many."],
        b: Annotated[str, Field(description="What.", min_length=2)],
        c: Annotated[int, msgspec.Meta(ge=1)] = 1,
        d: int = Field(5, description="How far."),
        e: str = Field(description="Which."),
    ) -> None:
        """Do it.

        Args:
            a: Of what?
            c: Which.
        """

    schema = tool(function).tool.input_schema

    assert schema["properties"] == {
        "a": {"type": "integer", "description": "How many."},
        "b": {"type": "string", "description": "What.", "minLength": 2},
        "c": {"type": "integer", "description": "Which.", "minimum": 1, "default": 1},
        "d": {"type": "integer", "description": "How far.", "default": 5},
        "e": {"type": "string", "description": "Which."},
    }
    assert schema["required"] == ["a", "b", "e"]


def test_path_is_a_text() -> None:
    def function(path: Path) -> Path:
        return path / "b"

    made = tool(function)

    assert made.tool.input_schema["properties"]["path"] == {"type": "string", "format": "path"}
    assert as_result(made.bound({"path": "a"})()).structured == str(Path("a/b"))


def test_whole_number_is_an_integer_however_it_is_written() -> None:
    def function(a: int, b: float, c: list[int], **more: int) -> Any:
        return [a, b, c, more]

    assert str(tool(function).bound({"a": 1.0, "b": 2.5, "c": [3.0], "d": 4.0})()) == "[1, 2.5, [3], {'d': 4}]"
    with pytest.raises(msgspec.ValidationError, match="got `float`"):
        tool(function).bound({"a": 1.5, "b": 2.5, "c": []})


def test_further_arguments_have_the_type_of_the_signature() -> None:
    def function(**more: int) -> Any:
        return more

    made = tool(function)

    assert made.tool.input_schema["additionalProperties"] == {"type": "integer"}
    with pytest.raises(msgspec.ValidationError):
        made.bound({"a": "x"})


class Counter:
    def __init__(self, start: int) -> None:
        self.value = start

    @tool
    def add(self, step: int = 1) -> int:
        """Count on."""
        self.value += step
        return self.value


@pytest.mark.feature(159)
def test_method_is_a_tool_of_each_object() -> None:
    one, other = Counter(1), Counter(10)

    assert set(one.add.tool.input_schema["properties"]) == {"step"}
    assert (one.add.bound({"step": 2})(), other.add(5)) == (3, 15)
    assert isinstance(Counter.add, LocalTool)


class Greeter:
    def __call__(self, name: str) -> str:
        """Greet somebody."""
        return f"Hello, {name}."


def test_words_are_those_of_what_is_called() -> None:
    assert tool(Greeter()).tool.description == "Greet somebody."
    assert tool(Counter(1).add.function).tool.description == "Count on."


def test_partial_keeps_what_it_was_given_to_itself() -> None:
    def search(query: str, key: str, limit: int = 5) -> str:
        """Search."""
        return f"{query} {key} {limit}"

    made = tool(partial(search, key="secret", limit=3))

    assert (made.tool.name, made.tool.description) == ("search", "Search.")
    assert made.tool.input_schema["properties"] == {"query": {"type": "string"}}
    assert made.bound({"query": "x"})() == "x secret 3"


def test_function_that_yields_is_refused() -> None:
    def function() -> Any:
        yield 1

    with pytest.raises(UsageError, match="function yields its results"):
        tool(function)


def test_literal_is_a_choice() -> None:
    def function(a: Literal["x", "y"]) -> None: ...

    assert tool(function).tool.input_schema["properties"]["a"] == {"enum": ["x", "y"]}

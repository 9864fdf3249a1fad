"""Types that are other libraries'."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import pytest
from pydantic import BaseModel, Field

from dragoman.models.foreign import annotated, from_json, json_of, schema_of, typed, whole


class Line(BaseModel):
    dish: str


class Order(BaseModel):
    lines: list[Line]


class Odd:
    pass


def test_schema_of_a_model_has_its_definitions_beside_it() -> None:
    schema, definitions = schema_of(list[Order])
    whole_schema: Any = schema["items"]

    assert whole_schema["properties"]["lines"]["items"] == {"$ref": "#/$defs/Order.Line"}
    assert definitions["Order.Line"]["required"] == ["dish"]
    assert "$defs" not in whole_schema
    assert schema_of(Line)[1] == {}


def test_path_is_a_text() -> None:
    assert schema_of(Path)[0] == {"type": "string", "format": "path"}
    assert typed("a/b", Path) == Path("a/b")
    assert json_of(Path("a")) == "a"


def test_type_that_json_schema_cannot_say_is_refused() -> None:
    with pytest.raises(TypeError):
        schema_of(Odd)
    with pytest.raises(TypeError, match="Odd has no JSON form"):
        json_of(Odd())
    assert from_json(Odd, 5) == 5


def test_values_of_models_are_made_and_told() -> None:
    made = typed({"lines": [{"dish": "soup"}]}, Order)

    assert made == Order(lines=[Line(dish="soup")])
    assert json_of(made) == {"lines": [{"dish": "soup"}]}


def test_whole_numbers_are_integers_where_that_is_wanted() -> None:
    assert whole({"a": [1.0, 1.5, "x"]}) == {"a": [1, 1.5, "x"]}
    assert typed([1.0], list[int]) == [1]
    assert isinstance(typed(1.0, float), float)
    with pytest.raises(msgspec.ValidationError, match="got `float`"):
        typed(1.5, int)


class Documented:
    documentation = "From a `Doc`."


def test_words_and_bounds_are_taken_from_annotations() -> None:
    assert annotated(int, None) is int
    assert annotated(int, "w") == Annotated[int, msgspec.Meta(description="w")]
    assert annotated(Annotated[int, "own"], "w") == Annotated[int, msgspec.Meta(description="own")]
    assert annotated(Annotated[int, Documented()], None) == Annotated[int, msgspec.Meta(description="From a `Doc`.")]
    assert (
        annotated(Annotated[int, Field(ge=1, description="of")], None)
        == (Annotated[int, msgspec.Meta(ge=1, description="of")])
    )
    assert annotated(Annotated[int, msgspec.Meta(gt=0), object()], None) == Annotated[int, msgspec.Meta(gt=0)]

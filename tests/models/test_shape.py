"""What an object schema comes down to."""

from typing import Any

from dragoman.models.shape import Shape, shape

A, B = {"type": "string"}, {"type": "integer"}


def of(schema: Any, **targets: Any) -> Shape:
    return shape(schema, lambda reference: targets.get(reference.rpartition("/")[2]))


def test_plain_object() -> None:
    found = of({"type": "object", "properties": {"a": A}, "required": ["a"], "additionalProperties": False})

    assert found == Shape({"a": A}, ("a",), others=False)


def test_all_of_is_merged_without_loss() -> None:
    found = of({"allOf": [{"properties": {"a": A}, "required": ["a"]}, {"properties": {"b": B}, "required": ["b"]}]})

    assert found == Shape({"a": A, "b": B}, ("a", "b"))


def test_property_that_all_speak_of_has_to_fit_all() -> None:
    found = of({"allOf": [{"properties": {"a": A, "b": {}}}, {"properties": {"a": {"minLength": 1}, "b": B}}]})

    assert found.properties == {"a": {"allOf": [A, {"minLength": 1}]}, "b": B}


def test_closed_part_refuses_what_others_speak_of() -> None:
    found = of(
        {
            "properties": {"a": A},
            "additionalProperties": False,
            "anyOf": [{"properties": {"b": B}}, {"required": ["a"]}],
        }
    )

    assert list(found.properties) == ["a"]
    assert found.is_closed


def test_alternatives_are_joined_and_not_exact() -> None:
    found = of(
        {
            "oneOf": [
                {"properties": {"kind": {"const": 1}, "a": A}, "required": ["kind", "a"]},
                {"properties": {"kind": {"const": 2}}, "required": ["kind"]},
            ]
        }
    )

    assert found.properties == {"kind": {"anyOf": [{"const": 1}, {"const": 2}]}, "a": A}
    assert found.required == ("kind",)
    assert (found.is_exact, found.narrowed) == (False, ("a",))


def test_one_alternative_is_no_alternative() -> None:
    assert of({"anyOf": [{"properties": {"a": A}}]}) == Shape({"a": A})


def test_closed_alternatives_close_the_whole() -> None:
    closed = {"properties": {"a": A}, "additionalProperties": False}

    assert of({"anyOf": [closed, {**closed, "properties": {"b": B}}]}).is_closed


def test_references_are_followed_once() -> None:
    node: dict[str, Any] = {"properties": {"a": A}}
    node["allOf"] = [{"$ref": "#/$defs/node"}]

    found = of({"$ref": "#/$defs/node"}, node=node)

    assert found.properties == {"a": A}
    assert not found.is_exact


def test_what_is_no_object_schema_says_nothing() -> None:
    assert of(True) == Shape()
    assert not of(False).is_exact
    assert not of({"minProperties": 1}).is_exact
    assert of({"additionalProperties": A}).others == A
    assert of({"additionalProperties": {}}).others is True
    assert of({"allOf": "odd", "properties": "odd", "required": "odd"}) == Shape()


def test_name_that_one_part_has_fits_what_the_other_says_of_others() -> None:
    found = of({"properties": {"a": A}, "allOf": [{"additionalProperties": {"maxLength": 5}}]})

    assert found.properties == {"a": {"allOf": [A, {"maxLength": 5}]}}
    assert (found.others, found.is_exact) == ({"maxLength": 5}, True)


def test_patterns_leave_a_shape_open_and_inexact() -> None:
    found = of({"properties": {"a": A}, "patternProperties": {"^x-": A}, "additionalProperties": False})

    assert (found.is_closed, found.is_exact) == (False, False)


def test_one_and_true_are_two_values() -> None:
    either = [{"properties": {"a": {"const": 1}}}, {"properties": {"a": {"const": True}}}]

    assert of({"anyOf": either}).properties["a"] == {"anyOf": [{"const": 1}, {"const": True}]}

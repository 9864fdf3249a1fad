"""Arguments as models give them."""

from typing import Any

import pytest

from dragoman.errors import BadSchema
from dragoman.models.arguments import ArgumentReader, Problem, complaint, read_json, restored
from dragoman.types import Tool, decode
from tests.models.making import tool

TEXTS = {"type": "array", "items": {"type": "string"}}


def read(schema: Any, arguments: Any, *, is_strict: bool = False) -> Any:
    return ArgumentReader(tool(schema)).read(arguments, is_strict=is_strict)


def repaired(schema: Any, value: Any, **more: Any) -> Any:
    """Give what becomes of the value of one argument."""
    return read({"type": "object", "properties": {"a": schema}, "required": ["a"], **more}, {"a": value})[0]["a"]


def problems(schema: Any, arguments: Any) -> str:
    return "\n".join(map(str, read(schema, arguments)[1]))


@pytest.mark.parametrize(
    ("given", "found"),
    [(None, {}), ("", {}), (b" ", {}), ('{"a":1}', {"a": 1}), (b"[1]", [1]), ({"a": 1}, {"a": 1}), (5, 5)],
)
def test_arguments_come_as_an_object_or_its_text(given: Any, found: Any) -> None:
    assert read_json(given) == found


@pytest.mark.parametrize("given", ["{", b"\xff", "[" * 100_000])
def test_arguments_that_are_no_json_are_refused(given: Any) -> None:
    with pytest.raises(ValueError, match="the arguments are not JSON"):
        read_json(given)


def test_names_are_put_back_at_every_depth() -> None:
    value = {"a_b": [{"a_b": 1, "c": "a_b"}]}

    assert restored(value, {"a_b": "a b"}) == {"a b": [{"a b": 1, "c": "a_b"}]}
    assert restored(value, {}) is value


@pytest.mark.edge("B96")
@pytest.mark.parametrize(
    ("schema", "value", "right"),
    [
        (TEXTS, '["a"]', ["a"]),
        ({"type": "object"}, '{"b":1}', {"b": 1}),
        ({"type": ["array", "null"]}, "[]", []),
        ({"anyOf": [TEXTS, {"type": "null"}]}, '["a"]', ["a"]),
        ({"oneOf": [{"type": "object"}, TEXTS]}, '"[\\"a\\"]"', ["a"]),
        ({"$ref": "#/$defs/texts"}, '["a"]', ["a"]),
        ({"allOf": [TEXTS]}, '["a"]', ["a"]),
        ({"type": "integer"}, "42", 42),
        ({"type": "number"}, "4.25", 4.25),
        ({"type": "number"}, "1e3", 1000.0),
        ({"type": "object", "properties": {"b": TEXTS}}, {"b": '["x"]'}, {"b": ["x"]}),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, {"b": "1"}, {"b": 1}),
        ({"type": "array", "items": {"type": "integer"}}, ["1", 2], [1, 2]),
        ({"type": "array", "prefixItems": [{"type": "integer"}], "items": TEXTS}, ["1", '["x"]'], [1, ["x"]]),
        ({"enum": [1, 2]}, "2", 2),
        (
            {"if": {"type": "null"}, "then": {}, "else": {"type": "object", "properties": {"b": TEXTS}}},
            {"b": '["x"]'},
            {"b": ["x"]},
        ),
    ],
)
def test_text_is_parsed_where_the_schema_takes_no_text(schema: Any, value: Any, right: Any) -> None:
    assert repaired(schema, value, **{"$defs": {"texts": TEXTS}}) == right


@pytest.mark.edge("B96")
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string"}, '["a"]'),
        ({"type": ["string", "array"]}, '["a"]'),
        ({"anyOf": [{"type": "string"}, TEXTS]}, '["a"]'),
        ({}, '["a"]'),
        (TEXTS, '{"a":1}'),
        (TEXTS, "a, b"),
        (TEXTS, "[1" + "[" * 100_000),
        (TEXTS, '"a"'),
        ({"type": "integer"}, "007"),
        ({"type": "integer"}, "1.5"),
        ({"type": "integer"}, "true"),
        ({"type": "number"}, "0.12345678901234567890123"),
        ({"type": "boolean"}, "true"),
        ({"type": "null"}, "null"),
        ({"type": "object", "properties": {"b": {"type": "boolean"}}}, {"b": "[1]", "c": "[1]"}),
    ],
)
def test_text_that_may_be_meant_is_left_alone(schema: Any, value: Any) -> None:
    assert repaired(schema, value) == value


@pytest.mark.edge("B96")
def test_genuine_text_stays_when_another_argument_is_repaired() -> None:
    schema = {"type": "object", "properties": {"text": {"type": "string"}, "tags": TEXTS}}

    assert read(schema, {"text": '{"a": [1]}', "tags": '["a"]'}) == ({"text": '{"a": [1]}', "tags": ["a"]}, ())


def test_whole_arguments_may_be_a_text() -> None:
    assert read({"type": "object"}, '{"a":1}') == ({"a": 1}, ())


def test_whole_number_is_an_integer() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer", "maximum": 1}, "b": {"type": "integer"}}}
    value = read(schema, {"a": 5.0, "b": "x"})[0]["a"]

    assert (value, type(value)) == (5, int)


def test_schema_that_refers_to_itself_is_repaired_as_deep_as_the_value_is() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "tags": TEXTS}}
    given = {"next": '{"next": {"tags": "[\\"x\\"]"}}'}

    assert read({**node, "$defs": {"node": node}}, given)[0] == {"next": {"next": {"tags": ["x"]}}}


def test_nulls_of_strict_mode_are_taken_out() -> None:
    schema = {
        "type": "object",
        "properties": {
            "a": {"type": "string"},
            "b": {"type": ["string", "null"]},
            "c": {"type": "array", "items": {"type": "object", "properties": {"d": {"type": "integer"}}}},
        },
    }
    given = {"a": None, "b": None, "c": [{"d": None}], "other": None}

    assert read(schema, given, is_strict=True) == ({"b": None, "c": [{}], "other": None}, ())


@pytest.mark.parametrize(
    ("schema", "arguments", "told"),
    [
        ({"properties": {"a": {"type": "integer"}}}, {"a": "x"}, '/a: "x" is not of type "integer"'),
        (
            {"properties": {"repo_path": {}}, "required": ["repo_path"]},
            {"repoPath": "."},
            '"repo_path" is a required property; did you mean "repo_path" instead of "repoPath"?',
        ),
        (
            {"properties": {"path": {}}, "additionalProperties": False},
            {"pth": "."},
            '; did you mean "path" for "pth"?',
        ),
        (
            {"properties": {"path": {}, "head": {}}, "additionalProperties": False},
            {"zzz": "."},
            "; known are path, head",
        ),
        ({"additionalProperties": False}, {"zzz": "."}, "nothing is taken of the name zzz"),
        ({"patternProperties": {"^x": {}}, "additionalProperties": False}, {"zzz": "."}, "('zzz' was unexpected)"),
        ({"properties": {"a": {"enum": ["celsius", 5]}}}, {"a": "Celcius"}, '; did you mean "celsius"?'),
        ({"properties": {"a": {"enum": ["celsius"]}}}, {"a": "zzz"}, 'is not one of "celsius"'),
        ({"properties": {"a": {"enum": ["celsius"]}}}, {"a": 5}, 'is not one of "celsius"'),
        (
            {"properties": {"a": {"anyOf": [{"type": "string"}, TEXTS]}}},
            {"a": 5},
            '; expected is [{"type":"string"},',
        ),
        ({"properties": {"a": {"pattern": "^" + "a" * 300}}}, {"a": "b"}, "..."),
        ({"type": "object"}, [1], 'is not of type "object"'),
        ({"required": ["a"]}, {}, '"a" is a required property'),
    ],
)
def test_problem_tells_place_expectation_and_the_nearest_name(schema: Any, arguments: Any, told: str) -> None:
    assert told in problems({"type": "object", **schema}, arguments)


def test_problem_within_a_list_tells_its_place() -> None:
    schema = {"type": "object", "properties": {"a/b": TEXTS}}

    assert "/a~1b/1: 5 is not of type" in problems(schema, {"a/b": ["x", 5]})


def test_complaint_tells_the_model_what_to_do() -> None:
    assert complaint("find", [Problem("/a", "wrong"), Problem("", "worse")]) == (
        "the arguments do not fit the input schema of find, so it was not run:\n- /a: wrong\n- worse\n"
        "Correct them and call it again."
    )


def test_arguments_that_would_take_too_long_to_check_are_a_problem() -> None:
    branches = {f"n{i}": {"$ref": "#/$defs/n"} for i in range(60)}
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/n"}},
        "$defs": {
            "n": {"type": "object", "properties": branches, "anyOf": [{"$ref": "#/$defs/m"}] * 60},
            "m": {"properties": branches},
        },
    }
    value: Any = {}
    for _ in range(8):
        value = {"n0": value}

    assert "too long" in problems(schema, {"a": value})


def test_schema_that_cannot_be_checked_with_is_refused() -> None:
    with pytest.raises(BadSchema):
        ArgumentReader(tool({"type": "nonsense"}))


def test_odd_schemas_are_no_trouble() -> None:
    schema = {"type": "object", "properties": {"a": True, "b": {"type": "array", "items": [{"type": "integer"}]}}}

    assert read(schema, {"a": "[1]", "b": ["1", "x"]}) == ({"a": "[1]", "b": [1, "x"]}, ())


def test_null_may_be_given_where_a_schema_of_openapi_has_it() -> None:
    reader = ArgumentReader(tool({"type": "object", "properties": {"a": {"type": "string", "nullable": True}}}))

    assert reader.read({"a": None}) == ({"a": None}, ())
    assert [problem.path for problem in reader.read({"a": 5})[1]] == ["/a"]


def test_arguments_are_checked_where_keywords_are_null() -> None:
    schema = {"type": "object", "required": None, "properties": {"a": {"type": "integer", "description": None}}}

    assert [problem.path for problem in ArgumentReader(tool(schema)).read({"a": "x"})[1]] == ["/a"]


def test_whole_number_is_sent_as_an_integer_where_one_is_wanted() -> None:
    properties = {
        "i": {"type": "integer"},
        "n": {"type": "number"},
        "l": {"type": "array", "items": {"type": "integer"}},
    }
    given = {"i": 5.0, "n": 5.0, "l": [1.0], "other": 2.0}
    got, problems = ArgumentReader(tool({"type": "object", "properties": properties})).read(given)

    assert repr(got) == "{'i': 5, 'n': 5.0, 'l': [1], 'other': 2.0}"
    assert problems == ()


def test_schema_that_is_nested_too_deep_is_refused() -> None:
    schema = b'{"type":"object","properties":{"a":' * 450 + b"{}" + b"}}" * 450
    deep = decode(b'{"name":"find","inputSchema":' + schema + b"}", Tool)

    def further_down(levels: int) -> ArgumentReader:
        return further_down(levels - 1) if levels else ArgumentReader(deep)

    for levels in (0, 300):
        with pytest.raises(BadSchema):
            further_down(levels)


def test_problems_are_told_up_to_a_number() -> None:
    names = [f"a{number}" for number in range(50)]
    reader = ArgumentReader(tool({"properties": {name: {"type": "integer"} for name in names}}))

    assert len(reader.read(dict.fromkeys(names, "x"))[1]) == 20


def test_arguments_that_are_nested_too_deep_are_told_to_be() -> None:
    deep: Any = 1.0
    for _ in range(5_000):
        deep = [deep]

    assert ArgumentReader(tool({"properties": {"a": {}}})).read({"a": deep})[1]

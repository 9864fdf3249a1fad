"""Values are checked against schemas that nobody has to trust."""

from typing import Any

import pytest

from dragoman.errors import BadSchema, ProtocolError
from dragoman.protocol.schemas import (
    MAX_SCHEMA_SIZE,
    MAX_VIOLATIONS,
    compile_schema,
    elicitation_violations,
    fill_defaults,
    find_remote_reference,
)
from dragoman.types import Violation
from tests.protocol.test_schema_graph import doubling

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["name"],
}


def violations(schema: Any, value: Any) -> tuple[Violation, ...]:
    return compile_schema(schema).violations(value)


def nested(depth: int) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for _ in range(depth):
        value = {"next": value}
    return value


def test_a_value_that_fits_breaks_nothing() -> None:
    assert violations(PERSON, {"name": "Ann", "tags": ["a"]}) == ()


def test_each_violation_says_where_and_why_and_by_which_rule() -> None:
    assert set(violations(PERSON, {"tags": ["a", 5]})) == {
        Violation("/tags/1", '5 is not of type "string"', "/properties/tags/items/type"),
        Violation("", '"name" is a required property', "/required"),
    }


def test_names_in_a_path_are_escaped() -> None:
    assert violations({"properties": {"a/b~c": {"type": "string"}}}, {"a/b~c": 5})[0].path == "/a~1b~0c"


def test_one_checker_checks_many_values() -> None:
    checker = compile_schema(PERSON)

    assert [len(checker.violations(value)) for value in ({"name": "a"}, {}, {"name": "b"})] == [0, 1, 0]


def test_only_so_many_violations_are_told() -> None:
    assert len(violations({"items": {"type": "string"}}, list(range(100)))) == MAX_VIOLATIONS


def test_of_a_large_value_the_first_violation_is_told() -> None:
    found = violations({"items": {"type": "string"}}, [*map(str, range(50_000)), 5, 6])

    assert [each.path for each in found] == ["/50000"]


def test_a_message_is_short_however_long_the_value_is() -> None:
    assert len(violations({"type": "object"}, "x" * 100_000)[0].message) < 400


def test_the_schema_and_the_value_stay_as_they_are() -> None:
    schema, value = {"properties": {"a": {"default": 1}}}, {"b": 2}
    violations(schema, value)

    assert (schema, value) == ({"properties": {"a": {"default": 1}}}, {"b": 2})


@pytest.mark.parametrize("schema", [True, {}, {"title": "anything"}])
def test_a_schema_may_allow_everything(schema: Any) -> None:
    assert violations(schema, {"a": [1, None]}) == ()


def test_a_schema_may_allow_nothing() -> None:
    assert len(violations(False, 1)) == 1


@pytest.mark.parametrize(
    "dialect",
    [
        "http://json-schema.org/draft-04/schema#",
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2019-09/schema",
        "https://json-schema.org/draft/2020-12/schema",
    ],
)
def test_the_usual_dialects_are_known(dialect: str) -> None:
    assert len(violations({"$schema": dialect, **PERSON}, {})) == 1


def test_without_a_dialect_it_is_the_newest() -> None:
    schema = {"prefixItems": [{"type": "string"}], "items": False}

    assert violations(schema, ["a"]) == ()
    assert len(violations(schema, ["a", "b"])) == 1


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/name", "$defs": {"name": {"type": "string"}}},
        {"$ref": "#name", "$defs": {"a": {"$anchor": "name", "type": "string"}}},
        {"$id": "https://example.com/a", "$ref": "b", "$defs": {"b": {"$id": "b", "type": "string"}}},
    ],
)
def test_references_within_a_schema_are_followed(schema: Any) -> None:
    assert violations(schema, "Ann") == ()
    assert len(violations(schema, 5)) == 1


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": 5}, "cannot be used"),
        ({"type": "text"}, "cannot be used"),
        ([], "cannot be used"),
        ({"pattern": "("}, "not a"),
        ({"pattern": "(a{1000}){1000}"}, "not a"),
        ({"$ref": "#/$defs/missing"}, "does not exist"),
        ({"$schema": "https://example.com/mine"}, "Unknown meta-schema"),
        ({"$schema": "http://json-schema.org/draft-03/schema#"}, "Unknown meta-schema"),
        ({"const": {1, 2}}, "cannot be used"),
        ({"const": object()}, "no JSON"),
        ({"enum": ["x" * MAX_SCHEMA_SIZE]}, "more than 1,048,576 bytes"),
    ],
)
def test_a_bad_schema_is_an_error_that_says_why(schema: Any, reason: str) -> None:
    with pytest.raises(BadSchema, match=reason):
        compile_schema(schema)


def test_a_bad_schema_is_the_servers_fault() -> None:
    assert issubclass(BadSchema, ProtocolError)


@pytest.mark.edge("B89")
@pytest.mark.parametrize("reference", ["http://169.254.169.254/latest", "file:///etc/passwd", "other.json"])
def test_nothing_is_fetched(reference: str) -> None:
    schema = {"properties": {"a": {"$ref": reference}}}

    assert find_remote_reference(schema) == reference
    with pytest.raises(BadSchema, match="nothing is fetched"):
        compile_schema(schema)


def test_what_only_resembles_a_dialect_is_not_fetched_either() -> None:
    schema = {"$ref": "https://json-schema.org/no/such/schema"}

    assert find_remote_reference(schema) is None
    with pytest.raises(BadSchema, match="is not fetched"):
        compile_schema(schema)


def test_a_schema_that_stays_within_itself_leads_nowhere() -> None:
    assert find_remote_reference(PERSON) is None


@pytest.mark.edge("B90")
@pytest.mark.parametrize("pattern", ["^(a+)+$", "^(a|a)*$", "^(?=(a+)+$)b", r"^(a|a)+\1x$"])
def test_no_pattern_takes_long(pattern: str) -> None:
    assert len(violations({"pattern": pattern}, "a" * 27 + "!")) == 1


@pytest.mark.parametrize("pattern", ["^(?!x)", r"^(.)\1$"])
def test_patterns_that_look_around_or_back_work(pattern: str) -> None:
    assert violations({"pattern": pattern}, "aa") == ()


@pytest.mark.edge("B90")
def test_a_few_branches_in_branches_are_explained() -> None:
    assert "anyOf" in violations(doubling(6), 5)[0].message


@pytest.mark.edge("B90")
def test_many_branches_in_branches_are_tried_but_not_explained() -> None:
    assert violations(doubling(16), "text") == ()
    assert "too many branches" in violations(doubling(16), 5)[0].message


@pytest.mark.edge("B90")
def test_too_many_branches_in_branches_are_refused() -> None:
    with pytest.raises(BadSchema, match="branches within branches"):
        compile_schema(doubling(40))


@pytest.mark.edge("B90")
def test_a_schema_in_itself_is_refused_for_values_that_are_too_deep() -> None:
    step = {"properties": {"next": {"$ref": "#"}}}
    checker = compile_schema({"anyOf": [{**step, "required": ["a"]}, {**step, "required": ["b"]}]})

    assert len(checker.violations(nested(2))) == 1
    assert len(checker.violations(nested(2))) == 1
    with pytest.raises(BadSchema, match="leads back to itself"):
        checker.violations(nested(30))


def test_a_schema_in_itself_is_checked_at_any_depth_if_it_is_simple() -> None:
    schema = {"type": "object", "properties": {"next": {"$ref": "#"}}, "additionalProperties": False}

    assert violations(schema, nested(300)) == ()
    assert violations(schema, {"next": {"next": [5]}})[0].path == "/next/next"


def test_formats_are_notes_in_results() -> None:
    assert violations({"format": "email"}, "nobody") == ()


@pytest.mark.parametrize(
    ("format_name", "good", "bad"),
    [
        ("email", "ann@example.com", "ann"),
        ("uri", "https://example.com/a", "no uri"),
        ("date", "2026-07-28", "2026-02-30"),
        ("date-time", "2026-07-28T12:00:00Z", "2026-07-28"),
    ],
)
def test_formats_are_rules_in_forms(format_name: str, good: str, bad: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "format": format_name}}}

    assert elicitation_violations(schema, {"a": good}) == ()
    assert [each.path for each in elicitation_violations(schema, {"a": bad})] == ["/a"]


def test_what_a_user_filled_in_is_not_in_what_is_said_of_it() -> None:
    form = {"properties": {"pin": {"type": "string", "minLength": 9, "pattern": "^x"}}, "required": ["other"]}

    violations = elicitation_violations(form, {"pin": "hunter2"})

    assert "hunter2" not in str(violations)
    assert {each.message for each in violations} == {
        "the value is shorter than 9 characters",
        'the value does not match "^x"',
        '"other" is a required property',
    }


def test_an_unknown_format_is_a_note_everywhere() -> None:
    assert elicitation_violations({"properties": {"a": {"format": "colour"}}}, {"a": "red"}) == ()


def test_a_form_whose_schema_is_bad_is_an_error() -> None:
    with pytest.raises(BadSchema):
        elicitation_violations({"type": "text"}, {})


def test_defaults_fill_only_what_is_left_out() -> None:
    schema = {"properties": {name: {"default": "filled"} for name in ("absent", "given", "null", "false")}}
    content = {"given": "kept", "null": None, "false": False}

    assert fill_defaults(schema, content) == {"absent": "filled", "given": "kept", "null": None, "false": False}
    assert content == {"given": "kept", "null": None, "false": False}


def test_only_the_fields_of_the_form_itself_have_defaults() -> None:
    schema = {
        "properties": {"a": {"type": "object", "properties": {"b": {"default": 1}}}, "c": True, "d": {"default": None}}
    }

    assert fill_defaults(schema, {"e": 5}) == {"e": 5}


@pytest.mark.parametrize("schema", [{}, {"properties": None}, {"properties": []}])
def test_a_form_without_fields_has_no_defaults(schema: Any) -> None:
    assert fill_defaults(schema, {"a": 1}) == {"a": 1}


def test_a_default_can_be_changed_without_changing_the_schema() -> None:
    schema = {"properties": {"a": {"default": ["x"]}}}
    fill_defaults(schema, {})["a"].append("y")

    assert schema == {"properties": {"a": {"default": ["x"]}}}

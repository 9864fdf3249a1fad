"""JSON as editors write it, with a line for each field."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.host.jsonc import DEEPEST, BrokenJson, read_jsonc

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(JSON, st.sampled_from([None, 0, 1, 2, "\t"]))
def test_plain_json_is_what_it_is(value: Any, indent: Any) -> None:
    found, _, _ = read_jsonc(json.dumps(value, indent=indent))

    assert found == value


def test_comments_and_trailing_commas_are_left_out() -> None:
    text = """// first
    {
      "a": [1, 2, /* none */ ], // more
      "url": "http://x/*y*/", /* two
      lines */
    }
    """

    assert read_jsonc(text)[0] == {"a": [1, 2], "url": "http://x/*y*/"}


def test_each_field_has_its_line() -> None:
    text = '{\n"a": {\n"b": [\n1,\n{"c": 2}]},\n"d": 3}'

    _, lines, repeated = read_jsonc(text)

    assert lines == {
        ("a",): 2,
        ("a", "b"): 3,
        ("a", "b", 0): 3,
        ("a", "b", 1): 4,
        ("a", "b", 1, "c"): 5,
        ("d",): 6,
    }
    assert repeated == ()


def test_a_key_that_is_there_twice_is_told() -> None:
    value, lines, repeated = read_jsonc('{"x": {"a": 1,\n"a": 2}}')

    assert value == {"x": {"a": 2}}
    assert repeated == (("x", "a"),)
    assert lines["x", "a"] == 2


def test_lines_are_noted_so_deep_and_no_deeper() -> None:
    _, lines, _ = read_jsonc("[" * (DEEPEST + 3) + "]" * (DEEPEST + 3))

    assert max(map(len, lines)) == DEEPEST


@pytest.mark.parametrize("text", ["", "  \n", "// nothing", "/* nothing */"])
def test_an_empty_file_says_nothing(text: str) -> None:
    assert read_jsonc(text) == ({}, {}, ())


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ('{\n"a": 1,\n,}', 3, ", is out of place"),
        ('{"a": 1 "b": 2}', 1, '"b" is out of place'),
        ('{"a": tru}', 1, "tru is out of place"),
        ("{'a': 1}", 1, "'a' is out of place"),
        ('{"a"}', 1, "} is out of place"),
        ("{1: 2}", 1, "1 is out of place"),
        ('{"\\x": 2}', 1, "is out of place"),
        ('{"a": [}', 1, "} is out of place"),
        ('{"a": 1}\n}', 2, "} is out of place"),
        ("[,]", 1, ", is out of place"),
        ("[1] 2", 1, "2 is out of place"),
        ("1, 2", 1, ", is out of place"),
        ('{"a"::1}', 1, ": is out of place"),
        ("[1,\n2", 2, "it ends too early"),
        ('{"a":', 1, "it ends too early"),
        ('"open', 1, '" is out of place'),
        ("/", 1, "/ is out of place"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, line: int, what: str) -> None:
    with pytest.raises(BrokenJson) as caught:
        read_jsonc(text)

    assert caught.value.line == line
    assert what in str(caught.value)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        (r'{"a": "C:\Users\me"}', "write a backslash twice"),
        ("{'a': 1}", "plain double quotes"),
        ("{\u201ca\u201d: 1}", "plain double quotes"),
        ('{"a": 1 "b": 2}', "a comma is missing"),
        ('{"a": {}\n{}}', "a comma is missing"),
        ('{"a": 1}\n{"b": 2}', "goes on after its end"),
        ('"a": {}', "put { before everything"),
        ('{"a": "b}', "has no end on its line"),
        ("{1: 2}", None),
        ('{"a"::1}', None),
    ],
)
def test_the_usual_mistakes_are_told_with_what_to_write(text: str, hint: str | None) -> None:
    with pytest.raises(BrokenJson) as caught:
        read_jsonc(text)

    assert hint in caught.value.hint if hint and caught.value.hint else caught.value.hint is hint


def test_no_more_than_the_beginning_of_a_word_is_told() -> None:
    with pytest.raises(BrokenJson) as caught:
        read_jsonc("{'token': 'ghp_averylongsecretofsomebody'}")

    assert "secret" not in str(caught.value)


def test_endless_nesting_is_refused() -> None:
    with pytest.raises(BrokenJson, match="too deeply"):
        read_jsonc("[" * 100_000 + "]" * 100_000)

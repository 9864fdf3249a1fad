"""What both eras share: how params and metadata are written."""

import json
from typing import Any

import pytest

from dragoman.errors import UsageError
from dragoman.protocol.eras import LEGACY_VERSIONS, MODERN_VERSIONS, VERSIONS, encode_meta, encode_params
from dragoman.types import CallToolParams, ListParams


def circle() -> list[Any]:
    own: list[Any] = []
    own.append(own)
    return own


UNWRITABLE = [object(), 1j, "\ud800", {(1, 2): 3}, circle()]


def test_versions_are_known_newest_first_and_each_in_one_era() -> None:
    assert list(VERSIONS) == sorted({*MODERN_VERSIONS, *LEGACY_VERSIONS}, reverse=True)


@pytest.mark.parametrize(
    ("params", "meta", "expected"),
    [
        (None, None, None),
        (None, b'{"a":1}', {"_meta": {"a": 1}}),
        (ListParams(), None, {}),
        (ListParams(), b'{"a":1}', {"_meta": {"a": 1}}),
        (ListParams(cursor="c"), None, {"cursor": "c"}),
        (ListParams(cursor="c"), b"{}", {"_meta": {}, "cursor": "c"}),
    ],
)
def test_params_and_metadata_make_one_object(params: Any, meta: bytes | None, expected: Any) -> None:
    body = encode_params(params, meta)

    assert (None if body is None else json.loads(body)) == expected


@pytest.mark.parametrize("value", UNWRITABLE)
def test_arguments_that_json_has_no_form_for_are_a_mistake_of_the_caller(value: Any) -> None:
    with pytest.raises(UsageError, match="the parameters cannot be written as JSON"):
        encode_params(CallToolParams(name="t", arguments={"x": value}), None)


@pytest.mark.parametrize("value", UNWRITABLE)
def test_metadata_that_json_has_no_form_for_is_a_mistake_of_the_caller(value: Any) -> None:
    with pytest.raises(UsageError, match="`meta` cannot be written as JSON"):
        encode_meta({"progressToken": 1}, {"x": value})


@pytest.mark.parametrize("theirs", [None, {}])
def test_metadata_may_be_the_protocols_alone(theirs: Any) -> None:
    assert json.loads(encode_meta({"progressToken": 1}, theirs)) == {"progressToken": 1}


def test_the_protocols_metadata_stands_before_the_callers() -> None:
    assert json.loads(encode_meta({"progressToken": 1}, {"progressToken": "mine", "trace": "t"})) == {
        "progressToken": 1,
        "trace": "t",
    }


def test_null_among_arguments_is_written_and_a_number_that_json_has_not_is_refused() -> None:
    assert json.loads(encode_params(CallToolParams("add", {"a": None}), None) or b"")["arguments"] == {"a": None}
    with pytest.raises(UsageError, match=r"arguments\.a is inf"):
        encode_params(CallToolParams("add", {"a": float("inf")}), None)

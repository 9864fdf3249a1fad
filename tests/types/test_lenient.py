"""What is nearly JSON costs the characters that are wrong, wherever it is looked at."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from dragoman.errors import ProtocolError
from dragoman.types import (
    CallToolResult,
    ElicitFormParams,
    InputRequest,
    ListToolsResult,
    Tool,
    decode,
    leniently,
    read_json,
    repaired,
)

GREATEST = 1.7976931348623157e308


@pytest.mark.edge("B12")
def test_a_byte_that_is_not_unicode_costs_itself() -> None:
    assert json.loads(repaired(b'{"a":"caf\xe9"}')) == {"a": "caf\ufffd"}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (rb'["\ud83d"]', ["\ufffd"]),
        (rb'["\ud83d\ude00"]', ["\U0001f600"]),
        (rb'{"\udc00":{"a":[1,true,null,"\udfffb"]}}', {"\ufffd": {"a": [1, True, None, "\ufffdb"]}}),
    ],
)
def test_half_a_character_is_replaced(data: bytes, expected: Any) -> None:
    assert json.loads(repaired(data)) == expected


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b"[" * 100_000, b"'"])
def test_what_cannot_be_repaired_stays_as_it_is(data: bytes) -> None:
    assert repaired(data) == data


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda each: st.lists(each) | st.dictionaries(st.text(), each),
    )
)
def test_repairing_changes_nothing_that_is_right(value: Any) -> None:
    assert json.loads(repaired(json.dumps(value).encode())) == value


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"[1e400,-1e400,1e-400,2.5]", [GREATEST, -GREATEST, 0.0, 2.5]),
        (b"[1" + b"0" * 5000 + b"]", [GREATEST]),
        (b"[NaN,Infinity,-Infinity]", [None, None, None]),
        (b'["two\nlines","a\ttab\x00"]', ["two\nlines", "a\ttab\x00"]),
    ],
)
def test_what_no_json_may_hold_is_read_as_the_nearest_that_it_may(data: bytes, expected: Any) -> None:
    assert msgspec.json.decode(repaired(data)) == expected
    assert read_json(data) == expected
    assert read_json(Raw(data)) == expected


def test_right_json_is_read_as_it_is() -> None:
    assert read_json(b'{"a":[1,2.0,"b"]}') == {"a": [1, 2.0, "b"]}


@pytest.mark.parametrize("data", [b"{", b"[" * 100_000])
def test_what_cannot_be_read_is_an_error_of_the_library(data: bytes) -> None:
    with pytest.raises(ProtocolError, match="this is not JSON") as caught:
        read_json(data)

    assert caught.value.excerpt == data[:80].decode()


def test_what_does_not_fit_its_type_is_read_once() -> None:
    reads: list[bytes] = []

    def read(data: bytes) -> int:
        reads.append(data)
        return msgspec.json.decode(data, type=int)

    with pytest.raises(msgspec.ValidationError):
        leniently(read, b'"text"')
    assert reads == [b'"text"']


@pytest.mark.edge("B12")
@pytest.mark.parametrize(("written", "read"), [(b"1e400", GREATEST), (b'"caf\xe9"', "caf\ufffd")])
def test_what_is_looked_at_late_is_read_leniently_too(written: bytes, read: Any) -> None:
    schema = b'{"type":"object","default":' + written + b"}"
    tool = b'{"name":"a","inputSchema":' + schema + b',"outputSchema":' + schema + b"}"
    listed = decode(b'{"tools":[' + tool + b'],"later":' + written + b"}", ListToolsResult)

    assert listed.tools[0].input_schema == {"type": "object", "default": read}
    assert listed.tools[0].output_schema == {"type": "object", "default": read}
    assert listed.tools[0].raw["inputSchema"]["default"] == read
    assert listed.raw["later"] == read
    assert listed.tools[0] == Tool.define("a", {"type": "object", "default": read}, output_schema=tool_schema(read))


def tool_schema(default: Any) -> dict[str, Any]:
    return {"type": "object", "default": default}


def test_unknown_fields_that_are_nearly_json_stand_in_raw() -> None:
    result = decode(b'{"content":[],"later":{"ratio":-1e999}}', CallToolResult)

    assert result.raw == {"content": [], "later": {"ratio": -GREATEST}}


def test_question_with_a_byte_that_is_not_unicode_is_read() -> None:
    request = InputRequest("elicitation/create", Raw(b'{"message":"caf\xe9?","requestedSchema":{}}'))

    assert request.params == ElicitFormParams("caf\ufffd?", {})

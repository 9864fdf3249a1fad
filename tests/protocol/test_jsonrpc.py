"""Bytes become messages, and messages bytes."""

import json
import time
from typing import Any

import pytest
from msgspec import UNSET, Raw

from dragoman.errors import (
    HeaderMismatch,
    InvalidParams,
    MethodNotFound,
    MissingClientCapability,
    ProtocolError,
    ResourceNotFound,
    ServerError,
    UnsupportedProtocolVersion,
    UrlElicitationRequired,
)
from dragoman.protocol.jsonrpc import (
    MAX_BATCH,
    claimed_id,
    decode,
    encode_error,
    encode_notification,
    encode_request,
    encode_result,
    excerpt,
    read_error,
    seems_answer,
)
from dragoman.types import ElicitUrlParams


def results(data: bytes) -> list[Any]:
    return [json.loads(bytes(each.result)) if isinstance(each.result, Raw) else None for each in decode(data)]


def failure(**members: Any) -> ServerError:
    return read_error(Raw(json.dumps(members).encode()), "tools/call")


def test_an_answer_is_read() -> None:
    (message,) = decode(b'{"jsonrpc":"2.0","id":1,"result":{"a":1}}')

    assert (message.id, message.is_answer, message.is_request) == (1, True, False)
    assert isinstance(message.result, Raw)
    assert bytes(message.result) == b'{"a":1}'


def test_an_error_is_an_answer() -> None:
    (message,) = decode(b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}')

    assert (message.id, message.is_answer) == (None, True)


def test_a_request_wants_an_answer() -> None:
    (message,) = decode(b'{"jsonrpc":"2.0","id":"a","method":"ping"}')

    assert (message.id, message.method, message.is_answer, message.is_request) == ("a", "ping", False, True)


def test_a_notification_wants_none() -> None:
    (message,) = decode(b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}')

    assert (message.id, message.is_answer, message.is_request) == (UNSET, False, False)


@pytest.mark.parametrize("outcome", [b'"result":{}', b'"error":{"code":1,"message":"no"}'])
def test_an_answer_that_repeats_the_question_is_an_answer(outcome: bytes) -> None:
    (message,) = decode(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{},' + outcome + b"}")

    assert (message.id, message.is_answer, message.is_request) == (1, True, False)


@pytest.mark.parametrize("outcome", [b'"error":null', b'"result":null', b'"result":null,"error":null'])
def test_a_request_may_have_null_for_what_only_answers_have(outcome: bytes) -> None:
    (message,) = decode(b'{"id":1,"method":"ping",' + outcome + b"}")

    assert (message.is_answer, message.is_request, message.result) == (False, True, UNSET)


def test_a_notification_may_have_null_for_an_id() -> None:
    (message,) = decode(b'{"id":null,"method":"notifications/progress","params":{},"result":null,"error":null}')

    assert (message.is_answer, message.is_request) == (False, False)


def test_a_request_with_null_for_an_id_is_answered_all_the_same() -> None:
    (message,) = decode(b'{"id":null,"method":"roots/list"}')

    assert message.is_request


def test_a_batch_holds_several_messages() -> None:
    assert results(b'[{"id":1,"result":1},{"id":2,"result":2}]') == [1, 2]


def test_a_batch_may_be_empty() -> None:
    assert decode(b"[]") == []


def test_a_bad_message_costs_no_other_of_its_batch() -> None:
    assert results(b'[5,{"id":1,"result":1},{"id":2,"result":NaN}]') == [1, None]


@pytest.mark.parametrize("data", [b"[5]", b"[{}]", b'[{"id":1}]', b"[[]]"])
def test_a_batch_without_any_message_is_an_error(data: bytes) -> None:
    with pytest.raises(ProtocolError):
        decode(data)


def test_a_batch_holds_no_more_messages_than_can_be_meant() -> None:
    ping = b'{"method":"ping"}'

    assert len(decode(b"[" + b",".join([ping] * MAX_BATCH) + b"]")) == MAX_BATCH
    with pytest.raises(ProtocolError, match="more than 10,000 messages"):
        decode(b"[" + b",".join([ping] * (MAX_BATCH + 1)) + b"]")


@pytest.mark.parametrize("item", [b"1", b"{}", b"[]", b'"x"', b"{1}"])
def test_an_array_of_a_million_costs_no_more_than_to_see_that_it_is_no_batch(item: bytes) -> None:
    data = b"[" + b",".join([item] * 1_000_000) + b"]"
    begun = time.process_time()
    with pytest.raises(ProtocolError):
        decode(data)

    assert time.process_time() - begun < 1.5


@pytest.mark.parametrize(
    "data",
    [
        b'{"id":1,"method":null,"params":null,"result":{},"error":null}',
        b'{"id":1,"result":{},"error":null}',
    ],
)
def test_members_that_an_answer_need_not_have_may_be_null(data: bytes) -> None:
    (message,) = decode(data)

    assert (message.id, message.is_answer, message.error) == (1, True, UNSET)


@pytest.mark.parametrize(
    ("line", "seems"),
    [
        (b'{"jsonrpc":"2.0","id":2}', True),
        (b'{"jsonrpc":"2.0","id":2,"result":{"a":', True),
        (b' {"id":2,"error":{"message":"a\xff', True),
        (b'{"id":2,"result":{"method":', True),
        (b'[{"jsonrpc":"2.0","id":2,"res', True),
        (b'{"level":"debug","message":{"jsonrpc":"2.0","id":2,"method":"ping"}}', False),
        (b'{"level":"debug","message":{"jsonrpc":"2.0","id":2,"result":{}}}', False),
        (b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"result":', False),
        (b'{"jsonrpc":"2.0","id":2,"method":"tools/ca', False),
        (b'{"id":2,', False),
        (b'[INFO] sent {"jsonrpc":"2.0","id":2,"result":{}}', False),
        (b'sent {"jsonrpc":"2.0","id":2,"result":{}}', False),
    ],
)
def test_a_line_that_is_no_message_may_have_been_meant_as_an_answer(line: bytes, seems: bool) -> None:
    assert seems_answer(line) is seems


def test_a_null_result_is_one() -> None:
    assert results(b'{"id":1,"result":null}') == [None]
    assert isinstance(decode(b'{"id":1,"result":null}')[0].result, Raw)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"Server mode: STDIO",
        b"{",
        b"null",
        b"5",
        b'"text"',
        b"{}",
        b'{"jsonrpc":"2.0","id":1}',
        b'{"id":1,"error":null}',
        b'{"id":true,"result":{}}',
        b'{"id":1,"method":5}',
        b"[" * 100_000,
        b'{"id":1,"result":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_what_is_no_message_is_an_error_that_shows_its_beginning(data: bytes) -> None:
    with pytest.raises(ProtocolError, match="not a JSON-RPC message") as error:
        decode(data)

    assert error.value.excerpt == excerpt(data)


@pytest.mark.edge("B12")
@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'\xef\xbb\xbf{"id":1,"result":"a"}', "a"),
        (b'\xef\xbb\xbf[{"id":1,"result":"a"}]', "a"),
        (b'{"id":1,"result":NaN}', None),
        (b'{"id":1,"result":[1,-Infinity]}', [1, None]),
    ],
)
def test_what_is_nearly_json_is_read(data: bytes, expected: Any) -> None:
    assert results(data) == [expected]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"jsonrpc":"2.0","id":12,"result":{"broken', 12),
        (b'{"id" : "a-1", "result"', "a-1"),
        (b'{"result":{}}', None),
        (b'{"id":null}', None),
        (b'{"id":"\\u0000', None),
    ],
)
def test_a_broken_line_may_claim_an_id(data: bytes, expected: Any) -> None:
    assert claimed_id(data) == expected


def test_an_excerpt_of_a_short_text_is_all_of_it() -> None:
    assert excerpt(b'{"a":1}') == '{"a":1}'


def test_an_excerpt_of_a_long_text_says_how_long_it_is() -> None:
    assert excerpt(b"x" * 12_345) == "x" * 200 + "... (12,345 bytes)"


def test_an_excerpt_cut_within_wide_characters_says_how_long_it_is() -> None:
    assert excerpt("\U0001f600".encode() * 11, limit=10) == "\U0001f600" * 10 + "... (44 bytes)"


def test_an_excerpt_is_fit_for_a_terminal() -> None:
    assert excerpt(b"a\x1b[31m\nb\xff") == "a\ufffd[31m\ufffdb\ufffd"


def test_a_request_is_written() -> None:
    assert encode_request(7, "tools/call", b'{"name":"a"}') == (
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}'
    )
    assert encode_request(8, "ping", None) == b'{"jsonrpc":"2.0","id":8,"method":"ping"}'
    assert encode_request(9, 'a "b"', None) == b'{"jsonrpc":"2.0","id":9,"method":"a \\"b\\""}'


def test_a_notification_is_written() -> None:
    assert encode_notification("notifications/initialized", None) == (
        b'{"method":"notifications/initialized","jsonrpc":"2.0"}'
    )
    assert encode_notification("a", b"{}") == b'{"method":"a","params":{},"jsonrpc":"2.0"}'


@pytest.mark.parametrize("request_id", [1, "1", 1.5, None])
def test_an_answer_has_the_id_of_its_request_as_it_came(request_id: Any) -> None:
    assert json.loads(encode_result(request_id, b'{"a":1}')) == {"jsonrpc": "2.0", "id": request_id, "result": {"a": 1}}


def test_an_error_is_written() -> None:
    assert json.loads(encode_error("a", -32601, "no such method")) == {
        "jsonrpc": "2.0",
        "id": "a",
        "error": {"code": -32601, "message": "no such method", "data": None},
    }


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (-32601, MethodNotFound),
        (-32602, InvalidParams),
        (-32002, ResourceNotFound),
        (-32020, HeaderMismatch),
        (-32021, MissingClientCapability),
        (-32022, UnsupportedProtocolVersion),
        (-32042, UrlElicitationRequired),
        (-32000, ServerError),
        (7, ServerError),
    ],
)
def test_an_error_is_read_as_the_exception_for_its_code(code: int, kind: type[ServerError]) -> None:
    error = failure(code=code, message="no", data={"a": 1})

    assert type(error) is kind
    assert (error.code, error.message, error.data, error.method) == (code, "no", {"a": 1}, "tools/call")


@pytest.mark.parametrize(
    ("members", "code", "message"),
    [
        ({}, 0, "the server gave no reason"),
        ({"code": "E1", "message": "no"}, 0, "no"),
        ({"code": 5, "message": {"en": "no"}}, 5, '{"en":"no"}'),
        ({"code": 5, "message": None}, 5, "null"),
    ],
)
def test_what_an_error_leaves_out_or_gets_wrong_is_made_up_for(members: Any, code: int, message: str) -> None:
    error = failure(**members)

    assert (error.code, error.message) == (code, message)


def test_an_error_that_is_none_is_one_all_the_same() -> None:
    error = read_error(Raw(b'"went wrong"'), "ping")

    assert (error.code, error.message) == (0, 'an error that cannot be read: "went wrong"')


@pytest.mark.edge("B12")
@pytest.mark.parametrize("wrong", [b'"caf\xe9"', rb'"caf\ud800"', b'"caf\xff"', b"1e400"])
def test_what_is_wrong_in_an_error_costs_neither_its_code_nor_its_data(wrong: bytes) -> None:
    data = b'{"elicitations":[{"url":"https://a.b","message":' + wrong + b'},{"url":"https://c.d","message":"in"}]}'
    error = read_error(Raw(b'{"code":-32042,"message":' + wrong + b',"data":' + data + b"}"), "tools/call")

    assert isinstance(error, UrlElicitationRequired)
    assert error.message in {"caf\ufffd", "1.7976931348623157e308"}
    assert error.elicitations[-1] == ElicitUrlParams("in", "https://c.d")


def test_an_error_that_wants_the_user_at_a_url_names_it() -> None:
    good = {"mode": "url", "message": "log in", "url": "https://example.com", "elicitationId": "1"}
    modeless = {"message": "log in", "url": "https://example.org"}
    error = failure(code=-32042, message="first", data={"elicitations": [good, 5, {}, modeless]})

    assert isinstance(error, UrlElicitationRequired)
    assert error.elicitations == (
        ElicitUrlParams("log in", "https://example.com", "1"),
        ElicitUrlParams("log in", "https://example.org"),
    )


@pytest.mark.parametrize("data", [None, 5, {}, {"elicitations": 5}])
def test_an_error_that_wants_the_user_at_a_url_may_name_none(data: Any) -> None:
    error = failure(code=-32042, message="first", data=data)

    assert isinstance(error, UrlElicitationRequired)
    assert error.elicitations == ()

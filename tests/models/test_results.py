"""Parts of results."""

from base64 import b64encode
from typing import Any

import pytest

from dragoman.models.results import EMPTY, Part, ResultBudget, introduced, is_taken, parts, shortened, shown, text_of
from tests.models.making import response, result


def kinds(*blocks: Any, **fields: Any) -> list[tuple[str, str]]:
    return [(part.kind, part.text) for part in parts(result(*blocks, **fields))]


@pytest.mark.feature(133)
@pytest.mark.parametrize(
    ("block", "kind", "text"),
    [
        ("hello", "text", "hello"),
        ({"type": "image", "data": "AAAA", "mimeType": "image/PNG; x=y"}, "image", "[image: image/png, 3 bytes]"),
        ({"type": "audio", "data": "AAA=", "mimeType": "audio/wav"}, "audio", "[sound: audio/wav, 2 bytes]"),
        ({"type": "image", "data": "", "mimeType": ""}, "text", "[image: of unknown type, 0 bytes]"),
        (
            {"type": "image", "data": "no base64!", "mimeType": "image/png"},
            "text",
            "[image: image/png, base64 that cannot be read]",
        ),
        (
            {
                "type": "resource_link",
                "uri": "file:///a",
                "name": "a",
                "mimeType": "text/plain",
                "size": 1234,
                "description": "It.",
            },
            "text",
            "[resource a: file:///a (text/plain, 1,234 bytes)] It.",
        ),
        ({"type": "resource_link", "uri": "file:///a", "name": "a"}, "text", "[resource a: file:///a]"),
        ({"type": "resource", "resource": {"uri": "file:///a", "text": "b"}}, "text", "[resource file:///a]\nb"),
        (
            {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "text/x", "text": "b"}},
            "text",
            "[resource file:///a (text/x)]\nb",
        ),
        (
            {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "image/png", "blob": "AAAA"}},
            "image",
            "[image file:///a: image/png, 3 bytes]",
        ),
        (
            {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "application/pdf", "blob": "AAAA"}},
            "document",
            "[resource file:///a: application/pdf, 3 bytes]",
        ),
        (
            {"type": "resource", "resource": {"uri": "file:///a"}},
            "text",
            "[resource file:///a: of unknown type, 0 bytes]",
        ),
        ({"type": "video", "data": "AA=="}, "text", '[content of type video] {"type":"video","data":"AA=="}'),
        ({"odd": 1}, "text", '[content of type unknown] {"odd":1}'),
    ],
)
def test_every_kind_of_content_is_a_part_with_words_for_it(block: Any, kind: str, text: str) -> None:
    assert kinds(block) == [(kind, text)]


def test_unknown_content_is_bounded() -> None:
    assert kinds({"type": "video", "data": "A" * 5000})[0][1].endswith("... (5,026 characters)")


def test_structured_result_is_told_once() -> None:
    assert kinds("hello", structured_content={"a": 1}) == [("text", "hello"), ("text", '{"a":1}')]
    assert kinds('{ "a": 1 }', structured_content={"a": 1}) == [("text", '{ "a": 1 }')]
    assert kinds({"type": "image", "data": "AA==", "mimeType": "image/png"}, structured_content=None)[-1] == (
        "text",
        "null",
    )


@pytest.mark.parametrize(
    ("texts", "inner"),
    [(["3"], 3), (["done"], "done"), (["5"], "5"), (["1", "2"], [1, 2]), (["a", "b"], ["a", "b"]), (["[1,2]"], [1, 2])],
)
def test_what_servers_wrap_for_want_of_an_object_is_told_once(texts: list[str], inner: Any) -> None:
    assert kinds(*texts, structured_content={"result": inner}) == [("text", text) for text in texts]


@pytest.mark.parametrize(("texts", "inner"), [(["4"], 3), (["a"], ["a", "b"]), (["a", "b"], "a b"), ([], [])])
def test_what_the_texts_do_not_say_is_told_beside_them(texts: list[str], inner: Any) -> None:
    assert len(kinds(*texts, structured_content={"result": inner})) == len(texts) + 1


def test_text_that_came_as_bytes_is_text() -> None:
    blob = b64encode(b'{"a": "\xc3\xa9"}').decode()
    block = {"type": "resource", "resource": {"uri": "file:///a", "mimeType": "Application/JSON; x=y", "blob": blob}}

    assert kinds(block) == [("text", '[resource file:///a (application/json)]\n{"a": "é"}')]


def test_picture_is_what_its_bytes_say_that_it_is() -> None:
    jpeg = b64encode(b"\xff\xd8\xff\xe0....").decode()
    (found,) = parts(result({"type": "image", "data": jpeg, "mimeType": "image/png"}))
    (blob,) = parts(result({"type": "resource", "resource": {"uri": "mem://a", "blob": jpeg}}))

    assert found.mime_type == "image/jpeg"
    assert (blob.kind, blob.mime_type) == ("image", "image/jpeg")


def test_empty_result_is_told_to_be_empty() -> None:
    assert kinds() == [("text", EMPTY)]
    assert kinds("") == [("text", EMPTY)]


def test_result_as_text_tells_of_what_is_no_text() -> None:
    assert text_of(result("see:", {"type": "image", "data": "AAAA", "mimeType": "image/png"})) == (
        "see:\n[image: image/png, 3 bytes]"
    )


@pytest.mark.edge("B99")
def test_text_beyond_the_budget_has_head_tail_and_handle() -> None:
    short = shortened("a" * 75 + "b" * 925 + "c" * 25, ResultBudget(100), "result-1")

    assert short is not None
    assert short.startswith("a" * 75 + "\n[925 of 1,025 characters left out")
    assert "dragoman_read_more with handle 'result-1' and offset 75" in short
    assert short.endswith("\n" + "c" * 25)


@pytest.mark.edge("B99")
def test_text_within_the_budget_is_whole() -> None:
    assert shortened("a" * 300_000, ResultBudget(), "r") is None
    assert shortened("a" * 100, ResultBudget(100), "r") is None


def test_budget_may_have_no_tail() -> None:
    short = shortened("a" * 200, ResultBudget(100, tail=0), "r")

    assert short is not None
    assert short.endswith("offset 100]")


def test_budget_concerns_text_alone() -> None:
    picture = {"type": "image", "data": "AAAA", "mimeType": "image/png"}

    assert [part.kind for part in shown(response("long", picture, budgeted="lo"))] == ["text", "image"]
    assert [part.text for part in shown(response("long"))] == ["long"]


def test_part_is_taken_by_its_type_and_its_size() -> None:
    (part,) = parts(result({"type": "image", "data": "AAAA", "mimeType": "image/png"}))

    assert is_taken(part, {"image/png": 3})
    assert not is_taken(part, {"image/png": 2})
    assert not is_taken(part, {"image/gif": 3})
    assert not is_taken(Part("text", "a"), {"": 3})


def test_part_that_stands_apart_says_whose_it_is() -> None:
    assert introduced(response(id="call_7"), Part("image", "[it]")) == "[it], which the call call_7 of find returned:"
    assert "the call without an id of find" in introduced(response(id=""), Part("image", "[it]"))

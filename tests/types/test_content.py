"""The blocks of results and messages."""

from typing import Any

import msgspec
import pytest

from dragoman.errors import McpError, ProtocolError
from dragoman.types import (
    AudioContent,
    CallToolResult,
    EmbeddedResource,
    Icon,
    ImageContent,
    ReadResourceResult,
    ResourceContents,
    ResourceLink,
    TextContent,
    ToolResultContent,
    ToolUseContent,
    UnknownContent,
    decode,
    dump,
    read_content,
    read_sampling_content,
)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'{"type":"text","text":""}', TextContent),
        (b'{"text":"","type":"text"}', TextContent),
        (b'{"type":"image","data":"","mimeType":"a/b"}', ImageContent),
        (b'{"type":"audio","data":"","mimeType":"a/b"}', AudioContent),
        (b'{"type":"resource_link","uri":"a:b","name":"n"}', ResourceLink),
        (b'{"type":"resource","resource":{"uri":"a:b","text":""}}', EmbeddedResource),
        (b'{"type":"video","data":""}', UnknownContent),
        (b'{"type":"tool_use","id":"u","name":"n","input":{}}', UnknownContent),
        (b'{"type":["text"]}', UnknownContent),
        (b"{}", UnknownContent),
    ],
)
def test_a_block_is_of_the_kind_it_says(data: bytes, kind: type[Any]) -> None:
    block = read_content(data)

    assert type(block) is kind
    assert dump(block) == data


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'{"type":"text","text":""}', TextContent),
        (b'{"type":"tool_use","id":"u","name":"n","input":{}}', ToolUseContent),
        (b'{"type":"tool_result","toolUseId":"u","content":[]}', ToolResultContent),
        (b'{"type":"resource_link","uri":"a:b","name":"n"}', UnknownContent),
    ],
)
def test_a_sampling_block_is_of_the_kind_it_says(data: bytes, kind: type[Any]) -> None:
    block = read_sampling_content(data)

    assert type(block) is kind
    assert dump(block) == data


@pytest.mark.parametrize("read", [read_content, read_sampling_content])
@pytest.mark.parametrize("data", [b'{"type":"text"}', b'"text"', b"null"])
def test_a_broken_block_of_a_known_kind_is_refused(read: Any, data: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        read(data)


def test_blocks_say_their_kind() -> None:
    assert TextContent("a").type == "text"
    assert UnknownContent({"type": "video"}).type == "video"
    assert UnknownContent({}).type == UnknownContent(b"[1]").type == ""


def test_base64_data_is_decoded_when_asked() -> None:
    assert ImageContent("AAEC", "image/gif").bytes == b"\x00\x01\x02"
    assert AudioContent("AA\r\nEC\r\n", "audio/ogg").bytes == b"\x00\x01\x02"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("data:image/gif;base64,AAEC", b"\x00\x01\x02"),
        ("AAE", b"\x00\x01"),
        ("--__", b"\xfb\xef\xff"),
        ("AA\r\nEC", b"\x00\x01\x02"),
        ("", b""),
    ],
)
def test_base64_is_read_however_it_is_written(data: str, expected: bytes) -> None:
    assert ImageContent(data=data, mime_type="image/gif").bytes == expected
    assert ResourceContents(uri="a:b", blob=data).bytes == expected


@pytest.mark.parametrize("data", ["A", "é", "AA!!", "data:image/gif,<svg/>"])
@pytest.mark.parametrize("error", [McpError, ProtocolError, ValueError])
def test_data_that_is_not_base64_is_told_with_its_start(data: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"ImageContent\.data is not base64: "):
        _ = ImageContent(data, "image/gif").bytes


def test_resource_contents_are_text_or_bytes() -> None:
    text = ResourceContents("a:b", text="grüß")
    blob = ResourceContents("a:b", blob="AAEC")

    assert (text.is_text, text.bytes) == (True, "grüß".encode())
    assert (blob.is_text, blob.bytes) == (False, b"\x00\x01\x02")
    assert ResourceContents("a:b").bytes == b""


def test_an_empty_text_is_text() -> None:
    assert ResourceContents("a:b", text="", blob="AAEC").bytes == b""


def test_the_text_of_contents_leaves_blobs_out() -> None:
    result = ReadResourceResult(
        (ResourceContents("a", text="one"), ResourceContents("b", blob="AAEC"), ResourceContents("c", text="two"))
    )

    assert result.text == "one\ntwo"


def test_uris_are_passed_on_unchanged() -> None:
    odd = "  HTTP://EXAMPLE.com:80/ä/../%7e?q#[x] "

    assert decode(msgspec.json.encode({"uri": odd}), ResourceContents).uri == odd


def test_icon_sizes_may_be_one_word() -> None:
    assert decode(b'{"src":"data:,","sizes":"any"}', Icon).sizes == "any"


def test_a_tool_result_in_a_message_tells_null_from_absent() -> None:
    absent = ToolResultContent("u1")

    assert absent.structured is None
    assert absent.structured_content is msgspec.UNSET
    assert decode(
        b'{"type":"tool_result","toolUseId":"u","structuredContent":{"a":1}}', ToolResultContent
    ).structured == {"a": 1}


def test_an_unknown_block_can_stand_in_a_result() -> None:
    video = UnknownContent({"type": "video", "fps": 3})

    assert CallToolResult((TextContent("a"), video)).content[1] is video

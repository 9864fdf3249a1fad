"""Base64 as servers write it."""

from base64 import b64decode, b64encode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.models.media import cleaned, decoded_text, plain_type, seen_type, size_of

PNG = b"\x89PNG\r\n\x1a\n...."


@given(st.binary(min_size=1), st.booleans(), st.booleans(), st.booleans())
def test_bytes_are_the_same_however_they_were_written(data: bytes, for_urls: bool, padded: bool, broken: bool) -> None:
    written = (urlsafe_b64encode if for_urls else b64encode)(data).decode()
    written = written if padded else written.rstrip("=")
    written = "\r\n".join(written[at : at + 5] for at in range(0, len(written), 5)) if broken else written

    assert b64decode(cleaned(written), validate=True) == data


def test_data_url_is_its_data() -> None:
    assert cleaned("data:image/png;base64,AAAA") == "AAAA"


@pytest.mark.parametrize("data", ["", " ", "no base64!", "A", "AAAAA", "é", "AA=A", "data:,"])
def test_what_is_no_base64_is_nothing(data: str) -> None:
    assert cleaned(data) == ""


@pytest.mark.parametrize(
    ("data", "mime_type"),
    [
        (PNG, "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"GIF89a", "image/gif"),
        (b"RIFF1234WEBP", "image/webp"),
        (b"%PDF-1.7", "application/pdf"),
        (b"RIFF1234WAVE", None),
        (b"PNG", None),
    ],
)
def test_type_is_seen_in_the_first_bytes(data: bytes, mime_type: str | None) -> None:
    assert seen_type(b64encode(data + b"\0" * 100).decode()) == mime_type


def test_types_have_one_name() -> None:
    assert plain_type(" Image/JPG; q=1") == "image/jpeg"
    assert plain_type("text/plain") == "text/plain"


def test_text_is_read_where_it_is_text() -> None:
    text = b64encode("né".encode()).decode()

    assert decoded_text(text, "text/markdown") == decoded_text(text, "application/vnd.x+json") == "né"
    assert decoded_text(text, "application/pdf") is None
    assert decoded_text("/w==", "text/plain") is None
    assert decoded_text("AAAA", "text/plain") is None


def test_size_is_known_without_decoding() -> None:
    assert [size_of(text) for text in ("", "AA==", "AAA=", "AAAA")] == [0, 1, 2, 3]

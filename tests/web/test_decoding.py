"""Compressed bodies, however they are cut."""

import gzip
import zlib
from collections.abc import Callable

import pytest

from dragoman.errors import ProtocolError
from dragoman.web.decoding import Decoder, decoder_for

TEXT = b"".join(b"%d " % number for number in range(50_000))


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(data) + packer.flush()


def decoded(data: bytes, size: int) -> bytes:
    decoder = Decoder()
    pieces: list[bytes] = []
    for start in range(0, len(data), size):
        pieces.append(decoder.decode(data[start : start + size]))
        while decoder.has_more:
            pieces.append(decoder.decode())
    decoder.check_end()
    return b"".join(pieces)


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, raw_deflate])
@pytest.mark.parametrize("size", [1, 2, 7, 1000, 10_000_000])
def test_every_cut(pack: Callable[[bytes], bytes], size: int) -> None:
    assert decoded(pack(TEXT), size) == TEXT


def test_pieces_are_bounded() -> None:
    decoder = Decoder()
    sizes = [len(decoder.decode(gzip.compress(bytes(10_000_000))))]
    while decoder.has_more:
        sizes.append(len(decoder.decode()))

    assert sum(sizes) == 10_000_000
    assert max(sizes) <= 256 * 1024


@pytest.mark.parametrize("size", [1, 10_000])
def test_members_of_one_file(size: int) -> None:
    assert decoded(gzip.compress(b"one ") + gzip.compress(b"two"), size) == b"one two"


def test_padding_is_dropped() -> None:
    assert decoded(gzip.compress(b"one") + bytes(20), 10_000) == b"one"


def test_empty_body() -> None:
    assert decoded(b"", 1) == b""


@pytest.mark.parametrize("data", [b"x", gzip.compress(TEXT, mtime=0)[:100], gzip.compress(TEXT, mtime=0)[:-1]])
def test_end_that_is_missing(data: bytes) -> None:
    with pytest.raises(ProtocolError, match="too early"):
        decoded(data, 50)


@pytest.mark.parametrize("data", [b"\xff" * 100, gzip.compress(TEXT, mtime=0)[:-8] + bytes(8)])
def test_damage(data: bytes) -> None:
    with pytest.raises(ProtocolError, match="damaged"):
        decoded(data, 10_000_000)


@pytest.mark.parametrize("encoding", [None, "", "identity", " Identity "])
def test_nothing_to_decode(encoding: str | None) -> None:
    assert decoder_for(encoding) is None


def test_what_cannot_be_read_of_a_refusal_is_dropped() -> None:
    decoder = decoder_for("br", is_dispensable=True)

    assert decoder is not None
    assert decoder.decode(b"whatever") == b""
    assert not decoder.has_more
    decoder.check_end()


def test_unknown_encoding() -> None:
    with pytest.raises(ProtocolError, match="'zstd'"):
        decoder_for("zstd")

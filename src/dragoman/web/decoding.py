"""Compressed bodies, a bounded piece at a time: for servers that compress although nobody asked."""

from __future__ import annotations

import zlib

from dragoman.errors import ProtocolError

__all__ = ["Decoder", "decoder_for"]

_PIECE = 256 * 1024
"""Bytes of one piece at most: what a few compressed bytes become must not fill the memory."""


def decoder_for(encoding: str | None, *, is_dispensable: bool = False) -> Decoder | None:
    """Return the decoder for a Content-Encoding header (RFC 9110, section 8.4); None where there is nothing to decode.

    A body that is dispensable, as a refusal's is, is empty where its encoding is unknown.

    Raises:
        ProtocolError: the encoding is none of those that every client knows.
    """
    name = (encoding or "identity").strip().lower()
    if name in {"", "identity"}:
        return None
    if name in {"gzip", "x-gzip", "deflate"}:
        return Decoder()
    if is_dispensable:
        return _Emptier()
    raise ProtocolError(f"the body is encoded as {name!r}, though 'identity' was asked for")


class Decoder:
    """Undoes gzip and deflate, the latter with its frame or, as some servers send it, without.

    Owned by the answer whose body it decodes.
    """

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._is_begun = False
        self._rest = b""
        self.has_more = False
        """Whether there is more to come of what was fed: call `decode` again."""

    def decode(self, data: bytes = b"") -> bytes:
        """Take more bytes, if there are, and return the next piece; it may be empty.

        Raises:
            ProtocolError: they are not what the header says.
        """
        waiting = self._rest + data
        if not self._is_begun and len(waiting) < 2:  # the frame shows in the second byte
            self._rest = waiting
            return b""
        try:
            piece = self._inflated(waiting)
        except zlib.error as error:
            raise ProtocolError(f"the compressed body is damaged: {error}") from error
        self._rest = self._inflate.unconsumed_tail or self._next_member()
        # A full piece may have a sequel that is in no byte of the rest.
        self.has_more = bool(self._rest) or len(piece) == _PIECE
        return piece

    def _inflated(self, data: bytes) -> bytes:
        try:
            piece = self._inflate.decompress(data, _PIECE)
        except zlib.error:
            if self._is_begun:
                raise
            self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
            piece = self._inflate.decompress(data, _PIECE)
        self._is_begun = True
        return piece

    def _next_member(self) -> bytes:
        """Begin another member of the same gzip file; padding and the like is dropped (RFC 1952, section 2.2)."""
        rest = self._inflate.unused_data
        if not rest.startswith(b"\x1f\x8b"):
            return b""
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 16)
        return rest

    def check_end(self) -> None:
        """Make sure that nothing is missing at the end of the body.

        Raises:
            ProtocolError: it ended in the middle.
        """
        if self._rest or (self._is_begun and not self._inflate.eof):
            raise ProtocolError("the compressed body ends too early")


class _Emptier(Decoder):
    """Makes nothing of what nobody here can read."""

    def decode(self, data: bytes = b"") -> bytes:  # noqa: ARG002 - it is not read
        return b""

    def check_end(self) -> None:
        pass

"""What the floors send and read: the fewest types that a client could do with, and no checks."""

from typing import Any

from msgspec import UNSET, Raw, Struct, UnsetType, field
from msgspec.json import Decoder, Encoder

__all__ = ["Envelope", "decode_envelope", "decode_result", "decode_tools", "request"]

META = {
    "progressToken": 0,
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "floor", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_encode = Encoder().encode
RAW_META = Raw(_encode(META))


class Params(Struct):
    name: str | UnsetType = UNSET
    arguments: dict[str, Any] | UnsetType = UNSET
    _meta: Raw = RAW_META


class Request(Struct):
    id: int
    method: str
    params: Params
    jsonrpc: str = "2.0"


class Envelope(Struct):
    # Progress has none, and a legacy server answers discovery with an error, which is a round trip all the same.
    id: int = 0
    result: Raw = Raw()


class Block(Struct):
    type: str
    text: str = ""


class Result(Struct):
    content: list[Block] = []
    structured: Any = field(default=None, name="structuredContent")

    @property
    def text(self) -> str:
        return self.content[0].text


class Tool(Struct):
    name: str
    input_schema: Raw = field(name="inputSchema")
    description: str = ""


class Tools(Struct):
    tools: list[Tool]


decode_envelope = Decoder(Envelope).decode
decode_result = Decoder(Result).decode
decode_tools = Decoder(Tools).decode


def request(
    number: int, method: str, name: str | UnsetType = UNSET, arguments: dict[str, Any] | UnsetType = UNSET
) -> bytes:
    return _encode(Request(number, method, Params(name, arguments))) + b"\n"

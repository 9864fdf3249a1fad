"""The data that errors carry."""

from typing import Any

from msgspec import UNSET, field

from dragoman.types.base import Wire
from dragoman.types.lifecycle import ClientCapabilities

__all__ = ["ErrorObject", "MissingClientCapabilityData", "UnsupportedProtocolVersionData"]


class ErrorObject(Wire, frozen=True):
    """The `error` of a JSON-RPC answer; `data` is any JSON, `msgspec.UNSET` when absent."""

    code: int
    message: str = field(default_factory=str)
    data: Any = UNSET


class UnsupportedProtocolVersionData(Wire, frozen=True):
    """The data of error -32022: the versions the server does speak."""

    supported: tuple[str, ...]
    requested: str | None = None


class MissingClientCapabilityData(Wire, frozen=True):
    """The data of error -32021: what the client would have to be able to do."""

    required_capabilities: ClientCapabilities

"""Rounds of input (from 2026-07-28): a server needs answers first; the client repeats the request with them."""

from collections.abc import Callable
from typing import TypeAlias

from msgspec import UNSET, Raw, UnsetType, ValidationError, field

from dragoman.types.base import Wire, decode
from dragoman.types.elicitation import ElicitParams, ElicitResult, read_elicit_params
from dragoman.types.lenient import leniently
from dragoman.types.results import Result
from dragoman.types.roots import ListRootsParams, ListRootsResult
from dragoman.types.sampling import CreateMessageParams, CreateMessageResult

__all__ = ["InputRequest", "InputRequiredResult", "InputResponse", "QuestionParams", "read_question_params"]

QuestionParams: TypeAlias = CreateMessageParams | ElicitParams | ListRootsParams
InputResponse: TypeAlias = CreateMessageResult | ElicitResult | ListRootsResult


class InputRequest(Wire, frozen=True):
    """One question of a server, its params not decoded yet."""

    method: str
    params_raw: Raw | UnsetType = field(default=UNSET, name="params")

    @property
    def params(self) -> QuestionParams:
        """The params, by the method. Raises msgspec.ValidationError when they are not of its shape."""
        return read_question_params(self.method, self.params_raw)


class InputRequiredResult(Result, frozen=True):
    """The server's answer instead of a result: questions by name, or a request to come again with the state."""

    input_requests: dict[str, InputRequest] | None = None
    request_state: str | None = None


def read_question_params(method: str, data: bytes | Raw | UnsetType | None) -> QuestionParams:
    """Decode what a server asks of the client, by the method; absent params, and null, count as empty.

    Raises:
        msgspec.ValidationError: the params are not of the method's shape, or no such question exists.
    """
    present = b"{}" if data is None or isinstance(data, UnsetType) or bytes(data) == b"null" else data
    if method not in _READERS:
        raise ValidationError(f"a server cannot ask for {method!r}")
    return leniently(_READERS[method], present)


_READERS: dict[str, Callable[[bytes | Raw], QuestionParams]] = {
    "sampling/createMessage": lambda data: decode(data, CreateMessageParams),
    "elicitation/create": read_elicit_params,
    "roots/list": lambda data: decode(data, ListRootsParams),
}

"""Completion: what could follow in an argument that somebody is typing."""

from typing import ClassVar, TypeAlias

from msgspec import field

from dragoman.types.base import Wire, nothing
from dragoman.types.meta import Number
from dragoman.types.requests import RequestParams
from dragoman.types.results import Result

__all__ = [
    "CompleteParams",
    "CompleteResult",
    "Completion",
    "CompletionArgument",
    "CompletionContext",
    "CompletionReference",
    "PromptReference",
    "ResourceTemplateReference",
]


class PromptReference(Wire, frozen=True, tag_field="type", tag="ref/prompt"):
    """The prompt whose argument is typed."""

    type: ClassVar[str] = "ref/prompt"
    name: str
    title: str | None = None


class ResourceTemplateReference(Wire, frozen=True, tag_field="type", tag="ref/resource"):
    """The resource template (or resource) whose variable is typed."""

    type: ClassVar[str] = "ref/resource"
    uri: str


CompletionReference: TypeAlias = PromptReference | ResourceTemplateReference


class CompletionArgument(Wire, frozen=True):
    """The argument that is typed, and its value so far."""

    name: str
    value: str


class CompletionContext(Wire, frozen=True):
    """What the other arguments already are."""

    arguments: dict[str, str] | None = None


class CompleteParams(RequestParams, frozen=True):
    """Params of `completion/complete`."""

    ref: CompletionReference
    argument: CompletionArgument
    context: CompletionContext | None = None


class Completion(Wire, frozen=True):
    """Up to 100 values; `total` counts all there are, where the server says so."""

    values: tuple[str, ...] = field(default_factory=nothing)
    total: Number | None = None
    has_more: bool | None = None


class CompleteResult(Result, frozen=True):
    """The values that could follow."""

    __parts__ = (("completion", "completion"),)

    completion: Completion

    @property
    def values(self) -> tuple[str, ...]:
        """The values, best first."""
        return self.completion.values

    @property
    def total(self) -> Number | None:
        """How many values there are in all, or None when the server does not say."""
        return self.completion.total

    @property
    def has_more(self) -> bool:
        """Whether there are more values than these."""
        return self.completion.has_more is True

"""Prompts: messages that a server writes for a user to start from."""

from msgspec import Raw, field

from dragoman.types.base import Wire, nothing
from dragoman.types.content import Content, Icon, joined_text
from dragoman.types.meta import Meta, Number, Role
from dragoman.types.requests import InputParams
from dragoman.types.results import Listing, Result

__all__ = [
    "GetPromptParams",
    "GetPromptResult",
    "ListPromptsResult",
    "Prompt",
    "PromptArgument",
    "PromptMessage",
    "PromptsPage",
]


class PromptArgument(Wire, frozen=True):
    """One thing a prompt wants to be told; optional unless `required` is true."""

    name: str
    title: str | None = None
    description: str | None = None
    required: bool | None = None


class Prompt(Wire, frozen=True):
    """A prompt that a server offers."""

    name: str
    title: str | None = None
    description: str | None = None
    arguments: tuple[PromptArgument, ...] | None = None
    icons: tuple[Icon, ...] | None = None
    meta: Meta = field(default=None, name="_meta")


class PromptMessage(Wire, frozen=True):
    """One message of a prompt."""

    __parts__ = (("content", "content"),)

    role: Role
    content: Content


class GetPromptParams(InputParams, frozen=True):
    """Params of `prompts/get`; every argument is a string."""

    name: str
    arguments: dict[str, str] | None = None


class GetPromptResult(Result, frozen=True):
    """A prompt, filled in."""

    __parts__ = (("messages", "messages"),)

    messages: tuple[PromptMessage, ...] = field(default_factory=nothing)
    description: str | None = None

    @property
    def text(self) -> str:
        """The text of all messages' text blocks, a line break between two."""
        return joined_text(tuple(message.content for message in self.messages))


class ListPromptsResult(Listing[Prompt], frozen=True):
    """The prompts a server offers."""

    __parts__ = (("prompts", "prompts"),)
    _items = "prompts"

    prompts: tuple[Prompt, ...] = field(default_factory=nothing)

    @property
    def by_name(self) -> dict[str, Prompt]:
        """The prompts by their name; of two with one name, the first."""
        return self._index()


class PromptsPage(Result, frozen=True):
    """A page of `prompts/list` whose items are not decoded yet."""

    prompts: tuple[Raw, ...]
    next_cursor: str | None = None
    ttl_ms: Number | None = None
    cache_scope: str | None = None

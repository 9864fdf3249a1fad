"""What a model wants done, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, ClassVar

import msgspec
from msgspec import Struct, UnsetType

from dragoman.types import CallToolResult, ContentBlock, TextContent, to_json

__all__ = ["ERROR_PREFIX", "ToolCall", "ToolResponse", "ToolRun"]

ERROR_PREFIX = "Error calling tool: "
"""What the text of a failure begins with, where a provider has no flag for it."""


class ToolCall(Struct, frozen=True):
    """A call that a model asks for.

    Attributes:
        id: the model's name for this call, by which the response refers to it.
        name: the tool, as the model knows it.
        arguments: an object, or its JSON as the model wrote it.
    """

    type: ClassVar[str] = "function"

    id: str
    name: str
    arguments: Any = None

    @classmethod
    def scripted(
        cls,
        name: str,
        arguments: Mapping[str, Any] | str | None = None,
        *,
        id: str | None = None,  # noqa: A002 - every provider calls it so
    ) -> ToolCall:
        """Make a call without a model; the id is `call_` and eight characters, the same for the same call."""
        text = arguments if isinstance(arguments, str) else _json(dict(arguments or {}))
        digest = sha256(f"{name}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
        return cls(id or f"call_{digest}", name, text)

    @property
    def json(self) -> str:
        """The arguments as JSON text."""
        return self.arguments if isinstance(self.arguments, str) else _json(self.arguments or {})


class ToolResponse(Struct, frozen=True):
    """What came of one call.

    Attributes:
        id: that of the call. name: the tool, as the model knows it.
        result: the whole result; for a failure that has none, its words as an error.
        server: the name of the server, None for a function of this program.
        tool: the tool's own name there.
        elapsed: seconds from the call to its end.
        is_local: whether it was a function of this program.
        budgeted: the text that the model gets in place of one that was too long, or None.
        is_unfit: whether nothing was called, since the arguments did not fit; the result says how.
    """

    id: str
    name: str
    result: CallToolResult
    server: str | None = None
    tool: str = ""
    elapsed: float = 0.0
    is_local: bool = False
    budgeted: str | None = None
    is_unfit: bool = False

    @property
    def content(self) -> tuple[ContentBlock, ...]:
        """The blocks of the result."""
        return self.result.content

    @property
    def structured(self) -> Any:
        """The structured result, any JSON, or None."""
        return self.result.structured

    @property
    def is_error(self) -> bool:
        """Whether it failed."""
        return self.result.is_error

    @property
    def text(self) -> str:
        """The text of all text blocks."""
        return self.result.text

    @property
    def message(self) -> str:
        """The response as one text that says by itself what it is.

        A failure begins with `Error calling tool:`, a function's text is given as it is, and what a server sent is the
        JSON of its content list.
        """
        if self.is_error:
            return f"{ERROR_PREFIX}{self.budgeted or self.text or _json(_listed(self.content))}"
        if self.budgeted is not None:
            return self.budgeted
        if self.is_local and all(isinstance(block, TextContent) for block in self.content):
            return self.text
        if not self.content and not isinstance(self.result.structured_content, UnsetType):
            return _json(self.structured)
        return _json(_listed(self.content))


class ToolRun(Struct, frozen=True):
    """What came of a model's calls.

    Attributes:
        history: what was given, what the model said, and the results, as the provider wants them next.
        responses: the results one by one, in the order of the calls.
    """

    history: list[Any]
    responses: tuple[ToolResponse, ...] = ()

    @property
    def is_error(self) -> bool:
        """Whether any call failed."""
        return any(response.is_error for response in self.responses)


def _listed(content: tuple[ContentBlock, ...]) -> list[Any]:
    """Give the content list as JSON; that a text is a text goes without saying."""
    blocks = [to_json(block) for block in content]
    return [
        {name: value for name, value in block.items() if name != "type" or value != "text"}
        if isinstance(block, dict)
        else block
        for block in blocks
    ]


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()

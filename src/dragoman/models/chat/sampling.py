"""Let a server's wish for a model's words be a request to a model, and its reply the answer to the server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, Protocol, TypeVar, cast

import msgspec

from dragoman.models.arguments import restored
from dragoman.models.calls import ToolResponse
from dragoman.models.chat.events import ModelReply, Stop
from dragoman.models.chat.messages import (
    Call,
    Message,
    ModelMessage,
    Said,
    Text,
    ToolMessage,
    UserMessage,
    all_answered,
    object_of,
    without_loose_ends,
)
from dragoman.models.chat.request import ModelRequest
from dragoman.models.definition import Definitions
from dragoman.models.formats import find_format
from dragoman.models.results import text_of
from dragoman.types import (
    CallToolResult,
    ContentBlock,
    CreateMessageParams,
    CreateMessageResult,
    ModelPreferences,
    SamplingContent,
    SamplingMessage,
    TextContent,
    ToolResultContent,
    ToolUseContent,
)

__all__ = ["Named", "answer_of", "preferred", "request_of"]

_REASONS = {
    Stop.END: "endTurn",
    Stop.MAX_TOKENS: "maxTokens",
    Stop.STOP_SEQUENCE: "stopSequence",
    Stop.TOOLS: "toolUse",
}
_USES = frozenset({"auto", "required", "none"})


class Named(Protocol):
    """What has a name by which a server may wish for it."""

    @property
    def name(self) -> str:
        """The name."""
        ...


N = TypeVar("N", bound=Named)


def preferred(models: Sequence[N], preferences: ModelPreferences | None) -> N:
    """Choose the model that a server's hints fit: the first hint that is part of a model's name decides.

    Where none fits, it is the first model.
    """
    for hint in (preferences.hints if preferences is not None else None) or ():
        wanted = (hint.name or "").casefold()
        for model in models:
            if wanted and wanted in model.name.casefold():
                return model
    return models[0]


# ------------------------------------------------------------------------------------------------------------- requests


def request_of(params: CreateMessageParams, form: str, most: int | None = None) -> ModelRequest:
    """Give what a server asks for as a request whose tools are defined in a format; `most` bounds its tokens."""
    # Nobody's budget grows, or has no end, by a server that wants none.
    wanted = max(1, int(params.max_tokens))
    use = params.tool_choice.mode if params.tool_choice is not None else None
    # Strict forms have arguments of null for those that are left out, which the server has not asked for.
    tools = find_format(form.removesuffix("-strict")).definitions(params.tools or ())
    return ModelRequest(
        tuple(all_answered(list(_messages(params.messages)), "nothing came of this call")),
        params.system_prompt,
        tools,
        cast("Literal['auto', 'required', 'none']", use if use in _USES else "auto"),
        wanted if most is None else min(wanted, most),
        None if params.temperature is None else float(params.temperature),
        params.stop_sequences or (),
    )


def _messages(messages: Iterable[SamplingMessage]) -> Iterator[Message]:
    names: dict[str, str] = {}
    for message in messages:
        blocks = message.blocks
        names |= {block.id: block.name for block in blocks if isinstance(block, ToolUseContent)}
        if message.role == "assistant":
            yield ModelMessage(tuple(map(_said, blocks)))
            continue
        responses = tuple(_response(block, names) for block in blocks if isinstance(block, ToolResultContent))
        others = tuple(block for block in blocks if not isinstance(block, ToolResultContent))
        if responses:
            yield ToolMessage(responses)
        if others:
            yield UserMessage(cast("tuple[ContentBlock, ...]", others))


def _said(block: SamplingContent) -> Said:
    if isinstance(block, ToolUseContent):
        return Call(block.id, block.name, msgspec.json.encode(block.input).decode())
    if isinstance(block, TextContent):
        return Text(block.text)
    return Text(text_of(CallToolResult(content=(cast("ContentBlock", block),))))


def _response(block: ToolResultContent, names: dict[str, str]) -> ToolResponse:
    result = CallToolResult(
        content=block.content, structured_content=block.structured_content, is_error=bool(block.is_error)
    )
    return ToolResponse(block.tool_use_id, names.get(block.tool_use_id, ""), result)


# --------------------------------------------------------------------------------------------------------------- answers


def answer_of(reply: ModelReply, tools: Definitions, model: str) -> CreateMessageResult:
    """Give a reply as the answer to a server: one block of text, or several blocks where tools are wanted."""
    message = without_loose_ends(reply.message)
    text = TextContent(text=message.text)
    calls = tuple(_use(call, tools) for call in message.calls)
    content = (*((text,) if text.text else ()), *calls) if calls else text
    return CreateMessageResult(content, message.model or model, _REASONS.get(reply.stop, reply.said or str(reply.stop)))


def _use(call: Call, tools: Definitions) -> ToolUseContent:
    """Give a call by the server's own names for the tool and its arguments."""
    given = object_of(call)
    definition = tools.find(call.name)
    if definition is None:
        return ToolUseContent(id=call.id, name=call.name, input=given)
    own = restored(given, definition.converted.renamed)
    return ToolUseContent(id=call.id, name=definition.tool.name, input=own)

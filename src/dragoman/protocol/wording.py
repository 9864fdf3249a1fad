"""Read what a user may write for a tool, a resource, a prompt or a reference, as the params of a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Raw

from dragoman.errors import UsageError
from dragoman.types import (
    CallToolParams,
    CompletionArgument,
    GetPromptParams,
    Prompt,
    PromptReference,
    ReadResourceParams,
    Resource,
    ResourceTemplate,
    ResourceTemplateReference,
    Tool,
)

__all__ = [
    "completion_argument",
    "completion_reference",
    "meta_of",
    "prompt_params",
    "resource_params",
    "resource_uri",
    "text",
    "texts",
    "tool_params",
]


def tool_params(tool: str | Tool | CallToolParams, arguments: Mapping[str, Any] | None) -> CallToolParams:
    """Read a tool's name, what was listed of it, or a whole request.

    Raises:
        UsageError: it is none of these, or the arguments are no mapping.
    """
    if isinstance(tool, CallToolParams):
        name = text(tool.name, "a tool", "its name")
        if not isinstance(tool.arguments, Raw | None):
            _mapping(tool.arguments, "the arguments of ", name)
        return tool
    name = tool.name if isinstance(tool, Tool) else text(tool, "a tool", "its name, a `Tool` or `CallToolParams`")
    return CallToolParams(name, None if arguments is None else _mapping(arguments, "the arguments of ", name))


def resource_params(resource: str | Resource | ReadResourceParams) -> ReadResourceParams:
    """Read a resource's URI, what was listed of it, or a whole request.

    Raises:
        UsageError: it is none of these.
    """
    if isinstance(resource, ReadResourceParams):
        text(resource.uri, "a resource", "its URI")
        return resource
    if isinstance(resource, Resource):
        return ReadResourceParams(resource.uri)
    return ReadResourceParams(text(resource, "a resource", "its URI, a `Resource` or `ReadResourceParams`"))


def resource_uri(uri: str) -> str:
    """Read the URI of a resource that is to be watched.

    Raises:
        UsageError: it is no text.
    """
    return text(uri, "a resource to watch", "its URI")


def prompt_params(prompt: str | Prompt | GetPromptParams, arguments: Mapping[str, str] | None) -> GetPromptParams:
    """Read a prompt's name, what was listed of it, or a whole request.

    Raises:
        UsageError: it is none of these, or the arguments are no mapping of names to text.
    """
    if isinstance(prompt, GetPromptParams):
        name = text(prompt.name, "a prompt", "its name")
        if prompt.arguments is not None:
            texts(prompt.arguments, f"the arguments of {name}")
        return prompt
    what = "its name, a `Prompt` or `GetPromptParams`"
    name = prompt.name if isinstance(prompt, Prompt) else text(prompt, "a prompt", what)
    return GetPromptParams(name, None if arguments is None else texts(arguments, f"the arguments of {name}"))


def completion_reference(ref: object) -> PromptReference | ResourceTemplateReference:
    """Read a reference, or what was listed of what it refers to.

    Raises:
        UsageError: it is neither.
    """
    if isinstance(ref, Prompt):
        return PromptReference(ref.name)
    if isinstance(ref, ResourceTemplate):
        return ResourceTemplateReference(ref.uri_template)
    if isinstance(ref, PromptReference | ResourceTemplateReference):
        return ref
    raise _wrong(ref, "what is to be completed", "a `Prompt` or a `ResourceTemplate`, or a reference to one")


def completion_argument(name: str, value: str) -> CompletionArgument:
    """Read which argument is to be completed, and what there is of it.

    Raises:
        UsageError: one of them is no text.
    """
    return CompletionArgument(text(name, "an argument", "its name"), text(value, f"the beginning of {name}", "text"))


def text(given: object, what: str, instead: str) -> str:
    """Read what has to be text; `what` it is and what to write `instead` are for the error.

    Raises:
        UsageError: it is none, or one that UTF-8 has no form for.
    """
    if not isinstance(given, str):
        raise _wrong(given, what, instead)
    if not given.isascii():
        try:
            given.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"{what} cannot be {given!a}: {error.reason}", hint=f"give {instead}") from error
    return given


def texts(given: Mapping[str, str], what: str) -> dict[str, str]:
    """Read a mapping of names to text.

    Raises:
        UsageError: it is none.
    """
    return {name: text(value, f"{name!r} among {what}", "text") for name, value in _mapping(given, what).items()}


def meta_of(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Read what goes into a request's `_meta`; None where that is nothing.

    Raises:
        UsageError: it is no mapping.
    """
    return None if given is None else _mapping(given, "`meta`") or None


def _mapping(given: object, what: str, whose: str = "") -> dict[str, Any]:
    # First what it nearly always is: to ask for any mapping takes many times as long.
    if not isinstance(given, (dict, Mapping)):
        raise _wrong(given, what + whose, 'a mapping of names to values, as in {"path": "."}')
    for name in given:
        if not isinstance(name, str):
            raise _wrong(name, f"a name in {what}{whose}", "text")
    return dict(given)


def _wrong(given: object, what: str, instead: str) -> UsageError:
    shown = repr(given) if isinstance(given, int | float | None) else f"a {type(given).__name__}"
    return UsageError(f"{what} cannot be {shown}", hint=f"give {instead}")

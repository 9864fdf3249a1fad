"""Read what a user may write for a tool, a resource, a prompt or a reference, as the params of a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dragoman.types import (
    CallToolParams,
    GetPromptParams,
    Prompt,
    PromptReference,
    ReadResourceParams,
    Resource,
    ResourceTemplate,
    ResourceTemplateReference,
    Tool,
)

__all__ = ["completion_reference", "prompt_params", "resource_params", "tool_params"]


def tool_params(tool: str | Tool | CallToolParams, arguments: Mapping[str, Any] | None) -> CallToolParams:
    """Read a tool's name, what was listed of it, or a whole request."""
    if isinstance(tool, CallToolParams):
        return tool
    name = tool if isinstance(tool, str) else tool.name
    return CallToolParams(name, None if arguments is None else dict(arguments))


def resource_params(resource: str | Resource | ReadResourceParams) -> ReadResourceParams:
    """Read a resource's URI, what was listed of it, or a whole request."""
    if isinstance(resource, ReadResourceParams):
        return resource
    return ReadResourceParams(resource if isinstance(resource, str) else resource.uri)


def prompt_params(prompt: str | Prompt | GetPromptParams, arguments: Mapping[str, str] | None) -> GetPromptParams:
    """Read a prompt's name, what was listed of it, or a whole request."""
    if isinstance(prompt, GetPromptParams):
        return prompt
    name = prompt if isinstance(prompt, str) else prompt.name
    return GetPromptParams(name, None if arguments is None else dict(arguments))


def completion_reference(
    ref: PromptReference | ResourceTemplateReference | Prompt | ResourceTemplate,
) -> PromptReference | ResourceTemplateReference:
    """Read a reference, or what was listed of what it refers to."""
    if isinstance(ref, Prompt):
        return PromptReference(ref.name)
    return ResourceTemplateReference(ref.uri_template) if isinstance(ref, ResourceTemplate) else ref

"""Say of a call, or a request, what every record says of it, and nothing that is secret."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import msgspec

from dragoman.errors import McpTimeout, ServerError
from dragoman.host.secrets import Concealer
from dragoman.models.observing import Observation, ServerFacts
from dragoman.models.watching import RequestObservation
from dragoman.types import CallToolResult, to_json

__all__ = ["arguments_of", "error_type", "json_of", "network_of", "params_of", "reply_of", "result_of"]


_IN_MEMORY = "memory:"
"""What the endpoint of a server in this process begins with."""


def error_type(error: BaseException) -> str:
    """Name what was raised, by the conventions for `error.type`: a server's code, `timeout`, or the class."""
    if isinstance(error, ServerError):
        return str(error.code)
    return "timeout" if isinstance(error, McpTimeout) else type(error).__qualname__


def arguments_of(observation: Observation, concealer: Concealer) -> Any:
    """Give the arguments without secrets."""
    return concealer.json(observation.arguments)


def result_of(observation: Observation, concealer: Concealer) -> Any:
    """Give the result as JSON without secrets; None where there is none."""
    response = observation.response
    return None if response is None else concealer.json(json_of(response.result))


def params_of(request: RequestObservation, concealer: Concealer) -> Any:
    """Give the params of a request as JSON without secrets; None where there are none."""
    params = request.request.params
    return None if params is None else concealer.json(params if request.is_theirs else to_json(params))


def reply_of(request: RequestObservation, concealer: Concealer) -> Any:
    """Give what answered a request as JSON without secrets; None where nothing did."""
    return None if request.result is None else concealer.json(json_of(request.result))


def json_of(result: CallToolResult | bytes) -> Any:
    """Give a result as JSON, whether it was read already or is as it came."""
    return msgspec.json.decode(result) if isinstance(result, bytes) else to_json(result)


def network_of(server: ServerFacts | None) -> dict[str, str | int]:
    """Give the attributes that say how a server is reached: a pipe, or a host and its port; nothing where it is here."""
    if server is None or server.endpoint is None or server.endpoint.startswith(_IN_MEMORY):
        return {}
    if not server.endpoint.startswith(("http://", "https://")):
        return {"network.transport": "pipe"}
    address = urlsplit(server.endpoint)
    port = address.port or (443 if address.scheme == "https" else 80)
    return {
        "network.transport": "tcp",
        "network.protocol.name": "http",
        "server.address": address.hostname or "",
        "server.port": port,
    }

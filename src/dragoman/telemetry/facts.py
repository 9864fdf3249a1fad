"""Say of a call what every record says of it, and nothing that is secret."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from dragoman.errors import McpTimeout, ServerError
from dragoman.host.secrets import Concealer
from dragoman.models.observing import Observation, ServerFacts
from dragoman.types import to_json

__all__ = ["arguments_of", "error_type", "network_of", "result_of"]


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
    return None if response is None else concealer.json(to_json(response.result))


def network_of(server: ServerFacts | None) -> dict[str, str | int]:
    """Give the attributes that say how a server is reached: a pipe, or a host and its port."""
    if server is None or server.endpoint is None:
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

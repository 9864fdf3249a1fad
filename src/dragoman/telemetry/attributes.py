"""Say what spans and measurements have, by OpenTelemetry's semantic conventions for the Model Context Protocol."""

from __future__ import annotations

from typing import Any, TypeAlias

from dragoman.errors import McpError, ServerError
from dragoman.host.secrets import Concealer
from dragoman.models.observing import Observation, ServerFacts
from dragoman.models.watching import RequestObservation, SessionObservation
from dragoman.telemetry.facts import error_type, json_of, network_of
from dragoman.types import CallToolParams, CallToolResult, GetPromptParams, encode

__all__ = [
    "Attributes",
    "argument_attributes",
    "call_attributes",
    "call_failure",
    "call_name",
    "request_attributes",
    "request_details",
    "request_failure",
    "request_name",
    "result_attributes",
    "session_attributes",
    "words_of",
]

Attributes: TypeAlias = dict[str, str | int]

_CALL = "tools/call"
_ADDRESS = frozenset({"server.address", "server.port"})
_TOOL_FAILED: Attributes = {"error.type": "tool_error"}


def call_name(observation: Observation) -> str:
    """Name the span of a runner's call."""
    return f"{_CALL if observation.server else 'execute_tool'} {observation.definition.name}"


def call_attributes(observation: Observation) -> Attributes:
    """Give what both the span and the measurement of a call have; a function's has nothing of the protocol's."""
    tool = _tool(observation.definition.name)
    if observation.server is None:
        return tool
    return {"mcp.method.name": _CALL, **tool, **_server(observation.server)}


def call_failure(observation: Observation) -> Attributes:
    """Give what is added when a call has failed; nothing otherwise."""
    return _raised(observation.error) or (_TOOL_FAILED if observation.is_error else {})


def request_name(request: RequestObservation) -> str:
    """Name the span of a request: its method, and the tool or the prompt that it is about."""
    target = request.tool or request.prompt
    return f"{request.request.method} {target}" if target else request.request.method


def request_attributes(request: RequestObservation) -> Attributes:
    """Give what both the span and the measurement of a request have."""
    found: Attributes = {"mcp.method.name": request.request.method}
    if request.tool is not None:
        found |= _tool(request.tool)
    if request.prompt is not None:
        found["gen_ai.prompt.name"] = request.prompt
    found |= _server(request.server)
    # Where the server asks, what is observed is how we answer, and no address is one's own.
    return {name: each for name, each in found.items() if not (request.is_theirs and name in _ADDRESS)}


def request_details(request: RequestObservation, concealer: Concealer, *, names_session: bool) -> Attributes:
    """Give what only the span has, since it differs each time: measurements would be of one request each."""
    found: Attributes = {}
    if request.request_id is not None:
        found["jsonrpc.request.id"] = str(request.request_id)
    if request.uri is not None:
        found["mcp.resource.uri"] = concealer.text(request.uri)
    if names_session and request.session_id is not None:
        found["mcp.session.id"] = request.session_id
    return found


def request_failure(request: RequestObservation) -> Attributes:
    """Give what is added when a request has failed; nothing otherwise."""
    return _raised(request.error) or (_TOOL_FAILED if request.has_failed_tool else {})


def session_attributes(session: SessionObservation) -> Attributes:
    """Give what the measurement of a session has."""
    failure: Attributes = {"error.type": error_type(session.error)} if session.error else {}
    return {**_server(session.server), **failure}


def argument_attributes(given: Any, concealer: Concealer) -> Attributes:
    """Give the arguments of a call, or of a request's params, without secrets."""
    if isinstance(given, GetPromptParams):
        variables = concealer.json(dict(given.arguments or {}))
        return {f"gen_ai.prompt.variable.{name}": str(value) for name, value in variables.items()}
    if isinstance(given, CallToolParams):
        given = given.arguments or {}
    elif not isinstance(given, dict):
        return {}
    return {"gen_ai.tool.call.arguments": encode(concealer.json(given)).decode()}


def result_attributes(result: CallToolResult | bytes, concealer: Concealer) -> Attributes:
    """Give the result of a call without secrets."""
    return {"gen_ai.tool.call.result": encode(concealer.json(json_of(result))).decode()}


def words_of(error: BaseException | None) -> str:
    """Give the words of a failure: a server's own, as the conventions want them."""
    return error.message if isinstance(error, McpError) else str(error or "")


def _tool(name: str) -> Attributes:
    return {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}


def _server(server: ServerFacts) -> Attributes:
    version: Attributes = {"mcp.protocol.version": server.protocol_version} if server.protocol_version else {}
    return {**version, **network_of(server)}


def _raised(error: BaseException | None) -> Attributes:
    if error is None:
        return {}
    codes: Attributes = {"rpc.response.status_code": str(error.code)} if isinstance(error, ServerError) else {}
    return {"error.type": error_type(error), **codes}

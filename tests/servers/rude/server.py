"""Serve MCP over HTTP as it should be, in either era, and remember what was heard."""

import contextlib
import json
import socket
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Self, TypeAlias

from tests.servers.web.server import Line, Received, WebServer

__all__ = ["Act", "Exchange", "Rude", "sse"]

SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId"
VERSIONS = {"legacy": "2025-11-25", "modern": "2026-07-28"}
CAPABILITIES = {"tools": {"listChanged": True}, "resources": {"subscribe": True}, "logging": {}}
JSON = "Content-Type: application/json"
EVENTS = "Content-Type: text/event-stream"


class Exchange:
    """One HTTP request, read, with the line to answer it on."""

    def __init__(self, server: "Rude", line: Line, received: Received) -> None:
        self.server = server
        self.line = line
        self.received = received
        self.message: dict[str, Any] = json.loads(received.body) if received.body else {}

    @property
    def method(self) -> str:
        """What is asked: a method of JSON-RPC's, "answer" for an answer of the client's, or else one of HTTP's."""
        if self.received.method != "POST":
            return self.received.method
        return str(self.message.get("method", "answer"))

    @property
    def id(self) -> Any:
        return self.message.get("id")

    @property
    def params(self) -> dict[str, Any]:
        return self.message.get("params") or {}

    @property
    def name(self) -> str:
        return str(self.params.get("name") or self.params.get("uri") or "")

    @property
    def token(self) -> Any:
        return (self.params.get("_meta") or {}).get("progressToken")

    @property
    def session(self) -> str | None:
        return self.header("Mcp-Session-Id")

    def header(self, name: str) -> str | None:
        return self.received.header(name)

    def response(self, result: Any) -> dict[str, Any]:
        """Make the message that answers this request."""
        if self.server.era == "modern":
            result = {"resultType": "complete", **result}
        return {"jsonrpc": "2.0", "id": self.id, "result": result}

    def text(self, words: str) -> dict[str, Any]:
        """Make the message that answers this tool call."""
        return self.response({"content": [{"type": "text", "text": words}]})

    def reply(self, message: Any, status: int = 200, *headers: str) -> None:
        """Answer by JSON, or on the stream, where there is one for everything."""
        if not self.server.is_sse:
            self.line.reply(json.dumps(message).encode(), status, JSON, *headers)
            return
        self.line.reply(b"Accepted", 202)
        if stream := self.stream:
            stream.send(message)

    @property
    def stream(self) -> "Exchange | None":
        """The stream that a message of HTTP+SSE is answered on."""
        return self.server.streams.get(self.received.target.rpartition("=")[2])

    def refuse(self, code: int, words: str, status: int = 400, data: Any = None) -> None:
        """Answer by an error of the protocol's."""
        error = {"code": code, "message": words} if data is None else {"code": code, "message": words, "data": data}
        self.reply({"jsonrpc": "2.0", "id": self.id, "error": error}, status)

    def begin(self, *headers: str) -> None:
        """Begin a stream of events."""
        self.line.begin_chunks(EVENTS, *headers)

    def send(self, message: Any, event_id: str | None = None) -> None:
        """Send an event."""
        self.line.chunk(sse(message, event_id))

    def end(self) -> None:
        """End the stream as it should be."""
        self.line.chunk(b"")


def sse(message: Any, event_id: str | None = None) -> bytes:
    """Write a message as an event."""
    named = f"id: {event_id}\n" if event_id is not None else ""
    return f"{named}data: {json.dumps(message)}\n\n".encode()


Act: TypeAlias = Callable[[Exchange], None]
"""What is done with one request."""


class Rude:
    """A server on a free port. What it does with requests is in `on`, by "tools/call NAME", by method, or by "*"; a list
    has one act for each time, the last one for all that follow. All else is done as it should be.

    Attributes:
        ran: how often each tool has run, by its name, or by name and the argument `n`.
        sessions: the ids of the sessions that are known.
    """

    def __init__(
        self,
        era: str = "legacy",
        *,
        on: Mapping[str, Act | Sequence[Act]] | None = None,
        has_sessions: bool = True,
        stands: bool = False,
        tools: Sequence[Mapping[str, Any]] = (),
        capabilities: Mapping[str, Any] | None = None,
        is_sse: bool = False,
        tls: Any = None,
    ) -> None:
        self.era = era
        self.on: dict[str, Act | Sequence[Act]] = dict(on or {})
        self.is_sse = is_sse
        self.has_sessions = has_sessions and era == "legacy" and not is_sse
        self.stands = stands
        self.tools = [{"name": "echo", "inputSchema": {"type": "object"}}, *tools]
        self.capabilities = CAPABILITIES if capabilities is None else capabilities
        self.ran: Counter[Any] = Counter()
        self.exchanges: list[Exchange] = []
        self.sessions: set[str] = set()
        self.streams: dict[Any, Exchange] = {}
        self._turns: Counter[str] = Counter()
        self._numbers = count(1)
        self._guard = threading.Lock()
        self._changed = threading.Condition(self._guard)
        self.web = WebServer(self._script, tls)

    @property
    def url(self) -> str:
        return f"{'https://localhost' if self.web._tls else 'http://127.0.0.1'}:{self.web.port}/mcp"

    def __enter__(self) -> Self:
        self.web.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.web.__exit__()

    # ------------------------------------------------------------------------------------------------------- what it heard

    def heard(self, method: str) -> list[Exchange]:
        """Give what was heard of one method."""
        with self._guard:
            return [each for each in self.exchanges if each.method == method]

    def answer_to(self, question: str, seconds: float = 10.0) -> dict[str, Any]:
        """Wait, in a thread of the server's, for the client's answer to a question, and give it."""
        with self._changed:
            assert self._changed.wait_for(lambda: self._answers(question), seconds), f"{question} was not answered"
            return self._answers(question)[0]

    def _answers(self, question: str) -> list[dict[str, Any]]:
        return [each.message for each in self.exchanges if each.method == "answer" and each.id == question]

    # -------------------------------------------------------------------------------------------------------- what it tells

    def tell(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        """Send a notification on every stream that is open."""
        with self._guard:
            streams = dict(self.streams)
        for key, stream in streams.items():
            said = {**(params or {}), "_meta": {SUBSCRIPTION: key}} if self.era == "modern" else params
            with contextlib.suppress(OSError):
                stream.send({"jsonrpc": "2.0", "method": method, **({} if said is None else {"params": said})})

    def ask(self, message: Mapping[str, Any]) -> None:
        """Send a request on every stream that is open."""
        with self._guard:
            streams = list(self.streams.values())
        for stream in streams:
            stream.send(message)

    def cut_streams(self) -> None:
        """Break every stream that is open."""
        with self._guard:
            streams, self.streams = list(self.streams.values()), {}
        for stream in streams:
            # Who keeps it open closes it: another thread would take the socket from under it.
            with contextlib.suppress(OSError):
                socket.socket.shutdown(stream.line.connection, socket.SHUT_RDWR)

    def forget_sessions(self) -> None:
        """Be as new."""
        with self._guard:
            self.sessions.clear()

    # --------------------------------------------------------------------------------------------------------- what it does

    def _script(self, line: Line, received: Received) -> None:
        exchange = Exchange(self, line, received)
        with self._changed:
            self.exchanges.append(exchange)
            self._changed.notify_all()
            act = self._chosen(exchange)
        try:
            act(exchange)
        except OSError:
            line.close()

    def _chosen(self, exchange: Exchange) -> Act:
        if self.is_sse and exchange.received.method == "POST" and exchange.received.target == "/mcp":
            return _not_here
        for key in (f"{exchange.method} {exchange.name}", exchange.method, "*"):
            act = self.on.get(key)
            if callable(act):
                return act
            if act:
                turn = self._turns[key]
                self._turns[key] += 1
                return act[min(turn, len(act) - 1)]
        return default


def default(exchange: Exchange) -> None:
    """Do as it should be done."""
    server = exchange.server
    if (exchange.method == "initialize" and not server.is_sse) or not _is_session_lost(exchange):
        handler = _COMMON.get(exchange.method) or _OF_ERA[server.era].get(exchange.method) or _unknown
        handler(exchange)
    else:
        exchange.line.reply(b"Session not found", 404, "Content-Type: text/plain")


def _is_session_lost(exchange: Exchange) -> bool:
    server = exchange.server
    if server.is_sse and exchange.received.method == "POST":
        return exchange.stream is None
    if not server.has_sessions or exchange.method == "server/discover":
        return False
    with server._guard:
        return exchange.session not in server.sessions


def _unknown(exchange: Exchange) -> None:
    if exchange.id is None:
        exchange.line.reply(b"", 202)
    elif exchange.server.era == "legacy" and exchange.method == "server/discover":
        exchange.refuse(-32000, "Bad Request: Unsupported protocol version", 400)
    else:
        exchange.refuse(-32601, f"no method {exchange.method}", 404 if exchange.server.era == "modern" else 200)


def _initialize(exchange: Exchange) -> None:
    server, headers = exchange.server, []
    if server.has_sessions:
        with server._guard:
            session = f"s{next(server._numbers)}"
            server.sessions.add(session)
        headers = [f"Mcp-Session-Id: {session}"]
    about = {"serverInfo": {"name": "rude", "version": "1"}, "capabilities": server.capabilities}
    exchange.reply(exchange.response({"protocolVersion": exchange.params["protocolVersion"], **about}), 200, *headers)


def _discover(exchange: Exchange) -> None:
    about = {"serverInfo": {"name": "rude", "version": "1"}, "capabilities": exchange.server.capabilities}
    exchange.reply(exchange.response({"supportedVersions": [VERSIONS["modern"]], **about}))


def _list_tools(exchange: Exchange) -> None:
    exchange.reply(exchange.response({"tools": exchange.server.tools}))


def _call(exchange: Exchange) -> None:
    arguments = exchange.params.get("arguments") or {}
    run(exchange)
    exchange.reply(exchange.text(f"{exchange.name} {json.dumps(arguments)}"))


def run(exchange: Exchange) -> None:
    """Note that a tool has run."""
    server, number = exchange.server, (exchange.params.get("arguments") or {}).get("n")
    with server._guard:
        server.ran[exchange.name] += 1
        if number is not None:
            server.ran[exchange.name, number] += 1


def _read(exchange: Exchange) -> None:
    exchange.reply(exchange.response({"contents": [{"uri": exchange.name, "text": "some text"}]}))


def _empty(exchange: Exchange) -> None:
    exchange.reply(exchange.response({}))


def _not_here(exchange: Exchange) -> None:
    exchange.line.reply(b"Method Not Allowed", 405, "Allow: GET")


def _stand(exchange: Exchange) -> None:
    if exchange.server.is_sse:
        number = str(next(exchange.server._numbers))
        exchange.begin()
        with exchange.server._guard:
            exchange.server.streams[number] = exchange
        exchange.line.chunk(f"event: endpoint\ndata: /messages?session={number}\n\n".encode())
        _keep_open(exchange, number)
        return
    if not exchange.server.stands:
        exchange.line.reply(b"", 405, "Allow: POST")
        return
    exchange.begin()
    _keep_open(exchange, next(exchange.server._numbers))


def _listen(exchange: Exchange) -> None:
    exchange.begin()
    params = {"notifications": exchange.params["notifications"], "_meta": {SUBSCRIPTION: exchange.id}}
    exchange.send({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": params})
    _keep_open(exchange, exchange.id)


def _keep_open(exchange: Exchange, key: Any) -> None:
    server = exchange.server
    with server._guard:
        server.streams[key] = exchange
    exchange.line.wait_for_the_end()
    with server._guard:
        server.streams.pop(key, None)


def _forget(exchange: Exchange) -> None:
    with exchange.server._guard:
        exchange.server.sessions.discard(exchange.session or "")
    exchange.line.reply(b"", 200)


_COMMON: dict[str, Act] = {"tools/list": _list_tools, "tools/call": _call, "resources/read": _read}
_OF_ERA: dict[str, dict[str, Act]] = {
    "legacy": {
        "GET": _stand,
        "DELETE": _forget,
        "initialize": _initialize,
        "ping": _empty,
        "logging/setLevel": _empty,
        "resources/subscribe": _empty,
        "resources/unsubscribe": _empty,
        "answer": _unknown,
    },
    "modern": {"server/discover": _discover, "subscriptions/listen": _listen, "GET": lambda e: e.line.reply(b"", 405)},
}

# generated from tests/aio/transports/test_memory.py by tools/unasync.py; do not edit
"""Servers in this process: functions, and objects of the two libraries that people write servers with."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastmcp import FastMCP
from mcp.server import MCPServer

from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed, ConnectionLost, McpTimeout, ProtocolError, UsageError
from dragoman.protocol.eras import VERSIONS
from dragoman.protocol.jsonrpc import Message, encode_notification
from dragoman.sync._runtime import pause
from dragoman.sync.transports.memory import MemoryTransport
from tests.sync.transports.wire import ERA, Wire, parsed, together

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}


def answer(message: dict[str, Any], result: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": message["id"], "result": message.get("params") if result is None else result}


def progress(message: dict[str, Any], number: int) -> dict[str, Any]:
    params = {"progressToken": message["id"], "progress": number}
    return {"jsonrpc": "2.0", "method": "notifications/progress", "params": params}


def test_function_answers() -> None:
    with Wire(MemoryTransport(answer)) as wire:
        results = together(*[lambda number=number: wire.call({"n": number}) for number in range(20)])

        assert results == [{"n": number} for number in range(20)]


def test_function_may_be_a_coroutine_function_and_answer_nothing() -> None:
    seen: list[str] = []

    def server(message: dict[str, Any]) -> dict[str, Any] | None:
        seen.append(message["method"])
        return answer(message) if "id" in message else None

    with Wire(MemoryTransport(server)) as wire:
        wire.transport.tell(encode_notification("notifications/initialized", None), ERA, Deadline(5))
        wire.call()

    assert seen == ["notifications/initialized", "echo"]


def test_function_may_return_or_yield_several_messages() -> None:
    def returning(message: dict[str, Any]) -> list[dict[str, Any]]:
        return [progress(message, 1), answer(message)]

    def yielding(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield progress(message, 1)
        yield answer(message)

    for server in (returning, yielding):
        with Wire(MemoryTransport(server)) as wire:
            wire.call()

            assert len(wire.overheard) == 1


def test_message_of_no_exchange_is_heard() -> None:
    def server(message: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"jsonrpc": "2.0", "id": "s1", "method": "ping"}, answer(message)]

    with Wire(MemoryTransport(server)) as wire:
        wire.call()

        assert [each.method for each in wire.heard] == ["ping"]


def test_function_that_raises_breaks_the_line() -> None:
    def server(message: dict[str, Any]) -> None:
        raise ValueError("on purpose")

    with Wire(MemoryTransport(server)) as wire:
        errors = together(wire.failure, wire.failure)

        assert [type(error) for error in errors] == [ConnectionLost] * 2
        assert "ValueError('on purpose')" in str(errors[0])
        assert isinstance(errors[0].__cause__, ValueError)
        assert isinstance(wire.lost.get(Deadline(5)), ConnectionLost)
        assert wire.failure().was_sent is False  # type: ignore[attr-defined]


def test_function_that_returns_no_message_is_refused() -> None:
    with Wire(MemoryTransport(lambda message: 42)) as wire:
        error = wire.failure()

        assert isinstance(error.__cause__, UsageError)
        assert "a server function returned int" in str(error)


def test_thing_that_is_no_server_is_refused() -> None:
    with pytest.raises(UsageError, match="int is no server"):
        Wire(MemoryTransport(42)).open()


def test_silent_function_ends_by_the_deadline() -> None:
    with Wire(MemoryTransport(lambda message: None)) as wire:
        error = wire.failure(timeout=0.1)

        assert isinstance(error, McpTimeout)
        assert error.phase == "waiting"


def test_answer_over_the_limit_fails_its_request() -> None:
    with Wire(MemoryTransport(answer, limit=1000)) as wire:
        assert isinstance(wire.failure({"text": "x" * 2000}), ProtocolError)
        assert wire.call({"n": 1}) == {"n": 1}


def test_server_hears_of_a_request_that_is_given_up() -> None:
    seen: list[str] = []
    with Wire(MemoryTransport(lambda message: seen.append(message["method"]))) as wire:
        outgoing = wire.outgoing()
        with pytest.raises(McpTimeout):
            wire.send(outgoing, Deadline(0.05))
        wire.transport.abandon(outgoing)
        pause(0.1)

    assert seen == ["echo", "notifications/cancelled"]


def test_listening_and_forgetting() -> None:
    heard: list[Message] = []
    with Wire(MemoryTransport(answer)) as wire:
        wire.transport.listen(wire.outgoing(), heard.append, Deadline(5))  # type: ignore[arg-type]
        outgoing = wire.outgoing()
        wire.call()
        wire.transport.forget(outgoing)

    assert [each.id for each in heard] == [1]


def test_memory_is_closed_and_opened_again() -> None:
    transport = MemoryTransport(answer, name="ours")
    wire = Wire(transport)
    assert isinstance(wire.failure(), ConnectionClosed)
    for number in range(3):
        with wire:
            assert wire.call({"n": number}) == {"n": number}
        assert isinstance(wire.failure(), ConnectionClosed)

    assert (transport.name, repr(transport)) == ("ours", "MemoryTransport('ours')")
    assert transport.protocol_versions() == VERSIONS
    assert transport.key != MemoryTransport(answer, name="ours").key


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


@pytest.mark.parametrize("kind", [MCPServer, FastMCP])
def test_server_object_is_run(kind: Any) -> None:
    server = kind("adder")
    server.tool()(add)

    with Wire(MemoryTransport(server)) as wire:
        assert wire.transport.name == "adder"
        greet_and_add(wire)
        # And once more with a new run of the same object.
        wire.open()
        greet_and_add(wire)


def greet_and_add(wire: Wire) -> None:
    greeting = wire.send(wire.outgoing(HELLO, "initialize"), Deadline(10))
    wire.transport.tell(encode_notification("notifications/initialized", None), ERA, Deadline(5))
    call = wire.outgoing({"name": "add", "arguments": {"a": 1, "b": 2}}, "tools/call")
    result = wire.send(call, Deadline(10))

    assert parsed(greeting.result)["serverInfo"]["name"] == "adder"
    assert parsed(result.result)["content"] == [{"type": "text", "text": "3"}]

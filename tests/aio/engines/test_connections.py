"""Connections are used again, shared, bounded, and gone when nobody needs them."""

import gc
import socket
from functools import partial
from typing import Any

import pytest

from dragoman.aio._runtime import pause
from dragoman.aio.engines import HttpRequest, pools
from dragoman.deadline import Deadline
from dragoman.errors import ConnectFailed, ConnectionClosed, ConnectionLost, McpTimeout
from tests.aio.engines._runtime import released, together
from tests.aio.engines.support import LIMIT, Sender
from tests.servers.web import scripts
from tests.servers.web.server import WebServer


async def test_one_connection_serves_one_call_after_another(sender: Sender) -> None:
    with WebServer(scripts.chunked_echo) as server:
        for number in range(20):
            assert await sender.call(server.url, b"%d" % number) == b"%d" % number

        assert server.connections == 1


async def test_a_peer_that_vanishes_is_noticed(sender: Sender) -> None:
    with WebServer(scripts.stall_in_body) as server:
        reply = await sender.send(server.url)
        (connection,) = (each for each in gc.get_objects() if _leads_to(each, server))
        asks = connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        await reply.close()

        assert asks


def _leads_to(thing: object, server: WebServer) -> bool:
    try:
        return isinstance(thing, socket.socket) and thing.getpeername()[1:2] == (server.port,)
    except OSError:  # it is not connected
        return False


async def test_a_server_that_keeps_no_connection_loses_hardly_a_call(sender: Sender) -> None:
    with WebServer(scripts.close_after_answer) as server:
        lost = 0
        for number in range(300):
            try:
                assert await sender.call(server.url, b"%d" % number) == b"%d" % number
            except ConnectionLost:
                lost += 1

        # Once it may close just as it is asked; from then on it is known for that.
        assert lost <= 1
        assert len({each.body for each in server.requests}) == len(server.requests)


async def test_a_server_that_closes_at_once_is_not_asked_again_and_again(sender: Sender) -> None:
    with WebServer(scripts.echo) as server:
        server.closes_at_once = True
        error = await sender.failure(server.url)

        assert isinstance(error, ConnectFailed | ConnectionLost)
        assert server.connections == 1


async def test_drained_answer_frees_its_connection(sender: Sender) -> None:
    with WebServer(scripts.answer(b"x" * 200_000)) as server:
        for _ in range(3):
            reply = await sender.send(server.url)
            await reply.next_chunk(Deadline(10))
            await reply.drain(LIMIT, Deadline(10))
            await reply.close()

        assert server.connections == 1


async def test_draining_is_bounded_in_size(sender: Sender) -> None:
    with WebServer(scripts.answer(b"x" * 20_000_000)) as server:
        reply = await sender.send(server.url)
        await reply.drain(100_000, Deadline(10))
        await (await sender.send(server.url)).close()

        assert server.connections == 2


async def test_draining_is_bounded_in_time(sender: Sender) -> None:
    with WebServer(scripts.stall_in_body) as server:
        reply = await sender.send(server.url)
        await reply.drain(LIMIT, Deadline(0.1))

        await released(server.hung_up)


async def test_closed_answer_ends_the_connection(sender: Sender) -> None:
    with WebServer(scripts.stall_in_body) as server:
        reply = await sender.send(server.url)
        assert await reply.next_chunk(Deadline(10)) == b"first"
        await reply.close()
        await reply.close()

        await released(server.hung_up)


async def test_closed_answer_says_so_when_read(sender: Sender) -> None:
    with WebServer(scripts.stall_in_body) as server:
        reply = await sender.send(server.url)
        await reply.close()

        with pytest.raises(ConnectionClosed):
            await reply.next_chunk(Deadline(10))


async def test_closing_after_the_end_keeps_the_connection(sender: Sender) -> None:
    with WebServer(scripts.echo) as server:
        for _ in range(3):
            reply = await sender.send(server.url)
            await reply.read(LIMIT, Deadline(10))
            assert await reply.next_chunk(Deadline(10)) == b""
            await reply.close()

        assert server.connections == 1


async def test_many_at_once_have_a_connection_each(sender: Sender) -> None:
    with WebServer(scripts.gather(128)) as server:
        answers = await together([partial(sender.call, server.url, seconds=30)] * 128)
        again = await together([partial(sender.call, server.url, seconds=30)] * 128)

        assert answers == again == [b"hello"] * 128
        assert server.connections == 128


async def test_more_than_the_pool_holds_wait_within_their_deadline(
    engine_name: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "CONNECTIONS", 1)
    async with Sender(engine=engine_name) as sender:
        with WebServer(scripts.stall_in_body) as server:
            first = await sender.send(server.url)
            error = await sender.failure(server.url, seconds=0.2)
            await first.close()

    assert isinstance(error, McpTimeout)
    assert (error.phase, error.was_sent) == ("connecting", False)


async def test_connection_closed_after_its_answer_costs_no_call(sender: Sender) -> None:
    with WebServer(scripts.close_after_answer) as server:
        for number in range(20):
            assert await sender.call(server.url, b"%d" % number) == b"%d" % number
            await released(server.finished)

        assert server.connections == len(server.requests) == 20


async def test_connection_reset_while_idle_costs_no_call(sender: Sender) -> None:
    with WebServer(scripts.reset_after_answer) as server:
        for number in range(5):
            assert await sender.call(server.url, b"%d" % number) == b"%d" % number
            await released(server.finished)

        assert len(server.requests) == 5


async def test_request_that_a_kept_connection_swallowed_is_not_sent_again(sender: Sender) -> None:
    with WebServer(scripts.in_turn(scripts.echo, scripts.close_before_answer, scripts.echo)) as server:
        await sender.call(server.url)
        error = await sender.failure(server.url)

        assert isinstance(error, ConnectionLost)
        assert error.was_sent
        assert len(server.requests) == 2


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_no_method_is_sent_again(sender: Sender, method: str) -> None:
    with WebServer(scripts.reset_before_answer) as server:
        with pytest.raises(ConnectionLost):
            await sender.engine.send(HttpRequest(method, server.url), Deadline(10))

        assert len(server.requests) == 1


async def test_idle_connection_is_given_up_before_the_server_does(
    engine_name: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pools.IDLE < 5
    monkeypatch.setattr(pools, "IDLE", 0.05)
    async with Sender(engine=engine_name) as sender:
        with WebServer(scripts.echo) as server:
            await sender.call(server.url)
            await pause(0.2)
            await sender.call(server.url)

            assert server.connections == 2


async def test_engines_with_the_same_options_share_connections(engine_name: Any) -> None:
    with WebServer(scripts.echo) as server:
        async with Sender(engine=engine_name) as first:
            await first.call(server.url)
            async with Sender(engine=engine_name) as second:
                await second.call(server.url)
            await first.call(server.url)

            assert server.connections == 1


async def test_engines_with_other_options_do_not(engine_name: Any) -> None:
    with WebServer(scripts.echo) as server:
        async with Sender(engine=engine_name) as first, Sender(engine=engine_name, connect_timeout=5) as second:
            await first.call(server.url)
            await second.call(server.url)

            assert server.connections == 2


async def test_last_engine_closes_the_connections(engine_name: Any) -> None:
    with WebServer(scripts.echo) as server:
        async with Sender(engine=engine_name) as sender:
            await sender.call(server.url)
            await sender.engine.close()

            await released(server.finished)
            assert await sender.call(server.url) == b"hello"
            assert server.connections == 2


async def test_engine_that_sent_nothing_closes(sender: Sender) -> None:
    await sender.engine.close()


@pytest.mark.parametrize("escape", ["%25", "%"])
async def test_address_with_a_zone_is_reached_and_the_server_not_told_of_it(sender: Sender, escape: str) -> None:
    # By its number, which is that of the loopback: no other interface is there on every machine.
    zone = next(number for number, name in socket.if_nameindex() if name.startswith("lo"))
    with WebServer(scripts.echo, address="::1") as server:
        body = await sender.call(f"http://[::1{escape}{zone}]:{server.port}/mcp")

        assert body == b"hello"
        assert server.requests[0].header("Host") == f"[::1]:{server.port}"

"""HTTP/2, which httpx2 speaks: each call by itself."""

from functools import partial

import pytest

from dragoman.aio.engines import Wire
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed, ConnectionLost, McpTimeout
from tests.aio.client.support import Background, failure, until
from tests.aio.engines._runtime import released, together
from tests.aio.engines.support import LIMIT, Sender
from tests.servers.web import scripts
from tests.servers.web.authority import Authority
from tests.servers.web.http2 import Http2Server, Stream
from tests.servers.web.server import WebServer


def sender_to(authority: Authority) -> Sender:
    return Sender(engine="httpx", http2=True, ca_file=authority.file)


def echo(stream: Stream) -> None:
    stream.reply(stream.body)


async def test_calls_in_turn_share_a_connection(authority: Authority) -> None:
    with Http2Server(echo, authority.server("localhost")) as server:
        async with sender_to(authority) as sender:
            for number in range(20):
                assert await sender.call(server.url, b"%d" % number) == b"%d" % number
        assert server.connections == 1


async def test_calls_at_once_are_each_by_itself(authority: Authority) -> None:
    with Http2Server(echo, authority.server("localhost")) as server:
        async with sender_to(authority) as sender:
            calls = [partial(sender.call, server.url, b"%d" % number) for number in range(50)]

            assert await together(calls) == [b"%d" % number for number in range(50)]
            assert {stream.headers[":method"] for stream in server.streams} == {"POST"}


async def test_large_bodies_go_through(authority: Authority) -> None:
    with Http2Server(lambda stream: stream.reply(b"%d" % len(stream.body)), authority.server("localhost")) as server:
        async with sender_to(authority) as sender:
            assert await sender.call(server.url, bytes(500_000)) == b"500000"


async def test_events_come_as_they_are_sent(authority: Authority) -> None:
    def two(stream: Stream) -> None:
        stream.begin(content_type="text/event-stream")
        stream.send(b"data: one\n\n")
        stream.is_over.wait(0.2)
        stream.send(b"data: two\n\n", is_end=True)

    with Http2Server(two, authority.server("localhost")) as server:
        async with sender_to(authority) as sender:
            reply = await sender.send(server.url)

            assert await reply.next_chunk(Deadline(10)) == b"data: one\n\n"
            assert await reply.read(LIMIT, Deadline(10)) == b"data: two\n\n"


async def test_a_call_that_is_given_up_costs_no_other(authority: Authority) -> None:
    def by_body(stream: Stream) -> None:
        if stream.body == b"silence":
            stream.is_over.wait(10)
        elif stream.body == b"later":
            servers[0].may_go_on.wait(10)
        echo(stream)

    servers: list[Http2Server] = []
    with Http2Server(by_body, authority.server("localhost")) as server:
        servers.append(server)
        async with sender_to(authority) as sender:
            assert await sender.call(server.url) == b"hello"
            other = Background(sender.call, server.url, b"later")
            error = await failure(sender.call, server.url, b"silence", 0.3)
            server.may_go_on.set()

            assert isinstance(error, McpTimeout)
            assert error.was_sent
            assert await other.wait() == b"later"
            assert await sender.call(server.url) == b"hello"


@pytest.mark.edge("B59")
async def test_closing_an_answer_tells_the_server(authority: Authority) -> None:
    def endless(stream: Stream) -> None:
        if stream.body == b"endless":
            stream.begin(content_type="text/event-stream")
            stream.send(b"data: one\n\n")
        else:
            echo(stream)

    with Http2Server(endless, authority.server("localhost")) as server:
        async with sender_to(authority) as sender:
            reply = await sender.send(server.url, b"endless")
            await reply.next_chunk(Deadline(10))
            await reply.close()
            await released(server.finished)

            assert await sender.call(server.url) == b"hello"


async def test_a_call_that_is_cut_is_over_at_once(authority: Authority) -> None:
    with Http2Server(lambda _: None, authority.server("localhost")) as server:
        async with sender_to(authority) as sender:
            wire = Wire()
            call = Background(sender.send, server.url, b"hello", 10, wire)
            await until(lambda: server.streams)
            wire.cut()

            assert isinstance(await call.failure(), ConnectionClosed)
            await released(server.finished)


async def test_a_connection_that_the_server_has_closed_is_not_used(authority: Authority) -> None:
    def once(stream: Stream) -> None:
        stream.reply(stream.body)
        stream.hang_up()

    with Http2Server(once, authority.server("localhost")) as server:
        async with sender_to(authority) as sender:
            for _ in range(5):
                assert await sender.call(server.url) == b"hello"
                await released(server.finished)


async def test_a_connection_that_ends_leaves_it_open_what_ran(authority: Authority) -> None:
    with Http2Server(Stream.hang_up, authority.server("localhost")) as server:
        async with sender_to(authority) as sender:
            error = await sender.failure(server.url)

            assert isinstance(error, ConnectionLost)
            assert error.was_sent


async def test_a_stream_that_is_reset_costs_no_other(authority: Authority) -> None:
    def reset(stream: Stream) -> None:
        if stream.body == b"reset":
            stream.reset()
        else:
            echo(stream)

    with Http2Server(reset, authority.server("localhost")) as server:
        async with sender_to(authority) as sender:
            assert await sender.call(server.url) == b"hello"
            error = await failure(sender.call, server.url, b"reset")

            assert isinstance(error, ConnectionLost)
            assert error.was_sent
            assert await sender.call(server.url) == b"hello"


async def test_a_server_without_it_is_spoken_to_as_before(authority: Authority) -> None:
    with WebServer(scripts.echo, authority.server("localhost")) as server:
        async with sender_to(authority) as sender:
            assert await sender.call(server.url) == b"hello"


async def test_an_engine_that_closes_ends_its_connections(authority: Authority) -> None:
    with Http2Server(echo, authority.server("localhost")) as server:
        async with sender_to(authority) as sender:
            await sender.call(server.url)
        await released(server.finished)

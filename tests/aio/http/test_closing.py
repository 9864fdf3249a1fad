"""Answers that nobody has begun to read when the client is closed: their connections are closed as well."""

import gc
from typing import Any

import pytest

from dragoman.aio._runtime import Crew
from dragoman.aio.engines import HttpReply, HttpRequest, engine_for
from dragoman.aio.transports.answers import read_apart
from dragoman.aio.transports.http import HttpTransport
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed
from dragoman.protocol.eras import Identity
from dragoman.protocol.eras.modern import Modern
from dragoman.protocol.steps import Request
from dragoman.types import ClientCapabilities, Implementation, ListenParams, SubscriptionFilter
from dragoman.web.options import HttpOptions
from tests.aio.client.support import until
from tests.aio.http.support import Ruder

pytestmark = pytest.mark.filterwarnings("error")

ERA = Modern("2026-07-28", Identity(Implementation("test", "1"), ClientCapabilities()))


def nothing(_: Any) -> None: ...


async def test_a_listen_stream_that_is_closed_at_once_leaves_no_connection(rude: Ruder, engine: str) -> None:
    server = rude("modern")
    transport = HttpTransport(server.url, options=HttpOptions(engine=engine))  # type: ignore[arg-type]
    await transport.open(nothing, nothing, Deadline(10))
    wanted = ListenParams(notifications=SubscriptionFilter(tools_list_changed=True))
    await transport.listen(ERA.outgoing(Request("subscriptions/listen", wanted), 1), nothing, Deadline(10))
    await transport.close()
    gc.collect()

    await until(lambda: not server.streams)


async def test_an_answer_that_comes_after_the_end_is_closed(rude: Ruder, engine: str) -> None:
    server = rude("modern")
    client = engine_for(HttpOptions(engine=engine))  # type: ignore[arg-type]
    wanted = ListenParams(notifications=SubscriptionFilter(tools_list_changed=True))
    request = Request("subscriptions/listen", wanted)
    headers = (("content-type", "application/json"), *ERA.headers(request).items())
    sent = HttpRequest("POST", server.url, headers, ERA.outgoing(request, 1).data)
    reply, crew = await client.send(sent, Deadline(10)), Crew("test")
    await until(lambda: server.streams)
    await crew.end()

    async def read(reply: HttpReply) -> None:
        await reply.close()

    with pytest.raises(ConnectionClosed):
        await read_apart(crew, read, reply)
    await until(lambda: not server.streams)
    await client.close()

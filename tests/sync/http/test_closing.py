# generated from tests/aio/http/test_closing.py by tools/unasync.py; do not edit
"""Answers that nobody has begun to read when the client is closed: their connections are closed as well."""

import gc
from typing import Any

import pytest

from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed
from dragoman.protocol.eras import Identity
from dragoman.protocol.eras.modern import Modern
from dragoman.protocol.steps import Request
from dragoman.sync._runtime import Crew
from dragoman.sync.engines import HttpReply, HttpRequest, engine_for
from dragoman.sync.transports.answers import read_apart
from dragoman.sync.transports.http import HttpTransport
from dragoman.types import ClientCapabilities, Implementation, ListenParams, SubscriptionFilter
from dragoman.web.options import HttpOptions
from tests.sync.client.support import until
from tests.sync.http.support import Ruder

pytestmark = pytest.mark.filterwarnings("error")

ERA = Modern("2026-07-28", Identity(Implementation("test", "1"), ClientCapabilities()))


def nothing(_: Any) -> None: ...


def test_a_listen_stream_that_is_closed_at_once_leaves_no_connection(rude: Ruder, engine: str) -> None:
    server = rude("modern")
    transport = HttpTransport(server.url, options=HttpOptions(engine=engine))  # type: ignore[arg-type]
    transport.open(nothing, nothing, Deadline(10))
    wanted = ListenParams(notifications=SubscriptionFilter(tools_list_changed=True))
    transport.listen(ERA.outgoing(Request("subscriptions/listen", wanted), 1), nothing, Deadline(10))
    transport.close()
    gc.collect()

    until(lambda: not server.streams)


def test_an_answer_that_comes_after_the_end_is_closed(rude: Ruder, engine: str) -> None:
    server = rude("modern")
    client = engine_for(HttpOptions(engine=engine))  # type: ignore[arg-type]
    wanted = ListenParams(notifications=SubscriptionFilter(tools_list_changed=True))
    request = Request("subscriptions/listen", wanted)
    headers = (("content-type", "application/json"), *ERA.headers(request).items())
    sent = HttpRequest("POST", server.url, headers, ERA.outgoing(request, 1).data)
    reply, crew = client.send(sent, Deadline(10)), Crew("test")
    until(lambda: server.streams)
    crew.end()

    def read(reply: HttpReply) -> None:
        reply.close()

    with pytest.raises(ConnectionClosed):
        read_apart(crew, read, reply)
    until(lambda: not server.streams)
    client.close()

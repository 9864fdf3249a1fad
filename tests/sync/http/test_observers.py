# generated from tests/aio/http/test_observers.py by tools/unasync.py; do not edit
"""What observers see of sessions over HTTP."""

from dragoman.errors import SessionExpired
from tests.sync.client.test_observers import Watcher
from tests.sync.http.support import Ruder, connect


def test_requests_are_seen_with_the_id_of_their_session(rude: Ruder) -> None:
    server, watcher = rude(), Watcher()
    with connect(server, observers=[watcher]) as client:
        client.call_tool("echo")

    assert [each.session_id for each in watcher.of("initialize")] == [None]
    assert [each.session_id for each in watcher.of("tools/call")] == ["s1"]
    assert [each.session_id for each in watcher.left] == ["s1"]


def test_without_a_session_there_is_no_id(rude: Ruder) -> None:
    server, watcher = rude("modern"), Watcher()
    with connect(server, observers=[watcher]) as client:
        client.call_tool("echo")

    assert [each.session_id for each in watcher.of("tools/call")] == [None]


def test_session_that_the_server_forgot_is_over_and_another_begins(rude: Ruder) -> None:
    server, watcher = rude(), Watcher()
    with connect(server, observers=[watcher]) as client:
        server.forget_sessions()
        client.call_tool("echo")

    assert [(each.session_id, type(each.error)) for each in watcher.left] == [
        ("s1", SessionExpired),
        ("s2", type(None)),
    ]
    assert [type(each.error) for each in watcher.of("tools/call")] == [SessionExpired, type(None)]

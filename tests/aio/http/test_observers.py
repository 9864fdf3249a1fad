"""What observers see of sessions over HTTP."""

from dragoman.errors import SessionExpired
from tests.aio.client.test_observers import Watcher
from tests.aio.http.support import Ruder, connect


async def test_requests_are_seen_with_the_id_of_their_session(rude: Ruder) -> None:
    server, watcher = rude(), Watcher()
    async with connect(server, observers=[watcher]) as client:
        await client.call_tool("echo")

    assert [each.session_id for each in watcher.of("initialize")] == [None]
    assert [each.session_id for each in watcher.of("tools/call")] == ["s1"]
    assert [each.session_id for each in watcher.left] == ["s1"]


async def test_without_a_session_there_is_no_id(rude: Ruder) -> None:
    server, watcher = rude("modern"), Watcher()
    async with connect(server, observers=[watcher]) as client:
        await client.call_tool("echo")

    assert [each.session_id for each in watcher.of("tools/call")] == [None]


async def test_session_that_the_server_forgot_is_over_and_another_begins(rude: Ruder) -> None:
    server, watcher = rude(), Watcher()
    async with connect(server, observers=[watcher]) as client:
        server.forget_sessions()
        await client.call_tool("echo")

    assert [(each.session_id, type(each.error)) for each in watcher.left] == [
        ("s1", SessionExpired),
        ("s2", type(None)),
    ]
    assert [type(each.error) for each in watcher.of("tools/call")] == [SessionExpired, type(None)]

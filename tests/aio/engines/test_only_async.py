"""What engines can only do or suffer on a loop: cancellation, and loops that end."""

import asyncio
import gc
import subprocess
import sys
from typing import Any

import pytest

from dragoman.aio.engines import Wire, engine_for
from dragoman.aio.engines import default as default_module
from dragoman.deadline import Deadline
from dragoman.errors import ConnectionClosed
from dragoman.web.options import HttpOptions
from tests.aio.engines._runtime import released
from tests.aio.engines.support import LIMIT, Sender, post
from tests.servers.web import scripts
from tests.servers.web.server import WebServer


async def cancelled(task: asyncio.Task[Any]) -> None:
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_cancelled_request_ends_its_connection_and_no_other(sender: Sender) -> None:
    with WebServer(scripts.in_turn(scripts.stall_in_body, scripts.stall, scripts.echo)) as server:
        other = await sender.send(server.url)
        await cancelled(asyncio.create_task(sender.send(server.url)))
        await released(server.hung_up)

        assert await sender.call(server.url) == b"hello"
        assert await other.next_chunk(Deadline(10)) == b"first"
        await other.close()


async def test_cancelled_reading_ends_its_connection_and_no_other(sender: Sender) -> None:
    with WebServer(scripts.in_turn(scripts.stall_in_body, scripts.stall_in_body, scripts.echo)) as server:
        other, reply = await sender.send(server.url), await sender.send(server.url)
        await reply.next_chunk(Deadline(10))
        await cancelled(asyncio.create_task(reply.next_chunk(Deadline.never())))
        await released(server.hung_up)

        assert await sender.call(server.url) == b"hello"
        assert await other.next_chunk(Deadline(10)) == b"first"
        await other.close()


async def test_cancelled_connecting_leaves_nothing(sender: Sender) -> None:
    with WebServer(scripts.echo) as server:
        for _ in range(20):
            task = asyncio.create_task(sender.send(server.url))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        assert await sender.call(server.url) == b"hello"


async def test_wire_is_cut_by_another_task(sender: Sender) -> None:
    with WebServer(scripts.in_turn(scripts.stall, scripts.stall_in_body)) as server:
        wire = Wire()
        sending = asyncio.create_task(sender.send(server.url, wire=wire))
        await asyncio.sleep(0.1)
        wire.cut()
        with pytest.raises(ConnectionClosed):
            await sending

        reply = await sender.send(server.url)
        await reply.next_chunk(Deadline(10))
        reading = asyncio.create_task(reply.next_chunk(Deadline.never()))
        await asyncio.sleep(0.1)
        await reply.close()
        with pytest.raises(ConnectionClosed):
            await reading


@pytest.mark.parametrize("name", ["default", "httpx"])
def test_loop_that_ends_takes_its_connections_along(name: Any) -> None:
    async def main(url: str) -> bytes:
        engine = engine_for(HttpOptions(engine=name))
        reply = await engine.send(post(url), Deadline(10))
        return await reply.read(LIMIT, Deadline(10))

    with WebServer(scripts.echo) as server:
        assert [asyncio.run(main(server.url)) for _ in range(2)] == [b"hello"] * 2
        assert server.finished.acquire(timeout=10)
        assert server.finished.acquire(timeout=10)
        gc.collect()

    assert not default_module._pools._shared


@pytest.mark.parametrize("name", ["default", "httpx"])
def test_one_engine_in_two_loops(name: Any) -> None:
    engine = engine_for(HttpOptions(engine=name))

    async def main(url: str) -> bytes:
        reply = await engine.send(post(url), Deadline(10))
        return await reply.read(LIMIT, Deadline(10))

    with WebServer(scripts.echo) as server:
        assert [asyncio.run(main(server.url)) for _ in range(2)] == [b"hello"] * 2


async def test_no_task_is_left_behind(sender: Sender) -> None:
    with WebServer(scripts.echo) as server:
        before = asyncio.all_tasks()
        await sender.call(server.url)
        await sender.engine.close()

        assert asyncio.all_tasks() == before


@pytest.mark.skipif(sys.platform == "win32", reason="there is no uvloop")
@pytest.mark.filterwarnings("ignore:.*set_event_loop_policy:DeprecationWarning")
def test_uvloop(engine_name: Any) -> None:
    import uvloop

    async def main(url: str) -> list[bytes]:
        async with Sender(engine=engine_name) as sender:
            return [await sender.call(url) for _ in range(3)]

    with WebServer(scripts.echo) as server, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert runner.run(main(server.url)) == [b"hello"] * 3
        assert server.connections == 1


def test_libraries_are_imported_at_the_first_use() -> None:
    program = "import sys, dragoman.aio.engines; print(sorted({'aiohttp', 'httpx2', 'urllib3'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"

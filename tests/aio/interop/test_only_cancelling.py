"""A task that is cancelled while it waits for a real server."""

import asyncio
from typing import Any

import pytest

from dragoman import AsyncClient
from tests.servers import written
from tests.servers.installed import npm_server


@pytest.mark.edge("B59")
@pytest.mark.parametrize("server", ["mcp_server", "fastmcp_server", "typescript_server"])
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
async def test_server_gives_up_the_call_of_a_cancelled_task(server: str, version: str) -> None:
    async with AsyncClient.connect(getattr(written, server)(), versions=[version]) as client:
        began = asyncio.Event()

        async def begin(progress: Any) -> None:
            began.set()

        arguments = {"steps": 300, "seconds": 30}
        task = asyncio.create_task(client.call_tool("slow", arguments, on_progress=begin))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while (await client.call_tool("cancelled")).text == "0":
            pass

        assert (await client.call_tool("cancelled")).text == "1"


async def test_line_serves_others_after_fifty_cancelled_calls() -> None:
    async with AsyncClient.connect(npm_server("server-everything")) as client:
        arguments = {"duration": 0.3, "steps": 1}
        tasks = [asyncio.create_task(client.call_tool("trigger-long-running-operation", arguments)) for _ in range(50)]
        await client.ping()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

        assert all(task.cancelled() for task in tasks)
        assert (await client.call_tool("echo", {"message": "hello"})).text == "Echo: hello"

"""What only the async host can suffer: loops of other threads."""

import asyncio
import threading
from functools import partial
from typing import Any

from dragoman import AsyncHost
from dragoman.errors import UsageError
from tests.aio.client.support import failure, until
from tests.aio.host.support import entry, states
from tests.servers.scripts.play import Puppeteer


async def test_a_host_is_of_one_loop(puppet: Puppeteer) -> None:
    first, second = puppet(), puppet()
    host = await AsyncHost.open({"a": entry(first)})
    verbs: list[Any] = [
        host.list_tools,
        host.reload,
        host.ready,
        partial(host.call_tool, "echo"),
        partial(host.tool, "a", "echo"),
        partial(host.add, "b", entry(second)),
        partial(host.restart, "a"),
        partial(host.remove, "a"),
    ]
    errors: list[Any] = []

    async def elsewhere() -> None:
        errors.extend([await failure(verb) for verb in verbs])

    thread = threading.Thread(target=lambda: asyncio.run(elsewhere()))
    thread.start()
    await until(lambda: not thread.is_alive())

    assert [type(error) for error in errors] == [UsageError] * len(verbs)
    assert states(host) == {"a": "ready"}
    assert (len(first.pids), second.pids) == (1, [])
    await host.close()

"""Ctrl-C while a real server is being waited for."""

import os
import signal
from typing import Any

import pytest

from dragoman import Client
from tests.servers import written


@pytest.mark.edge("B59")
@pytest.mark.parametrize("server", ["mcp_server", "fastmcp_server", "typescript_server"])
@pytest.mark.parametrize("version", ["2025-11-25", "2026-07-28"])
def test_server_gives_up_the_call_that_was_interrupted(server: str, version: str) -> None:
    with Client.connect(getattr(written, server)(), versions=[version]) as client:
        presses = iter([lambda: os.kill(os.getpid(), signal.SIGINT)])

        def press(progress: Any) -> None:
            next(presses, lambda: None)()

        with pytest.raises(KeyboardInterrupt):
            client.call_tool("slow", {"steps": 300, "seconds": 30}, on_progress=press)
        while client.call_tool("cancelled").text == "0":
            pass

        assert client.call_tool("cancelled").text == "1"

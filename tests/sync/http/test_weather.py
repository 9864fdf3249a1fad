# generated from tests/aio/http/test_weather.py by tools/unasync.py; do not edit
"""A thousand calls over a network that cuts, delays and repeats, to a server that forgets and goes away."""

from collections import Counter
from typing import Any

import pytest

from dragoman import Client
from dragoman.errors import OutcomeUnknown
from dragoman.sync._runtime import pause
from tests.servers.cutting import Cutting, Fate, fair, stormy
from tests.servers.rude import Rude
from tests.sync.client.support import Background
from tests.sync.http.support import Ruder, connect

CALLS = 1000
WORKERS = 5
READING = {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
FATES = (Fate.CUT_BEFORE, Fate.CUT_WITHIN, Fate.CUT_AFTER, Fate.DELAY, Fate.REPEAT)


class Voyage:
    """A thousand calls, and what became of each."""

    def __init__(self, client: Client, server: Rude, proxy: Cutting) -> None:
        self.client = client
        self.server = server
        self.proxy = proxy
        self.ends: dict[int, str] = {}

    def sail(self) -> None:
        crew = [Background(self.work, number) for number in range(WORKERS)]
        for each in crew:
            each.wait(120)

    def work(self, first: int) -> None:
        for number in range(first, CALLS, WORKERS):
            if number % 200 == 150:
                self.server.forget_sessions()
            if number % 400 == 100:
                self.proxy.down()
                pause(0.3)
                self.proxy.up()
            self.ends[number] = self.call("look" if number % 2 else "note", number)

    def call(self, tool: str, number: int) -> str:
        try:
            result = self.client.call_tool(tool, {"n": number})
        except OutcomeUnknown:
            return "unknown"
        assert f'"n": {number}' in result.text
        return "done"

    def runs(self, number: int) -> int:
        return self.server.ran["look" if number % 2 else "note", number]

    def repeats(self, number: int) -> int:
        """Count how often the network itself has repeated a call, which is not our doing."""
        return sum(f'"n":{number}}}'.encode() in data for data in self.proxy.repeated)


@pytest.mark.timeout(150)
@pytest.mark.edge("B24", "B49")
@pytest.mark.feature("12.10")
@pytest.mark.parametrize("kind", ["legacy", "modern", "HTTP+SSE"])
def test_every_call_ends_once_and_none_runs_twice_that_must_not(rude: Ruder, kind: str) -> None:
    server = rude("modern" if kind == "modern" else "legacy", is_sse=kind == "HTTP+SSE", tools=[READING])
    with Cutting(server.web.port) as proxy:
        with connect(proxy.url, timeout=30) as client:
            client.list_tools()
            voyage = Voyage(client, server, proxy)
            # With HTTP+SSE whatever is cut costs the one stream that all share.
            proxy.weather = stormy(7, 0.005 if server.is_sse else 0.02, *FATES)
            voyage.sail()
            proxy.weather = fair

            assert client.call_tool("look", {"n": -1}).text == 'look {"n": -1}'
    ends: Counter[Any] = Counter(voyage.ends.values())
    assert sum(ends.values()) == CALLS
    assert ends["done"] > 0.9 * CALLS
    # After a restart a server is asked what it says of its tools now, and in such weather that can fail too.
    assert sum(voyage.ends[number] == "done" for number in range(1, CALLS, 2)) > 0.98 * CALLS / 2
    assert [number for number in range(0, CALLS, 2) if voyage.runs(number) > 1 + voyage.repeats(number)] == []
    assert [number for number, end in voyage.ends.items() if end == "done" and not voyage.runs(number)] == []
    assert proxy.cuts > 5

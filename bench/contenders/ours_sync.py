"""This client, sync."""

from collections.abc import Generator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from dragoman import Client, ToolRunner
from dragoman.types import ProgressParams


class Connection:
    def __init__(self, client: Client) -> None:
        self._client = client

    def echo(self) -> str:
        return self._client.call_tool("bench-echo", {"text": "hello"}).text

    @cached_property
    def runner(self) -> ToolRunner:
        return ToolRunner(self._client)

    def run(self) -> str:
        return self.runner.call("bench-echo", {"text": "hello"}).text

    def report(self) -> Any:
        result = self._client.call_tool("bench-report", {})
        assert not result.violations
        return result.structured

    def list_tools(self) -> int:
        return len(self._client.list_tools().tools)

    def text(self, megabytes: int) -> int:
        return len(self._client.call_tool("bench-text", {"megabytes": megabytes}).text)

    def events(self, count: int) -> int:
        heard = 0

        def hear(progress: ProgressParams) -> None:
            nonlocal heard
            heard += 1

        self._client.call_tool("bench-events", {"count": count}, on_progress=hear)
        return heard


@contextmanager
def connect(target: list[str] | str, **options: Any) -> Generator[Connection]:
    with Client.connect(target, **options) as client:
        yield Connection(client)

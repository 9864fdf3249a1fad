"""Short ways to write what tests of the host say often."""

from typing import Any

from dragoman import AsyncHost, HostEvent
from tests.aio.client.support import until
from tests.servers.scripts.play import Puppet

__all__ = ["Heard", "entry", "is_state", "names", "states"]


def entry(puppet: Puppet, **fields: Any) -> dict[str, Any]:
    """Write a server as a configuration has it."""
    return {"command": puppet.command[0], "args": puppet.command[1:], **fields}


async def names(host: AsyncHost) -> list[str]:
    """Give the names of all tools."""
    return [tool.name for tool in await host.list_tools()]


def states(host: AsyncHost) -> dict[str, str]:
    """Give the state of each server."""
    return {status.name: str(status.state) for status in host.status()}


async def is_state(host: AsyncHost, server: str, state: str) -> None:
    """Wait until a server is in a state."""
    await until(lambda: states(host)[server] == state)


class Heard:
    """Hears what a host tells, and remembers it."""

    def __init__(self) -> None:
        self.events: list[HostEvent] = []

    async def __call__(self, event: HostEvent) -> None:
        self.events.append(event)

    def of(self, kind: str) -> list[HostEvent]:
        """Give the events of one kind."""
        return [event for event in self.events if event.kind == kind]

    async def one(self, kind: str, server: str | None = None) -> HostEvent:
        """Wait for an event, and give the last one like it."""
        return (await until(lambda: [each for each in self.of(kind) if server in (None, each.server)]))[-1]  # type: ignore[no-any-return]

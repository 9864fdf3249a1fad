"""Make many calls at once over one connection, follow the progress of all, and give up on the slow ones."""

import asyncio
import sys

from dragoman import AsyncClient, McpTimeout
from dragoman.types import ProgressParams


async def journey(inn: AsyncClient, number: int, seconds: float) -> str:
    async def follow(progress: ProgressParams) -> None:
        print(f"journey {number}: {progress.message}")

    try:
        arguments = {"stages": 2, "seconds": seconds}
        # Each stage that is reported gives the call its time anew.
        result = await inn.call_tool("travel", arguments, on_progress=follow, timeout=1)
    except McpTimeout as error:
        return f"journey {number}: given up after {error.waited:.1f} s"
    return f"journey {number}: {result.text}"


async def main() -> None:
    async with AsyncClient.connect([sys.executable, "-m", "dragoman.demo.modern"]) as inn:
        journeys = [journey(inn, number, seconds) for number, seconds in enumerate((0.2, 0.4, 1.2, 20))]
        print(*await asyncio.gather(*journeys), sep="\n")


asyncio.run(main())

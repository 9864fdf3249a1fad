"""Watch a resource, and end when it says so."""

import asyncio
import sys

from dragoman import AsyncClient
from dragoman.types import ReadResourceResult


async def main() -> None:
    contents: asyncio.Queue[ReadResourceResult] = asyncio.Queue()

    async with AsyncClient.connect(
        [sys.executable, "-m", "dragoman.demo.modern"], on_resource_updated=contents.put
    ) as inn:
        await inn.subscribe_resource("demo://note")
        print("watching the note")

        # Somebody else would do this; here we do it ourselves.
        for text in ("The kitchen is open.", "The kitchen is closed."):
            await inn.call_tool("write_note", {"text": text})
            async with asyncio.timeout(10):
                changed = await contents.get()
            print("it now says:", changed.text)

        await inn.unsubscribe_resource("demo://note")


asyncio.run(main())

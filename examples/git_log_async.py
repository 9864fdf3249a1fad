"""Ask a git server several things at once, over one connection."""

import asyncio

from dragoman import AsyncClient


async def main() -> None:
    async with AsyncClient.connect("uvx mcp-server-git") as git:
        where = {"repo_path": "."}
        status, log = await asyncio.gather(git.call_tool("git_status", where), git.call_tool("git_log", where))
        print(status.text, log.text, sep="\n\n")


asyncio.run(main())

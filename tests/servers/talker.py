"""A server on the official library that logs and does not say so, as that library's servers do unless told otherwise."""

# What 2026-07-28 deprecates must go on working, so it is used here.
# pyright: reportDeprecated=false

from typing import Any

from mcp.server.mcpserver import Context, MCPServer

__all__ = ["talker"]


def talker() -> MCPServer:
    """Make the server, which says the same at three levels."""
    server = MCPServer("talker")

    @server.tool()
    async def talk(ctx: Context[Any, Any]) -> str:
        await ctx.log("debug", "psst")
        await ctx.log("info", "hello")
        await ctx.log("error", "help")
        return "said"

    return server

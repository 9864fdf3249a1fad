"""For programs that were written for other libraries: the same names, on this one.

langchain   of langchain-mcp-adapters: `MultiServerMCPClient`, `load_mcp_tools`, `load_mcp_prompt`, `load_mcp_resources`
    official    of the official library: `ClientSession`, `stdio_client`, `streamablehttp_client`, `StdioServerParameters`
"""

__all__: list[str] = []

"""For programs that were written for, or with, other libraries.

langchain      of langchain-mcp-adapters: `MultiServerMCPClient`, `load_mcp_tools` and so on, its names on this library
official       of the official library, likewise: `ClientSession`, `stdio_client`, `streamablehttp_client` and so on
openai_agents  for the OpenAI Agents SDK: `function_tools`, and `AgentsServer` for `Agent(mcp_servers=[...])`
pydantic_ai    for Pydantic AI: `DragomanToolset` for `Agent(toolsets=[...])`
sources        what the last two take: something that is open, or what opens it

What the first two are made of: `callbacks`, `connections`, `interceptors`, `official_types`, `opening`, `spellings`.
"""

__all__: list[str] = []

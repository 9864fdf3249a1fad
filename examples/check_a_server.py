"""Check a server in both eras, strictly, as in `python check_a_server.py python my_server.py`."""

import sys

from dragoman import Client, McpError

ERAS = {"old clients": ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"], "new clients": ["2026-07-28"]}

command = sys.argv[1:] or ["uvx", "mcp-server-time"]
is_fine = True

for who, versions in ERAS.items():
    try:
        with Client.connect(command, versions=versions, strict=True, timeout=10) as client:
            tools = client.list_tools()
            print(f"{who}: {client.protocol_version}, {len(tools)} tools: {', '.join(tool.name for tool in tools)}")
    except McpError as error:
        print(f"{who}: {error}")
        is_fine = False

sys.exit(not is_fine)

"""Ask a git server, started by its command line, what happened in the repository of the current folder."""

from dragoman import Client

with Client.connect("uvx mcp-server-git") as git:
    for tool in git.list_tools():
        print(f"{tool.name:20} {tool.description}")

    log = git.call_tool("git_log", {"repo_path": ".", "max_count": 3})
    print(log.text)

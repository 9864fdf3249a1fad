"""A server of 2025-11-25 whose lists change as soon as they have been read."""

import json
import sys
from typing import Any


def tool(name: str, description: str = "") -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": {"type": "object"}}


BEFORE, AFTER = [tool("old"), tool("kept")], [tool("kept", "changed"), tool("new")]


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def result(method: str, times: int) -> dict[str, Any]:
    if method == "initialize":
        offered = {"tools": {"listChanged": True}, "resources": {"listChanged": True}, "logging": {}}
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": offered,
            "serverInfo": {"name": "changing", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": BEFORE if times == 1 else AFTER}
    return {"resources": [] if times == 1 else [{"uri": "x://1", "name": "1"}]} if method == "resources/list" else {}


def main() -> None:
    asked: dict[str, int] = {}
    for line in iter(sys.stdin.readline, ""):
        message = json.loads(line)
        if "id" not in message:
            continue
        method = message["method"]
        if method == "server/discover":
            send(id=message["id"], error={"code": -32601, "message": "no"})
            continue
        asked[method] = asked.get(method, 0) + 1
        send(id=message["id"], result=result(method, asked[method]))
        if method == "resources/list" and asked[method] == 1:
            send(method="notifications/message", params={"level": "warning", "logger": "changing", "data": "soon"})
            send(method="notifications/tools/list_changed")
            send(method="notifications/resources/list_changed")


if __name__ == "__main__":
    main()

"""What the official conformance suite starts: this client, used as each of its scenarios wants it used.

Run as a module with the server's URL as its last argument, and `--engine httpx` before it for the other engine. The
suite tells the scenario, the protocol version and what else there is to know in the environment.
"""

import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, cast

from dragoman import AsyncClient, McpError
from dragoman.types import ListToolsResult
from tests.aio.conformance._runtime import start

Scenario: TypeAlias = Callable[[AsyncClient], Awaitable[None]]

VERSION = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "2026-07-28")
CONTEXT: dict[str, Any] = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")


async def initialize(client: AsyncClient) -> None:
    await client.list_tools()


async def tools_call(client: AsyncClient) -> None:
    await client.list_tools()
    await client.call_tool("add_numbers", {"a": 5, "b": 3})


async def client_defaults(client: AsyncClient) -> None:
    await client.list_tools()
    await client.call_tool("test_client_elicitation_defaults", {})


async def sse_retry(client: AsyncClient) -> None:
    await client.list_tools()
    await client.call_tool("test_reconnection", {})


async def request_metadata(client: AsyncClient) -> None:
    await client.list_tools()


async def request_state(client: AsyncClient) -> None:
    for tool in ("test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state", "test_mrtr_no_result_type"):
        await client.call_tool(tool, {})


async def standard_headers(client: AsyncClient) -> None:
    await client.list_tools()
    await client.call_tool("test_headers", {})
    await client.list_resources()
    await client.read_resource("file:///path/to/file%20name.txt")
    await client.list_prompts()
    await client.get_prompt("test_prompt", {})


async def custom_headers(client: AsyncClient) -> None:
    await client.list_tools()
    for call in CONTEXT["toolCalls"]:
        await client.call_tool(call["name"], call["arguments"])


async def invalid_tool_headers(client: AsyncClient) -> None:
    for tool in await client.list_tools():
        schema = tool.input_schema
        stubs = {name: stub(schema["properties"][name]) for name in schema.get("required", [])}
        await client.call_tool(tool.name, stubs)


def stub(schema: dict[str, Any]) -> Any:
    return {"string": "x", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}[schema["type"]]


async def no_dereferencing(client: AsyncClient) -> None:
    await client.list_tools()


async def preservation(client: AsyncClient) -> None:
    listed: ListToolsResult = await client.list_tools()
    schema = listed.by_name["json_schema_2020_12_tool"].input_schema
    await client.call_tool("json_schema_echo", {"schema": schema})


SCENARIOS: dict[str, Scenario] = {
    "initialize": initialize,
    "tools_call": tools_call,
    "elicitation-sep1034-client-defaults": client_defaults,
    "sse-retry": sse_retry,
    "request-metadata": request_metadata,
    "sep-2322-client-request-state": request_state,
    "http-standard-headers": standard_headers,
    "http-custom-headers": custom_headers,
    "http-invalid-tool-headers": invalid_tool_headers,
    "json-schema-ref-no-deref": no_dereferencing,
    "json-schema-2020-12-preservation": preservation,
}


async def main() -> int:
    engine = sys.argv[sys.argv.index("--engine") + 1] if "--engine" in sys.argv else "default"
    scenario = SCENARIOS[os.environ["MCP_CONFORMANCE_SCENARIO"]]
    try:
        async with AsyncClient.connect(
            sys.argv[-1],
            versions=[VERSION],
            strict=False,
            engine=cast(Any, engine),
            roots=[],
            sampling=lambda asked: "a model's words",
            elicitation=lambda asked: {"confirmed": True} if "confirmed" in asked.fields else {},
            apply_elicitation_defaults=True,
        ) as client:
            await scenario(client)
    except McpError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    print("finished")
    return 0


if __name__ == "__main__":
    sys.exit(start(main))

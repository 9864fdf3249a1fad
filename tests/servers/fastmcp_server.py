"""A server on fastmcp, both eras: run as a file over stdio, or with `--http PORT` over streamable HTTP.

The same tools as in `mcp_server`, written the way of fastmcp: in the legacy era a tool asks in the middle of the call, in
the modern one it returns what it needs and runs again with the answers. Fastmcp serves neither `resources/subscribe`
nor `subscriptions/listen`, and says so.
"""

# What 2026-07-28 deprecates must go on working, so it is used here.
# pyright: reportDeprecated=false

import argparse
import asyncio
import base64
from dataclasses import dataclass
from typing import Any, get_args

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.types import Image
from mcp_types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestFormParams,
    ElicitRequestURLParams,
    ElicitResult,
    InputRequest,
    InputRequiredResult,
    ListRootsRequest,
    ListRootsResult,
    LoggingLevel,
    PromptReference,
    ResourceTemplateReference,
    SamplingMessage,
    TextContent,
)

LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)
PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")
COUNTER = "test://counter"
SIGN_IN = "https://sign-in.example/start"
NAMES = ["Ada", "Adele", "Grace", "Grete"]
GUEST: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name", "minLength": 1},
        "age": {"type": "integer", "default": 30, "minimum": 0, "maximum": 150},
        "subscribe": {"type": "boolean", "default": False},
    },
    "required": ["name"],
}

server = FastMCP("test-fastmcp", version="1.2.3", instructions="Ask for anything.")


class State:
    """What changes: a number that a resource shows, and how many calls were given up."""

    value = 0
    cancelled = 0


@dataclass
class Weather:
    city: str
    celsius: float
    hours: list[int]


@dataclass
class Guest:
    name: str


def is_modern(ctx: Context) -> bool:
    request = ctx.request_context
    return request is not None and request.protocol_version == "2026-07-28"


def answer(ctx: Context) -> Any:
    """Give the answer that came with this round, if it did."""
    return (ctx.input_responses or {}).get("question")


def needs(question: InputRequest) -> InputRequiredResult:
    return InputRequiredResult(input_requests={"question": question}, request_state="asked")


@server.tool
def echo(text: str) -> str:
    """Say what was said."""
    return text


@server.tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool
def weather(city: str) -> Weather:
    """Give a structured result."""
    return Weather(city=city, celsius=21.5, hours=[9, 12, 15])


@server.tool
async def slow(ctx: Context, steps: int = 3, seconds: float = 0.3) -> str:
    """Take a while and report progress."""
    try:
        for step in range(1, steps + 1):
            await asyncio.sleep(seconds / steps)
            await ctx.report_progress(step, steps, f"step {step}")
    except asyncio.CancelledError:
        State.cancelled += 1
        raise
    return f"{steps} steps"


@server.tool
def cancelled() -> int:
    """Count the slow calls that were cancelled."""
    return State.cancelled


@server.tool
async def log(ctx: Context) -> str:
    """Log one message at every level the client wants to hear."""
    for level in LEVELS:
        await ctx.log(f"said {level}", level, "test")
    return "logged"


@server.tool
async def ask(ctx: Context) -> str | InputRequiredResult:
    """Ask the user to fill in a form."""
    question = ElicitRequestFormParams(message="Who are you?", requested_schema=GUEST)
    if is_modern(ctx):
        result = answer(ctx)
        if result is None:
            return needs(ElicitRequest(params=question))
    else:
        result = await ctx.session.elicit_form(question.message, GUEST, related_request_id=ctx.request_id)
    if result.action != "accept":
        return f"the user said {result.action}"
    guest = {"age": 30, "subscribe": False, **(result.content or {})}
    return f"{guest['name']}, {guest['age']}, {'subscribed' if guest['subscribe'] else 'not subscribed'}"


@server.tool
async def ask_outright(ctx: Context) -> str:
    """Ask the user in the middle of the call, as the library's guide has it, which the modern era has no way for."""
    answer = await ctx.elicit("Who are you?", Guest)
    return f"the user said {answer.action}"


@server.tool
async def ask_url(ctx: Context) -> str | InputRequiredResult:
    """Send the user to a web page."""
    if is_modern(ctx):
        result: ElicitResult | None = answer(ctx)
        if result is None:
            return needs(ElicitRequest(params=ElicitRequestURLParams(message="Please sign in", url=SIGN_IN)))
        return f"the user said {result.action}"
    visit = await ctx.session.elicit_url("Please sign in", SIGN_IN, "visit-1", related_request_id=ctx.request_id)
    if visit.action == "accept":
        await ctx.session.send_elicit_complete("visit-1", related_request_id=ctx.request_id)
    return f"the user said {visit.action}"


@server.tool
async def sample(ctx: Context, topic: str) -> str | InputRequiredResult:
    """Have the client's model write something."""
    messages = [SamplingMessage(role="user", content=TextContent(text=f"A haiku about {topic}, please."))]
    if is_modern(ctx):
        poem: CreateMessageResult | None = answer(ctx)
        if poem is None:
            params = CreateMessageRequestParams(messages=messages, max_tokens=64, system_prompt="You are a poet.")
            return needs(CreateMessageRequest(params=params))
    else:
        poem = await ctx.session.create_message(
            messages, max_tokens=64, system_prompt="You are a poet.", related_request_id=ctx.request_id
        )
    assert isinstance(poem.content, TextContent)
    return f"{poem.model} on {topic}: {poem.content.text}"


@server.tool
async def roots(ctx: Context) -> list[str] | InputRequiredResult:
    """List the client's roots."""
    if is_modern(ctx):
        found: ListRootsResult | None = answer(ctx)
        if found is None:
            return needs(ListRootsRequest())
    else:
        found = await ctx.session.list_roots()
    return [str(root.uri) for root in found.roots]


@server.tool
def fail(reason: str = "it broke") -> str:
    """Fail."""
    raise ToolError(reason)


@server.tool
def big(megabytes: int = 1) -> str:
    """Give a long text."""
    return "x" * (megabytes * 1_000_000)


@server.tool
def image() -> Image:
    """Give a picture."""
    return Image(data=PIXEL, format="png")


@server.tool
async def count(ctx: Context) -> int:
    """Change the counter."""
    State.value += 1
    await ctx.session.send_resource_updated(COUNTER)
    return State.value


@server.tool
async def grow(ctx: Context, name: str) -> str:
    """Add a tool and a resource."""
    server.tool(lambda: name, name=name, description="Grown.")
    server.resource(f"test://grown/{name}", name=name)(lambda: name)
    await ctx.session.send_tool_list_changed()
    await ctx.session.send_resource_list_changed()
    return name


@server.resource("test://text", mime_type="text/plain")
def text() -> str:
    """A text."""
    return "some text"


@server.resource("test://blob", mime_type="image/png")
def blob() -> bytes:
    """Some bytes."""
    return PIXEL


@server.resource(COUNTER)
def counter() -> str:
    """A number that the tool `count` changes."""
    return str(State.value)


@server.resource("test://people/{name}", mime_type="text/plain")
def person(name: str) -> str:
    """Anybody."""
    return f"This is {name}."


@server.prompt
def greet(name: str, style: str = "friendly") -> str:
    """Greet somebody."""
    return f"Greet {name} in a {style} way."


@server.completion
def complete(
    reference: PromptReference | ResourceTemplateReference,
    argument: CompletionArgument,
    context: CompletionContext | None,
) -> Completion | None:
    if argument.name != "name":
        return None
    values = [name for name in NAMES if name.startswith(argument.value)]
    return Completion(values=values, total=len(values), has_more=False)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--http", type=int, metavar="PORT")
    port = parser.parse_args().http
    if port is None:
        server.run("stdio", show_banner=False)
    else:
        server.run("http", port=port, show_banner=False)


if __name__ == "__main__":
    main()

"""A server on the official library, both eras: run as a file over stdio, or with `--http PORT` over streamable HTTP.

It has one tool for each thing a tool can do. Tools ask through the library's resolvers, so that a legacy client gets a
request in the middle of the call and a modern one a round of input. The library serves no `resources/subscribe` and no
`logging/setLevel` by itself; both are added here for the legacy era.
"""

# What 2026-07-28 deprecates must go on working, so it is used here.
# pyright: reportDeprecated=false

import argparse
import asyncio
import base64
import warnings
from typing import Annotated, Any, ClassVar, get_args

from mcp.server.context import ServerRequestContext
from mcp.server.mcpserver import Context, Elicit, ElicitationResult, Image, ListRoots, MCPServer, Resolve, Sample
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPDeprecationWarning, UrlElicitationRequiredError
from mcp_types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    CreateMessageResult,
    ElicitRequest,
    ElicitRequestURLParams,
    ElicitResult,
    EmptyResult,
    InputRequiredResult,
    ListRootsResult,
    LoggingLevel,
    PromptReference,
    ResourceTemplateReference,
    SamplingMessage,
    SetLevelRequestParams,
    SubscribeRequestParams,
    TextContent,
    UnsubscribeRequestParams,
)
from pydantic import BaseModel, Field

warnings.simplefilter("ignore", MCPDeprecationWarning)

LEVELS: tuple[LoggingLevel, ...] = get_args(LoggingLevel)
PIXEL = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC")
COUNTER = "test://counter"
SIGN_IN = "https://sign-in.example/start"
NAMES = ["Ada", "Adele", "Grace", "Grete"]

server = MCPServer("test-mcp", title="A test server", version="1.2.3", instructions="Ask for anything.")


class State:
    """What changes: a number that a resource shows, who watches it, what they want to hear, who may come in."""

    value = 0
    cancelled = 0
    level: LoggingLevel = "info"
    watchers: ClassVar[dict[str, ServerSession]] = {}
    is_member = False
    signing_in: asyncio.Task[None] | None = None


class Weather(BaseModel):
    city: str
    celsius: float
    hours: list[int] = Field(description="the hours this holds for")


class Guest(BaseModel):
    name: str = Field(title="Name", min_length=1)
    age: int = Field(default=30, ge=0, le=150)
    subscribe: bool = False


@server.tool()
def echo(text: str) -> str:
    """Say what was said."""
    return text


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def weather(city: str) -> Weather:
    """Give a structured result."""
    return Weather(city=city, celsius=21.5, hours=[9, 12, 15])


@server.tool()
async def slow(ctx: Context[Any, Any], steps: int = 3, seconds: float = 0.3) -> str:
    """Take a while and report progress."""
    try:
        for step in range(1, steps + 1):
            await asyncio.sleep(seconds / steps)
            await ctx.report_progress(step, steps, f"step {step}")
    except asyncio.CancelledError:
        State.cancelled += 1
        raise
    return f"{steps} steps"


@server.tool()
def cancelled() -> int:
    """Count the slow calls that were cancelled."""
    return State.cancelled


@server.tool()
async def log(ctx: Context[Any, Any]) -> str:
    """Log one message at every level the client wants to hear."""
    for level in LEVELS:
        if ctx.protocol_version == "2026-07-28" or LEVELS.index(level) >= LEVELS.index(State.level):
            await ctx.log(level, {"said": level}, logger_name="test")
    return "logged"


def who_comes() -> Elicit[Guest]:
    return Elicit("Who are you?", Guest)


@server.tool()
def ask(guest: Annotated[ElicitationResult[Guest], Resolve(who_comes)]) -> str:
    """Ask the user to fill in a form."""
    if guest.action != "accept":
        return f"the user said {guest.action}"
    return f"{guest.data.name}, {guest.data.age}, {'subscribed' if guest.data.subscribe else 'not subscribed'}"


@server.tool()
async def ask_outright(ctx: Context[Any, Any]) -> str:
    """Ask the user in the middle of the call, as the library's guide has it, which the modern era has no way for."""
    answer = await ctx.elicit("Who are you?", Guest)
    return f"the user said {answer.action}"


@server.tool()
async def ask_url(ctx: Context[Any, Any]) -> str | InputRequiredResult:
    """Send the user to a web page."""
    if ctx.protocol_version != "2026-07-28":
        visit = await ctx.elicit_url("Please sign in", SIGN_IN, "visit-1")
        if visit.action == "accept":
            await ctx.session.send_elicit_complete("visit-1", related_request_id=ctx.request_id)
        return f"the user said {visit.action}"
    answer = (ctx.input_responses or {}).get("visit")
    if isinstance(answer, ElicitResult):
        return f"the user said {answer.action}"
    question = ElicitRequest(params=ElicitRequestURLParams(message="Please sign in", url=SIGN_IN))
    return InputRequiredResult(input_requests={"visit": question}, request_state="signing in")


@server.tool()
async def members_only(ctx: Context[Any, Any]) -> str:
    """Refuse with a page to sign in at (-32042), and let the client in once it was told that the visit is over."""
    if State.is_member:
        return "welcome"
    State.signing_in = asyncio.create_task(_sign_in(ctx.session))
    visit = ElicitRequestURLParams(message="Please sign in", url=SIGN_IN, elicitation_id="visit-2")
    raise UrlElicitationRequiredError([visit])


async def _sign_in(session: ServerSession) -> None:
    await asyncio.sleep(0.05)
    State.is_member = True
    await session.send_elicit_complete("visit-2")


def a_haiku(topic: str) -> Sample:
    text = TextContent(text=f"A haiku about {topic}, please.")
    return Sample([SamplingMessage(role="user", content=text)], max_tokens=64, system_prompt="You are a poet.")


@server.tool()
def sample(topic: str, poem: Annotated[CreateMessageResult, Resolve(a_haiku)]) -> str:
    """Have the client's model write something."""
    assert isinstance(poem.content, TextContent)
    return f"{poem.model} on {topic}: {poem.content.text}"


def their_roots() -> ListRoots:
    return ListRoots()


@server.tool()
def roots(found: Annotated[ListRootsResult, Resolve(their_roots)]) -> list[str]:
    """List the client's roots."""
    return [str(root.uri) for root in found.roots]


@server.tool()
def fail(reason: str = "it broke") -> str:
    """Fail."""
    raise ToolError(reason)


@server.tool()
def big(megabytes: int = 1) -> str:
    """Give a long text."""
    return "x" * (megabytes * 1_000_000)


@server.tool()
def image() -> Image:
    """Give a picture."""
    return Image(data=PIXEL, format="png")


@server.tool()
async def count(ctx: Context[Any, Any]) -> int:
    """Change the counter and tell whoever watches it."""
    State.value += 1
    await ctx.notify_resource_updated(COUNTER)
    if COUNTER in State.watchers:
        await State.watchers[COUNTER].send_resource_updated(COUNTER)
    return State.value


@server.tool()
async def grow(ctx: Context[Any, Any], name: str) -> str:
    """Add a tool and a resource and tell that both lists changed."""
    server.add_tool(lambda: name, name=name, description="Grown.")
    server.resource(f"test://grown/{name}", name=name)(lambda: name)
    await ctx.notify_tools_changed()
    await ctx.notify_resources_changed()
    if ctx.protocol_version != "2026-07-28":
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


@server.prompt()
def greet(name: str, style: str = "friendly") -> str:
    """Greet somebody."""
    return f"Greet {name} in a {style} way."


@server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
async def complete(
    reference: PromptReference | ResourceTemplateReference,
    argument: CompletionArgument,
    context: CompletionContext | None,
) -> Completion | None:
    if argument.name != "name":
        return None
    values = [name for name in NAMES if name.startswith(argument.value)]
    return Completion(values=values, total=len(values), has_more=False)


Request = ServerRequestContext[Any, Any]


async def subscribe(ctx: Request, params: SubscribeRequestParams) -> EmptyResult:
    State.watchers[params.uri] = ctx.session
    return EmptyResult()


async def unsubscribe(ctx: Request, params: UnsubscribeRequestParams) -> EmptyResult:
    State.watchers.pop(params.uri, None)
    return EmptyResult()


async def set_level(ctx: Request, params: SetLevelRequestParams) -> EmptyResult:
    State.level = params.level
    return EmptyResult()


lowlevel = server._lowlevel_server
lowlevel.add_request_handler("resources/subscribe", SubscribeRequestParams, subscribe)
lowlevel.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, unsubscribe)
lowlevel.add_request_handler("logging/setLevel", SetLevelRequestParams, set_level)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--http", type=int, metavar="PORT")
    port = parser.parse_args().http
    if port is None:
        server.run("stdio")
    else:
        server.run("streamable-http", port=port)


if __name__ == "__main__":
    main()

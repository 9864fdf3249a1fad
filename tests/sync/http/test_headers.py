# generated from tests/aio/http/test_headers.py by tools/unasync.py; do not edit
"""Headers: the application's own, for each request, and those that repeat what a modern request says."""

import json
from base64 import b64decode
from typing import Any

import pytest

from dragoman import Context
from dragoman.errors import HeaderMismatch, McpTimeout, UsageError
from dragoman.sync._runtime import pause
from tests.servers.rude import Exchange, Rude, acts
from tests.sync.client.support import failure
from tests.sync.http.support import Ruder, connect, refused


def marked(**marks: Any) -> dict[str, Any]:
    """Write a tool, some of whose parameters are to be repeated in headers."""
    properties = {name: {"type": "string", "x-mcp-header": header} for name, header in marks.items()}
    return {"name": "marked", "inputSchema": {"type": "object", "properties": properties}}


def strict(exchange: Exchange) -> None:
    """Refuse a call whose headers do not repeat what they should."""
    schema: Any = next(tool["inputSchema"] for tool in exchange.server.tools if tool["name"] == exchange.name)
    arguments: dict[str, Any] = exchange.params.get("arguments") or {}
    for name, each in schema.get("properties", {}).items():
        if exchange.header(f"Mcp-Param-{each['x-mcp-header']}") != arguments.get(name):
            exchange.refuse(-32020, "Header mismatch", 400)
            return
    acts.default(exchange)


# --------------------------------------------------------------------------------------------------- the application's


@pytest.mark.feature(40)
def test_headers_go_with_every_request(rude: Ruder, engine: str, era: str) -> None:
    server = rude(era, stands=True)
    with connect(server, engine=engine, headers={"Authorization": "Bearer one", "X-Tenant": "ada"}) as client:
        client.list_tools()

    assert {each.header("Authorization") for each in server.exchanges} == {"Bearer one"}
    assert {each.header("x-tenant") for each in server.exchanges} == {"ada"}


@pytest.mark.edge("B107")
@pytest.mark.feature(40)
def test_headers_can_be_made_for_each_request(rude: Ruder, engine: str) -> None:
    tokens = iter(range(100))
    seen: list[tuple[str, str | None]] = []

    def fresh(context: Context) -> dict[str, str]:
        seen.append((context.server, context.request.method if context.request else None))
        return {"Authorization": f"Bearer {next(tokens)}"}

    server = rude("modern")
    with connect(server, engine=engine, headers=fresh) as client:
        client.list_tools()
        client.call_tool("echo")

    assert [each.header("Authorization") for each in server.exchanges] == ["Bearer 0", "Bearer 1", "Bearer 2"]
    assert seen == [("rude", "server/discover"), ("rude", "tools/list"), ("rude", "tools/call")]


@pytest.mark.feature(40)
@pytest.mark.parametrize("made", [{"X-Number": 1}, {1: "x"}, {"Content-Length": "5"}, ["X-Tenant"], None])
def test_what_cannot_be_sent_is_the_applications_mistake(rude: Ruder, made: Any) -> None:
    error = refused(rude("modern"), headers=lambda _: made)

    assert isinstance(error, UsageError)
    assert "`headers`" in str(error)


def test_headers_that_come_too_late_are_not_sent(rude: Ruder, era: str) -> None:
    def slow(context: Context) -> dict[str, str]:
        if context.request and context.request.method == "tools/call":
            pause(0.3)
        return {}

    server = rude(era)
    with connect(server, headers=slow) as client:
        error = failure(client.call_tool, "echo", timeout=0.1)

        assert isinstance(error, McpTimeout)
        assert (error.method, error.phase, error.was_sent) == ("tools/call", "connecting", False)
        assert "`headers`" in str(error)
        assert not server.heard("tools/call")


@pytest.mark.feature(40)
def test_a_user_and_a_password_may_stand_in_the_url(rude: Ruder, engine: str, era: str) -> None:
    server = rude(era, stands=True)
    url = server.url.replace("//", "//ada:s%40fe@")
    with connect(url, engine=engine) as client:
        client.list_tools()
        assert "fe@" not in repr(client)

    assert {each.header("Authorization") for each in server.exchanges} == {"Basic YWRhOnNAZmU="}


@pytest.mark.parametrize("options", [{"headers": {"Authorization": "Bearer mine"}}, {"auth": "mine"}])
def test_other_proof_goes_before_that_of_the_url(rude: Ruder, options: Any) -> None:
    server = rude("modern")
    with connect(server.url.replace("//", "//ada:hush@"), **options):
        pass

    assert {each.header("Authorization") for each in server.exchanges} == {"Bearer mine"}


@pytest.mark.edge("B107")
def test_they_can_follow_from_what_is_called(rude: Ruder) -> None:
    def tenant(context: Context) -> dict[str, str]:
        params = context.request.params if context.request else None
        arguments = getattr(params, "arguments", None) or {}
        return {"X-Tenant": str(arguments.get("tenant", "nobody"))}

    server = rude()
    with connect(server, headers=tenant) as client:
        for name in ("ada", "grace"):
            client.call_tool("echo", {"tenant": name})

    assert [each.header("X-Tenant") for each in server.heard("tools/call")] == ["ada", "grace"]
    assert {each.header("X-Tenant") for each in server.heard("DELETE")} == {"nobody"}


@pytest.mark.edge("B107", "B114")
def test_what_is_private_is_not_kept_where_every_call_may_be_somebody_elses(rude: Ruder) -> None:
    def listing(exchange: Exchange) -> None:
        tool = {"name": str(exchange.header("X-Tenant")), "inputSchema": {"type": "object"}}
        hints = {"ttlMs": 60_000, "cacheScope": "private"}
        exchange.reply(exchange.response({"tools": [tool], **hints}))

    tenants = iter(["", "ada", "grace"])
    server = rude("modern", on={"tools/list": listing})
    with connect(server, headers=lambda context: {"X-Tenant": next(tenants)}) as client:
        names = [[tool.name for tool in client.list_tools()] for _ in range(2)]

    assert names == [["ada"], ["grace"]]


def test_the_protocols_own_headers_stand(rude: Ruder) -> None:
    given = {"MCP-Protocol-Version": "1.0", "mcp-method": "x", "Accept": "text/html", "Content-Type": "text/plain"}
    server = rude("modern")
    with connect(server, headers=given) as client:
        client.list_tools()

    listed = server.heard("tools/list")[0]
    assert [value for name, value in listed.received.headers if name.lower() == "mcp-method"] == ["tools/list"]
    assert listed.header("MCP-Protocol-Version") == "2026-07-28"
    assert listed.header("Accept") == "application/json, text/event-stream"
    assert listed.header("Content-Type") == "application/json"


@pytest.mark.parametrize(
    "given", [{"X": "a\r\nY: b"}, {"X Y": "a"}, {"X": "größe"}], ids=["a line break", "a space", "ü"]
)
def test_a_header_that_cannot_be_is_refused(rude: Ruder, engine: str, given: dict[str, str]) -> None:
    server = rude()
    error = refused(server, engine=engine, headers=given)

    assert isinstance(error, UsageError)
    assert "header" in str(error)
    assert server.exchanges == []


def test_a_function_has_to_make_headers(rude: Ruder) -> None:
    error = refused(rude(), headers=lambda context: "Bearer x")

    assert isinstance(error, UsageError)
    assert "`headers` made str, not a mapping" in str(error)


def test_what_a_function_for_headers_raises_is_raised(rude: Ruder) -> None:
    def fail(context: Context) -> dict[str, str]:
        raise LookupError("no token")

    assert isinstance(refused(rude(), headers=fail), LookupError)


def test_secrets_are_not_shown(rude: Ruder) -> None:
    server = rude(on={"tools/call": acts.close})
    url = server.url.replace("http://", "http://ada:hush@") + "?key=hush"
    with connect(url, headers={"Authorization": "Bearer hush"}, name="") as client:
        error = failure(client.call_tool, "echo")

        shown = [str(error), repr(error), str(error.__cause__), repr(client), client.name, str(client.state)]
        assert "hush" not in " ".join(shown)


# ------------------------------------------------------------------------------------------------ what repeats requests


@pytest.mark.edge("B51")
@pytest.mark.parametrize("name", ["suche-größe", "検索", " begins with a blank", "=?base64?eA==?=", "a\tb", ""])
def test_a_name_that_no_header_can_carry_goes_encoded(rude: Ruder, engine: str, name: str) -> None:
    server = rude("modern")
    with connect(server, engine=engine) as client:
        client.call_tool(name)

    header = server.heard("tools/call")[0].header("Mcp-Name")
    assert header is not None
    if name:
        assert b64decode(header.removeprefix("=?base64?").removesuffix("?=")).decode() == name
    else:
        assert header == ""


@pytest.mark.feature(41)
def test_requests_say_their_method_and_name(rude: Ruder) -> None:
    server = rude("modern")
    with connect(server) as client:
        client.list_tools()
        client.call_tool("echo")
        client.read_resource("file:///a%20b")

    said = [(each.header("Mcp-Method"), each.header("Mcp-Name")) for each in server.exchanges]
    assert said == [
        ("server/discover", None),
        ("tools/list", None),
        ("tools/call", "echo"),
        ("resources/read", "file:///a%20b"),
    ]


def test_marked_arguments_are_repeated(rude: Ruder, engine: str) -> None:
    server = rude("modern", tools=[marked(region="Region", text="Text")], on={"tools/call": strict})
    with connect(server, engine=engine) as client:
        client.list_tools()
        result = client.call_tool("marked", {"region": "eu", "text": "x"})

        assert json.loads(result.text.removeprefix("marked ")) == {"region": "eu", "text": "x"}


@pytest.mark.edge("B50")
def test_a_tool_that_was_never_listed_is_looked_up_when_its_headers_are_missing(rude: Ruder) -> None:
    server = rude("modern", tools=[marked(region="Region")], on={"tools/call": strict})
    with connect(server) as client:
        assert client.call_tool("marked", {"region": "eu"}).text == 'marked {"region": "eu"}'

    assert [each.method for each in server.exchanges][1:] == ["tools/call", "tools/list", "tools/call"]


@pytest.mark.edge("B50")
def test_a_tool_whose_marks_have_changed_is_looked_up_anew(rude: Ruder, engine: str) -> None:
    server = rude("modern", tools=[marked(region="Region")], on={"tools/call": strict})
    with connect(server, engine=engine) as client:
        client.list_tools()
        server.tools[1] = marked(region="Where")

        assert client.call_tool("marked", {"region": "eu"}).text == 'marked {"region": "eu"}'
        assert len(server.heard("tools/list")) == 2


@pytest.mark.edge("B50")
def test_headers_that_never_fit_are_given_up_after_one_more_try(rude: Ruder) -> None:
    server = rude("modern", on={"tools/call": acts.error(-32020, "Header mismatch")})
    with connect(server) as client:
        assert isinstance(failure(client.call_tool, "echo"), HeaderMismatch)
        assert len(server.heard("tools/call")) == 2


def test_a_tool_that_is_marked_wrongly_is_left_out_and_named(rude: Ruder) -> None:
    server = rude("modern", tools=[marked(region="not a name")])
    with connect(server) as client:
        tools = client.list_tools()

        assert [tool.name for tool in tools] == ["echo"]
        assert [(problem.name, "not a name" in problem.reason) for problem in tools.problems] == [("marked", True)]


def test_a_legacy_server_gets_none_of_these(rude: Ruder) -> None:
    server: Rude = rude(tools=[marked(region="Region"), {**marked(region="not a name"), "name": "odd"}])
    with connect(server) as client:
        assert len(client.list_tools()) == 3
        client.call_tool("marked", {"region": "eu"})

    names = {name.lower() for each in server.exchanges for name, _ in each.received.headers if each.session}
    assert not any(name.startswith(("mcp-method", "mcp-name", "mcp-param")) for name in names)

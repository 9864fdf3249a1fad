"""Prompts, completion, and lists that have pages."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from dragoman import AsyncClient
from dragoman.errors import MethodNotFound, ServerError
from dragoman.types import GetPromptParams, PromptReference
from tests.aio.client.support import failure
from tests.servers.scripts.play import Puppeteer, answer, refuse, tool, turns

LISTS = {
    "tools/list": ("tools", "list_tools"),
    "resources/list": ("resources", "list_resources"),
    "resources/templates/list": ("resourceTemplates", "list_resource_templates"),
    "prompts/list": ("prompts", "list_prompts"),
}
each_list = pytest.mark.parametrize("method", LISTS)


def many(field: str, count: int = 8) -> dict[str, Any]:
    """Make a list of so many items, of which a page has two."""
    items = {
        "tools": [tool(f"t{n}") for n in range(count)],
        "resources": [{"uri": f"mem://{n}", "name": f"r{n}"} for n in range(count)],
        "resourceTemplates": [{"uriTemplate": f"mem://{n}/{{x}}", "name": f"m{n}"} for n in range(count)],
        "prompts": [{"name": f"p{n}"} for n in range(count)],
    }
    return {field: items[field], "page_size": 2}


Lister = Callable[..., Awaitable[Any]]


def lister(client: AsyncClient, method: str, suffix: str = "") -> Lister:
    found: Lister = getattr(client, LISTS[method][1] + suffix)
    return found


@each_list
@pytest.mark.feature(121, 122)
@pytest.mark.edge("B110")
async def test_a_list_has_every_page(puppet: Puppeteer, era: str, method: str) -> None:
    server = puppet(era, **many(LISTS[method][0]))
    async with AsyncClient.connect(server.command) as client:
        listed = await lister(client, method)()

        assert [each.name[1:] for each in listed] == [str(n) for n in range(8)]
        assert listed.next_cursor is None
        assert [params.get("cursor") for params in server.params(method)] == [None, "at-2", "at-4", "at-6"]


@each_list
@pytest.mark.feature(120, 121, 123)
async def test_a_list_can_be_read_page_by_page(puppet: Puppeteer, era: str, method: str) -> None:
    server = puppet(era, **many(LISTS[method][0]))
    names: list[str] = []
    async with AsyncClient.connect(server.command) as client:
        cursor = None
        for number in range(4):
            page = await lister(client, method, "_page")(cursor, meta={"page": number})
            names += [each.name[1:] for each in page]
            cursor = page.next_cursor

        assert cursor is None
        assert names == [str(n) for n in range(8)]
        assert [message["params"]["_meta"]["page"] for message in server.heard(method)] == [0, 1, 2, 3]


@pytest.mark.edge("B110")
async def test_a_cursor_that_comes_twice_ends_the_list(puppet: Puppeteer, era: str) -> None:
    page = {"tools": [tool("only")], "nextCursor": "again"}
    server = puppet(era, on={"tools/list": [answer(page)]})
    async with AsyncClient.connect(server.command) as client:
        listed = await client.list_tools()

        assert [each.name for each in listed] == ["only"]
        assert len(server.heard("tools/list")) == 2
        assert any("again" in str(problem) for problem in listed.problems)


@pytest.mark.edge("B110")
async def test_an_empty_cursor_of_a_legacy_server_is_none(puppet: Puppeteer) -> None:
    server = puppet("legacy", on={"tools/list": [answer({"tools": [tool("only")], "nextCursor": ""})]})
    async with AsyncClient.connect(server.command) as client:
        listed = await client.list_tools()

        assert listed.problems == ()
        assert len(server.heard("tools/list")) == 1


@pytest.mark.edge("B110")
async def test_an_empty_cursor_of_a_modern_server_leads_on(puppet: Puppeteer) -> None:
    pages = turns([answer({"tools": [tool("one")], "nextCursor": ""})], [answer({"tools": [tool("two")]})])
    server = puppet("modern", on={"tools/list": pages})
    async with AsyncClient.connect(server.command) as client:
        listed = await client.list_tools()

        assert [each.name for each in listed] == ["one", "two"]
        assert [params.get("cursor") for params in server.params("tools/list")] == [None, ""]


@pytest.mark.feature(118)
async def test_prompts_are_listed(puppet: Puppeteer, era: str) -> None:
    async with AsyncClient.connect(puppet(era).command) as client:
        (prompt,) = await client.list_prompts()

        assert prompt.name == "greet"
        assert [(each.name, each.required) for each in prompt.arguments or ()] == [("who", True)]


@pytest.mark.feature(119)
async def test_a_prompt_is_got_with_its_arguments(puppet: Puppeteer, era: str) -> None:
    async with AsyncClient.connect(puppet(era).command) as client:
        result = await client.get_prompt("greet", {"who": "Ada"})
        (message,) = result.messages

        assert message.role == "user"
        assert getattr(message.content, "text", None) == 'greet {"who": "Ada"}'


@pytest.mark.feature(119)
async def test_a_prompt_is_named_by_name_by_item_or_by_request(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    async with AsyncClient.connect(server.command) as client:
        (prompt,) = await client.list_prompts()
        await client.get_prompt("greet", {"who": "Ada"})
        await client.get_prompt(prompt, {"who": "Ada"})
        await client.get_prompt(GetPromptParams("greet", {"who": "Ada"}))

    assert server.params("prompts/get") == [{"name": "greet", "arguments": {"who": "Ada"}}] * 3


async def test_a_prompt_that_is_not_there_raises(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, on={"prompts/get": [refuse(-32602, "no such prompt")]})
    async with AsyncClient.connect(server.command) as client:
        error = await failure(client.get_prompt, "nothing")

        assert isinstance(error, ServerError)
        assert error.method == "prompts/get"


@pytest.mark.feature(26)
async def test_what_could_follow_is_asked_for(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    async with AsyncClient.connect(server.command) as client:
        result = await client.complete(PromptReference("greet"), "who", "A", context={"title": "Dr"})

        assert result.completion.values == ("A1", "A2")
        assert server.params("completion/complete") == [
            {
                "ref": {"type": "ref/prompt", "name": "greet"},
                "argument": {"name": "who", "value": "A"},
                "context": {"arguments": {"title": "Dr"}},
            }
        ]


async def test_what_could_follow_is_asked_for_of_a_template(puppet: Puppeteer, era: str) -> None:
    server = puppet(era)
    async with AsyncClient.connect(server.command) as client:
        (template,) = await client.list_resource_templates()
        await client.complete(template, "letter", "a")

        assert server.params("completion/complete")[0]["ref"] == {"type": "ref/resource", "uri": "mem://{letter}"}


async def test_a_server_without_templates_has_an_empty_list_of_them(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, resources=[], on={"resources/templates/list": [refuse(-32601, "what is that?")]})
    async with AsyncClient.connect(server.command) as client:
        assert len(await client.list_resource_templates()) == 0


async def test_a_strict_client_wants_templates_to_be_listed(puppet: Puppeteer, era: str) -> None:
    server = puppet(era, resources=[], on={"resources/templates/list": [refuse(-32601, "what is that?")]})
    async with AsyncClient.connect(server.command, strict=True) as client:
        assert isinstance(await failure(client.list_resource_templates), MethodNotFound)

"""What a user gives that makes no sense: it is refused by name, and nothing is started or sent for it."""

import stat
import sys
from collections.abc import Awaitable, Callable
from math import inf, nan
from pathlib import Path
from typing import Any

import pytest

from dragoman import AsyncClient
from dragoman.errors import UsageError
from dragoman.types import ElicitResult
from tests.aio.client.support import Seen, failure
from tests.servers.scripts.play import Puppeteer, ask, hear, text

FORM = {"message": "How much?", "requestedSchema": {"type": "object", "properties": {"much": {"type": "string"}}}}

OPTIONS: list[tuple[str, Any]] = [
    ("name", 5),
    ("timeout", []),
    ("timeout", "soon"),
    ("max_timeout", -1),
    ("connect_timeout", True),
    ("client_info", "me"),
    ("capabilities", ["roots"]),
    ("versions", "2025-11-25"),
    ("versions", [2025]),
    ("roots", "file:///a"),
    ("roots", 5),
    ("roots", {"file:///a": "a"}),
    ("sampling", 5),
    ("elicitation", {}),
    ("url_elicitation", "yes"),
    ("apply_elicitation_defaults", 1),
    ("approve", True),
    ("log_level", ["info"]),
    ("on_log", 5),
    ("on_progress", "print"),
    ("on_tools_changed", []),
    ("on_state", 1),
    ("observers", 5),
    ("validator", True),
    ("fetch_schemas", "yes"),
    ("cache", None),
    ("retry", ["safe"]),
    ("restart", None),
    ("restart", 5),
    ("announce_cancellation", "no"),
    ("remembered", []),
    ("strict", "yes"),
    ("env", ["x"]),
    ("env", {"PORT": 8080}),
    ("inherit_env", None),
    ("cwd", 5),
    ("on_stderr", "log"),
    ("headers", ["Accept"]),
    ("verify", None),
    ("ca_file", 5),
    ("proxy", 8080),
    ("message_url", 5),
    ("max_message_size", "64 MiB"),
    ("max_message_size", 0),
]


@pytest.mark.parametrize(("option", "value"), OPTIONS)
async def test_an_option_of_the_wrong_kind_is_refused_before_anything_starts(
    puppet: Puppeteer, option: str, value: Any
) -> None:
    server = puppet()
    error = await failure(connected, server.command, **{option: value})

    assert isinstance(error, UsageError)
    assert option.partition("_")[0] in str(error)
    assert error.hint
    assert server.pids == []


async def connected(target: Any, **options: Any) -> None:
    async with AsyncClient.connect(target, **options):
        pass


@pytest.mark.parametrize("root", [5, None, b"file:///a", Path("/a")])
async def test_a_root_is_a_value_or_a_uri(puppet: Puppeteer, root: Any) -> None:
    server = puppet()
    error = await failure(connected, server.command, roots=[root])

    assert isinstance(error, UsageError)
    assert "is no root" in str(error)
    assert server.pids == []


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (None, "nothing to connect to"),
        (5, "int is no server"),
        ([], "empty"),
        (["python", None], "a command cannot hold None"),
        (["python", b"-c"], "a command cannot hold"),
        ({"command": "python", "args": "-c"}, "`args`"),
        ({"command": "python", "env": ["x"]}, "`env`"),
        ({"command": "python", "cwd": 5}, "`cwd`"),
    ],
)
async def test_what_nothing_can_be_reached_by_is_refused(target: Any, words: str) -> None:
    error = await failure(connected, target)

    assert isinstance(error, UsageError)
    assert words in str(error)


async def test_a_path_is_a_program(puppet: Puppeteer, tmp_path: Path) -> None:
    words = " ".join(f'"{each}"' for each in puppet().command)
    program = tmp_path / "a server.cmd"
    program.write_text(f"@{words}\n" if sys.platform == "win32" else f"#!/bin/sh\nexec {words}\n", "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    async with AsyncClient.connect(program) as client:
        assert (await client.call_tool("echo")).text == "echo {}"


async def test_arguments_of_a_command_may_be_paths_and_numbers(puppet: Puppeteer) -> None:
    program, *rest = puppet().command
    async with AsyncClient.connect([Path(program), *rest, 8080]) as client:
        assert (await client.call_tool("echo")).text == "echo {}"


# -------------------------------------------------------------------------------------------------------- capabilities


@pytest.mark.feature(9)
async def test_capabilities_may_be_stated_as_they_are_on_the_wire(puppet: Puppeteer) -> None:
    server = puppet()
    stated = {"roots": {"listChanged": False}, "experimental": {"x": {}}}
    async with AsyncClient.connect(server.command, roots=[], capabilities=stated):
        pass

    assert server.params("initialize")[0]["capabilities"] == stated


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"sampling": {}}, "sampling is declared"),
        ({"samplng": {}}, "no capability 'samplng'"),
        ({"roots": 5}, "`capabilities`"),
        ({"roots": {1, 2}}, "`capabilities`"),
    ],
)
async def test_capabilities_that_are_none_are_refused(puppet: Puppeteer, stated: Any, words: str) -> None:
    server = puppet()
    error = await failure(connected, server.command, capabilities=stated)

    assert isinstance(error, UsageError)
    assert words in str(error)
    assert server.pids == []


# --------------------------------------------------------------------------------------------------------------- verbs

Verb = Callable[[Any], Awaitable[Any]]
VERBS: dict[str, Verb] = {
    "no tool": lambda client: client.call_tool(None),
    "arguments in a list": lambda client: client.call_tool("echo", [1]),
    "an argument without a name": lambda client: client.call_tool("echo", {1: 2}),
    "no number": lambda client: client.call_tool("echo", {"deep": [{"n": nan}]}),
    "no end": lambda client: client.call_tool("echo", {"n": inf}),
    "no number in meta": lambda client: client.call_tool("echo", meta={"n": nan}),
    "meta in a list": lambda client: client.call_tool("echo", meta=[1]),
    "a time in a list": lambda client: client.call_tool("echo", timeout=[1]),
    "a consumer that cannot be called": lambda client: client.call_tool("echo", on_progress=5),
    "no resource": lambda client: client.read_resource(None),
    "no resource to watch": lambda client: client.subscribe_resource(None),
    "no resource to watch no longer": lambda client: client.unsubscribe_resource(5),
    "no prompt": lambda client: client.get_prompt(None),
    "a prompt's argument that is no text": lambda client: client.get_prompt("greet", {"who": 5}),
    "nothing to complete": lambda client: client.complete("greet", "who", "y"),
    "no level": lambda client: client.set_log_level([]),
    "no cursor": lambda client: client.list_tools_page(5),
    "no root": lambda client: client.add_root(5),
    "no root to remove": lambda client: client.remove_root(5),
    "no elicitation": lambda client: client.wait_for_elicitation(None, timeout=1),
}


@pytest.mark.parametrize("mistake", VERBS)
async def test_a_verb_that_makes_no_sense_is_refused_and_nothing_is_sent(
    puppet: Puppeteer, era: str, mistake: str
) -> None:
    server = puppet(era)
    async with AsyncClient.connect(server.command, roots=[]) as client:
        await client.ping()  # what was sent before has been heard by then
        before = len(server.heard())
        error = await failure(VERBS[mistake], client)
        after = len(server.heard())

        assert isinstance(error, UsageError)
        assert after == before
        assert (await client.call_tool("echo")).text == "echo {}"


async def test_an_argument_that_is_no_number_is_named(puppet: Puppeteer) -> None:
    async with AsyncClient.connect(puppet().command) as client:
        error = await failure(client.call_tool, "echo", {"deep": [{"n": nan}]})

        assert "arguments.deep.0.n is nan" in str(error)


async def test_an_answer_that_is_no_number_is_the_handlers_failure(puppet: Puppeteer) -> None:
    server = puppet(on={"tools/call": [ask("elicitation/create", FORM), hear(None), text("json:$answer")]})
    handler = Seen(ElicitResult("accept", {"much": nan}))
    async with AsyncClient.connect(server.command, elicitation=handler) as client:
        assert "-32603" in (await client.call_tool("ask")).text

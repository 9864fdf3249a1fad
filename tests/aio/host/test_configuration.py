"""Hosts that are opened with files: what is in them counts, and what is wrong in them is told."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman import AsyncHost
from dragoman.aio.hosting import hosted
from dragoman.errors import ConfigError, McpTimeout, UsageError
from dragoman.files.reading import read_configuration, stamp
from tests.aio.client.support import failure, until
from tests.aio.host.support import Heard, entry, names, states
from tests.aio.transports.wire import is_running
from tests.servers.scripts.play import Puppet, Puppeteer, text, tool, wait

Write = Callable[[Any], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(servers: Any) -> Path:
        file = tmp_path / "mcp.json"
        contents = servers if isinstance(servers, str) else json.dumps({"mcpServers": servers}, indent=1)
        file.write_text(contents, "utf-8")
        return file

    return write


def yaml(server: Puppet, timeout: str = "20s") -> str:
    arguments = "".join(f"                - {json.dumps(each)}\n" for each in server.command[1:])
    return f"""
spring:
  ai:
    mcp:
      client:
        request-timeout: {timeout}
        stdio:
          connections:
            git:
              command: {server.command[0]}
              args:
{arguments}"""


@pytest.mark.feature(141, 142, 143, 175)
async def test_the_yaml_of_spring_opens_its_servers(puppet: Puppeteer, tmp_path: Path) -> None:
    server = puppet(on={"tools/call slow": [wait("never")]})
    file = tmp_path / "application.yml"
    file.write_text(yaml(server, "1s"), "utf-8")
    async with AsyncHost.open(file) as host:
        assert host.clients["git"].timeout == 1.0
        assert await names(host) == ["echo", "slow"]
        error = await failure(host.call_tool, "slow")

        assert isinstance(error, McpTimeout)
        assert len(server.pids) == 1


@pytest.mark.edge("B119")
async def test_variables_are_filled_in_and_one_that_is_missing_costs_its_server_alone(
    puppet: Puppeteer, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANTED", "value")
    monkeypatch.delenv("UNSET_HERE", raising=False)
    servers = {
        "a": entry(puppet(), env={"A": "${WANTED}", "B": "${UNSET_HERE:-other}", "C": "${input:c}"}),
        "b": {"url": "https://127.0.0.1:9/", "headers": {"Authorization": "Bearer ${UNSET_HERE}"}},
    }
    async with AsyncHost.open(write(servers), inputs={"c": "typed"}) as host:
        assert states(host) == {"a": "ready", "b": "unusable"}
        error = host.status()[1].error

        assert isinstance(error, ConfigError)
        assert (error.field, error.server) == ("headers.Authorization", "b")
        assert error.line is not None
        assert "the variable UNSET_HERE is not set" in str(error)
        assert isinstance(await failure(host.read_resource, "mem://a", server="b"), ConfigError)


async def test_bad_entries_are_told_and_cost_the_others_nothing(puppet: Puppeteer, write: Write) -> None:
    heard = Heard()
    file = write({"bad": {"args": "x"}, "a": entry(puppet(), comand="odd")})
    async with AsyncHost.open(file, on_event=heard) as host:
        assert states(host) == {"a": "ready", "bad": "unusable"}
        assert [(each.server, each.field, each.is_fatal) for each in host.problems] == [
            ("bad", "args", True),
            ("bad", "command", True),
            ("a", "comand", False),
        ]
        await until(lambda: {each.server for each in heard.of("problem")} == {"bad", "a"})


async def test_a_file_that_cannot_be_read_opens_no_host(write: Write) -> None:
    error = await failure(AsyncHost.open, write('{"mcpServers": {\n"a" 1}}'))

    assert isinstance(error, ConfigError)
    assert error.line == 2


async def test_several_files_are_one_configuration(puppet: Puppeteer, write: Write, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"servers": {"b": entry(puppet(tools=[tool("two")]))}}), "utf-8")
    file = write({"a": entry(puppet(tools=[tool("one")]))})
    async with AsyncHost.open([file, str(other)]) as host:
        assert await names(host) == ["one", "two"]
    async with AsyncHost.open(read_configuration(file, other)) as host:
        assert await names(host) == ["one", "two"]


async def test_only_what_has_changed_is_connected_to_anew(puppet: Puppeteer, write: Write) -> None:
    heard = Heard()
    a, b, c, d = (puppet(tools=[tool(f"tool-{name}")]) for name in "abcd")
    file = write({"a": entry(a), "b": entry(b), "c": entry(c)})
    async with AsyncHost.open(file, on_event=heard) as host:
        await host.add("own", puppet(tools=[tool("own")]).command)
        await host.ready(timeout=15)
        write({"d": entry(d), "c": entry(c), "b": entry(b, env={"X": "y"})})
        found = await host.reload()
        await host.ready(timeout=15)

        assert (found.added, found.removed, found.changed) == (("d",), ("a",), (("b", "b"),))
        assert list(states(host)) == ["d", "c", "b", "own"]
        assert await names(host) == ["tool-d", "tool-c", "tool-b", "own"]
        assert [len(each.pids) for each in (a, b, c, d)] == [1, 2, 1, 1]
        assert not is_running(a.pids[0])
        assert not await host.reload()
        await until(lambda: len(heard.of("config")) == 2)
        assert [each.message for each in heard.of("config")] == [
            "added d; removed a; changed b",
            "nothing has changed",
        ]


async def test_a_file_that_is_broken_meanwhile_changes_nothing(puppet: Puppeteer, write: Write) -> None:
    file = write({"a": entry(puppet())})
    async with AsyncHost.open(file) as host:
        write("{ broken")
        assert isinstance(await failure(host.reload), ConfigError)

        assert await names(host) == ["echo", "slow"]
    assert file.read_text("utf-8") == "{ broken"


async def test_files_can_be_watched(puppet: Puppeteer, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosted, "_LOOK", 0.02)
    heard = Heard()
    a, b = puppet(tools=[tool("one")]), puppet(tools=[tool("two")])
    async with AsyncHost.open(write({"a": entry(a)}), watch=True, on_event=heard) as host:
        write("{ broken")
        assert "kept as it was" in (await heard.one("problem")).message
        write({"a": entry(a), "b": entry(b)})
        await until(lambda: [each.name for each in host.tools] == ["one", "two"])

        assert len(a.pids) == 1


async def test_an_empty_file_is_one_that_is_being_written(
    puppet: Puppeteer, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Path] = []

    def watched(file: Path) -> Any:
        looks.append(file)
        return stamp(file)

    monkeypatch.setattr(hosted, "_LOOK", 0.02)
    monkeypatch.setattr(hosted, "stamp", watched)
    server = puppet(tools=[tool("one")])
    async with AsyncHost.open(write({"a": entry(server)}), watch=True) as host:
        write("")
        count = len(looks)
        await until(lambda: len(looks) > count + 2)
        assert states(host) == {"a": "ready"}

        write({"a": entry(server), "b": entry(puppet(tools=[tool("two")]))})
        await until(lambda: [each.name for each in host.tools] == ["one", "two"])
        assert len(server.pids) == 1


@pytest.mark.parametrize("name", ["this program", ""])
async def test_some_names_are_taken(puppet: Puppeteer, name: str) -> None:
    def search() -> str:
        """Look for it."""
        return "here"

    for target in (entry(puppet(tools=[tool("search")])), puppet().command):
        async with AsyncHost.open({name: target}, local=[search]) as host:
            assert (await host.call_tool("search")).text == "here"
            assert await names(host) == ["search"]
            assert isinstance(await failure(host.add, name, target), ConfigError | UsageError)


@pytest.mark.parametrize("target", ["", " ", [], None, 5])
async def test_a_target_that_is_none_costs_itself_alone(puppet: Puppeteer, target: Any) -> None:
    async with AsyncHost.open({"good": puppet().command, "bad": target}) as host:
        assert states(host) == {"good": "ready", "bad": "unusable"}


@pytest.mark.parametrize("name", ["mcp", "servers", "extensions"])
async def test_a_server_may_be_called_as_sections_are(puppet: Puppeteer, name: str) -> None:
    async with AsyncHost.open({name: entry(puppet())}) as host:
        assert states(host) == {name: "ready"}


@pytest.mark.feature(175)
@pytest.mark.parametrize(("written", "seconds"), [({"timeout": "2s"}, 2.0), ({"timeout": 3}, 3.0), ({}, 7.0)])
async def test_the_time_out_of_a_server_is_that_of_its_requests(
    puppet: Puppeteer, written: dict[str, Any], seconds: float
) -> None:
    async with AsyncHost.open({"a": entry(puppet(), **written)}, timeout=7) as host:
        assert host.clients["a"].timeout == seconds


async def test_the_options_of_an_entry_reach_its_server(puppet: Puppeteer, tmp_path: Path) -> None:
    server = puppet("legacy", on={"tools/call echo": [text("json:$answer")]})
    own = entry(server, cwd=str(tmp_path), versions="2025-06-18", log_level="debug", roots=["file:///r"])
    async with AsyncHost.open({"a": own}) as host:
        assert host.clients["a"].protocol_version == "2025-06-18"
        assert [root.uri for root in host.clients["a"].roots] == ["file:///r"]
        assert server.params("logging/setLevel") == [{"level": "debug"}]


@pytest.mark.edge("B118")
async def test_secrets_are_shown_nowhere(puppet: Puppeteer, write: Write, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    servers = {
        "a": entry(puppet(), env={"API_KEY": "hidden-1"}),
        "b": {"url": "http://me:hidden-2@127.0.0.1:9/mcp", "headers": {"Authorization": "Bearer hidden-3"}},
    }
    async with AsyncHost.open(write(servers), patience=1) as host:
        told = f"{host!r} {host.status()} {host.problems} {caplog.text}"

    assert "hidden" not in told


async def test_what_is_wrong_stands_where_it_is_written_and_is_told_anew_when_it_is_another(
    puppet: Puppeteer, write: Write
) -> None:
    good = entry(puppet())
    file = write({"bad": {"args": ["x"]}, "a": good})
    async with AsyncHost.open(file) as host:
        assert list(states(host)) == ["bad", "a"]
        assert "command: it is missing" in str(host.status()[0].error)

        write({"bad": {"command": "x", "timeout": "soon"}, "a": good})
        assert (await host.reload()).changed == (("bad", "bad"),)
        await host.ready(timeout=10)
        assert "'soon' is not a time" in str(host.status()[0].error)

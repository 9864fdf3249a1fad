"""A project's file starts nothing before somebody has given leave."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman import Approval, Approvals, AsyncHost, Input, ask_on_terminal
from dragoman.errors import PolicyDenied, UsageError
from dragoman.files.discovered import discover
from tests.aio.client.support import Seen, failure
from tests.aio.host.support import entry, names, states
from tests.servers.scripts.play import Puppeteer

Project = Callable[[dict[str, Any]], Path]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    def write(servers: dict[str, Any]) -> Path:
        file = tmp_path / "clone" / ".mcp.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps({"mcpServers": servers}), "utf-8")
        return file

    return write


@pytest.mark.edge("B117")
@pytest.mark.parametrize("trust", [None, False, [], Seen(False), Seen(RuntimeError("nobody there")), ask_on_terminal])
async def test_a_hostile_clone_runs_nothing(project: Project, tmp_path: Path, trust: Any, puppet: Puppeteer) -> None:
    canary = tmp_path / "canary"
    touch = f"from pathlib import Path; Path({str(canary)!r}).touch()"
    mine = puppet()
    file = project(
        {
            "spawn": {"command": sys.executable, "args": ["-c", touch]},
            "values": {
                "command": "true",
                "env": {"A": f"!touch {canary}", "B": f"$(touch {canary})", "C": f"`touch {canary}`"},
            },
            "web": {"url": "http://127.0.0.1:9/mcp", "headers": {"X": f"!touch {canary}"}},
        }
    )
    options = {} if trust is None else {"trust": trust}
    async with AsyncHost.open([{"mine": entry(mine)}, file], **options) as host:
        assert states(host)["mine"] == "ready"
        assert [str(each.state) for each in host.status() if each.name != "mine"] == ["not approved"] * 3
        error = await failure(host.read_resource, "mem://a", server="spawn")

        assert isinstance(error, PolicyDenied)
        assert "comes with a project" in str(error)
        assert await names(host) == ["echo", "slow"]
    assert not canary.exists()


@pytest.mark.edge("B117")
async def test_whoever_gives_leave_sees_the_whole_command(project: Project, puppet: Puppeteer) -> None:
    server, trust = puppet(), Seen(True)
    file = project({"a": entry(server, env={"TOKEN": "hidden", "MODE": "fast"})})
    async with AsyncHost.open(file, trust=trust) as host:
        assert states(host) == {"a": "ready"}

    (approval,) = trust.values
    assert isinstance(approval, Approval)
    shown = str(approval)
    assert all(word in shown for word in [*server.command, "MODE=fast", "TOKEN=***", str(file)])
    assert "hidden" not in shown


@pytest.mark.edge("B117")
async def test_leave_is_remembered_until_anything_is_different(
    project: Project, puppet: Puppeteer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MODE", "fast")
    server, trust = puppet(), Seen(True)
    several: list[dict[str, Any]] = [{}, {}, {"env": {"A": "${MODE}"}}, {"env": {"A": "${MODE}"}}]
    for fields in several:
        async with AsyncHost.open(project({"a": entry(server, **fields)}), trust=trust):
            pass
    assert len(trust) == 2

    monkeypatch.setenv("MODE", "slow")
    async with AsyncHost.open(project({"a": entry(server, env={"A": "${MODE}"})}), trust=trust) as host:
        assert states(host) == {"a": "ready"}
    assert len(trust) == 3

    async with AsyncHost.open(project({"a": entry(server, env={"A": "${MODE}"})})) as host:
        assert states(host) == {"a": "ready"}


@pytest.mark.parametrize(("answer", "asked"), [("once", 1), ("session", 2), (False, 2), ("never", 1)])
async def test_an_answer_holds_as_long_as_it_says(project: Project, puppet: Puppeteer, answer: Any, asked: int) -> None:
    file, trust = project({"a": entry(puppet())}), Seen(answer)
    for _ in range(2):
        async with AsyncHost.open(file, trust=trust):
            pass

    assert len(trust) == asked


@pytest.mark.parametrize("how", ["everything", "hash", "approvals"])
async def test_leave_can_be_given_beforehand(project: Project, puppet: Puppeteer, how: str) -> None:
    file, trust = project({"a": entry(puppet())}), Seen("session")
    async with AsyncHost.open(file, trust=trust):
        pass
    approval = trust.values[0]
    choices: dict[str, dict[str, Any]] = {"everything": {"trust": True}, "hash": {"trust": {approval.hash}}}
    options = choices.get(how, {})
    if how == "approvals":
        Approvals.of_user().approve(approval.entry)

    async with AsyncHost.open(file, **options) as host:
        assert states(host) == {"a": "ready"}


async def test_ones_own_files_and_mappings_need_no_leave(tmp_path: Path, puppet: Puppeteer) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(json.dumps({"mcpServers": {"a": entry(puppet())}}), "utf-8")
    async with AsyncHost.open([file, {"b": entry(puppet())}], trust=Seen(False)) as host:
        assert states(host) == {"a": "ready", "b": "ready"}


@pytest.mark.edge("B117")
async def test_what_is_discovered_is_not_trusted(
    project: Project, puppet: Puppeteer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    server = puppet()
    file = project({"theirs": entry(server)})
    _, config = discover(file.parent)
    async with AsyncHost.open(config) as host:
        assert states(host) == {"theirs": "not approved"}
    assert server.pids == []


async def test_every_leave_is_recorded(project: Project, puppet: Puppeteer) -> None:
    records: list[dict[str, Any]] = []
    async with AsyncHost.open(project({"a": entry(puppet())}), trust=Seen(False), audit=records.append):
        pass

    (record,) = records
    assert (record["event"], record["server"], record["verdict"], record["by"]) == ("trust", "a", "deny", "asked")


async def test_whoever_is_not_asked_sees_no_secrets(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSPHRASE", "tok-9f8e7d6c5b4a")
    records: list[dict[str, Any]] = []
    words = ["--api-key", "${PASSPHRASE}", "${PASSPHRASE}", "--password=hunter2hunter2"]
    async with AsyncHost.open(project({"a": {"command": "x", "args": words}}), audit=records.append) as host:
        (status,) = host.status()

    assert "tok-9f8e7d6c5b4a" not in str((status, status.error, records))
    assert "hunter2" not in str((status.target, status.error, records))
    assert records[0]["runs"] == "x --api-key '***' '${PASSPHRASE}' '--password=***'"


async def test_where_variables_cannot_be_looked_up_that_server_alone_is_left_out(puppet: Puppeteer) -> None:
    def inputs(_: object) -> str:
        raise ValueError("nobody there")

    servers = {"a": entry(puppet(), env={"X": "${input:q}"}), "b": entry(puppet())}
    async with AsyncHost.open({"mcpServers": servers}, inputs=inputs) as host:
        assert states(host) == {"a": "unusable", "b": "ready"}
        assert "ValueError: nobody there" in str(host.status()[0].error)


async def test_one_question_is_asked_at_a_time_and_once(project: Project, puppet: Puppeteer) -> None:
    under_way: list[str] = []
    asked: list[str] = []

    def ask(what: str) -> None:
        assert under_way == []
        under_way.append(what)
        time.sleep(0.05)  # for another one to come, if one would
        under_way.remove(what)
        asked.append(what)

    def inputs(wanted: Input) -> str:
        ask(wanted.id)
        return f"answer to {wanted.id}"

    def trust(approval: Approval) -> bool:
        ask(approval.entry.name)
        return True

    wanting = {"A": "${input:key}", "B": "${input:other}"}
    servers = {name: entry(puppet(), env=wanting if name < "c" else {}) for name in "abcd"}
    async with AsyncHost.open(project(servers), inputs=inputs, trust=trust) as host:
        await host.ready(timeout=30)
        assert set(states(host).values()) == {"ready"}

    assert sorted(asked) == ["a", "b", "c", "d", "key", "other"]


async def test_what_nobody_foresaw_makes_a_server_fail_and_not_hang(project: Project, puppet: Puppeteer) -> None:
    class Broken(Approvals):
        def get(self, key: str) -> bool | None:
            raise RuntimeError("the store is gone")

    async with AsyncHost.open([{"mine": entry(puppet())}, project({"a": entry(puppet())})], approvals=Broken()) as host:
        assert states(host) == {"mine": "ready", "a": "failed"}
        assert "the store is gone" in str(host.status()[1].error)


async def test_leave_is_given_to_variables_that_are_no_text(
    project: Project, puppet: Puppeteer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ODD", "\udcff")
    trust = Seen(True)
    async with AsyncHost.open(project({"a": entry(puppet(), env={"A": "${ODD}"})}), trust=trust) as host:
        assert states(host) == {"a": "ready"}
    assert "\\u{dcff}" in str(trust.values[0])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("trust", each) for each in (None, 5, "yes")),
        *(("naming", each) for each in ("Prefix", 5)),
        *((name, 5) for name in ("approve", "approvals", "audit", "filter", "inputs", "lock", "on_event", "policy")),
    ],
)
async def test_an_option_that_makes_no_sense_is_refused_at_once(name: str, value: Any, puppet: Puppeteer) -> None:
    server = puppet()
    options: dict[str, Any] = {name: value}
    error = await failure(AsyncHost.open, {"a": entry(server)}, **options)

    assert isinstance(error, UsageError)
    assert name in str(error)
    assert server.pids == []

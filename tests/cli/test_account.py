"""Logging in and out on the command line, and seeing what there is."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.aio.auth.support import follow
from tests.cli.command import PROGRAM, Outcome, dragoman, surroundings
from tests.project.sources import ROOT
from tests.servers.oauth.gated import Gated
from tests.servers.rude import Rude

Gates: TypeAlias = Callable[..., Gated]
Command: TypeAlias = Callable[..., Outcome]

BROWSER = f"{sys.executable} {ROOT / 'tests/servers/oauth/browser.py'} %s"


@pytest.fixture
def gated() -> Iterator[Gates]:
    with ExitStack() as stack:

        def make(era: str = "legacy", **manners: Any) -> Gated:
            return stack.enter_context(Gated(era, **manners))

        yield make


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """Run the command with a home of its own, and a browser."""
    surroundings = {"DRAGOMAN_HOME": str(tmp_path), "BROWSER": BROWSER, "NO_PROXY": "*", "no_proxy": "*"}

    def run(*words: str, **more: Any) -> Outcome:
        return dragoman(*words, env={**surroundings, **more.pop("env", {})}, **more)

    return run


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_login_serves_the_commands_that_follow(gated: Gates, command: Command, era: str) -> None:
    server = gated(era, tools=[{"name": "echo", "inputSchema": {"type": "object"}}])
    server.resource = {"scopes_supported": ["read"]}
    refused = command("call", server.url, "echo")
    logged_in = command("login", server.url)
    called = command("call", server.url, "echo")
    left = command("logout", server.url)
    refused_again = command("call", server.url, "echo", "--json")

    assert refused.code == 4
    assert f"hint: `dragoman login {server.url} --scope read` does it" in refused.err
    assert (logged_in.code, called.code, left.code) == (0, 0, 0), logged_in.err + called.err
    assert logged_in.out.startswith(f"logged in at {server.authority.base}\nscopes:     read\ntoken:      ends ")
    assert logged_in.out.endswith("in 60 min, renewed without asking\n")
    assert called.out == "echo {}\n"
    assert left.out == f"logged out of {server.url}\n"
    assert refused_again.code == 4
    told = refused_again.document["error"]
    assert (told["type"], told["url"], told["scope"]) == ("AuthError", f"{server.authority.base}/authorize", "read")
    assert server.authority.logins == 1


def test_what_is_stored_and_found_is_shown(gated: Gates, command: Command) -> None:
    server = gated()
    before = command("auth", server.url)
    command("login", server.url)
    after = command("auth", server.url)
    stored = command("auth")

    assert before.code == 0
    assert before.out == (
        f"{server.url}\n"
        "stored:     nothing\n"
        "asks for:   Bearer\n"
        "discovery:\n"
        f"  {server.url.removesuffix('/mcp')}/.well-known/oauth-protected-resource/mcp  found\n"
        f"  {server.authority.base}/.well-known/oauth-authorization-server  found\n"
        f"tokens by:  {server.authority.base}\n"
    )
    assert before.err == f"To log in: dragoman login {server.url}\n"
    assert f"stored:     a token of {server.authority.base}, given to client-1\n" in after.out
    assert stored.out == f"{server.url}\tdefault\n"
    assert "planted" not in after.out + after.err


def test_documents_are_for_scripts(gated: Gates, command: Command) -> None:
    server = gated()
    logged_in = command("login", server.url, "--json", "--identity", "at work").document
    seen = command("auth", server.url, "--json", "--identity", "at work").document
    other = command("auth", server.url, "--json").document
    stored = command("auth", "--json").document
    left = command("logout", server.url, "--json", "--identity", "at work").document

    assert logged_in == seen
    assert (seen["hasToken"], seen["canRenew"], seen["clientId"], seen["identity"]) == (
        True,
        True,
        "client-1",
        "at work",
    )
    assert [rung["outcome"] for rung in seen["trail"]] == ["found", "found"]
    assert (other["hasToken"], other["found"]) == (False, server.authority.base)
    assert stored == {"servers": [{"server": server.url, "identity": "at work"}]}
    assert left == {"server": server.url, "removed": True}
    assert command("logout", server.url).out == f"nothing was stored for {server.url}\n"
    assert command("auth", "--json").document == {"servers": []}
    assert "planted" not in json.dumps([logged_in, seen])


def test_arranged_client_is_remembered(gated: Gates, command: Command, tmp_path: Path) -> None:
    server = gated()
    server.authority.metadata = {"registration_endpoint": None}
    server.authority.arranged = {"me"}
    secret = tmp_path / "secret"
    secret.write_text("planted-client-secret\n")
    alone = command("login", server.url)
    words = ("login", server.url, "--client-id", "me", "--scope", "read write")
    from_file = command(*words, "--client-secret", f"@{secret}")
    server.authority.access = {}
    renewed = command("ping", server.url)
    typed = command(*words, "--client-secret", "-", given="planted-client-secret\n")
    tokens = [each for each in server.authority.heard if each.path == "/token"]

    assert alone.code == 4
    assert "give its `client_id`" in alone.err
    assert (from_file.code, renewed.code, typed.code) == (0, 0, 0), from_file.err + renewed.err + typed.err
    assert [each.form["grant_type"] for each in tokens] == ["authorization_code", "refresh_token", "authorization_code"]
    assert len({each.headers["authorization"] for each in tokens}) == 1
    assert list(server.authority.access.values()) == ["read write"]


def test_user_far_away_pastes_the_address(gated: Gates, tmp_path: Path) -> None:
    server = gated()
    process = subprocess.Popen(
        [*PROGRAM, "login", server.url, "--headless"],
        env=surroundings(DRAGOMAN_HOME=str(tmp_path), BROWSER="false", no_proxy="*"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said = [next(line for line in process.stderr if line.startswith("  http"))]
    _, location, _ = follow(said[0].strip())
    out, _ = process.communicate(f"http://localhost/nonsense\n{location}\n", timeout=30)

    assert process.returncode == 0
    assert out.startswith(f"logged in at {server.authority.base}\n")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("login",), 2, "SERVER"),
        (("login", "python server.py"), 2, "nobody logs in at a server that is a process"),
        (("login", "{url}", "--client-id", "x", "--client-secret", "hush"), 2, "can be seen by others"),
        (("login", "{url}", "--client-id", "x", "--client-secret", "@/no/such/file"), 2, "/no/such/file"),
        (("login", "http://127.0.0.1:9/mcp"), 3, "127.0.0.1"),
        (("auth", "http://127.0.0.1:9/mcp"), 3, "asks for:   it does not answer"),
        (("tools", "{url}", "--header", "Authorization: Bearer hush"), 4, "`dragoman auth {url}` shows"),
    ],
)
def test_failures_are_told_apart(gated: Gates, command: Command, words: tuple[str, ...], code: int, says: str) -> None:
    url = gated().url
    outcome = command(*(word.format(url=url) for word in words))

    assert outcome.code == code
    assert says.format(url=url) in outcome.err + outcome.out
    assert "hush" not in outcome.err


def test_no_of_the_user_is_told(gated: Gates, command: Command) -> None:
    server = gated()
    server.authority.says_no = True
    outcome = command("login", server.url)

    assert outcome.code == 4
    assert "the authorization was not given: access_denied: not today" in outcome.err


def test_server_that_asks_for_nothing_is_told(gated: Gates, command: Command) -> None:
    with Rude() as server:
        outcome = command("login", server.url)

    assert outcome.code == 4
    assert "asks for no authorization" in outcome.err


def test_nothing_secret_is_shown_however_much_is(gated: Gates, command: Command, tmp_path: Path) -> None:
    server = gated(stands=True)
    server.authority.arranged = {"me"}
    secret = tmp_path / "secret"
    secret.write_text("planted-client-secret")
    header = ("--header", "Authorization: Bearer planted-header")
    outcomes = [
        command("login", server.url, "-v", "--client-id", "me", "--client-secret", f"@{secret}"),
        command("call", server.url, "echo", "-v", "--log-level", "debug"),
        command("auth", server.url, "-v", "--json"),
        command("tools", server.url, "-v", "--json", *header),
    ]
    server.authority.revoke()
    outcomes += [command("call", server.url, "echo", "-v"), command("logout", server.url, "-v")]
    said = "\n".join(outcome.out + outcome.err for outcome in outcomes)
    forms = [each.form for each in server.authority.heard if each.path == "/token"]
    verifiers = [form["code_verifier"] for form in forms if "code_verifier" in form]

    assert [outcome.code for outcome in outcomes] == [0, 0, 0, 4, 4, 0]
    assert "POST" in said
    assert "tools/call" in said
    assert [line for line in said.splitlines() if "planted" in line] == []
    assert verifiers
    assert [each for each in verifiers if each in said] == []


def test_authorization_server_whose_metadata_breaks_a_rule_may_be_trusted(gated: Gates, command: Command) -> None:
    server = gated()
    server.authority.metadata = {"code_challenge_methods_supported": None}
    refused = command("login", server.url)
    trusted = command("login", server.url, "--trust-issuer", server.authority.base)

    assert (refused.code, trusted.code) == (4, 0), trusted.err
    assert "trusted_issuers" in refused.err


def test_options_come_on_top_of_what_a_configuration_says(gated: Gates, command: Command, tmp_path: Path) -> None:
    server = gated()
    server.authority.arranged = {"me"}
    entry = {"url": server.url, "auth": {"clientId": "me", "scope": "read"}}
    path = tmp_path / "mcp.json"
    path.write_text(json.dumps({"mcpServers": {"work": entry}}))
    outcome = command("login", "work", "--config", str(path), "--identity", "me@work", "--json")
    seen = command("auth", "work", "--config", str(path), "--identity", "me@work", "--json").document

    assert outcome.code == 0, outcome.err
    assert (seen["clientId"], seen["scopes"], seen["identity"]) == ("me", ["read"], "me@work")
    assert seen["hasToken"]

"""Grants that outlive callers who give up, stores that fail, and processes that stand still."""

import logging
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dragoman import (
    AuthError,
    ConfigError,
    FileStore,
    KeyringStore,
    McpTimeout,
    MemoryStore,
    OAuth,
    async_log_in,
    async_log_out,
)
from dragoman.deadline import Deadline
from tests.aio.auth.support import Visitor, age, connect, consent
from tests.aio.client.support import Background, failure, until
from tests.servers.oauth.gated import Gated
from tests.servers.oauth.server import Answer, Heard, Protected

CALLING = Path(__file__).parents[2] / "servers/oauth/calling.py"


class Slow:
    """Lets an authorization server exchange the refresh token at once, and answer only when it is told to."""

    def __init__(self, server: Gated | Protected) -> None:
        self.has_exchanged, self.may_answer = threading.Event(), threading.Event()
        self._authority, self._answer = server.authority, server.authority.answer
        server.authority.answer = self.answer  # type: ignore[method-assign]

    def answer(self, heard: Heard) -> Answer:
        before = dict(self._authority.access)
        answer = self._answer(heard)
        if heard.form.get("grant_type") == "refresh_token":
            self._authority.access |= before
            self.has_exchanged.set()
            self.may_answer.wait(20)
        return answer


# ----------------------------------------------------------------------------------------------- whoever waits for it


@pytest.mark.parametrize("era", ["legacy", "modern"])
async def test_renewal_goes_on_although_its_caller_has_given_up(gated: Callable[..., Gated], era: str) -> None:
    server = gated(era)
    async with connect(server, OAuth(browse=consent)) as client:
        await client.call_tool("echo")
        server.authority.access = {}
        slow = Slow(server)
        error = await failure(client.call_tool, "echo", timeout=0.3)
        slow.may_answer.set()
        await until(lambda: server.authority.refreshes == 1)
        assert (await client.call_tool("echo")).text == "echo {}"

    assert isinstance(error, McpTimeout)
    assert (server.authority.logins, server.authority.refreshes) == (1, 1)


async def test_renewal_is_seen_to_its_end_when_the_client_is_closed(gated: Callable[..., Gated]) -> None:
    server, store = gated(), MemoryStore()
    async with connect(server, OAuth(browse=consent, store=store)) as client:
        server.authority.access = {}
        slow = Slow(server)
        calling = Background(client.call_tool, "echo", timeout=0.3)
        await until(slow.has_exchanged.is_set)
        await calling.failure()
        threading.Timer(0.2, slow.may_answer.set).start()
    async with connect(server, OAuth(interactive=False, store=store)) as later:
        assert (await later.call_tool("echo")).text == "echo {}"

    assert (server.authority.logins, server.authority.refreshes) == (1, 1)


async def test_closing_does_not_wait_for_an_authorization_server_that_is_silent(gated: Callable[..., Gated]) -> None:
    server = gated("modern")
    async with connect(server, OAuth(browse=consent)) as client:
        server.authority.access = {}
        slow = Slow(server)
        await failure(client.call_tool, "echo", timeout=0.3)
        closing = Deadline.never()
    waited = closing.waited
    slow.may_answer.set()

    assert waited < 4.5


async def test_token_that_still_works_is_not_held_up_by_its_renewal(protected: Protected) -> None:
    store = MemoryStore()
    async with Visitor(protected.url, OAuth(browse=consent), store) as visitor:
        await visitor.visit()
    age(store, 3590)
    slow = Slow(protected)
    async with Visitor(protected.url, OAuth(interactive=False), store) as later:
        assert await later.visit(8.0) == 200
        assert await later.visit(0.5) == 200
        slow.may_answer.set()

    assert (protected.authority.logins, protected.authority.refreshes) == (1, 1)


async def test_call_does_not_outwait_its_time_for_a_process_that_stands_still(
    gated: Callable[..., Gated], tmp_path: Path
) -> None:
    server = gated()
    async with connect(server, OAuth(browse=consent, store=FileStore(tmp_path))) as client:
        other = another(server, tmp_path)
        server.authority.access = {}
        slow = Slow(server)
        go(other)
        await until(slow.has_exchanged.is_set)
        other.send_signal(signal.SIGSTOP)
        error = await failure(client.call_tool, "echo", timeout=0.5)
        other.kill()
        other.communicate(timeout=20)
        slow.may_answer.set()

    assert isinstance(error, McpTimeout)


def another(server: Gated, folder: Path) -> subprocess.Popen[str]:
    """A process that is about to call a tool."""
    command = [sys.executable, str(CALLING), server.url, str(folder)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


# -------------------------------------------------------------------------------------------------- stores that fail


class Broken(MemoryStore):
    """A store of somebody else's, in which one thing fails."""

    def __init__(self, fails: str, error: Exception) -> None:
        super().__init__()
        self.fails: str | None = fails
        self.error = error

    def __getattribute__(self, name: str) -> Any:
        if name in {"read", "swap", "lock"} and name == self.fails:
            raise self.error
        return super().__getattribute__(name)


ERRORS = [
    OSError(28, "No space left on device"),
    RuntimeError("it is locked"),
    McpTimeout("busy", method="store", waited=1),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("fails", ["swap", "lock"])
async def test_store_that_fails_costs_no_grant(
    protected: Protected, fails: str, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    async with Visitor(protected.url, OAuth(browse=consent), Broken(fails, error)) as visitor:
        assert [await visitor.visit() for _ in range(3)] == [200, 200, 200]
        protected.authority.access = {}
        assert await visitor.visit() == 200

    assert (protected.authority.logins, protected.authority.refreshes) == (1, 1)
    assert len([each for each in caplog.records if each.levelno == logging.WARNING]) == 1


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
async def test_store_that_cannot_be_read_is_said_where_it_matters(protected: Protected, error: Exception) -> None:
    store = Broken("read", error)
    async with Visitor(protected.url, OAuth(browse=consent), store) as visitor:
        with pytest.raises(ConfigError, match="the stored credentials cannot be read"):
            await visitor.visit()
        store.fails = None
        assert await visitor.visit() == 200


async def test_server_that_wants_no_token_is_spared_the_store(gated: Callable[..., Gated]) -> None:
    server = gated()
    server.authority.access = {"": "whoever shows no token"}
    async with connect(server, OAuth(store=Broken("read", RuntimeError("locked")))) as client:
        assert (await client.call_tool("echo")).text == "echo {}"


async def test_what_could_not_be_stored_is_stored_as_soon_as_it_can_be(gated: Callable[..., Gated]) -> None:
    server, store = gated(), Broken("", OSError(28, "No space left on device"))
    async with connect(server, OAuth(browse=consent, store=store)) as client:
        server.authority.access = {}
        store.fails = "swap"
        await client.call_tool("echo")
        store.fails = None
    server.authority.access = {}
    async with connect(server, OAuth(interactive=False, store=store)) as later:
        await later.call_tool("echo")

    assert (server.authority.logins, server.authority.refreshes) == (1, 2)


async def test_what_others_stored_meanwhile_goes_before_what_could_not_be(protected: Protected) -> None:
    store = Broken("", OSError(28, "No space left on device"))
    user = OAuth(browse=consent)
    async with Visitor(protected.url, user, store) as visitor, Visitor(protected.url, user, store) as other:
        await visitor.visit()
        protected.authority.access = {}
        store.fails = "swap"
        await visitor.visit()
        store.fails = None
        protected.authority.revoke()
        await other.visit()
        assert await visitor.visit() == 200

    assert protected.authority.logins == 2


async def test_keyring_without_a_keyring_is_said(protected: Protected, tmp_path: Path) -> None:
    class Missing:
        def get_password(self, service: str, name: str) -> str:
            raise RuntimeError("No recommended backend was available.")

    store = KeyringStore(backend=Missing(), folder=tmp_path)
    async with Visitor(protected.url, OAuth(browse=consent), store) as visitor:
        with pytest.raises(ConfigError, match="cannot be read: No recommended backend"):
            await visitor.visit()


async def test_user_without_a_home_is_asked_all_the_same(protected: Protected, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("DRAGOMAN_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    monkeypatch.setattr(sys, "platform", "linux")
    async with Visitor(protected.url, OAuth(browse=consent)) as visitor:
        assert [await visitor.visit(), await visitor.visit()] == [200, 200]
    async with Visitor(protected.url, OAuth(interactive=False)) as visitor:
        with pytest.raises(AuthError, match="there is nobody to ask"):
            await visitor.visit()


async def test_login_that_cannot_be_stored_is_none(protected: Protected) -> None:
    store = Broken("swap", OSError(28, "No space left on device", "credentials"))
    error = await failure(async_log_in, protected.url, OAuth(browse=consent, store=store), proxy=False)

    assert isinstance(error, ConfigError)
    assert "the credentials cannot be stored" in str(error)


async def test_logout_that_cannot_be_stored_is_none(protected: Protected) -> None:
    store = Broken("", OSError(30, "Read-only file system"))
    user = OAuth(browse=consent, store=store)
    await async_log_in(protected.url, user, proxy=False)
    store.fails = "swap"
    error = await failure(async_log_out, protected.url, user)

    assert isinstance(error, ConfigError)
    assert "Read-only file system" in str(error)

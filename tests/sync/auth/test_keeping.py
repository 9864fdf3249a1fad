# generated from tests/aio/auth/test_keeping.py by tools/unasync.py; do not edit
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
    log_in,
    log_out,
)
from dragoman.deadline import Deadline
from tests.servers.oauth.gated import Gated
from tests.servers.oauth.server import Answer, Heard, Protected
from tests.sync.auth.support import Visitor, age, connect, consent
from tests.sync.client.support import Background, failure, until

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
def test_renewal_goes_on_although_its_caller_has_given_up(gated: Callable[..., Gated], era: str) -> None:
    server = gated(era)
    with connect(server, OAuth(browse=consent)) as client:
        client.call_tool("echo")
        server.authority.access = {}
        slow = Slow(server)
        error = failure(client.call_tool, "echo", timeout=0.3)
        slow.may_answer.set()
        until(lambda: server.authority.refreshes == 1)
        assert client.call_tool("echo").text == "echo {}"

    assert isinstance(error, McpTimeout)
    assert (server.authority.logins, server.authority.refreshes) == (1, 1)


def test_renewal_is_seen_to_its_end_when_the_client_is_closed(gated: Callable[..., Gated]) -> None:
    server, store = gated(), MemoryStore()
    with connect(server, OAuth(browse=consent, store=store)) as client:
        server.authority.access = {}
        slow = Slow(server)
        calling = Background(client.call_tool, "echo", timeout=0.3)
        until(slow.has_exchanged.is_set)
        calling.failure()
        threading.Timer(0.2, slow.may_answer.set).start()
    with connect(server, OAuth(interactive=False, store=store)) as later:
        assert later.call_tool("echo").text == "echo {}"

    assert (server.authority.logins, server.authority.refreshes) == (1, 1)


def test_closing_does_not_wait_for_an_authorization_server_that_is_silent(gated: Callable[..., Gated]) -> None:
    server = gated("modern")
    with connect(server, OAuth(browse=consent)) as client:
        server.authority.access = {}
        slow = Slow(server)
        failure(client.call_tool, "echo", timeout=0.3)
        closing = Deadline.never()
    waited = closing.waited
    slow.may_answer.set()

    assert waited < 4.5


def test_token_that_still_works_is_not_held_up_by_its_renewal(protected: Protected) -> None:
    store = MemoryStore()
    with Visitor(protected.url, OAuth(browse=consent), store) as visitor:
        visitor.visit()
    age(store, 3590)
    slow = Slow(protected)
    with Visitor(protected.url, OAuth(interactive=False), store) as later:
        assert later.visit(8.0) == 200
        assert later.visit(0.5) == 200
        slow.may_answer.set()

    assert (protected.authority.logins, protected.authority.refreshes) == (1, 1)


def test_call_does_not_outwait_its_time_for_a_process_that_stands_still(
    gated: Callable[..., Gated], tmp_path: Path
) -> None:
    server = gated()
    with connect(server, OAuth(browse=consent, store=FileStore(tmp_path))) as client:
        other = another(server, tmp_path)
        server.authority.access = {}
        slow = Slow(server)
        go(other)
        until(slow.has_exchanged.is_set)
        other.send_signal(signal.SIGSTOP)
        error = failure(client.call_tool, "echo", timeout=0.5)
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
def test_store_that_fails_costs_no_grant(
    protected: Protected, fails: str, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    with Visitor(protected.url, OAuth(browse=consent), Broken(fails, error)) as visitor:
        assert [visitor.visit() for _ in range(3)] == [200, 200, 200]
        protected.authority.access = {}
        assert visitor.visit() == 200

    assert (protected.authority.logins, protected.authority.refreshes) == (1, 1)
    assert len([each for each in caplog.records if each.levelno == logging.WARNING]) == 1


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_store_that_cannot_be_read_is_said_where_it_matters(protected: Protected, error: Exception) -> None:
    store = Broken("read", error)
    with Visitor(protected.url, OAuth(browse=consent), store) as visitor:
        with pytest.raises(ConfigError, match="the stored credentials cannot be read"):
            visitor.visit()
        store.fails = None
        assert visitor.visit() == 200


def test_server_that_wants_no_token_is_spared_the_store(gated: Callable[..., Gated]) -> None:
    server = gated()
    server.authority.access = {"": "whoever shows no token"}
    with connect(server, OAuth(store=Broken("read", RuntimeError("locked")))) as client:
        assert client.call_tool("echo").text == "echo {}"


def test_what_could_not_be_stored_is_stored_as_soon_as_it_can_be(gated: Callable[..., Gated]) -> None:
    server, store = gated(), Broken("", OSError(28, "No space left on device"))
    with connect(server, OAuth(browse=consent, store=store)) as client:
        server.authority.access = {}
        store.fails = "swap"
        client.call_tool("echo")
        store.fails = None
    server.authority.access = {}
    with connect(server, OAuth(interactive=False, store=store)) as later:
        later.call_tool("echo")

    assert (server.authority.logins, server.authority.refreshes) == (1, 2)


def test_what_others_stored_meanwhile_goes_before_what_could_not_be(protected: Protected) -> None:
    store = Broken("", OSError(28, "No space left on device"))
    user = OAuth(browse=consent)
    with Visitor(protected.url, user, store) as visitor, Visitor(protected.url, user, store) as other:
        visitor.visit()
        protected.authority.access = {}
        store.fails = "swap"
        visitor.visit()
        store.fails = None
        protected.authority.revoke()
        other.visit()
        assert visitor.visit() == 200

    assert protected.authority.logins == 2


def test_keyring_without_a_keyring_is_said(protected: Protected, tmp_path: Path) -> None:
    class Missing:
        def get_password(self, service: str, name: str) -> str:
            raise RuntimeError("No recommended backend was available.")

    store = KeyringStore(backend=Missing(), folder=tmp_path)
    with Visitor(protected.url, OAuth(browse=consent), store) as visitor:
        with pytest.raises(ConfigError, match="cannot be read: No recommended backend"):
            visitor.visit()


def test_user_without_a_home_is_asked_all_the_same(protected: Protected, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("DRAGOMAN_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", nowhere)
    monkeypatch.setattr(sys, "platform", "linux")
    with Visitor(protected.url, OAuth(browse=consent)) as visitor:
        assert [visitor.visit(), visitor.visit()] == [200, 200]
    with Visitor(protected.url, OAuth(interactive=False)) as visitor:
        with pytest.raises(AuthError, match="there is nobody to ask"):
            visitor.visit()


def test_login_that_cannot_be_stored_is_none(protected: Protected) -> None:
    store = Broken("swap", OSError(28, "No space left on device", "credentials"))
    error = failure(log_in, protected.url, OAuth(browse=consent, store=store), proxy=False)

    assert isinstance(error, ConfigError)
    assert "the credentials cannot be stored" in str(error)


def test_logout_that_cannot_be_stored_is_none(protected: Protected) -> None:
    store = Broken("", OSError(30, "Read-only file system"))
    user = OAuth(browse=consent, store=store)
    log_in(protected.url, user, proxy=False)
    store.fails = "swap"
    error = failure(log_out, protected.url, user)

    assert isinstance(error, ConfigError)
    assert "Read-only file system" in str(error)

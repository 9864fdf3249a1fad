# generated from tests/aio/auth/test_clients.py by tools/unasync.py; do not edit
"""A client of a protected server, from the first refusal to the farewell, over every transport."""

import threading
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from dragoman import AuthError, ConnectionClosed, FileStore, McpTimeout, MemoryStore, OAuth, UsageError
from dragoman.views import Phase
from tests.servers.oauth.gated import Gated
from tests.servers.oauth.server import Answer
from tests.sync.auth.support import age, connect, consent, follow
from tests.sync.client.support import Background, failure, until
from tests.sync.transports.wire import together

Gates: TypeAlias = Callable[..., Gated]

USER = OAuth(browse=consent)
NOBODY = OAuth(interactive=False)


@pytest.fixture(params=["legacy", "modern", "sse"])
def server(request: pytest.FixtureRequest, gated: Gates) -> Gated:
    """A server of each kind that there is."""
    return (
        gated() if request.param == "legacy" else gated("modern") if request.param == "modern" else gated(is_sse=True)
    )


def connected(server: Gated, auth: Any = None, **options: Any) -> Any:
    """Connect, and close again."""
    with connect(server, auth, **options) as client:
        return client.call_tool("echo").text


# ------------------------------------------------------------------------------------------------------- the whole way


@pytest.mark.parametrize("engine", ["default", "httpx"])
def test_user_logs_in_once_and_programs_that_follow_need_nobody(server: Gated, engine: str) -> None:
    with connect(server, USER, engine=engine) as client:
        client.list_tools()
        assert client.call_tool("echo").text == "echo {}"
    with connect(server, NOBODY, engine=engine) as later:
        assert later.call_tool("echo").text == "echo {}"

    assert (server.authority.logins, server.authority.refreshes) == (1, 0)


def test_nothing_has_to_be_given_where_somebody_has_logged_in(server: Gated) -> None:
    connected(server, USER)

    assert connected(server) == "echo {}"
    assert server.authority.logins == 1


def test_every_request_carries_the_token(gated: Gates) -> None:
    server = gated(stands=True)
    connected(server, USER)
    (token,) = server.authority.access

    for method in ("notifications/initialized", "GET", "tools/call", "DELETE"):
        assert server.tokens(method) == [token], method


def test_stream_and_messages_of_http_and_sse_carry_the_token(gated: Gates) -> None:
    server = gated(is_sse=True)
    connected(server, USER)
    (token,) = server.authority.access

    assert server.tokens("GET") == [token]
    assert server.tokens("tools/call") == [token]


def test_listen_stream_carries_the_token_and_a_new_one_when_it_is_opened_again(gated: Gates) -> None:
    server = gated("modern")
    with connect(server, USER, on_tools_changed=lambda _: None):
        (token,) = server.authority.access
        assert server.tokens("subscriptions/listen") == [token]
        server.authority.access = {}
        server.cut_streams()
        until(lambda: server.streams)

    assert server.authority.refreshes == 1
    assert server.tokens("subscriptions/listen")[-1] in server.authority.access


def test_standing_stream_gets_a_new_token_when_it_is_opened_again(gated: Gates) -> None:
    server = gated(stands=True)
    with connect(server, USER):
        until(lambda: server.streams)
        server.authority.access = {}
        server.cut_streams()
        until(lambda: server.streams)

    assert server.authority.refreshes == 1
    assert server.tokens("GET")[-1] in server.authority.access


# ------------------------------------------------------------------------------------------------------ a token's life


@pytest.mark.edge("B68")
def test_token_that_ended_between_two_programs_is_renewed_without_the_user(server: Gated) -> None:
    connected(server, USER)
    age(FileStore(), 3700)
    connected(server, NOBODY)

    assert (server.authority.logins, server.authority.refreshes) == (1, 1)


def test_token_that_ends_between_two_calls_is_renewed(server: Gated) -> None:
    with connect(server, USER) as client:
        client.call_tool("echo")
        server.authority.access = {}
        client.call_tool("echo")

    assert (server.authority.logins, server.authority.refreshes, server.ran["echo"]) == (1, 1, 2)


@pytest.mark.edge("B69")
def test_refresh_that_fails_for_now_fails_the_call_and_leaves_the_grant(server: Gated) -> None:
    with connect(server, USER) as client:
        server.authority.access = {}
        server.authority.trouble = [Answer({}, 503)] * 3
        error = failure(client.call_tool, "echo")
        assert client.call_tool("echo").text == "echo {}"

    assert isinstance(error, AuthError)
    assert "what was granted is kept" in str(error)
    assert (server.authority.logins, server.ran["echo"]) == (1, 1)


def test_user_is_asked_in_the_middle_of_a_call_where_the_grant_is_gone(server: Gated) -> None:
    with connect(server, USER) as client:
        server.authority.revoke()
        client.call_tool("echo")

    assert (server.authority.logins, server.ran["echo"]) == (2, 1)


def test_call_takes_up_what_another_program_was_given(server: Gated) -> None:
    with connect(server, USER) as client:
        server.authority.revoke()
        connected(server, USER)
        client.call_tool("echo")

    assert server.authority.logins == 2


@pytest.mark.edge("B76")
def test_call_that_needs_more_asks_for_all_at_once(server: Gated) -> None:
    server.resource = {"scopes_supported": ["read"]}
    server.scopes = {"tools/call write": "write"}
    with connect(server, USER) as client:
        client.call_tool("echo")
        client.call_tool("write")
        client.call_tool("write")

    assert list(server.authority.access.values()) == ["read write"]
    assert (server.authority.logins, server.authority.refreshes) == (2, 0)
    assert (server.ran["echo"], server.ran["write"]) == (1, 2)


@pytest.mark.edge("B76")
def test_program_without_a_user_is_told_what_a_call_needs(server: Gated) -> None:
    server.resource = {"scopes_supported": ["read"]}
    server.scopes = {"tools/call write": "write"}
    connected(server, USER)
    with connect(server, NOBODY) as client:
        error = failure(client.call_tool, "write")
        client.call_tool("echo")

    assert isinstance(error, AuthError)
    assert (error.scope, error.url, error.server) == ("read write", f"{server.authority.base}/authorize", "gated")
    assert f'`dragoman login {server.url} --scope "read write"` does it' in str(error)


def test_many_tasks_renew_once(server: Gated) -> None:
    with connect(server, USER) as client:
        server.authority.access = {}
        together(*[lambda: client.call_tool("echo")] * 64)

    assert (server.authority.logins, server.authority.refreshes, server.ran["echo"]) == (1, 1, 64)


def test_many_tasks_take_up_what_another_program_left_behind(server: Gated) -> None:
    """Some see the token of the other program, which has ended as well, and some do not yet."""
    connected(server, USER)
    with connect(server, NOBODY) as client:
        age(FileStore(), 3700)
        server.authority.access = {}
        together(*[lambda: client.call_tool("echo")] * 64)

    assert (server.authority.logins, server.authority.refreshes, server.ran["echo"]) == (1, 1, 65)


# ----------------------------------------------------------------------------------------------------- the user's part


@pytest.mark.feature(95)
def test_program_without_a_user_is_told_how_to_log_in(server: Gated) -> None:
    server.resource = {"scopes_supported": ["read"]}
    error = failure(connected, server, NOBODY)

    assert isinstance(error, AuthError)
    assert (error.status, error.scope, error.url) == (401, "read", f"{server.authority.base}/authorize")
    assert f"`dragoman login {server.url} --scope read` does it" in str(error)
    assert server.authority.count("POST", "/register") == 0


def test_browser_opens_once_while_connecting(server: Gated, browser: None, capfd: pytest.CaptureFixture[str]) -> None:
    assert connected(server, OAuth(interactive=True)) == "echo {}"
    assert connected(server, OAuth(interactive=True)) == "echo {}"
    assert server.authority.logins == 1
    assert "gated: log in at localhost; a page opens in your browser." in capfd.readouterr().err


def test_user_who_says_no_is_asked_once(server: Gated) -> None:
    server.authority.says_no = True
    error = failure(connected, server, USER)

    assert isinstance(error, AuthError)
    assert "access_denied: not today" in str(error)
    assert server.authority.logins == 1


def test_token_that_is_not_taken_is_asked_for_once(gated: Gates) -> None:
    server = gated("modern")
    server.authority.forgets = True
    error = failure(connected, server, USER)

    assert isinstance(error, AuthError)
    assert "does not take the token that was just given for it" in str(error)
    assert server.authority.logins == 1


def test_time_of_the_user_is_none_of_the_calls(server: Gated) -> None:
    def slowly(url: str) -> str:
        reached.set()
        may_go_on.wait(20)
        return follow(url)[1] or ""

    reached, may_go_on = threading.Event(), threading.Event()
    connecting = Background(connected, server, OAuth(browse=slowly), timeout=0.5)
    until(reached.is_set)
    may_go_on.wait(0.7)
    may_go_on.set()

    assert connecting.wait() == "echo {}"


@pytest.mark.parametrize("manners", [{"stands": True}, {"era": "modern"}])
def test_nobody_is_asked_for_what_happens_by_itself(gated: Gates, manners: dict[str, Any]) -> None:
    server = gated(**manners)
    with connect(server, USER, on_tools_changed=lambda _: None) as client:
        until(lambda: server.streams)
        server.authority.revoke()
        method = "subscriptions/listen" if server.era == "modern" else "GET"
        server.cut_streams()
        until(lambda: server.tokens(method)[-1] is None or len(server.tokens(method)) > 2)
        assert server.authority.logins == 1
        client.call_tool("echo")
        until(lambda: server.streams)
        server.authority.revoke()

    assert server.authority.logins == 2


def test_closing_ends_the_wait_for_the_user(server: Gated, no_browser: None, capfd: pytest.CaptureFixture[str]) -> None:
    connected(server, USER)
    with connect(server, OAuth(interactive=True)) as client:
        server.authority.revoke()
        error = Background(client.call_tool, "echo")
        until(lambda: "log in at" in capfd.readouterr().err)
        client.close()

        assert isinstance(error.failure(), ConnectionClosed)


# -------------------------------------------------------------------------------------------------------- other ways in


def test_own_header_is_not_touched(server: Gated) -> None:
    server.takes = {"mine"}

    assert connected(server, USER, headers={"Authorization": "Bearer mine"}) == "echo {}"
    assert set(server.tokens("tools/call")) == {"mine"}
    assert server.authority.heard == []


@pytest.mark.parametrize("engine", ["default", "httpx"])
@pytest.mark.parametrize("given", [{"auth": "mine\n"}, {"headers": {"Authorization": " Bearer mine "}}])
def test_white_space_around_a_token_is_none_of_it(server: Gated, given: dict[str, Any], engine: str) -> None:
    server.takes = {"mine"}

    assert connected(server, **given, engine=engine) == "echo {}"


def test_empty_token_is_said_at_once(gated: Gates) -> None:
    error = failure(connected, gated(), "")

    assert isinstance(error, UsageError)
    assert "the token is empty" in str(error)


def test_own_header_that_is_refused_is_the_users_business(server: Gated) -> None:
    error = failure(connected, server, USER, headers={"authorization": "Bearer wrong"})

    assert isinstance(error, AuthError)
    assert (error.status, error.challenge) == (401, "Bearer")
    assert server.authority.heard == []


def test_no_authorization_is_had_where_none_is_wanted(server: Gated) -> None:
    error = failure(connected, server, auth=False)

    assert isinstance(error, AuthError)
    assert server.authority.heard == []


def test_what_is_no_way_in_is_said_at_once(gated: Gates) -> None:
    server = gated()
    error = failure(connected, server, 5)

    assert isinstance(error, UsageError)
    assert "auth cannot be int" in str(error)
    assert server.exchanges == []


def test_store_may_be_chosen(server: Gated) -> None:
    store = MemoryStore()
    connected(server, OAuth(browse=consent, store=store))

    assert store.keys() == [f"default {server.url}"]
    assert FileStore().keys() == []


# ------------------------------------------------------------------------------------------------- asked, and unasked


def test_nobody_is_asked_while_a_lost_connection_is_made_again_by_itself(gated: Gates) -> None:
    server = gated(is_sse=True)
    with connect(server, USER) as client:
        server.authority.revoke()
        server.cut_streams()
        until(lambda: client.state.phase is Phase.FAILED)
        assert server.authority.logins == 1
        assert client.call_tool("echo").text == "echo {}"

    assert server.authority.logins == 2


def test_user_is_asked_where_a_call_finds_the_session_lost_and_the_grant_gone(gated: Gates) -> None:
    server = gated()
    with connect(server, USER) as client:
        server.authority.revoke()
        server.forget_sessions()
        assert client.call_tool("echo").text == "echo {}"

    assert server.authority.logins == 2


def test_no_of_the_user_is_told_to_the_call_that_asked(gated: Gates) -> None:
    server = gated(is_sse=True)
    with connect(server, USER) as client:
        server.authority.revoke()
        server.authority.says_no = True
        server.cut_streams()
        until(lambda: client.state.phase is Phase.FAILED)
        error = failure(client.call_tool, "echo")
        again = failure(client.call_tool, "echo")

    assert isinstance(error, AuthError)
    assert isinstance(again, AuthError)
    assert "access_denied: not today" in str(error)
    assert server.authority.logins == 3


@pytest.mark.parametrize("manners", [{"stands": True}, {"era": "modern"}])
def test_nobody_is_asked_for_a_list_that_is_read_again_by_itself(gated: Gates, manners: dict[str, Any]) -> None:
    server = gated(**manners)
    lists: list[Any] = []
    with connect(server, USER, on_tools_changed=lists.append) as client:
        until(lambda: server.streams)
        server.authority.revoke()
        asked = len(server.tokens("tools/list"))
        server.tell("notifications/tools/list_changed")
        until(lambda: len(server.tokens("tools/list")) > asked)
        assert server.authority.logins == 1
        client.call_tool("echo")

    assert server.authority.logins == 2


def test_user_who_does_not_come_back_while_connecting_is_what_is_told(server: Gated, no_browser: None) -> None:
    error = failure(connected, server, OAuth(interactive=True, login_timeout=0.1))

    assert isinstance(error, McpTimeout)
    assert "the user has not logged in" in str(error)
    assert "login_timeout" in str(error)
    assert "MCP server?" not in str(error)

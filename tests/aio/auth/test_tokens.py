"""Tokens over their whole life, with servers that fail in the middle of it."""

import threading

import pytest

from dragoman.auth.consent import OAuth
from dragoman.auth.grants import ClientCredentials
from dragoman.errors import AuthError, McpTimeout
from dragoman.local.stores import FileStore, MemoryStore
from tests.aio.auth.support import Visitor, age, consent
from tests.aio.transports.wire import together
from tests.servers.oauth.server import Answer, Heard, Protected

USER = OAuth(browse=consent)


async def test_user_is_asked_once_and_never_again(protected: Protected) -> None:
    async with Visitor(protected.url, USER) as visitor:
        assert [await visitor.visit() for _ in range(3)] == [200, 200, 200]
    async with Visitor(protected.url, OAuth(interactive=False)) as later:
        assert await later.visit() == 200

    assert protected.authority.logins == 1


async def test_coroutine_function_may_bring_the_user(protected: Protected) -> None:
    async def bring(url: str) -> str:
        return consent(url)

    async with Visitor(protected.url, OAuth(browse=bring)) as visitor:
        assert await visitor.visit() == 200


@pytest.mark.edge("B68")
async def test_ended_token_is_renewed_after_a_restart(protected: Protected) -> None:
    protected.authority.lifetime = 1
    store = MemoryStore()
    async with Visitor(protected.url, USER, store) as visitor:
        await visitor.visit()
    age(store, 10)
    protected.authority.lifetime = 3600
    async with Visitor(protected.url, OAuth(interactive=False), store) as later:
        assert [await later.visit() for _ in range(3)] == [200, 200, 200]

    assert (protected.authority.logins, protected.authority.refreshes) == (1, 1)


@pytest.mark.edge("B69")
async def test_authorization_server_that_is_away_for_a_moment_costs_nothing(protected: Protected) -> None:
    store = FileStore()
    async with Visitor(protected.url, USER, store) as visitor:
        await visitor.visit()
        age(store, 3700)
        protected.authority.trouble = [Answer({}, 503), Answer(b"<html>", 502)]
    async with Visitor(protected.url, USER, store) as later:
        assert await later.visit() == 200

    assert (protected.authority.logins, protected.authority.refreshes) == (1, 3)


@pytest.mark.edge("B69")
async def test_authorization_server_that_stays_away_leaves_the_grant(protected: Protected) -> None:
    store = FileStore()
    async with Visitor(protected.url, USER, store) as visitor:
        await visitor.visit()
    age(store, 3700)
    protected.authority.trouble = [Answer({}, 503)] * 3
    async with Visitor(protected.url, USER, store) as later:
        with pytest.raises(AuthError, match="what was granted is kept") as caught:
            await later.visit()
        assert await later.visit() == 200

    assert protected.authority.logins == 1
    assert caught.value.__cause__ is None


async def test_revoked_grant_is_given_again(protected: Protected) -> None:
    async with Visitor(protected.url, USER) as visitor:
        await visitor.visit()
        protected.authority.revoke()
        assert await visitor.visit() == 200

    assert protected.authority.logins == 2


async def test_login_elsewhere_is_seen_by_a_running_session(protected: Protected) -> None:
    store = FileStore()
    async with Visitor(protected.url, USER, store) as running, Visitor(protected.url, USER, store) as other:
        await running.visit()
        protected.authority.revoke()
        await other.visit()
        assert await running.visit() == 200

    assert protected.authority.logins == 2


async def test_form_encoded_answers_are_read(protected: Protected) -> None:
    protected.authority.is_form_encoded = True
    async with Visitor(protected.url, USER) as visitor:
        assert await visitor.visit() == 200


async def test_silent_token_endpoint_is_not_waited_for_beyond_the_deadline(protected: Protected) -> None:
    silence = threading.Event()
    protected.authority.before_token = lambda _: silence.wait(20)  # type: ignore[assignment]
    async with Visitor(protected.url, ClientCredentials("id", "secret")) as visitor:
        with pytest.raises(McpTimeout):
            await visitor.visit(0.5)
    silence.set()


async def test_function_that_gives_no_token_is_not_waited_for_beyond_the_deadline(protected: Protected) -> None:
    given = threading.Event()

    def never() -> str:
        given.wait(0.6)
        return "late"

    async with Visitor(protected.url, never) as visitor:
        with pytest.raises(McpTimeout, match="the function that gives the token did not return in"):
            await visitor.visit(0.3)
    given.set()


async def test_function_that_brings_nobody_back_is_not_waited_for_longer_than_a_user(protected: Protected) -> None:
    back = threading.Event()

    def never(url: str) -> str:
        back.wait(0.6)
        return url

    async with Visitor(protected.url, OAuth(browse=never, login_timeout=0.3)) as visitor:
        with pytest.raises(McpTimeout, match="`browse` did not return in"):
            await visitor.visit()
    back.set()


async def test_time_out_of_the_applications_own_stays_its_own(protected: Protected) -> None:
    def fail() -> str:
        raise TimeoutError("the vault did not answer")

    async with Visitor(protected.url, fail) as visitor:
        with pytest.raises(TimeoutError, match="the vault"):
            await visitor.visit()


async def test_silent_place_does_not_keep_others_from_being_looked_at(protected: Protected) -> None:
    silence = threading.Event()
    plain = protected.answer

    def answer(heard: Heard) -> Answer:
        if heard.path == "/.well-known/oauth-protected-resource/mcp":
            silence.wait(20)
        if heard.path == "/.well-known/oauth-protected-resource":
            heard.path = "/.well-known/oauth-protected-resource/mcp"
        return plain(heard)

    protected.answer = answer  # type: ignore[method-assign]
    async with Visitor(protected.url, ClientCredentials("id", "secret")) as visitor:
        assert await visitor.visit(4.0) == 200
    silence.set()


async def test_program_needs_no_user(protected: Protected) -> None:
    async with Visitor(protected.url, ClientCredentials("id", "secret")) as visitor:
        assert await visitor.visit() == 200
        protected.authority.revoke()
        assert await visitor.visit() == 200

    assert protected.authority.logins == 0


@pytest.mark.edge("B76")
async def test_missing_scopes_are_asked_for(protected: Protected) -> None:
    protected.resource = {"scopes_supported": ["read"]}
    async with Visitor(protected.url, USER) as visitor:
        await visitor.visit()
        protected.scope = "write"
        assert await visitor.visit() == 200

    assert list(protected.authority.access.values()) == ["read write"]
    assert protected.authority.refreshes == 0


@pytest.mark.edge("B76")
async def test_program_without_a_user_is_told_what_is_missing(protected: Protected) -> None:
    protected.resource = {"scopes_supported": ["read"]}
    async with Visitor(protected.url, OAuth(interactive=False)) as visitor:
        with pytest.raises(AuthError) as caught:
            await visitor.visit()

    assert (caught.value.scope, caught.value.url) == ("read", f"{protected.authority.base}/authorize")
    assert caught.value.server == "the server"


@pytest.mark.edge("B80")
@pytest.mark.parametrize("url", ["file:///etc/passwd", "http://169.254.169.254/authorize", "smb://host/x"])
async def test_hostile_authorization_url_is_not_opened(protected: Protected, url: str) -> None:
    protected.authority.metadata = {"authorization_endpoint": url}
    opened: list[str] = []

    def browse(opening: str) -> str:
        opened.append(opening)
        return opening

    async with Visitor(protected.url, OAuth(browse=browse)) as visitor:
        with pytest.raises(AuthError, match="the authorization_endpoint of the authorization server"):
            await visitor.visit()

    assert opened == []


async def test_no_of_the_user_is_told(protected: Protected) -> None:
    protected.authority.says_no = True
    async with Visitor(protected.url, USER) as visitor:
        with pytest.raises(AuthError, match="access_denied: not today"):
            await visitor.visit()


async def test_refusal_that_nothing_helps_against_is_given_back(protected: Protected) -> None:
    async with Visitor(protected.url, "a fixed token") as visitor:
        assert await visitor.visit() == 401


# ------------------------------------------------------------------------------------------------------- many at once


async def test_many_tasks_log_in_once(protected: Protected) -> None:
    async with Visitor(protected.url, USER) as visitor:
        assert await together(*[visitor.visit] * 32) == [200] * 32

    assert protected.authority.logins == 1


async def test_many_tasks_renew_once(protected: Protected) -> None:
    store = FileStore()
    async with Visitor(protected.url, USER, store) as visitor:
        await visitor.visit()
    age(store, 3700)
    async with Visitor(protected.url, USER, store) as visitor:
        assert await together(*[visitor.visit] * 64) == [200] * 64

    assert (protected.authority.logins, protected.authority.refreshes) == (1, 1)


async def test_failed_login_is_told_to_all_who_waited(protected: Protected) -> None:
    protected.authority.says_no = True
    async with Visitor(protected.url, USER) as visitor:
        # Each has been refused before any has asked the user.
        barrier = threading.Barrier(8)
        plain = protected.answer

        def answer(heard: Heard) -> Answer:
            if heard.path == "/mcp":
                barrier.wait(20)
            return plain(heard)

        protected.answer = answer  # type: ignore[method-assign]
        errors = await together(*[visitor.visit] * 8)

    assert [type(error) for error in errors] == [AuthError] * 8
    assert protected.authority.logins < 8

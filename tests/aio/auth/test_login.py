"""Logging in with a browser, at this machine and from far away."""

import io
import socket
import sys
import threading
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from dragoman.aio._runtime import pause
from dragoman.auth.consent import OAuth
from dragoman.errors import AuthError, McpTimeout, UsageError
from dragoman.local.stores import FileStore
from tests.aio.auth.support import Visitor, follow
from tests.aio.client.support import until
from tests.aio.transports.wire import together
from tests.servers.oauth.server import Answer, Protected

USER = OAuth(interactive=True)


async def test_browser_opens_once(protected: Protected, browser: None, capfd: pytest.CaptureFixture[str]) -> None:
    async with Visitor(protected.url, USER) as visitor:
        assert [await visitor.visit(), await visitor.visit()] == [200, 200]

    assert protected.authority.logins == 1
    await shown(capfd, "the server: log in at localhost; a page opens in your browser.", "The access was given.")


async def shown(capfd: pytest.CaptureFixture[str], *texts: str) -> None:
    """Wait until some texts have been shown, by this program or by a browser."""
    seen = [""]

    def all_is_there() -> bool:
        seen.append(seen[-1] + "".join(capfd.readouterr()))
        return all(text in seen[-1] for text in texts)

    await until(all_is_there)


async def test_browser_is_told_that_nothing_was_given(
    protected: Protected, browser: None, capfd: pytest.CaptureFixture[str]
) -> None:
    protected.authority.says_no = True
    async with Visitor(protected.url, USER) as visitor:
        with pytest.raises(AuthError, match="not today"):
            await visitor.visit()
    await shown(capfd, "The program has no access: the authorization was not given: access_denied: not today.")


async def test_code_that_is_not_taken_is_told_to_the_browser(
    protected: Protected, browser: None, capfd: pytest.CaptureFixture[str]
) -> None:
    protected.authority.trouble = [Answer({"error": "invalid_grant"}, 400)]
    async with Visitor(protected.url, USER) as visitor:
        with pytest.raises(AuthError, match="gives no token"):
            await visitor.visit()
    await shown(capfd, "The program has no access")


async def test_forgotten_client_registers_anew_and_asks_once_more(protected: Protected, browser: None) -> None:
    store = FileStore()
    async with Visitor(protected.url, USER, store) as visitor:
        await visitor.visit()
    protected.authority.revoke()
    protected.authority.trouble = [Answer({"error": "invalid_grant"}, 400), Answer({"error": "invalid_client"}, 401)]
    async with Visitor(protected.url, USER, store) as visitor:
        assert await visitor.visit() == 200

    assert protected.authority.count("POST", "/register") == 2
    assert protected.authority.logins == 3


@pytest.mark.edge("B71")
async def test_next_login_comes_back_to_the_same_address(protected: Protected, browser: None) -> None:
    for _ in range(2):
        async with Visitor(protected.url, USER, FileStore()) as visitor:
            assert await visitor.visit() == 200
        protected.authority.revoke()

    assert protected.authority.logins == 2
    assert protected.authority.count("POST", "/register") == 1


@pytest.mark.edge("B71")
async def test_address_that_is_taken_is_registered_anew(protected: Protected, browser: None) -> None:
    store = FileStore()
    async with Visitor(protected.url, USER, store) as visitor:
        await visitor.visit()
    protected.authority.revoke()
    asked = next(each.path for each in protected.authority.heard if each.path.startswith("/authorize"))
    port = urlsplit(parse_qs(urlsplit(asked).query)["redirect_uri"][0]).port
    with socket.create_server(("127.0.0.1", port or 0)):
        async with Visitor(protected.url, USER, store) as visitor:
            assert await visitor.visit() == 200

    assert protected.authority.count("POST", "/register") == 2


@pytest.mark.parametrize(
    ("browser", "told"),
    [
        ("", "log in at localhost.\nOpen this page"),
        ("false %s", "log in at localhost; a page opens in your browser.\nNo browser can be opened from here.\nOpen"),
    ],
)
async def test_user_far_away_pastes_where_the_browser_ended_up(
    protected: Protected,
    no_browser: None,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    browser: str,
    told: str,
) -> None:
    monkeypatch.setenv("BROWSER", browser)
    keyboard = Keyboard()
    monkeypatch.setattr(sys, "stdin", keyboard)
    said = io.StringIO()
    monkeypatch.setattr(sys, "stderr", Screen(said, lambda url: keyboard.type("nonsense", follow(url)[1] or "")))
    async with Visitor(protected.url, USER) as visitor:
        assert await visitor.visit() == 200
    keyboard.type()

    assert told in said.getvalue()
    assert "That is not the address that the browser comes back to" in said.getvalue()


class Keyboard:
    """Lines that somebody types; nothing typed is the end."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._typed = threading.Semaphore(0)

    def type(self, *lines: str) -> None:
        self._lines += lines or [""]
        for _ in lines or [""]:
            self._typed.release()

    def __iter__(self) -> "Keyboard":
        return self

    def __next__(self) -> str:
        self._typed.acquire()
        line = self._lines.pop(0)
        if not line:
            raise StopIteration
        return f"{line}\n"


class Screen(io.StringIO):
    """What is written on it is kept elsewhere; whoever reads an address on it goes there."""

    def __init__(self, text: io.StringIO, go: object) -> None:
        super().__init__()
        self._text = text
        self._go = go

    def write(self, text: str) -> int:
        self._text.write(text)
        for word in text.split():
            if word.startswith("http") and callable(self._go):
                self._go(word)
        return len(text)


async def test_user_who_never_comes_back_is_not_waited_for(protected: Protected, no_browser: None) -> None:
    async with Visitor(protected.url, OAuth(interactive=True, login_timeout=0.2)) as visitor:
        with pytest.raises(McpTimeout, match="the user has not logged in") as caught:
            await visitor.visit()

    assert caught.value.method == "login"


async def test_time_of_the_user_is_none_of_the_requests(protected: Protected) -> None:
    def slow(url: str) -> str:
        reached.set()
        may_go_on.wait(20)
        return follow(url)[1] or ""

    reached, may_go_on = threading.Event(), threading.Event()
    async with Visitor(protected.url, OAuth(browse=slow)) as visitor:

        async def release() -> None:
            while not reached.is_set():
                await pause(0.01)
            await pause(0.6)
            may_go_on.set()

        results = await together(lambda: visitor.visit(0.5), release)

    assert results[0] == 200


async def test_nobody_is_asked_where_nobody_is(protected: Protected, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    async with Visitor(protected.url, OAuth()) as visitor:
        with pytest.raises(AuthError, match="there is nobody to ask"):
            await visitor.visit()

    assert protected.authority.count("POST", "/register") == 0


async def test_site_brings_its_users_itself(protected: Protected) -> None:
    uri = "https://app.example.com/back"
    seen: list[str] = []

    def bring(url: str) -> str:
        seen.append(url)
        return follow(url)[1] or ""

    async with Visitor(protected.url, OAuth(browse=bring, redirect_uri=uri, application_type="web")) as visitor:
        assert await visitor.visit() == 200

    assert parse_qs(urlsplit(seen[0]).query)["redirect_uri"] == [uri]


async def test_site_that_brings_nobody_is_told(protected: Protected) -> None:
    way = OAuth(interactive=True, redirect_uri="https://app.example.com/back")
    async with Visitor(protected.url, way) as visitor:
        with pytest.raises(AuthError, match="give `browse`"):
            await visitor.visit()


@pytest.mark.parametrize("returned", [None, 5, b"http://localhost/?code=1"])
async def test_function_that_brings_back_no_url_is_told_so(protected: Protected, returned: Any) -> None:
    async with Visitor(protected.url, OAuth(browse=lambda _: returned)) as visitor:
        with pytest.raises(UsageError, match="`browse` has to return the URL"):
            await visitor.visit()

"""The address that the browser comes back to."""

import http.client
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest

from dragoman.errors import AuthError
from dragoman.local import loopback
from dragoman.local.loopback import Loopback, is_loopback

Maker = Callable[..., Loopback]


@pytest.fixture
def listen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Maker]:
    monkeypatch.setattr(loopback, "_CONCLUSION", 0.0)
    with ExitStack() as stack:

        def make(*arguments: Any, **options: Any) -> Loopback:
            made = Loopback(*arguments, **options)
            stack.callback(made.close)
            return made

        yield make
    for thread in threading.enumerate():
        if thread.name.startswith("dragoman login"):
            thread.join(20)

    assert not [thread.name for thread in threading.enumerate() if thread.name.startswith("dragoman login")]


def get(uri: str, query: str = "", *, host: str | None = None, method: str = "GET") -> tuple[int, str]:
    parts = urlsplit(uri)
    connection = http.client.HTTPConnection(host or parts.hostname or "", parts.port, timeout=10)
    connection.request(method, f"{parts.path}{query}")
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response.status, body


def test_browser_comes_back_with_an_answer(listen: Maker) -> None:
    made = listen()
    status, page = get(made.redirect_uri, "?code=c&state=s")

    assert (status, "You can close this window" in page) == (200, True)
    assert made.wait(5) == f"{made.redirect_uri}?code=c&state=s"
    assert made.redirect_uri.startswith("http://localhost:")
    assert made.redirect_uri.endswith("/callback")


def test_browser_is_told_what_came_of_its_answer_when_that_is_known(
    listen: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loopback, "_CONCLUSION", 20.0)
    made = listen()
    made.expect("s")
    pages: list[str] = []
    visit = threading.Thread(target=lambda: pages.append(get(made.redirect_uri, "?code=c&state=s")[1]))
    visit.start()
    assert made.wait(5) is not None
    assert pages == []
    made.close("<b>access_denied</b>: not today")
    visit.join(20)

    assert "The program has no access: &lt;b&gt;access_denied&lt;/b&gt;: not today." in pages[0]


def test_browser_does_not_wait_for_ever_to_be_told(listen: Maker) -> None:
    made = listen()

    assert "The answer was taken" in get(made.redirect_uri, "?code=c")[1]


def test_second_question_waits_for_an_answer_of_its_own(listen: Maker) -> None:
    made = listen()
    made.expect("s")
    assert made.bring(f"{made.redirect_uri}?code=1&state=s")
    made.expect("t")

    assert (made.is_over, made.wait(0)) == (False, None)
    assert not made.bring(f"{made.redirect_uri}?code=1&state=s")
    assert made.bring(f"{made.redirect_uri}?code=2&state=t")
    assert made.wait(5) == f"{made.redirect_uri}?code=2&state=t"


def test_nothing_is_waited_for_once_it_is_closed(listen: Maker) -> None:
    made = listen()
    made.close()
    made.expect("s")

    assert (made.is_over, made.wait(5)) == (True, None)


@pytest.mark.parametrize("url", ["http://[oops", "//[x", "", "garbage", "code=1"])
def test_what_is_no_url_is_no_answer(listen: Maker, url: str) -> None:
    assert not listen().bring(url)


def test_both_kinds_of_addresses_lead_here(listen: Maker) -> None:
    made = listen()

    assert get(made.redirect_uri, host="127.0.0.1")[0] == 400
    if loopback._has_ipv6():
        assert get(made.redirect_uri, host="::1")[0] == 400


@pytest.mark.parametrize("query", ["", "?x=1", "?code=c", "?code=c&state=other", "?code=c&state=s&state=s"])
def test_answer_to_another_request_is_not_taken(listen: Maker, query: str) -> None:
    made = listen()
    made.expect("s")

    assert get(made.redirect_uri, query)[0] == 400
    assert made.wait(0) is None
    get(made.redirect_uri, "?code=c&state=s")
    assert made.wait(5) is not None


def test_first_answer_stays(listen: Maker) -> None:
    made = listen()
    get(made.redirect_uri, "?code=1")
    get(made.redirect_uri, "?code=2")

    assert made.wait(5) == f"{made.redirect_uri}?code=1"


def test_other_paths_and_methods_are_nothing(listen: Maker) -> None:
    made = listen()

    assert get(made.redirect_uri.replace("/callback", "/favicon.ico"))[0] == 404
    assert get(made.redirect_uri, "?code=1", method="POST")[0] == 400
    assert made.wait(0) is None


@pytest.mark.parametrize(
    "data",
    [b"", b"\r\n\r\n", b"GET\r\n\r\n", b"\xff" * 100_000, b"GET * HTTP/1.1\r\n\r\n", b"GET //[x HTTP/1.1\r\n\r\n"],
)
def test_what_is_no_request_harms_nobody(listen: Maker, data: bytes) -> None:
    made = listen()
    with socket.create_connection(("127.0.0.1", urlsplit(made.redirect_uri).port or 0), timeout=10) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            connection.recv(100)
        except OSError:
            pass  # it may hang up in the middle of so much nonsense

    assert get(made.redirect_uri, "?code=1")[0] == 200


def test_silent_visitor_keeps_nobody_waiting(listen: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loopback, "_PATIENCE", 0.2)
    made = listen()
    with socket.create_connection(("127.0.0.1", urlsplit(made.redirect_uri).port or 0)):
        assert get(made.redirect_uri, "?code=1")[0] == 200


def test_closing_wakes_whoever_waits(listen: Maker) -> None:
    made = listen()
    outcome: list[str | None] = []
    thread = threading.Thread(target=lambda: outcome.append(made.wait(30)))
    thread.start()
    made.close()
    thread.join(20)
    made.close()

    assert outcome == [None]


@pytest.mark.edge("B71")
def test_port_of_before_is_had_again(listen: Maker) -> None:
    first = listen()
    get(first.redirect_uri, "?code=1")
    first.close()

    assert listen(first.redirect_uri).redirect_uri == first.redirect_uri


@pytest.mark.edge("B71")
def test_port_that_is_taken_is_replaced(listen: Maker) -> None:
    first = listen()
    second = listen(first.redirect_uri)

    assert second.redirect_uri != first.redirect_uri
    with pytest.raises(AuthError, match="is taken"):
        listen(first.redirect_uri, is_fixed=True)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", *(["[::1]"] if loopback._has_ipv6() else [])])
def test_address_is_given_back_as_it_was_given(listen: Maker, host: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    uri = f"http://{host}:{port}/some/where"

    assert listen(uri, is_fixed=True).redirect_uri == uri
    assert get(uri, "?code=1")[0] == 200


def test_address_without_a_port_is_completed(listen: Maker) -> None:
    made = listen("http://127.0.0.1")

    assert urlsplit(made.redirect_uri).port
    assert urlsplit(made.redirect_uri).path == "/"
    assert get(made.redirect_uri, "?code=1")[0] == 200


@pytest.mark.parametrize("uri", ["https://app.example.com/x", "http://10.0.0.1:80/x"])
def test_nobody_listens_elsewhere(listen: Maker, uri: str) -> None:
    assert not is_loopback(uri)
    with pytest.raises(AuthError, match="nobody can listen"):
        listen(uri)


def test_loopback_addresses_are_known() -> None:
    assert is_loopback("http://localhost:3000/callback")
    assert is_loopback("http://[::1]:3000/callback")
    assert not is_loopback("https://localhost/callback")


def test_machine_without_ipv6_listens_all_the_same(listen: Maker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "has_ipv6", False)
    made = listen()

    assert get(made.redirect_uri, "?code=1", host="127.0.0.1")[0] == 200

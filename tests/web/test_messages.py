"""Requests and headers as values."""

import pytest

from dragoman.errors import UsageError
from dragoman.web.messages import Headers, HttpRequest, Origin, origin_of, reachable, target_of, without_user


@pytest.mark.parametrize(
    ("url", "origin", "text"),
    [
        ("https://example.com/mcp", ("https", "example.com", 443), "example.com"),
        ("http://Example.com:8080", ("http", "example.com", 8080), "example.com:8080"),
        ("http://example.com:80/a?b#c", ("http", "example.com", 80), "example.com"),
        ("https://[::1]:3000/mcp", ("https", "::1", 3000), "[::1]:3000"),
        ("http://[FE80::1%25Eth0]/mcp", ("http", "fe80::1%Eth0", 80), "[fe80::1%Eth0]"),
        ("http://[fe80::1%eth0]:81/mcp", ("http", "fe80::1%eth0", 81), "[fe80::1%eth0]:81"),
        ("http://[fe80::1%254]:81/mcp", ("http", "fe80::1%4", 81), "[fe80::1%4]:81"),
    ],
)
def test_origin_of_a_url(url: str, origin: Origin, text: str) -> None:
    assert origin_of(url) == origin
    assert str(origin_of(url)) == text


def test_a_zone_is_for_this_end_alone() -> None:
    assert origin_of("http://[fe80::1%25eth0]:81/mcp").told == "[fe80::1]:81"
    assert origin_of("http://example.com:81/mcp").told == "example.com:81"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://[fe80::1%25eth0]:81/a%25b", "http://[fe80::1%eth0]:81/a%25b"),
        ("http://u%25:p@[fe80::1%25en%2D0]/", "http://u%25:p@[fe80::1%en-0]/"),
        ("http://[fe80::1%eth0]/%25", "http://[fe80::1%eth0]/%25"),
        ("http://host/[a%25b]", "http://host/[a%25b]"),
    ],
)
def test_only_a_zone_is_written_otherwise_for_the_system(url: str, expected: str) -> None:
    assert reachable(url) == expected


@pytest.mark.parametrize(
    "url",
    ["", "example.com", "ftp://example.com/", "http:///path", "http://a b/", "http://h:99999/", "http://h/\r\nX: y"],
)
def test_what_is_no_url(url: str) -> None:
    with pytest.raises(UsageError):
        HttpRequest("GET", url)


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("http://h", "/"),
        ("http://h?a=/b", "/?a=/b"),
        ("http://h/a/../b;c=1?x=%2F&y=%zz#fragment", "/a/../b;c=1?x=%2F&y=%zz"),
        ("https://h:8443//a", "//a"),
    ],
)
def test_a_server_is_asked_for_what_was_written(url: str, target: str) -> None:
    assert target_of(url) == target


@pytest.mark.parametrize(
    ("url", "bare", "proof"),
    [
        ("http://h/mcp", "http://h/mcp", None),
        ("http://me:s%40fe@h:80/mcp?a#b", "http://h:80/mcp?a#b", "Basic bWU6c0BmZQ=="),
        ("http://me@[::1]/", "http://[::1]/", "Basic bWU6"),
    ],
)
def test_a_user_is_no_part_of_where_to_go(url: str, bare: str, proof: str | None) -> None:
    assert without_user(url) == (bare, proof)


def test_secrets_of_a_url_are_not_shown() -> None:
    with pytest.raises(UsageError) as caught:
        HttpRequest("GET", "ftp://me:hush@example.com/a?key=hush")

    assert "hush" not in str(caught.value)
    assert "hush" not in repr(HttpRequest("GET", "http://me:hush@h/a?key=hush", (("Authorization", "hush"),), b"hush"))


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a\r\nb", "é"])
def test_name_that_no_header_can_have(name: str) -> None:
    with pytest.raises(UsageError, match="cannot be the name"):
        HttpRequest("GET", "http://h/", ((name, "x"),))


@pytest.mark.parametrize("value", ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b", "é", "\x7f"])
def test_value_that_no_header_can_have(value: str) -> None:
    with pytest.raises(UsageError, match="'X-Name'") as caught:
        HttpRequest("GET", "http://h/", (("X-Name", value),))

    assert value not in str(caught.value)


def test_value_may_have_a_tab() -> None:
    assert HttpRequest("GET", "http://h/", (("X-Name", "a\tb"),)).headers == (("X-Name", "a\tb"),)


def test_defaults_give_way() -> None:
    request = HttpRequest("GET", "http://h/", (("Accept", "a"), ("ACCEPT", "b")))

    assert request.with_defaults((("accept", "c"), ("Other", "d"))) == [
        ("Accept", "a"),
        ("Accept", "b"),
        ("Other", "d"),
    ]


def test_headers_are_found_whatever_their_case() -> None:
    headers = Headers((("A", "1"), ("b", "2"), ("a", "3")))

    assert (headers.get("a"), headers.get("B"), headers.get("c"), headers.get("c", "4")) == ("1", "2", None, "4")
    assert headers.all("A") == ("1", "3")
    assert list(headers) == [("A", "1"), ("b", "2"), ("a", "3")]
    assert "B" in headers
    assert "c" not in headers
    assert (len(headers), repr(headers)) == (3, "Headers(A, b, a)")

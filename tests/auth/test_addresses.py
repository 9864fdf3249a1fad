"""Which URLs of a server's choosing are used."""

from ipaddress import ip_address

import pytest

from dragoman.auth.addresses import Neighbourhood, address_kind, host_kind, is_this_machine, may_carry, shown, split
from dragoman.errors import AuthError

PUBLIC = Neighbourhood("https://mcp.example.com/mcp")
LOCAL = Neighbourhood("http://localhost:3000/mcp")


@pytest.mark.parametrize(
    "url",
    [
        "https://as.example.com",
        "https://as.example.com:8443/a?b=c&d=(e)",
        "https://[2606:4700::1111]/x",
        "https://8.8.8.8/",
    ],
)
def test_public_host_may_be_used(url: str) -> None:
    assert PUBLIC.check(url, "it") == url


@pytest.mark.edge("B80")
@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "smb://host/share",
        "javascript:alert(1)",
        "ftp://example.com",
        "//example.com/x",
        "https://",
        "https://user:password@example.com/",
        "https://example.com@evil.example/",
        "https://example.com/`reboot`",
        "https://example.com/a b",
        "https://example.com/\n",
        "https://example.com\\@evil.example/",
        'https://example.com/"',
        "https://ex\u0430mple.com/",
        "https://example.com:port/",
        "https://[broken/",
        f"https://example.com/{'a' * 5000}",
        "",
        None,
        7,
    ],
)
def test_what_is_no_safe_url_is_refused(url: object) -> None:
    assert split(url) is None
    with pytest.raises(AuthError, match="the endpoint is not a URL that can be used"):
        PUBLIC.check(url, "the endpoint")


@pytest.mark.edge("B80")
@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "printer",
        "nas.local",
        "x.internal",
        "127.0.0.1",
        "10.1.2.3",
        "192.168.0.1",
        "100.64.0.1",
        "0.0.0.0",
        "2130706433",
        "0x7f000001",
        "127.1",
        "[::1]",
        "[fd00::1]",
        "[::ffff:10.0.0.1]",
        "[2002:a00:1::]",
        "[64:ff9b::a00:1]",
        "224.0.0.1",
    ],
)
def test_public_server_sends_nobody_into_a_private_network(host: str) -> None:
    with pytest.raises(AuthError, match="leads into a private network") as caught:
        PUBLIC.check(f"https://{host}/x", "it")

    assert "trusted_hosts" in str(caught.value)


@pytest.mark.edge("B80")
@pytest.mark.parametrize("host", ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]"])
@pytest.mark.parametrize("place", [PUBLIC, LOCAL])
def test_nobody_is_sent_to_a_clouds_own_address(place: Neighbourhood, host: str) -> None:
    with pytest.raises(AuthError, match="private network"):
        place.check(f"https://{host}/latest/meta-data", "it")


@pytest.mark.parametrize(
    "url", ["http://localhost:9000/as", "http://127.0.0.1/", "http://keycloak:8080/", "https://as.example.com"]
)
def test_server_of_ones_own_may_name_ones_own_network(url: str) -> None:
    assert LOCAL.check(url, "it") == url


def test_host_of_the_server_itself_may_be_used() -> None:
    place = Neighbourhood("http://169.254.1.1/mcp")

    assert place.check("http://169.254.1.1:81/x", "it") == "http://169.254.1.1:81/x"


def test_trusted_host_may_be_used() -> None:
    place = Neighbourhood(PUBLIC.server, frozenset({"10.0.0.1"}))

    assert place.check("http://10.0.0.1/x", "it") == "http://10.0.0.1/x"


@pytest.mark.parametrize("url", ["http://as.example.com/x", "http://mcp.example.com/x"])
def test_public_host_is_reached_by_https(url: str) -> None:
    with pytest.raises(AuthError, match="is not encrypted"):
        PUBLIC.check(url, "it")


def test_server_that_is_reached_by_http_may_name_itself() -> None:
    place = Neighbourhood("http://mcp.example.com/mcp")

    assert place.check("http://mcp.example.com/token", "it") == "http://mcp.example.com/token"
    with pytest.raises(AuthError, match="not encrypted"):
        place.check("http://as.example.com/token", "it")


def test_kinds_of_hosts() -> None:
    assert host_kind("example.com") == "public"
    assert host_kind("fe80::1%eth0") == "link-local"
    assert address_kind(ip_address("64:ff9b::8.8.8.8")) == "public"
    assert address_kind(ip_address("2606:4700::1111")) == "public"


def test_url_is_shown_without_its_query() -> None:
    assert shown("https://a/b?code=1") == "'https://a/b'"
    assert shown("x" * 999) == repr("x" * 200)
    assert shown(None) == "NoneType"
    assert "\x1b" not in shown("\x1b[31m")


@pytest.mark.parametrize(
    ("server", "url", "expected"),
    [
        ("https://a/mcp", "https://a:443/messages", True),
        ("http://a:3000/mcp", "http://a:3000/x", True),
        ("http://a/mcp", "https://a/mcp", True),
        ("http://a/mcp", "https://a:8443/mcp", False),
        ("http://a:3000/mcp", "https://a/mcp", False),
        ("https://a/mcp", "http://a/mcp", False),
        ("https://a/mcp", "https://b/mcp", False),
        ("https://a/mcp", "https://a:444/mcp", False),
    ],
)
def test_token_stays_with_its_server(server: str, url: str, expected: bool) -> None:
    assert may_carry(server, url) is expected


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"]
)
def test_this_machine_is_known(host: str) -> None:
    assert is_this_machine(host)


@pytest.mark.parametrize("host", ["10.0.0.1", "intranet", "notlocalhost", "localhost.example.com", "::2", "8.8.8.8"])
def test_other_machines_are_none_of_ours(host: str) -> None:
    assert not is_this_machine(host)


@pytest.mark.parametrize(
    ("server", "url", "expected"),
    [
        ("https://mcp.corp/mcp", "http://login.corp/token", False),
        ("https://mcp.corp/mcp", "http://mcp.corp/token", False),
        ("https://mcp.corp/mcp", "http://localhost:9000/token", True),
        ("http://mcp:8000/mcp", "http://keycloak:8080/token", True),
        ("http://mcp.example.com/mcp", "http://mcp.example.com/token", True),
        ("http://mcp.example.com/mcp", "http://as.example.com/token", False),
    ],
)
def test_only_who_chose_so_is_read_on_the_way(server: str, url: str, expected: bool) -> None:
    assert may_be_used(server, url) is expected


def may_be_used(server: str, url: str) -> bool:
    try:
        Neighbourhood(server).check(url, "it")
    except AuthError as error:
        return "is not encrypted" not in error.message
    return True

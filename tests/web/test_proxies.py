"""Which proxy stands before a URL."""

import pytest

from dragoman.errors import UsageError
from dragoman.web.messages import origin_of
from dragoman.web.options import HttpOptions
from dragoman.web.proxies import Proxy, proxy_for


def found(url: str, **environment: str) -> str | None:
    proxy = proxy_for(origin_of(url), None, environment)
    return proxy.url if proxy else None


def test_environment_names_proxies_by_scheme() -> None:
    names = {"HTTP_PROXY": "http://a:1", "https_proxy": "http://b:2"}

    assert found("http://example.com", **names) == "http://a:1"
    assert found("https://example.com", **names) == "http://b:2"


def test_proxy_for_all() -> None:
    assert found("https://example.com", ALL_PROXY="http://a:1") == "http://a:1"


def test_lower_case_comes_first() -> None:
    assert found("http://example.com", http_proxy="http://a:1", HTTP_PROXY="http://b:2") == "http://a:1"


def test_header_of_a_web_request_is_no_proxy() -> None:
    assert found("http://example.com", HTTP_PROXY="http://evil:1", REQUEST_METHOD="GET") is None


@pytest.mark.parametrize("url", ["http://localhost:3000", "http://a.localhost", "http://127.0.0.1", "http://[::1]:80"])
def test_this_machine_needs_none(url: str) -> None:
    assert found(url, http_proxy="http://a:1") is None
    assert proxy_for(origin_of(url), "http://a:1") == Proxy("http://a:1")


@pytest.mark.parametrize(
    ("url", "exemptions", "is_exempt"),
    [
        ("http://example.com", "example.com", True),
        ("http://api.example.com", "example.com", True),
        ("http://api.example.com", ".example.com", True),
        ("http://api.example.com", "*.Example.com", True),
        ("http://badexample.com", "example.com", False),
        ("http://example.com", "other.com, example.com", True),
        ("http://example.com:8080", "example.com:8080", True),
        ("http://example.com:8081", "example.com:8080", False),
        ("http://10.1.2.3", "10.0.0.0/8", True),
        ("http://11.1.2.3", "10.0.0.0/8", False),
        ("http://10.1.2.3", "10.1.2.3", True),
        ("http://[fd00::1]", "fd00::/8", True),
        ("http://[fd00::1]:81", "[fd00::1]:81", True),
        ("http://example.com", "*", True),
        ("http://example.com", "", False),
    ],
)
def test_exemptions(url: str, exemptions: str, is_exempt: bool) -> None:
    assert (found(url, http_proxy="http://a:1", no_proxy=exemptions) is None) == is_exempt


def test_option_comes_before_the_environment() -> None:
    environment = {"http_proxy": "http://a:1", "no_proxy": "*"}

    assert proxy_for(origin_of("http://example.com"), "b:2", environment) == Proxy("http://b:2")
    assert proxy_for(origin_of("http://example.com"), False, {"http_proxy": "http://a:1"}) is None


def test_user_and_password_are_taken_out() -> None:
    proxy = proxy_for(origin_of("http://example.com"), "http://me:p%40ss@a:1/")

    assert proxy == Proxy("http://a:1/", "Basic bWU6cEBzcw==")
    assert repr(proxy) == "Proxy(http://a:1/)"


@pytest.mark.parametrize("url", ["socks5://a:1", "http://", "http://a:port"])
def test_proxy_that_cannot_be_used(url: str) -> None:
    with pytest.raises(UsageError, match="proxy"):
        HttpOptions(proxy=url)

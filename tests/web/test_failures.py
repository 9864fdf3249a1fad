"""What is said of connections that did not come about."""

import pytest

from dragoman.web.failures import connect_failed
from dragoman.web.messages import HttpRequest


@pytest.mark.parametrize(("url", "is_told"), [("https://a.test/mcp", True), ("http://a.test/mcp", False)])
def test_a_tls_connection_that_is_closed_at_once_may_want_a_certificate(url: str, is_told: bool) -> None:
    said = str(connect_failed(HttpRequest("POST", url), ConnectionError("it was closed at once"), None))

    assert "closed at once" in said
    assert ("client_cert" in said) is is_told

"""The two documents of discovery, and what they are held to."""

from typing import Any

import pytest

from dragoman.auth.addresses import Neighbourhood
from dragoman.auth.metadata import AuthorizationServer, Resource, fallback_server, read_resource, read_server
from dragoman.errors import AuthError
from tests.auth.playing import ISSUER, SERVER, URL

SOURCE = "https://mcp.example.com/.well-known/x"
PLACE = Neighbourhood(URL)


def resource(document: dict[str, Any], url: str = URL, name: str | None = None) -> Resource:
    return read_resource(document, SOURCE, url, name)


def server(*, is_trusted: bool = False, is_own: bool = False, **members: Any) -> AuthorizationServer:
    document = {"issuer": ISSUER, "token_endpoint": f"{ISSUER}/token", **members}
    return read_server(document, SOURCE, ISSUER, PLACE, is_trusted=is_trusted, is_own=is_own)


# ------------------------------------------------------------------------------------------------------ the resource


def test_resource_is_read() -> None:
    read = resource(
        {
            "resource": URL,
            "authorization_servers": [ISSUER, 5, "", ISSUER, "https://b"],
            "scopes_supported": ["a", None, "b"],
            "dpop_bound_access_tokens_required": True,
        }
    )

    assert read == Resource(URL, (ISSUER, "https://b"), ("a", "b"), requires_dpop=True, source=SOURCE)


def test_resource_that_says_nothing_is_the_server() -> None:
    assert resource({}, f"{URL}#part") == Resource(URL, source=SOURCE)
    assert resource({"resource": 5, "authorization_servers": "x", "scopes_supported": {}}).name == URL


def test_scopes_that_are_listed_as_none_are_none() -> None:
    assert resource({"scopes_supported": []}).scopes == ()


@pytest.mark.parametrize(
    ("named", "url"),
    [
        ("https://mcp.example.com/mcp", URL),
        ("https://mcp.example.com/mcp/", URL),
        ("https://mcp.example.com", URL),
        ("https://mcp.example.com/", URL),
        ("HTTPS://MCP.example.com:443/mcp", URL),
        ("https://a/x?tenant=1", "https://a/x?tenant=1"),
        ("https://a/x", "https://a/x/y?tenant=1"),
        ("http://localhost:3000", "http://localhost:3000/mcp"),
    ],
)
def test_name_of_the_resource_is_kept_as_it_is(named: str, url: str) -> None:
    assert resource({"resource": named}, url).name == named


@pytest.mark.parametrize(
    "named",
    [
        "https://evil.example.com/mcp",
        "http://mcp.example.com/mcp",
        "https://mcp.example.com:8443/mcp",
        "https://mcp.example.com:port/mcp",
        "https://mcp.example.com/mc",
        "https://mcp.example.com/mcp/more",
        "https://mcp.example.com/mcp?tenant=2",
        "https://mcp.example.com/mcp#part",
        "mcp.example.com",
    ],
)
def test_another_resource_is_refused(named: str) -> None:
    with pytest.raises(AuthError, match=r"describes the resource .*, which is not the server") as caught:
        resource({"resource": named})

    assert SOURCE in str(caught.value)


def test_user_may_name_the_resource() -> None:
    assert resource({"resource": "https://else.example.com"}, name="https://mine").name == "https://mine"


# -------------------------------------------------------------------------------------------- the authorization server


def test_server_is_read() -> None:
    read = server(
        authorization_endpoint=f"{ISSUER}/authorize",
        registration_endpoint=f"{ISSUER}/register",
        scopes_supported=["a"],
        code_challenge_methods_supported=["S256"],
        token_endpoint_auth_methods_supported=["none"],
        dpop_signing_alg_values_supported=["ES256"],
        client_id_metadata_document_supported=True,
        authorization_response_iss_parameter_supported=True,
    )

    assert read == AuthorizationServer(
        ISSUER,
        f"{ISSUER}/token",
        f"{ISSUER}/authorize",
        f"{ISSUER}/register",
        iss=ISSUER,
        sends_iss=True,
        scopes=("a",),
        challenge_methods=("S256",),
        auth_methods=("none",),
        dpop_algorithms=("ES256",),
        takes_metadata_documents=True,
    )


def test_server_that_says_little_is_read() -> None:
    assert server(scopes_supported=5) == AuthorizationServer(ISSUER, f"{ISSUER}/token", iss=ISSUER)


@pytest.mark.edge("B74")
@pytest.mark.parametrize("issuer", [f"{ISSUER}/", "https://attacker.example.com", "HTTPS://as.example.com", None, 5])
def test_another_issuer_is_refused_by_both_names(issuer: Any) -> None:
    with pytest.raises(AuthError, match="trusted_issuers") as caught:
        server(issuer=issuer)

    assert SOURCE in str(caught.value)
    assert f"the resource names {ISSUER!r}" in str(caught.value)


@pytest.mark.edge("B74")
def test_user_may_answer_for_an_issuer() -> None:
    read = server(issuer="https://other", is_trusted=True)

    assert (read.issuer, read.iss, read.must_prove) == (ISSUER, "https://other", False)


@pytest.mark.edge("B74")
def test_metadata_of_the_server_itself_may_name_another_issuer() -> None:
    read = server(issuer="https://other", is_own=True)

    # What is stored stays bound to where the metadata was, which nobody else can write to.
    assert (read.issuer, read.iss) == (ISSUER, "https://other")


@pytest.mark.edge("B80")
@pytest.mark.parametrize("name", ["token_endpoint", "authorization_endpoint", "registration_endpoint"])
@pytest.mark.parametrize("url", ["file:///x", "https://169.254.169.254/", "http://as.example.com/", 5])
def test_endpoint_that_may_not_be_used_spoils_all(name: str, url: Any) -> None:
    with pytest.raises(AuthError, match=f"the {name} of the authorization server"):
        server(**{name: url})


def test_server_without_a_token_endpoint_is_none() -> None:
    with pytest.raises(AuthError, match="names no token_endpoint"):
        server(token_endpoint=None)


def test_default_endpoints_are_at_the_root() -> None:
    read = fallback_server("https://a:1")

    assert (read.issuer, read.iss) == ("https://a:1", "https://a:1")
    assert read.token_endpoint == "https://a:1/token"
    assert read.authorization_endpoint == "https://a:1/authorize"
    assert read.registration_endpoint == "https://a:1/register"


def test_codes_have_to_be_protected() -> None:
    SERVER.check_pkce()
    fallback_server("https://a").check_pkce()
    with pytest.raises(AuthError, match="says nothing of PKCE"):
        server().check_pkce()
    with pytest.raises(AuthError, match="does not support PKCE"):
        server(code_challenge_methods_supported=["plain"]).check_pkce()

"""Both ladders of discovery, rung by rung."""

from typing import Any

import pytest

from dragoman.auth.addresses import Neighbourhood
from dragoman.auth.challenges import Demand
from dragoman.auth.discovery import Place, Rung, Search, discover, origin_url, resource_rungs, server_rungs
from dragoman.errors import ConnectFailed, McpTimeout, ProtocolError
from tests.auth.playing import ISSUER, URL, World, answer

WELL_KNOWN = "https://mcp.example.com/.well-known/oauth-protected-resource"
NAMED = "https://mcp.example.com/custom.json"
METADATA = f"{ISSUER}/.well-known/oauth-authorization-server"
OPENID = f"{ISSUER}/.well-known/openid-configuration"


def resource(*issuers: str, **members: Any) -> Any:
    return answer({"resource": URL, "authorization_servers": list(issuers or [ISSUER]), **members})


def server(issuer: str = ISSUER, **members: Any) -> Any:
    return answer({"issuer": issuer, "token_endpoint": f"{issuer}/token", **members})


def search(url: str = URL, **options: Any) -> Search:
    return Search(Neighbourhood(url), **options)


def find(world: World, named: str | None = None, *, url: str = URL, **options: Any) -> Place:
    return world.play(discover(search(url, **options), Demand(401, resource_metadata=named)))


# ------------------------------------------------------------------------------------------------------ the resource


def test_rungs_of_a_resource() -> None:
    assert resource_rungs(URL) == (f"{WELL_KNOWN}/mcp", WELL_KNOWN)
    assert resource_rungs("https://a/x/y/?t=1") == (
        "https://a/.well-known/oauth-protected-resource/x/y?t=1",
        "https://a/.well-known/oauth-protected-resource",
    )
    assert resource_rungs("https://a:1/") == ("https://a:1/.well-known/oauth-protected-resource",)


@pytest.mark.edge("B73")
def test_resource_is_where_the_challenge_says() -> None:
    world = World({NAMED: resource(scopes_supported=["a"]), METADATA: server()})
    place = find(world, NAMED)

    assert world.urls == [f"GET {NAMED}", f"GET {METADATA}"]
    assert (place.resource.name, place.resource.scopes, place.resource.source) == (URL, ("a",), NAMED)
    assert (place.server.issuer, place.server.token_endpoint) == (ISSUER, f"{ISSUER}/token")


def test_fetches_say_whose_neighbourhood_they_are_in() -> None:
    world = World({NAMED: resource(), METADATA: server()})
    find(world, NAMED)

    assert [each.near for each in world.fetched] == [URL, URL]
    assert dict(world.fetched[0].headers) == {"accept": "application/json", "mcp-protocol-version": "2026-07-28"}


@pytest.mark.edge("B73")
@pytest.mark.parametrize(
    "broken",
    [
        answer({}, 404),
        answer({}, 401),
        answer({}, 403),
        answer({}, 500),
        answer(b"<html>welcome</html>"),
        answer([]),
        answer(b"\xff"),
        ConnectFailed("no"),
        McpTimeout("no", method="GET", waited=1.0),
        ProtocolError("far too long"),
        answer(b"[" * 100_000),
    ],
)
def test_rung_that_fails_leads_to_the_next(broken: Any) -> None:
    world = World({NAMED: broken, f"{WELL_KNOWN}/mcp": broken, WELL_KNOWN: resource(), METADATA: server()})
    find(world, NAMED)

    assert world.urls == [f"GET {each}" for each in (NAMED, f"{WELL_KNOWN}/mcp", WELL_KNOWN, METADATA)]


@pytest.mark.edge("B80")
@pytest.mark.parametrize("named", ["http://169.254.169.254/latest", "file:///etc/passwd", "https://10.0.0.1/"])
def test_address_that_may_not_be_used_is_not_fetched(named: str) -> None:
    world = World({f"{WELL_KNOWN}/mcp": resource(), METADATA: server()})
    find(world, named)

    assert world.urls[0] == f"GET {WELL_KNOWN}/mcp"


def test_trail_tells_what_was_looked_at() -> None:
    looked = search()
    world = World({f"{WELL_KNOWN}/mcp": answer({}, 503), WELL_KNOWN: resource(), METADATA: answer(b"no")})
    world.replies[OPENID] = server()
    world.play(discover(looked, Demand(401, resource_metadata="https://localhost/")))

    assert looked.trail == [
        Rung(
            "https://localhost/",
            "not looked at: the resource_metadata of the challenge leads into a private network: 'https://localhost/'",
        ),
        Rung(f"{WELL_KNOWN}/mcp", "503", is_disturbed=True),
        Rung(WELL_KNOWN, "found"),
        Rung(METADATA, "no JSON object"),
        Rung(OPENID, "found"),
    ]


def test_resource_of_another_server_ends_the_search() -> None:
    world = World({NAMED: answer({"resource": "https://evil.example.com/mcp", "authorization_servers": [ISSUER]})})
    error = world.fail(discover(search(), Demand(401, resource_metadata=NAMED)))

    assert "https://evil.example.com/mcp" in str(error)
    assert world.urls == [f"GET {NAMED}"]


# --------------------------------------------------------------------------------------------------------- redirects


def test_redirect_of_a_document_is_followed() -> None:
    moved = answer(b"", 307, (("Location", "/elsewhere"),))
    world = World({NAMED: moved, "https://mcp.example.com/elsewhere": resource(), METADATA: server()})
    find(world, NAMED)

    assert world.urls[:2] == [f"GET {NAMED}", "GET https://mcp.example.com/elsewhere"]


@pytest.mark.edge("B80")
def test_redirect_into_a_private_network_is_not_followed() -> None:
    moved = answer(b"", 302, (("location", "http://169.254.169.254/"),))
    world = World({NAMED: moved, f"{WELL_KNOWN}/mcp": resource(), METADATA: server()})
    find(world, NAMED)

    assert world.urls[1] == f"GET {WELL_KNOWN}/mcp"


def test_redirects_without_end_are_left() -> None:
    world = World(
        {NAMED: answer(b"", 301, (("location", NAMED),)), f"{WELL_KNOWN}/mcp": resource(), METADATA: server()}
    )
    find(world, NAMED)

    assert world.urls[:4] == [f"GET {NAMED}"] * 3 + [f"GET {WELL_KNOWN}/mcp"]


def test_redirect_to_nowhere_is_a_rung_that_fails() -> None:
    world = World({NAMED: answer(b"", 301), f"{WELL_KNOWN}/mcp": resource(), METADATA: server()})

    assert find(world, NAMED).resource.source == f"{WELL_KNOWN}/mcp"


# -------------------------------------------------------------------------------------------- the authorization server


@pytest.mark.edge("B73")
def test_rungs_of_an_issuer_are_on_its_own_host() -> None:
    assert server_rungs("https://as/") == (
        "https://as/.well-known/oauth-authorization-server",
        "https://as/.well-known/openid-configuration",
    )
    assert server_rungs("https://as:1/tenant1/") == (
        "https://as:1/.well-known/oauth-authorization-server/tenant1",
        "https://as:1/.well-known/openid-configuration/tenant1",
        "https://as:1/tenant1/.well-known/openid-configuration",
    )


@pytest.mark.edge("B73")
@pytest.mark.parametrize("index", [0, 1, 2])
def test_metadata_of_a_tenant_is_found_in_all_three_forms(index: int) -> None:
    issuer = f"{ISSUER}/tenant1"
    rungs = server_rungs(issuer)
    world = World({NAMED: resource(issuer), rungs[index]: server(issuer)})

    assert find(world, NAMED).server.issuer == issuer
    assert world.urls[1:] == [f"GET {each}" for each in rungs[: index + 1]]


def test_authorization_server_without_metadata_is_told_with_its_trail() -> None:
    error = World({NAMED: resource()}).fail(discover(search(), Demand(401, resource_metadata=NAMED)))

    assert str(error).startswith(
        f"the authorization server '{ISSUER}' has no metadata: '{NAMED}': found; '{METADATA}': 404"
    )


def test_metadata_of_another_issuer_ends_the_search() -> None:
    world = World({NAMED: resource(), METADATA: server("https://attacker.example.com"), OPENID: server()})
    error = world.fail(discover(search(), Demand(401, resource_metadata=NAMED)))

    assert "https://attacker.example.com" in str(error)
    assert world.urls == [f"GET {NAMED}", f"GET {METADATA}"]


def test_user_may_answer_for_an_issuer_by_either_name() -> None:
    for trusted in (ISSUER, "https://other.example.com"):
        world = World({NAMED: resource(), METADATA: server("https://other.example.com")})

        assert find(world, NAMED, trusted_issuers=frozenset({trusted})).server.iss == "https://other.example.com"


def test_metadata_whose_issuer_is_no_text_is_refused() -> None:
    world = World({NAMED: resource(), METADATA: answer({"issuer": [ISSUER], "token_endpoint": f"{ISSUER}/token"})})
    error = world.fail(discover(search(trusted_issuers=frozenset({"https://x"})), Demand(401, resource_metadata=NAMED)))

    assert "its issuer is NoneType" in str(error)


def test_next_issuer_is_tried() -> None:
    world = World({NAMED: resource("https://10.0.0.1", "https://gone.example.com", ISSUER), METADATA: server()})

    assert find(world, NAMED).server.issuer == ISSUER


def test_first_failure_is_told() -> None:
    world = World({NAMED: resource("https://10.0.0.1", "https://gone.example.com")})
    error = world.fail(discover(search(), Demand(401, resource_metadata=NAMED)))

    assert "the authorization server that the resource names leads into a private network" in str(error)


def test_known_issuer_goes_first() -> None:
    world = World({NAMED: resource("https://first.example.com", ISSUER), METADATA: server()})
    place = find(world, NAMED, issuers=("https://not-named", ISSUER))

    assert place.server.issuer == ISSUER
    assert world.urls == [f"GET {NAMED}", f"GET {METADATA}"]


def test_no_more_than_a_few_issuers_are_tried() -> None:
    world = World({NAMED: resource(*(f"https://as{number}.example.com" for number in range(1000)))})
    world.fail(discover(search(), Demand(401, resource_metadata=NAMED)))

    assert len(world.urls) == 1 + 5 * 2


# ------------------------------------------------------------------------------------------------ as of 2025-03-26


def test_server_itself_may_have_the_metadata() -> None:
    own = "https://mcp.example.com/.well-known/oauth-authorization-server"
    world = World({own: server("https://mcp.example.com")})
    place = find(world)

    assert (place.resource.name, place.resource.source) == (URL, None)
    assert (place.server.issuer, place.server.must_prove) == ("https://mcp.example.com", False)
    assert world.urls == [f"GET {WELL_KNOWN}/mcp", f"GET {WELL_KNOWN}", f"GET {own}"]


def test_resource_that_names_nobody_is_its_own_authorization_server() -> None:
    world = World({f"{WELL_KNOWN}/mcp": answer({"resource": URL, "scopes_supported": ["a"]})})
    place = find(world)

    assert place.resource.scopes == ("a",)
    assert place.server.token_endpoint == "https://mcp.example.com/token"


def test_server_without_any_metadata_has_default_endpoints() -> None:
    place = find(World(), url=f"{URL}#x", resource="https://mine")

    assert place.resource.name == "https://mine"
    assert place.server.authorization_endpoint == "https://mcp.example.com/authorize"
    assert find(World(), url=f"{URL}#x").resource.name == URL


@pytest.mark.parametrize("trouble", [answer({}, 502), ConnectFailed("refused")])
def test_nothing_is_guessed_while_the_server_is_disturbed(trouble: Any) -> None:
    error = World({f"{WELL_KNOWN}/mcp": trouble}).fail(discover(search(), Demand(401)))

    assert "cannot be found out now" in str(error)


def test_origin_is_cut_out() -> None:
    assert origin_url("https://a:1/b?c#d") == "https://a:1"

"""What a refusal asks for, however it is written."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.auth.challenges import Challenge, Demand, read_challenges, read_demand
from dragoman.auth.steps import Pairs


def test_nothing_asks_for_nothing() -> None:
    assert read_challenges("") == ()
    assert read_challenges(" , ,") == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bearer", Challenge("bearer")),
        ("bEaReR realm=x", Challenge("bearer", {"realm": "x"})),
        ('Bearer realm="a, b=c"', Challenge("bearer", {"realm": "a, b=c"})),
        (r'Bearer realm="say \"hi\" \\"', Challenge("bearer", {"realm": 'say "hi" \\'})),
        ('Bearer SCOPE = "a b" , Error=x', Challenge("bearer", {"scope": "a b", "error": "x"})),
        ("Bearer a=https://x/y?z=1,b=2", Challenge("bearer", {"a": "https://x/y?z=1", "b": "2"})),
        ('Bearer realm="never ends', Challenge("bearer", {"realm": "never ends"})),
        ('Bearer a="", b=', Challenge("bearer", {"a": "", "b": ""})),
        ('Bearer scope="a", scope="b"', Challenge("bearer", {"scope": "a"})),
        ("Negotiate abc/+==", Challenge("negotiate")),
        ('Bearer "stray" @ a=1', Challenge("stray", {"a": "1"})),
    ],
)
def test_challenge_is_read(text: str, expected: Challenge) -> None:
    assert read_challenges(text)[-1] == expected


def test_several_challenges_are_told_apart() -> None:
    text = 'Basic realm="x", Bearer scope="a", error=e, Negotiate abc==, DPoP algs="ES256 RS256"'

    assert read_challenges(text) == (
        Challenge("basic", {"realm": "x"}),
        Challenge("bearer", {"scope": "a", "error": "e"}),
        Challenge("negotiate"),
        Challenge("dpop", {"algs": "ES256 RS256"}),
    )


def test_parameters_of_no_scheme_are_nobodys() -> None:
    assert read_challenges("a=1, Bearer b=2") == (Challenge("bearer", {"b": "2"}),)


@given(st.text(max_size=60))
def test_any_header_can_be_read(text: str) -> None:
    read_demand(401, (("www-authenticate", text),))


@pytest.mark.parametrize(
    "text", ['Bearer a="' + "\\" * 200_000, "Bearer " + "a=" * 100_000, "a " * 100_000, '"' * 200_000]
)
def test_hostile_header_is_read_in_linear_time(text: str) -> None:
    started = time.perf_counter()
    read_challenges(text)

    assert time.perf_counter() - started < 5


# ----------------------------------------------------------------------------------------------------------- demands


def demand(*headers: str, status: int = 401) -> Demand:
    pairs: Pairs = tuple(("WWW-Authenticate", each) for each in headers)
    return read_demand(status, pairs)


def test_demand_without_a_header_is_empty() -> None:
    assert read_demand(403, ()) == Demand(403)


def test_demand_gathers_what_is_asked() -> None:
    read = demand(
        'Bearer error="insufficient_scope", error_description="more", scope="b a b", resource_metadata="https://r"'
    )

    assert (read.error, read.description, read.scope) == ("insufficient_scope", "more", ("b", "a"))
    assert read.resource_metadata == "https://r"
    assert not read.wants_dpop


def test_demand_is_gathered_from_several_headers() -> None:
    read = demand('Basic realm="r", scope="not ours"', 'Bearer scope="a"', 'Bearer scope="b", error="e"')

    assert (read.scope, read.error) == (("a",), "e")
    assert read.text == 'Basic realm="r", scope="not ours", Bearer scope="a", Bearer scope="b", error="e"'


def test_blank_scope_is_none() -> None:
    assert demand('Bearer scope="  "').scope is None


def test_proofs_are_wanted_where_nothing_else_is_taken() -> None:
    assert demand('DPoP algs="ES256 PS256"').wants_dpop
    assert demand('DPoP algs="ES256 PS256"').dpop_algorithms == ("ES256", "PS256")
    assert not demand("Bearer", "DPoP").wants_dpop
    assert not demand("Basic").wants_dpop


def test_nonce_is_found() -> None:
    assert read_demand(401, (("dpop-nonce", "n1"), ("DPoP-Nonce", "n2"))).nonce == "n1"

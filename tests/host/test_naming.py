"""Names of tools: their own while they differ, and for good."""

import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dragoman.host.naming import LONGEST, Bearer, Names, Naming, tame

VALID = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
SERVERS = ["local", "a", "b", "c d", "é"]
RAW = st.sampled_from(
    ["search", "a_search", "b_search", "alt_1_search", "x.y", "x_y", "é", "", "9", "-", "s" * 80, "s" * 81]
) | st.text(max_size=5)


def bearers(*pairs: tuple[str, str]) -> list[Bearer]:
    return [Bearer(server, raw, server) for server, raw in pairs]


def named(naming: Naming, *pairs: tuple[str, str]) -> list[str]:
    names = Names(naming)
    names.give(bearers(*pairs))
    return [names.name(*pair) for pair in pairs]


# -------------------------------------------------------------------------------------------------------- strategies


@pytest.mark.feature(147)
def test_names_that_differ_stay_as_they_are() -> None:
    assert named("collision", ("fs", "read"), ("git", "log")) == ["read", "log"]


@pytest.mark.feature(148)
@pytest.mark.edge("B102")
def test_of_two_the_later_one_gets_its_prefix() -> None:
    assert named("collision", ("a", "search"), ("b", "search"), ("b", "other")) == ["search", "b_search", "other"]


@pytest.mark.feature(148)
def test_a_counter_tells_them_apart() -> None:
    pairs = [("a", "search"), ("b", "search"), ("c", "search"), ("c", "other")]

    assert named("counter", *pairs) == ["search", "alt_1_search", "alt_2_search", "other"]


@pytest.mark.edge("B103")
def test_a_prefix_always_depends_on_nothing_else() -> None:
    assert named("prefix", ("a", "search"), ("b", "search")) == ["a_search", "b_search"]
    assert named("prefix", ("b", "search")) == ["b_search"]


@pytest.mark.feature(149)
def test_a_function_names_tools() -> None:
    assert named(lambda server, tool: f"{server}--{tool}!", ("a", "x"), ("b", "x")) == ["a--x", "b--x"]


def test_what_a_function_names_alike_is_told_apart() -> None:
    first, second = named(lambda *_: "same", ("a", "x"), ("b", "x"))

    assert first == "same"
    assert re.fullmatch(r"same_[0-9a-f]{8}", second)


def test_a_prefix_that_is_taken_gets_a_hash() -> None:
    names = named("collision", ("a", "b_search"), ("a", "search"), ("b", "search"))

    assert names[:2] == ["b_search", "search"]
    assert re.fullmatch(r"b_search_[0-9a-f]{8}", names[2])


def test_a_plain_name_goes_before_one_that_had_to_be_changed() -> None:
    assert named("collision", ("a", "x.y"), ("a", "x_y")) == ["a_x_y", "x_y"]


@pytest.mark.parametrize("naming", ["collision", "prefix", "counter"])
def test_the_order_in_which_a_server_lists_makes_no_difference(naming: Any) -> None:
    pairs = [("a", "x.y"), ("a", "x_y"), ("a", "x y"), ("b", "x_y")]

    assert sorted(zip(pairs, named(naming, *pairs), strict=True)) == sorted(
        zip([*reversed(pairs[:3]), pairs[3]], named(naming, *reversed(pairs[:3]), pairs[3]), strict=True)
    )


# --------------------------------------------------------------------------------------------------------- the alphabet


@pytest.mark.edge("B104")
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("read_file", "read_file"),
        ("read-file", "read-file"),
        ("café", "cafe"),
        ("a.b/c d", "a_b_c_d"),
        ("9lives", "_9lives"),
        ("-x", "_-x"),
        ("", "tool"),
        ("日本", "tool"),
        ("...", "tool"),
        ("x" * 64, "x" * 64),
    ],
)
def test_names_are_tamed(text: str, name: str) -> None:
    assert tame(text) == name


@pytest.mark.edge("B104")
def test_long_names_that_begin_or_end_alike_stay_different() -> None:
    one, other = tame("p" * 40 + "one" + "s" * 64), tame("p" * 40 + "two" + "s" * 64)

    assert one != other
    assert len(one) == len(other) == LONGEST


# ---------------------------------------------------------------------------------------------------------- reversible


def test_a_name_leads_back_to_its_tool() -> None:
    names = Names()
    names.give(bearers(("a", "x.y"), ("b", "x.y")))

    assert [names.bearer(name) for name in names.all()] == [("a", "x.y"), ("b", "x.y")]
    assert names.bearer("nothing") is None
    with pytest.raises(KeyError):
        names.name("a", "z")


def test_a_thing_that_is_listed_twice_has_one_name() -> None:
    assert named("collision", ("a", "x"), ("a", "x")) == ["x", "x"]


Event = tuple[int, Sequence[str]]


@settings(max_examples=300)
@given(
    st.sampled_from(["collision", "prefix", "counter", lambda server, raw: f"{server}.{raw}", lambda *_: "same"]),
    st.lists(st.dictionaries(st.sampled_from(range(len(SERVERS))), st.lists(RAW, max_size=6), max_size=5), max_size=8),
)
def test_names_never_move_whatever_is_listed_again(naming: Any, listings: list[dict[int, list[str]]]) -> None:
    """Each listing is what all servers say at one time: they come, go, are restarted, and have other tools each time."""
    names = Names(naming)
    given: dict[tuple[str, str], str] = {}
    for listing in listings:
        names.give(Bearer(SERVERS[rank], raw, SERVERS[rank]) for rank in sorted(listing) for raw in listing[rank])
        for rank, tools in listing.items():
            for raw in tools:
                name = names.name(SERVERS[rank], raw)
                assert given.setdefault((SERVERS[rank], raw), name) == name
                assert VALID.fullmatch(name)
                assert names.bearer(name) == (SERVERS[rank], raw)
    assert len(set(given.values())) == len(given)


@given(st.permutations(["a", "b", "c"]), st.permutations(["search", "x.y", "x_y", "other"]))
def test_whoever_lists_first_makes_no_difference(servers: list[str], tools: list[str]) -> None:
    """Servers answer in any order, and list in any order; the configuration's order is what counts."""
    found = {server: list(tools) for server in servers}
    names = Names()
    names.give(Bearer(server, raw, server) for server in ["a", "b", "c"] for raw in found[server])

    assert [names.name(server, "search") for server in ["a", "b", "c"]] == ["search", "b_search", "c_search"]
    assert names.name("a", "x_y") == "x_y"
    assert names.name("a", "x.y") == "a_x_y"


@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b"]), st.from_regex(VALID, fullmatch=True)), unique_by=lambda each: each[1]
    )
)
def test_no_name_is_changed_while_all_differ(pairs: list[tuple[str, str]]) -> None:
    assert named("collision", *pairs) == [raw for _, raw in pairs]


@pytest.mark.parametrize("answer", [None, "", 7, ValueError("no")])
def test_where_the_function_gives_no_name_the_usual_one_is_taken(
    answer: object, caplog: pytest.LogCaptureFixture
) -> None:
    def naming(server: str, raw: str) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert named(naming, ("a", "search"), ("b", "search")) == ["search", "b_search"]
    assert len(caplog.records) == 2

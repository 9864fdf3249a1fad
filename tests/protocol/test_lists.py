"""The lists that a server may have, and what their pages make together."""

from typing import Any

import pytest

from dragoman.errors import ProtocolError
from dragoman.protocol.lists import LISTS, PROMPTS, RESOURCE_TEMPLATES, RESOURCES, TOOLS, Kind, Page
from dragoman.protocol.salvage import Problem
from tests.protocol.playing import raw

ITEMS: dict[str, tuple[str, dict[str, Any]]] = {
    "tools": ("tools", {"name": "a", "inputSchema": {"type": "object"}}),
    "resources": ("resources", {"uri": "a:a", "name": "a"}),
    "resource templates": ("resourceTemplates", {"uriTemplate": "a:{x}", "name": "a"}),
    "prompts": ("prompts", {"name": "a"}),
}
each_kind = pytest.mark.parametrize("kind", LISTS.values(), ids=LISTS)


def prompts(*names: str, **members: Any) -> Page:
    return PROMPTS.read(raw({"prompts": [{"name": name} for name in names], **members}))


def names(page: Page) -> list[str]:
    return [item.name for item in page.result]


@each_kind
def test_each_list_is_found_by_its_name(kind: Kind) -> None:
    assert LISTS[kind.name] is kind


@each_kind
def test_each_list_is_read_as_its_own_type(kind: Kind) -> None:
    wire, item = ITEMS[kind.name]
    page = kind.read(raw({wire: [item]}))

    assert type(page.result) is kind.type
    assert [found.raw for found in getattr(page.result, kind.attribute)] == [item]
    assert page.problems == ()


def test_the_lists_that_a_server_declares_as_resources_are_two() -> None:
    assert [kind.capability for kind in (TOOLS, RESOURCES, RESOURCE_TEMPLATES, PROMPTS)] == [
        "tools",
        "resources",
        "resources",
        "prompts",
    ]


@each_kind
def test_a_server_without_a_list_has_an_empty_one(kind: Kind) -> None:
    assert len(kind.empty()) == 0
    assert type(kind.empty()) is kind.type


@pytest.mark.parametrize("result", [[], None, 5])
def test_what_is_no_list_at_all_is_refused(result: Any) -> None:
    with pytest.raises(ProtocolError):
        PROMPTS.read(raw(result))


def test_items_are_known_by_what_tells_them_apart() -> None:
    page = RESOURCES.read(raw({"resources": [{"uri": "a:a", "name": "same"}, {"uri": "a:b", "name": "same"}]}))

    assert RESOURCES.keys(page) == {"a:a", "a:b"}


# ------------------------------------------------------------------------------------------------------------- joining


def test_one_page_is_the_list_as_it_came() -> None:
    page = prompts("a", "b", later=1)

    assert PROMPTS.join([page]) is page


def test_pages_are_joined_in_their_order() -> None:
    joined = PROMPTS.join([prompts("b", "a"), prompts(), prompts("c")])

    assert names(joined) == ["b", "a", "c"]
    assert joined.result.next_cursor is None
    assert joined.problems == ()


def test_joined_items_remember_how_they_came() -> None:
    first = PROMPTS.read(raw({"prompts": [{"name": "a", "later": 1}]}))

    assert [item.raw for item in PROMPTS.join([first, prompts("b")]).result] == [
        {"name": "a", "later": 1},
        {"name": "b"},
    ]


@pytest.mark.feature(100)
def test_a_name_that_is_listed_twice_is_kept_once_and_reported() -> None:
    joined = PROMPTS.join([prompts("a", "b", "a")])

    assert names(joined) == ["a", "b"]
    assert [problem.name for problem in joined.problems] == ["a"]


@pytest.mark.feature(100)
def test_a_name_that_comes_again_on_another_page_is_reported() -> None:
    joined = PROMPTS.join([prompts("a"), prompts("b", "a")])

    assert names(joined) == ["a", "b"]
    assert [problem.name for problem in joined.problems] == ["a"]


def test_resources_of_one_name_and_two_uris_are_two() -> None:
    page = RESOURCES.read(raw({"resources": [{"uri": "a:a", "name": "same"}, {"uri": "a:b", "name": "same"}]}))

    assert RESOURCES.join([page]) is page


@pytest.mark.edge("B56")
def test_the_problems_of_all_pages_are_collected() -> None:
    bad = PROMPTS.read(
        raw({"prompts": [{"name": 5, "arguments": "none"}, {"description": "nameless"}, {"name": "ok"}]})
    )
    further = Problem("nextCursor", "prompts", "came twice")
    joined = PROMPTS.join([bad, prompts("fine")], further)

    assert joined.problems == (*bad.problems, further)
    assert len(bad.problems) >= 1
    assert names(joined)[-2:] == ["ok", "fine"]


def test_a_further_problem_is_told_of_a_single_page_too() -> None:
    further = Problem("nextCursor", "prompts", "came twice")
    joined = PROMPTS.join([prompts("a", nextCursor="c")], further)

    assert joined.problems == (further,)
    assert joined.result.next_cursor is None


def test_the_whole_has_the_metadata_of_its_last_page() -> None:
    pages = [prompts("a", _meta={"page": 1}), prompts("b", _meta={"page": 2}, resultType="complete")]

    assert PROMPTS.join(pages).result.meta == {"page": 2}
    assert PROMPTS.join(pages).result.result_type == "complete"


@pytest.mark.edge("B47")
@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ([60, 30, 90], 30),
        ([60, None], 0),
        ([60, 0], 0),
        ([60, -5], -5),
        ([None, None], None),
    ],
)
def test_the_whole_holds_for_as_long_as_the_page_that_holds_the_shortest(stated: list[Any], expected: Any) -> None:
    pages = [prompts(str(place), ttlMs=ttl) for place, ttl in enumerate(stated)]

    assert PROMPTS.join(pages).result.ttl_ms == expected


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        (["public", "public"], "public"),
        (["public", "private"], "private"),
        (["public", None], "private"),
        (["private", "private"], "private"),
        ([None, None], None),
    ],
)
def test_one_private_page_makes_the_whole_private(stated: list[Any], expected: Any) -> None:
    pages = [prompts(str(place), cacheScope=scope) for place, scope in enumerate(stated)]

    assert PROMPTS.join(pages).result.cache_scope == expected

"""Results are kept for as long as their server says, and for those it says."""

import pytest

from dragoman.protocol.cache import MAX_TTL, Cache, CacheHint, Key, hint_of, joint_hint
from dragoman.types import ListToolsResult, decode

TOOLS = Key("tools/list")
FRESH = CacheHint(60.0)
PUBLIC = CacheHint(60.0, is_public=True)


def read_key(uri: str) -> Key:
    return Key("resources/read", b'{"uri":"%b"}' % uri.encode())


def test_a_hint_is_read_in_seconds() -> None:
    result = decode(b'{"tools":[],"ttlMs":1500,"cacheScope":"public"}', ListToolsResult)

    assert hint_of(result) == CacheHint(1.5, is_public=True)


@pytest.mark.edge("B47")
@pytest.mark.parametrize(
    "members", ["", ',"ttlMs":0', ',"ttlMs":-5', ',"cacheScope":"private"', ',"cacheScope":"friends"']
)
def test_without_a_word_a_result_is_stale_at_once_and_private(members: str) -> None:
    assert hint_of(decode(b'{"tools":[]%b}' % members.encode(), ListToolsResult)) == CacheHint(0.0, is_public=False)


def test_no_hint_is_trusted_for_ever() -> None:
    assert hint_of(ListToolsResult(ttl_ms=1e300)) == CacheHint(MAX_TTL)


def test_a_whole_is_fresh_while_its_pages_are() -> None:
    assert joint_hint([CacheHint(5.0), CacheHint(2.0), CacheHint(9.0)]).ttl == 2.0


@pytest.mark.edge("B114")
def test_one_private_page_makes_the_whole_private() -> None:
    assert joint_hint([PUBLIC, PUBLIC]).is_public
    assert not joint_hint([PUBLIC, FRESH]).is_public


def test_a_whole_of_no_pages_is_not_kept() -> None:
    assert joint_hint([]) == CacheHint()


def test_a_fresh_result_is_found() -> None:
    cache = Cache()
    cache.put(TOOLS, "tools", FRESH, now=100.0)

    assert cache.get(TOOLS, now=159.9) == "tools"


def test_a_stale_result_is_not_found_and_forgotten() -> None:
    cache = Cache()
    cache.put(TOOLS, "tools", FRESH, now=100.0)

    assert cache.get(TOOLS, now=160.0) is None
    assert len(cache) == 0


def test_another_request_finds_nothing() -> None:
    cache = Cache()
    cache.put(read_key("file:///a"), "a", FRESH, now=0.0)

    assert cache.get(read_key("file:///b"), now=0.0) is None


def test_a_result_that_is_stale_at_once_replaces_what_was_kept() -> None:
    cache = Cache()
    cache.put(TOOLS, "old", FRESH, now=0.0)
    cache.put(TOOLS, "new", CacheHint(0.0), now=0.0)

    assert cache.get(TOOLS, now=0.0) is None


def test_what_was_asked_for_with_input_is_not_kept() -> None:
    cache = Cache()
    cache.put(TOOLS, "plain", FRESH, now=0.0)
    cache.put(TOOLS, "with input", FRESH, now=0.0, carried_input=True)

    assert cache.get(TOOLS, now=0.0) == "plain"


def test_a_private_result_is_found_by_its_own_identity_only() -> None:
    cache = Cache()
    cache.put(TOOLS, "hers", FRESH, now=0.0, identity="her")

    assert cache.get(TOOLS, now=0.0, identity="her") == "hers"
    assert cache.get(TOOLS, now=0.0, identity="him") is None
    assert cache.get(TOOLS, now=0.0) is None


def test_a_public_result_is_found_by_everybody() -> None:
    cache = Cache()
    cache.put(TOOLS, "all", PUBLIC, now=0.0, identity="her")

    assert cache.get(TOOLS, now=0.0, identity="him") == "all"


def test_a_private_result_of_somebody_is_not_taken_for_a_public_one() -> None:
    cache = Cache()
    cache.put(TOOLS, "of nobody in particular", FRESH, now=0.0)

    assert cache.get(TOOLS, now=0.0, identity="him") is None


def test_a_result_that_turned_private_is_no_longer_shared() -> None:
    cache = Cache()
    cache.put(TOOLS, "all", PUBLIC, now=0.0)
    cache.put(TOOLS, "hers", FRESH, now=0.0, identity="her")

    assert cache.get(TOOLS, now=0.0, identity="him") is None


@pytest.mark.parametrize(
    ("kind", "method"),
    [
        ("tools", "tools/list"),
        ("prompts", "prompts/list"),
        ("resources", "resources/list"),
        ("resources", "resources/templates/list"),
    ],
)
def test_a_changed_list_is_forgotten_for_everybody(kind: str, method: str) -> None:
    cache = Cache()
    cache.put(Key(method), "list", FRESH, now=0.0, identity="her")
    cache.put(Key(method, b'{"cursor":"2"}'), "page", PUBLIC, now=0.0)
    cache.put(Key("server/discover"), "server", FRESH, now=0.0)
    cache.drop_list(kind)

    assert len(cache) == 1


def test_a_list_of_an_unknown_kind_is_none() -> None:
    cache = Cache()
    cache.put(TOOLS, "tools", FRESH, now=0.0)
    cache.drop_list("widgets")

    assert len(cache) == 1


def test_a_changed_resource_is_forgotten_with_what_it_is_part_of() -> None:
    cache = Cache()
    for uri in ("file:///a", "file:///a/b", "file:///a/b/c", "file:///a/bc", "file:///ab"):
        cache.put(read_key(uri), uri, FRESH, now=0.0)
    cache.put(Key("resources/read"), "nothing", FRESH, now=0.0)
    cache.drop_resource("file:///a/b")

    assert cache.get(read_key("file:///a/b"), now=0.0) is None
    assert cache.get(read_key("file:///a"), now=0.0) is None
    assert cache.get(read_key("file:///a/bc"), now=0.0) == "file:///a/bc"
    assert cache.get(read_key("file:///a/b/c"), now=0.0) == "file:///a/b/c"
    assert len(cache) == 4


def test_those_go_first_that_were_not_asked_for_the_longest() -> None:
    cache = Cache(max_entries=2)
    cache.put(Key("a"), "a", FRESH, now=0.0)
    cache.put(Key("b"), "b", FRESH, now=0.0)
    cache.get(Key("a"), now=1.0)
    cache.put(Key("c"), "c", FRESH, now=2.0)

    assert cache.get(Key("a"), now=3.0) == "a"
    assert cache.get(Key("b"), now=3.0) is None


def test_what_is_kept_is_bounded_in_bytes() -> None:
    cache = Cache(max_bytes=10)
    cache.put(Key("a"), "a", FRESH, now=0.0, size=6)
    cache.put(Key("b"), "b", FRESH, now=0.0, size=6)

    assert cache.get(Key("a"), now=0.0) is None
    assert cache.get(Key("b"), now=0.0) == "b"


def test_what_is_larger_than_all_is_not_kept() -> None:
    cache = Cache(max_bytes=10)
    cache.put(Key("a"), "a", FRESH, now=0.0, size=6)
    cache.put(Key("b"), "b", FRESH, now=0.0, size=11)

    assert len(cache) == 1


def test_bytes_of_what_was_replaced_no_longer_count() -> None:
    cache = Cache(max_bytes=10)
    cache.put(Key("a"), "a", FRESH, now=0.0, size=6)
    cache.put(Key("a"), "a", FRESH, now=0.0, size=6)
    cache.put(Key("b"), "b", FRESH, now=0.0, size=4)

    assert len(cache) == 2


def test_everything_can_be_forgotten() -> None:
    cache = Cache(max_bytes=10)
    cache.put(Key("a"), "a", FRESH, now=0.0, size=6)
    cache.clear()
    cache.put(Key("b"), "b", FRESH, now=0.0, size=10)

    assert cache.get(Key("a"), now=0.0) is None
    assert cache.get(Key("b"), now=0.0) == "b"

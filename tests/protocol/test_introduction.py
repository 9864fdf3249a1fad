"""What a server says of itself is read wherever and however it says it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import ProtocolError
from dragoman.protocol.introduction import Said, read_introduction
from dragoman.types import SERVER_INFO_KEY, Implementation, ServerCapabilities
from tests.protocol.playing import raw


def said(**members: Any) -> Said:
    return read_introduction(raw(members))


def said_in_meta(card: Any, **members: Any) -> Said:
    return read_introduction(raw({"_meta": {SERVER_INFO_KEY: card}, **members}))


def test_a_whole_introduction_is_read() -> None:
    found = said(
        protocolVersion="2025-11-25",
        capabilities={"tools": {"listChanged": True}},
        serverInfo={"name": "git", "version": "1.2"},
        instructions="Be kind.",
    )

    assert (found.version, found.versions, found.instructions) == ("2025-11-25", (), "Be kind.")
    assert found.server == Implementation("git", version="1.2")
    assert found.capabilities.tools is not None
    assert found.capabilities.tools.list_changed is True


def test_nothing_said_is_nothing_known() -> None:
    assert said() == Said("", (), Implementation(""), ServerCapabilities(), None)


def test_the_server_is_named_in_the_metadata() -> None:
    assert said_in_meta({"name": "git", "version": "1"}, serverInfo={"name": "body"}).server.name == "git"


@pytest.mark.parametrize("card", [None, {}, [], "git", 5])
def test_a_server_that_is_not_named_in_the_metadata_is_named_in_the_body(card: Any) -> None:
    expected = "" if card == {} else "body"

    assert said_in_meta(card, serverInfo={"name": "body", "version": ""}).server.name == expected


@pytest.mark.parametrize("meta", [None, [], "x", {}, {"other": 1}])
def test_metadata_without_a_name_is_no_fault(meta: Any) -> None:
    assert said(_meta=meta, serverInfo={"name": "git", "version": "1"}).server.name == "git"


@pytest.mark.parametrize(
    ("card", "expected"),
    [
        ({"name": "git", "version": 2}, ("git", "")),
        ({"name": "git", "version": "2", "icons": "none"}, ("git", "2")),
        ({"name": ["git"], "version": "2"}, ("", "2")),
        ({"version": "2"}, ("", "2")),
        ({"name": "git"}, ("git", "")),
    ],
)
def test_a_name_card_keeps_what_is_right_in_it(card: Any, expected: tuple[str, str]) -> None:
    server = said(serverInfo=card).server

    assert (server.name, server.version) == expected


def test_what_no_type_has_is_kept_of_name_and_capabilities() -> None:
    found = said(serverInfo={"name": "git", "mood": "good"}, capabilities={"teleport": {}})

    assert found.server.raw == {"name": "git", "mood": "good"}
    assert found.capabilities.raw == {"teleport": {}}


@pytest.mark.parametrize("stated", [None, True, [], "all", 5])
def test_capabilities_that_are_no_object_are_none(stated: Any) -> None:
    assert said(capabilities=stated).capabilities == ServerCapabilities()


def test_one_odd_capability_costs_no_other() -> None:
    capabilities = said(capabilities={"tools": True, "prompts": [], "resources": {"subscribe": "yes"}}).capabilities

    assert capabilities.tools is not None
    assert capabilities.prompts is None
    assert capabilities.resources is not None
    assert capabilities.resources.subscribe is None


@pytest.mark.parametrize(
    ("stated", "expected"), [(["a", 5, None, "b"], ("a", "b")), ("a", ()), ({"a": 1}, ()), (None, ())]
)
def test_versions_are_the_texts_of_a_list(stated: Any, expected: tuple[str, ...]) -> None:
    assert said(supportedVersions=stated).versions == expected


@pytest.mark.parametrize("stated", [None, 20251125, ["2025-11-25"], {}])
def test_a_version_that_is_no_text_is_none(stated: Any) -> None:
    assert said(protocolVersion=stated).version == ""


@pytest.mark.parametrize("stated", [None, 5, ["Be", "kind"]])
def test_instructions_that_are_no_text_are_none(stated: Any) -> None:
    assert said(instructions=stated).instructions is None


@pytest.mark.parametrize("result", [[], None, "hello", 5, b"{", b"", b'{"protocolVersion":"' + b"\xff"])
def test_what_is_no_object_is_no_introduction(result: Any) -> None:
    with pytest.raises(ProtocolError, match="cannot be read"):
        read_introduction(raw(result))


@pytest.mark.parametrize(
    "result",
    [
        b'{"instructions":"caf\xe9","capabilities":{"logging":{}}}',
        b'{"capabilities":{"logging":{},"experimental":{"caf\xe9":{}}}}',
        b'{"capabilities":{"logging":{},"experimental":{"\\ud800":{}}}}',
        b'{"capabilities":{"logging":{}},"instructions":NaN}',
    ],
)
def test_a_bad_character_costs_no_more_than_itself(result: bytes) -> None:
    assert read_introduction(raw(result)).capabilities.logging == {}


def test_capabilities_that_are_nearly_json_are_read() -> None:
    odd = b'{"tools":{},"experimental":{"caf\xe9":' + b"9" * 5000 + b"}}"
    found = read_introduction(raw(b'{"protocolVersion":"2025-11-25","capabilities":' + odd + b"}"))

    assert found.version == "2025-11-25"
    assert found.capabilities.experimental == {"caf\ufffd": 1.7976931348623157e308}


def test_an_introduction_nested_beyond_reason_is_refused() -> None:
    with pytest.raises(ProtocolError):
        read_introduction(raw(b'{"capabilities":' + b"[" * 100_000 + b"]" * 100_000 + b"}"))


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
MEMBERS = ["protocolVersion", "supportedVersions", "capabilities", "serverInfo", "instructions", "_meta"]


@given(st.dictionaries(st.sampled_from(MEMBERS), ANY_JSON))
def test_any_object_is_an_introduction(result: dict[str, Any]) -> None:
    assert isinstance(read_introduction(raw(result)), Said)

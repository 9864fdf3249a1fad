"""How the era of a server is found, and who it is."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import (
    AuthError,
    ConnectionLost,
    HttpError,
    McpError,
    McpTimeout,
    MethodNotFound,
    ProtocolError,
    ServerError,
    UnsupportedProtocolVersion,
    UsageError,
)
from dragoman.protocol.eras import LEGACY_VERSIONS, MODERN_VERSIONS, VERSIONS
from dragoman.protocol.jsonrpc import read_error
from dragoman.protocol.negotiate import PROBE_PATIENCE, Introduction, Offer, negotiate, offer
from dragoman.protocol.steps import Hedge, Step, Tell
from tests.protocol.playing import IDENTITY, Played, Second, methods, play, raw, wire

MODERN_VERSION = "2026-07-28"
EVERYTHING = offer(None, VERSIONS)
MODERN_ONLY = offer(MODERN_VERSIONS, VERSIONS)
LEGACY_ONLY = offer(LEGACY_VERSIONS, VERSIONS)
SILENCE = McpTimeout("no answer", method="initialize", waited=20.0)


def discovered(*versions: Any) -> dict[str, Any]:
    return {"supportedVersions": list(versions), "capabilities": {"tools": {}}, "serverInfo": {"name": "modern"}}


def greeted(version: Any = "2025-11-25") -> dict[str, Any]:
    return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "legacy"}}


def refused(code: int, data: Any = None, method: str = "server/discover") -> ServerError:
    return read_error(raw({"code": code, "message": "no", "data": data}), method)


def unsupported(*versions: Any, method: str = "server/discover") -> ServerError:
    return refused(-32022, {"supported": list(versions), "requested": MODERN_VERSION}, method)


def meet(*answers: Any, offered: Offer = EVERYTHING, remembered: str | None = None) -> Played[Introduction]:
    return play(negotiate(IDENTITY, offered, remembered), *answers)


def fail(
    kind: type[McpError], *answers: Any, offered: Offer = EVERYTHING, remembered: str | None = None
) -> tuple[McpError, list[str]]:
    steps: list[Step] = []
    with pytest.raises(kind) as caught:
        play(negotiate(IDENTITY, offered, remembered), *answers, steps=steps)
    return caught.value, methods(steps)


# ------------------------------------------------------------------------------------------------------------ offers


def test_without_limits_every_known_version_is_offered() -> None:
    assert offer(None, VERSIONS) == Offer(MODERN_VERSIONS, LEGACY_VERSIONS)


@pytest.mark.feature(4)
def test_what_the_transport_cannot_carry_is_not_offered() -> None:
    assert offer(None, ("2025-06-18", "2024-11-05")) == Offer((), ("2025-06-18", "2024-11-05"))


def test_versions_are_offered_newest_first_however_they_were_named() -> None:
    assert offer(("2024-11-05", "2026-07-28", "2025-11-25"), VERSIONS).legacy == ("2025-11-25", "2024-11-05")


def test_versions_that_nobody_knows_are_a_mistake_of_the_user() -> None:
    with pytest.raises(UsageError, match=r"1999-01-01.*known are 2026-07-28"):
        offer(("1999-01-01",), VERSIONS)


# ------------------------------------------------------------------------------------------------------ modern servers


def test_the_probe_is_backed_by_a_handshake_for_servers_that_stay_silent() -> None:
    probe = meet(discovered(MODERN_VERSION)).steps[0]

    assert isinstance(probe, Hedge)
    assert (probe.first.request.method, probe.second.request.method) == ("server/discover", "initialize")
    assert (probe.after, probe.decisive) == (PROBE_PATIENCE, frozenset({-32022}))


def test_the_probe_says_the_newest_modern_version_and_the_handshake_the_newest_legacy_one() -> None:
    probe = meet(discovered(MODERN_VERSION)).steps[0]

    assert isinstance(probe, Hedge)
    assert wire(probe.first)["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] == MODERN_VERSION
    assert wire(probe.second)["params"]["protocolVersion"] == "2025-11-25"


@pytest.mark.feature("12.1")
def test_a_discovered_server_is_introduced_like_a_greeted_one() -> None:
    modern, legacy = meet(discovered(MODERN_VERSION)).result, meet(refused(-32601), greeted()).result

    assert (modern.era.name, modern.era.version, modern.server.name) == ("modern", MODERN_VERSION, "modern")
    assert (legacy.era.name, legacy.era.version, legacy.server.name) == ("legacy", "2025-11-25", "legacy")
    assert modern.capabilities == legacy.capabilities


def test_a_discovered_server_is_told_nothing_more() -> None:
    assert len(meet(discovered("2025-11-25", MODERN_VERSION, "2099-01-01")).steps) == 1


@pytest.mark.parametrize("versions", [("2025-06-18", "2025-11-25"), ("2025-11-25", "2024-11-05", "2025-06-18")])
def test_a_discovered_server_of_legacy_versions_is_greeted_in_the_newest_of_them(versions: tuple[str, ...]) -> None:
    played = meet(discovered(*versions), greeted("2025-11-25"))

    assert played.requests == ["server/discover", "initialize"]
    assert wire(played.steps[1])["params"]["protocolVersion"] == "2025-11-25"
    assert played.result.era.version == "2025-11-25"


def test_a_discovered_server_of_one_old_version_is_greeted_in_it() -> None:
    played = meet(discovered("2024-11-05"), greeted("2024-11-05"))

    assert wire(played.steps[1])["params"]["protocolVersion"] == "2024-11-05"


def test_a_discovered_server_may_still_answer_the_greeting_with_another_known_version() -> None:
    assert meet(discovered("2024-11-05"), greeted("2025-03-26")).result.era.version == "2025-03-26"


def test_a_discovered_server_without_a_shared_version_is_refused_with_both_lists() -> None:
    error, requests = fail(ProtocolError, discovered("2099-01-01", "2098-01-01"))

    assert "speaks 2099-01-01, 2098-01-01; this client was to speak 2026-07-28, 2025-11-25" in str(error)
    assert requests == ["server/discover"]


def test_a_server_of_several_modern_versions_is_spoken_to_in_the_newest_shared_one() -> None:
    both = Offer(("2027-01-01", "2026-07-28"), LEGACY_VERSIONS)

    assert meet(discovered("2025-11-25", "2026-07-28"), offered=both).result.era.version == "2026-07-28"


# ------------------------------------------------------------------------------------------------------ legacy servers


@pytest.mark.edge("B44")
@pytest.mark.feature(1, 3)
@pytest.mark.parametrize("code", [-32601, -32602, -32600, -32000, -32603, 0, 404, -32020, -32021])
def test_any_refusal_of_the_probe_leads_to_the_handshake(code: int) -> None:
    played = meet(refused(code), greeted())

    assert played.requests == ["server/discover", "initialize"]
    assert wire(played.steps[1])["params"] == {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tester", "version": "1"},
    }
    told = played.steps[2]
    assert isinstance(told, Tell)
    assert told.notice.method == "notifications/initialized"
    assert told.era == played.result.era


@pytest.mark.edge("B44")
@pytest.mark.parametrize("result", [{}, [], None, "ok", 5, {"supportedVersions": []}, {"tools": []}, greeted()])
def test_a_probe_answered_without_versions_leads_to_the_handshake(result: Any) -> None:
    assert meet(result, greeted()).requests == ["server/discover", "initialize"]


def test_a_probe_answered_by_garbage_leads_to_the_handshake() -> None:
    assert meet(ProtocolError("not JSON"), greeted()).result.era.name == "legacy"


@pytest.mark.edge("B44")
def test_a_server_that_is_silent_to_the_probe_is_known_by_its_answer_to_the_handshake() -> None:
    played = meet(Second(greeted("2025-06-18")))

    assert played.result.era.version == "2025-06-18"
    assert [type(step) for step in played.steps] == [Hedge, Tell]


def test_a_server_that_is_silent_to_everything_is_a_time_out() -> None:
    assert fail(McpTimeout, SILENCE)[1] == ["server/discover"]


def test_a_line_that_breaks_is_no_verdict() -> None:
    assert fail(ConnectionLost, ConnectionLost("gone"))[1] == ["server/discover"]


@pytest.mark.feature(5, "13.1")
@pytest.mark.parametrize("version", LEGACY_VERSIONS)
def test_any_legacy_version_is_accepted_in_the_answer(version: str) -> None:
    played = meet(greeted(version), offered=LEGACY_ONLY)

    assert wire(played.steps[0])["params"]["protocolVersion"] == "2025-11-25"
    assert played.result.era.version == version


@pytest.mark.feature(8)
@pytest.mark.parametrize("version", ["1999-01-01", MODERN_VERSION, "", None, 20251125, ["2025-11-25"]])
def test_a_version_that_was_not_offered_is_refused(version: Any) -> None:
    error, _ = fail(ProtocolError, refused(-32601), greeted(version))

    assert "offered: 2025-11-25, 2025-06-18" in str(error)


@pytest.mark.feature(8)
def test_a_version_that_the_transport_cannot_carry_is_refused() -> None:
    fail(ProtocolError, greeted("2024-11-05"), offered=offer(None, ("2025-11-25",)))


@pytest.mark.parametrize("result", [[], None, "hello", {}])
def test_a_handshake_without_an_introduction_is_refused(result: Any) -> None:
    fail(ProtocolError, result, offered=LEGACY_ONLY)


def test_a_refused_handshake_says_why() -> None:
    error, _ = fail(ServerError, refused(-32601), refused(-32603, "no database", "initialize"))

    assert isinstance(error, ServerError)
    assert (error.code, error.method) == (-32603, "initialize")


@pytest.mark.parametrize(
    ("probe", "said"),
    [
        (ProtocolError("not JSON"), "not JSON"),
        (refused(-32603), "server/discover failed: no"),
        ([], "introduced itself in a way that cannot be read"),
        ({}, "names no protocol version"),
    ],
)
def test_where_the_handshake_is_unknown_what_became_of_the_probe_is_raised(probe: Any, said: str) -> None:
    error, _ = fail(McpError, probe, refused(-32601, method="initialize"))

    assert said in str(error)
    assert isinstance(error.__cause__, MethodNotFound)


def test_a_server_that_knows_neither_says_so_of_the_handshake() -> None:
    error, _ = fail(MethodNotFound, refused(-32601), refused(-32601, method="initialize"))

    assert isinstance(error, ServerError)
    assert error.method == "initialize"


def test_a_handshake_refused_for_its_version_is_repeated_in_one_that_the_server_names() -> None:
    played = meet(
        refused(-32602, {"supported": ["2024-11-05"], "requested": "2025-11-25"}),
        greeted("2024-11-05"),
        offered=LEGACY_ONLY,
    )

    assert [wire(step)["params"]["protocolVersion"] for step in played.steps[:2]] == ["2025-11-25", "2024-11-05"]


@pytest.mark.parametrize("named", [["2025-11-25"], [], ["1999-01-01", 5, None], "2024-11-05", None])
def test_a_handshake_refused_without_another_version_is_not_repeated(named: Any) -> None:
    _, requests = fail(ServerError, refused(-32602, {"supported": named}), offered=LEGACY_ONLY)

    assert requests == ["initialize"]


def test_a_handshake_that_is_refused_whatever_it_says_comes_to_an_end() -> None:
    refusals = [refused(-32602, {"supported": list(LEGACY_VERSIONS)}) for _ in LEGACY_VERSIONS]

    assert fail(ServerError, *refusals, offered=LEGACY_ONLY)[1] == ["initialize"] * len(LEGACY_VERSIONS)


# ---------------------------------------------------------------------------------------------- the refusal that proves


def test_a_refused_version_that_the_server_names_itself_is_asked_for_once_more() -> None:
    played = meet(unsupported(MODERN_VERSION), discovered(MODERN_VERSION))

    assert played.requests == ["server/discover", "server/discover"]
    assert played.result.era.version == MODERN_VERSION


def test_a_modern_only_client_asks_once_more_as_well() -> None:
    assert meet(unsupported(MODERN_VERSION), discovered(MODERN_VERSION), offered=MODERN_ONLY).requests == [
        "server/discover",
        "server/discover",
    ]


def test_a_version_that_is_refused_twice_is_not_asked_for_again() -> None:
    error, requests = fail(UnsupportedProtocolVersion, unsupported(MODERN_VERSION), unsupported(MODERN_VERSION))

    assert isinstance(error, UnsupportedProtocolVersion)
    assert error.supported == (MODERN_VERSION,)
    assert requests == ["server/discover"] * 2


@pytest.mark.parametrize("status", [400, 404, 405, 406, 500])
def test_a_refusal_by_http_leads_to_the_handshake(status: int) -> None:
    played = meet(HttpError("no", status=status), greeted("2025-11-25"))

    assert played.requests == ["server/discover", "initialize"]


@pytest.mark.parametrize("status", [429, 502, 503])
def test_a_server_that_was_not_reached_is_no_verdict(status: int) -> None:
    error, requests = fail(HttpError, HttpError("busy", status=status))

    assert isinstance(error, HttpError)
    assert requests == ["server/discover"]


@pytest.mark.edge("B44")
@pytest.mark.parametrize("status", [401, 403])
def test_a_locked_door_leads_to_the_handshake(status: int) -> None:
    played = meet(AuthError("no", status=status), greeted("2025-11-25"))

    assert played.requests == ["server/discover", "initialize"]


def test_who_said_no_to_the_user_is_not_asked_again() -> None:
    error, requests = fail(AuthError, AuthError("the authorization was not given"))

    assert error.message == "the authorization was not given"
    assert requests == ["server/discover"]


def test_a_probe_that_may_have_come_too_early_is_repeated() -> None:
    no = refused(-32601, method="initialize")
    played = meet(no, no, discovered(MODERN_VERSION))

    assert methods(played.steps) == ["server/discover", "initialize", "server/discover"]
    assert played.result.era.version == MODERN_VERSION


def test_a_door_that_stays_locked_is_told() -> None:
    locked = AuthError("who are you", status=401)
    error, requests = fail(AuthError, locked, HttpError("nothing here", status=404))

    assert error is locked
    assert isinstance(error.__cause__, HttpError)
    assert requests == ["server/discover", "initialize"]


@pytest.mark.edge("B44")
def test_a_refusal_that_names_legacy_versions_leads_to_the_newest_of_them() -> None:
    played = meet(unsupported("2024-11-05", "2025-06-18", MODERN_VERSION), greeted("2025-06-18"))

    assert wire(played.steps[1])["params"]["protocolVersion"] == "2025-06-18"


def test_a_refusal_that_names_another_modern_version_leads_to_it() -> None:
    both = Offer(("2027-01-01", "2026-07-28"), LEGACY_VERSIONS)
    played = meet(unsupported("2026-07-28", "2025-11-25"), discovered("2026-07-28"), offered=both)

    assert played.requests == ["server/discover", "server/discover"]
    assert played.result.era.version == "2026-07-28"


def test_refusals_that_name_each_other_come_to_an_end() -> None:
    both = Offer(("2027-01-01", "2026-07-28"), ())
    answers = [unsupported("2026-07-28"), unsupported("2027-01-01")]

    assert fail(UnsupportedProtocolVersion, *answers, offered=both)[1] == ["server/discover"] * 2


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "no version that it can name"),
        ({"supported": "2026-07-28"}, "no version that it can name"),
        ({"supported": ["2099-01-01", 5]}, "2099-01-01"),
    ],
)
def test_a_refusal_without_a_shared_version_is_final(data: Any, said: str) -> None:
    error, requests = fail(UnsupportedProtocolVersion, refused(-32022, data))

    assert f"the server speaks {said}; this client was to speak 2026-07-28" in str(error)
    assert isinstance(error.__cause__, UnsupportedProtocolVersion)
    assert requests == ["server/discover"]


def test_a_handshake_refused_for_being_legacy_while_the_probe_waits_leads_back_to_the_probe() -> None:
    played = meet(unsupported(MODERN_VERSION, method="initialize"), discovered(MODERN_VERSION))

    assert played.requests == ["server/discover", "server/discover"]
    assert played.result.era.name == "modern"


# -------------------------------------------------------------------------------------------------- one era, or a memory


def test_of_a_modern_only_client_no_handshake_is_ever_heard() -> None:
    assert meet(discovered(MODERN_VERSION), offered=MODERN_ONLY).requests == ["server/discover"]


@pytest.mark.parametrize("answer", [{}, discovered("2025-11-25"), discovered("2099-01-01"), refused(-32601)])
def test_a_modern_only_client_refuses_a_legacy_server(answer: Any) -> None:
    assert fail(McpError, answer, offered=MODERN_ONLY)[1] == ["server/discover"]


def test_a_modern_only_client_says_that_the_server_is_legacy() -> None:
    assert "legacy era" in str(fail(ProtocolError, {"tools": []}, offered=MODERN_ONLY)[0])


def test_a_legacy_only_client_does_not_probe() -> None:
    assert meet(greeted(), offered=LEGACY_ONLY).requests == ["initialize"]


def test_a_remembered_legacy_server_is_greeted_at_once() -> None:
    assert meet(greeted(), remembered="legacy").requests == ["initialize"]


def test_a_remembered_legacy_server_that_is_modern_by_now_is_found_out() -> None:
    played = meet(refused(-32601, method="initialize"), discovered(MODERN_VERSION), remembered="legacy")

    assert played.requests == ["initialize", "server/discover"]
    assert played.result.era.name == "modern"


def test_a_remembered_legacy_server_that_answers_in_the_modern_version_is_found_out() -> None:
    assert meet(greeted(MODERN_VERSION), discovered(MODERN_VERSION), remembered="legacy").result.era.name == "modern"


def test_a_remembered_legacy_server_that_names_modern_versions_is_found_out() -> None:
    played = meet(unsupported(MODERN_VERSION, method="initialize"), discovered(MODERN_VERSION), remembered="legacy")

    assert played.result.era.name == "modern"


@pytest.mark.parametrize("second", [refused(-32601), {}, SILENCE, ConnectionLost("gone"), unsupported("2025-11-25")])
def test_a_remembered_legacy_server_that_refuses_both_says_why_it_refused_the_handshake(second: Any) -> None:
    first = refused(-32603, "no database", "initialize")
    error, requests = fail(ServerError, first, second, remembered="legacy")

    assert error is first
    assert requests == ["initialize", "server/discover"]


@pytest.mark.parametrize("remembered", ["modern", "something else", ""])
def test_a_remembered_modern_server_that_is_legacy_by_now_is_found_out(remembered: str) -> None:
    assert meet(refused(-32601), greeted(), remembered=remembered).result.era.name == "legacy"


# ------------------------------------------------------------------------------------------------------------ anything

ANY_VERSIONS = st.lists(st.sampled_from([*VERSIONS, "2099-01-01", "", None, 5]), max_size=4)
ANY_ANSWER = st.one_of(
    ANY_VERSIONS.map(lambda versions: discovered(*versions)),
    st.sampled_from([*VERSIONS, "1999-01-01", None]).map(greeted),
    st.sampled_from([greeted(), greeted("1999-01-01"), {}]).map(Second),
    st.builds(unsupported, method=st.sampled_from(["initialize", "server/discover"])),
    ANY_VERSIONS.flatmap(
        lambda versions: st.builds(
            lambda code, method: refused(code, {"supported": versions}, method),
            st.sampled_from([-32022, -32601, -32602, 0]),
            st.sampled_from(["initialize", "server/discover"]),
        )
    ),
    st.sampled_from([{}, [], None, "x", {"supportedVersions": {}}, {"protocolVersion": 1, "capabilities": 5}]),
    st.sampled_from([ProtocolError("garbage"), SILENCE, ConnectionLost("gone")]),
)
ANY_OFFER = st.sampled_from(
    [EVERYTHING, MODERN_ONLY, LEGACY_ONLY, Offer(("2027-01-01", "2026-07-28"), ("2025-11-25",))]
)


@given(
    st.lists(ANY_ANSWER, min_size=14, max_size=14),
    ANY_OFFER,
    st.sampled_from([None, "legacy", "modern"]),
)
def test_whatever_is_answered_ends_soon_in_an_introduction_or_an_error_of_ours(
    answers: list[Any], offered: Offer, remembered: str | None
) -> None:
    try:
        found = play(negotiate(IDENTITY, offered, remembered), *answers, to_the_last=False).result
    except McpError:
        return

    assert found.era.version in offered.modern + offered.legacy

"""How servers do, in words."""

from datetime import UTC, datetime

from dragoman.errors import ConnectFailed
from dragoman.host.news import HostEvent, ServerState, ServerStatus

SINCE = datetime(2026, 7, 28, 12, 30, tzinfo=UTC)


def test_a_status_is_told() -> None:
    error = ConnectFailed("it is not there\x1b", server="a")

    assert str(ServerStatus("a", ServerState.READY, SINCE, error)) == "a ready since 12:30:00 UTC"
    assert str(ServerStatus("a", ServerState.FAILED, SINCE, error)) == (
        "a failed since 12:30:00 UTC: a: it is not there\\u{1b}"
    )


def test_nothing_is_to_be_waited_for_but_connecting() -> None:
    assert [state for state in ServerState if not state.is_settled] == [ServerState.CONNECTING]


def test_an_event_has_no_changes_unless_there_are_any() -> None:
    assert not HostEvent("server", "a").changes

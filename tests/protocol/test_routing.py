"""Messages on a shared channel find the requests that they belong to."""

import json
from typing import Any

import pytest

from dragoman.protocol.jsonrpc import Message, decode
from dragoman.protocol.routing import Routes


def message(**members: Any) -> Message:
    return decode(json.dumps({"jsonrpc": "2.0", **members}).encode())[0]


def answer(request_id: Any) -> Message:
    return message(id=request_id, result={})


def notification(method: str, **params: Any) -> Message:
    return message(method=method, params=params)


def routes(*ids: int | str) -> Routes[str]:
    made: Routes[str] = Routes()
    for each in ids:
        made.add(each, f"owner of {each!r}")
    return made


def test_an_answer_goes_to_its_request() -> None:
    assert routes(1, 2).owner(answer(2)) == "owner of 2"


def test_an_error_goes_to_its_request() -> None:
    assert routes(1, 2).owner(message(id=2, error={"code": 1, "message": "no"})) == "owner of 2"


def test_a_request_is_there_until_it_is_answered() -> None:
    made = routes(1, 2)
    made.owner(answer(2))
    assert made.owners() == ["owner of 1"]


def test_an_answer_to_nothing_goes_to_nobody() -> None:
    assert routes(1).owner(answer(2)) is None


def test_a_second_answer_goes_to_nobody_and_is_late() -> None:
    shared = routes(1)
    shared.owner(answer(1))

    assert shared.owner(answer(1)) is None
    assert shared.is_late(answer(1))
    assert len(shared) == 0


@pytest.mark.edge("B28")
@pytest.mark.parametrize(("ours", "theirs"), [(1, "1"), (1, 1.0), ("1", 1), ("1", 1.0)])
def test_an_id_may_come_back_as_another_type(ours: int | str, theirs: Any) -> None:
    assert routes(ours).owner(answer(theirs)) == f"owner of {ours!r}"


@pytest.mark.parametrize("theirs", ["01", " 1", "one", "1.0", "9" * 40, 1.5, "\u0661"])
def test_an_id_that_merely_resembles_ours_is_another(theirs: Any) -> None:
    assert routes(1).owner(answer(theirs)) is None


def test_the_exact_id_is_preferred() -> None:
    shared = routes(1, "1")

    assert shared.owner(answer("1")) == "owner of '1'"
    assert shared.owner(answer(1)) == "owner of 1"


def test_a_late_answer_is_not_taken_for_that_to_a_similar_id() -> None:
    shared = routes(1, "1")
    shared.remove("1")

    assert shared.owner(answer("1")) is None
    assert shared.is_late(answer("1"))


@pytest.mark.edge("B26")
@pytest.mark.parametrize("members", [{}, {"id": None}])
def test_an_error_without_id_goes_to_the_only_request(members: dict[str, Any]) -> None:
    assert routes(1).owner(message(error={"code": -32700, "message": "parse"}, **members)) == "owner of 1"


@pytest.mark.parametrize("ids", [(), (1, 2)])
def test_an_error_without_id_goes_to_nobody_else(ids: tuple[int, ...]) -> None:
    assert routes(*ids).owner(message(id=None, error={"code": -32700, "message": "parse"})) is None


def test_a_result_without_id_goes_to_nobody() -> None:
    assert routes(1).owner(message(id=None, result={})) is None


def test_an_error_with_an_unknown_id_goes_to_nobody() -> None:
    assert routes(1).owner(message(id=7, error={"code": 1, "message": "no"})) is None


@pytest.mark.parametrize("token", [2, "2", 2.0])
def test_progress_goes_to_its_request(token: Any) -> None:
    assert routes(1, 2).owner(notification("notifications/progress", progressToken=token, progress=1)) == "owner of 2"


def test_progress_with_null_for_an_id_goes_to_its_request() -> None:
    params = {"progressToken": 2, "progress": 1}
    progress = message(id=None, method="notifications/progress", params=params)

    assert routes(1, 2).owner(progress) == "owner of 2"


def test_progress_leaves_the_route_open() -> None:
    shared = routes(1)
    shared.owner(notification("notifications/progress", progressToken=1, progress=1))

    assert shared.owner(answer(1)) == "owner of 1"


@pytest.mark.parametrize("method", ["notifications/tools/list_changed", "notifications/resources/updated"])
def test_what_a_subscription_brings_goes_to_its_request(method: str) -> None:
    news = notification(method, _meta={"io.modelcontextprotocol/subscriptionId": 2})

    assert routes(1, 2).owner(news) == "owner of 2"


def test_a_cancellation_of_ours_goes_to_its_request() -> None:
    assert routes(1, 2).owner(notification("notifications/cancelled", requestId=2)) == "owner of 2"


@pytest.mark.parametrize(
    "stray",
    [
        notification("notifications/tools/list_changed"),
        notification("notifications/message", progressToken=1, requestId=1, level="info"),
        notification("notifications/progress", progress=1),
        notification("notifications/progress", progressToken=[1]),
        notification("notifications/tools/list_changed", _meta={}),
        message(method="notifications/tools/list_changed"),
        message(method="notifications/progress", params=None),
        message(method="roots/list", id=1, params={"_meta": {"io.modelcontextprotocol/subscriptionId": 1}}),
    ],
)
def test_everything_else_goes_to_nobody(stray: Message) -> None:
    shared = routes(1)

    assert shared.owner(stray) is None
    assert not shared.is_late(stray)


@pytest.mark.parametrize(
    "late",
    [
        answer(1),
        answer("1"),
        notification("notifications/progress", progressToken=1),
        notification("notifications/progress", progressToken="1"),
        notification("notifications/cancelled", requestId=1),
        notification("notifications/tools/list_changed", _meta={"io.modelcontextprotocol/subscriptionId": 1}),
    ],
)
def test_what_comes_for_an_abandoned_request_is_late(late: Message) -> None:
    shared = routes(1, 2)
    shared.remove(1)

    assert shared.owner(late) is None
    assert shared.is_late(late)


def test_what_never_was_asked_for_is_not_late() -> None:
    assert not routes(1).is_late(answer(9))


def test_only_recent_requests_are_remembered() -> None:
    shared = routes(*range(5000))
    for each in range(5000):
        shared.remove(each)

    assert not shared.is_late(answer(0))
    assert shared.is_late(answer(3976))
    assert shared.is_late(answer(4999))


def test_removing_twice_does_nothing() -> None:
    shared = routes(1)
    shared.remove(1)
    shared.remove(1)

    assert shared.owners() == []


def test_the_sole_owner_is_known() -> None:
    assert routes(1).sole == "owner of 1"


@pytest.mark.parametrize("ids", [(), (1, 2)])
def test_there_is_no_sole_owner_among_none_or_several(ids: tuple[int, ...]) -> None:
    assert routes(*ids).sole is None


def test_clearing_gives_all_owners_and_forgets_everything() -> None:
    shared = routes(1, 2, 3)
    shared.remove(3)

    assert shared.clear() == ["owner of 1", "owner of 2"]
    assert shared.owners() == []
    assert not shared.is_late(answer(3))

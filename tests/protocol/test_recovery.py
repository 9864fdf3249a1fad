"""What is sent again after a failure, what is not, and when a dead server is started again."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.errors import (
    AuthError,
    ConnectFailed,
    ConnectionClosed,
    ConnectionLost,
    HttpError,
    InvalidParams,
    McpError,
    McpTimeout,
    OutcomeUnknown,
    ProtocolError,
    ServerExited,
    SessionExpired,
    TransportError,
    UsageError,
)
from dragoman.protocol.recovery import (
    RECONNECTING,
    Budget,
    Raise,
    RestartPolicy,
    Restarts,
    Retry,
    RetryPolicy,
    after_failure,
    backoff,
    is_passing,
    is_repeatable,
    likeness,
    may_have_run,
)
from dragoman.types import ToolAnnotations


def decided(error: McpError, policy: RetryPolicy | None = None, **facts: Any) -> Retry | Raise:
    known: dict[str, Any] = {"method": "tools/call", "is_repeatable": False, "attempt": 0, **facts}
    return after_failure(error, policy=policy or RetryPolicy(), **known)


LOST = ConnectionLost("the pipe broke", server="files")
UNHEARD = ConnectionLost("it was reset")
UNHEARD.was_heard = False
NEVER_SENT = ConnectionLost("the pipe was closed", was_sent=False)


@pytest.mark.parametrize(
    "method",
    [
        "tools/list",
        "resources/read",
        "prompts/get",
        "completion/complete",
        "ping",
        "server/discover",
        "logging/setLevel",
    ],
)
def test_what_only_asks_is_repeatable(method: str) -> None:
    assert is_repeatable(method)


def test_what_is_not_known_is_not_repeatable() -> None:
    assert not is_repeatable("tasks/cancel")


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        (None, False),
        (ToolAnnotations(), False),
        (ToolAnnotations(read_only_hint=True), True),
        (ToolAnnotations(idempotent_hint=True), True),
        (ToolAnnotations(read_only_hint=False, idempotent_hint=False), False),
        (ToolAnnotations(destructive_hint=False), False),
    ],
)
def test_a_tool_is_repeatable_if_it_is_declared_so(annotations: ToolAnnotations | None, expected: bool) -> None:
    assert is_repeatable("tools/call", annotations) is expected


@pytest.mark.parametrize(
    "error",
    [NEVER_SENT, ConnectFailed("refused"), SessionExpired("404")],
)
def test_what_never_ran_is_sent_again(error: McpError) -> None:
    assert isinstance(decided(error), Retry)


def test_after_a_lost_session_there_is_nothing_to_wait_for() -> None:
    assert decided(SessionExpired("404")) == Retry(0.0)


@pytest.mark.edge("B49")
def test_what_may_have_run_is_sent_again_if_that_does_no_harm() -> None:
    assert decided(LOST, is_repeatable=True) == Retry(0.1)


@pytest.mark.edge("B49")
def test_of_what_may_have_run_the_outcome_is_unknown() -> None:
    decision = decided(LOST)

    assert isinstance(decision, Raise)
    assert isinstance(decision.error, OutcomeUnknown)
    assert decision.error.method == "tools/call"
    assert decision.error.server == "files"
    assert decision.error.__cause__ is LOST
    assert "the pipe broke" in str(decision.error)


@pytest.mark.edge("B49")
def test_what_may_have_run_before_is_not_sent_again_because_it_did_not_run_now() -> None:
    decision = decided(NEVER_SENT, has_run=True)

    assert isinstance(decision, Raise)
    assert isinstance(decision.error, OutcomeUnknown)
    assert decided(NEVER_SENT, has_run=True, is_repeatable=True) == Retry(0.1)
    assert decided(NEVER_SENT, RetryPolicy.of("always"), has_run=True) == Retry(0.1)


@pytest.mark.parametrize(
    ("error", "expected"),
    [(LOST, True), (HttpError("gateway", status=502), True), (NEVER_SENT, False), (SessionExpired("404"), False)],
)
def test_what_provably_did_not_run_is_told_apart(
    error: ConnectionLost | HttpError | SessionExpired, expected: bool
) -> None:
    assert may_have_run(error) is expected


def test_the_end_of_a_server_leaves_the_outcome_unknown() -> None:
    decision = decided(ServerExited("it exited with status 3", exit_code=3))

    assert isinstance(decision, Raise)
    assert isinstance(decision.error, OutcomeUnknown)


@pytest.mark.edge("B108")
@pytest.mark.parametrize(
    "error",
    [
        InvalidParams("no", code=-32602),
        ProtocolError("nonsense"),
        McpTimeout("late", method="tools/list", waited=20.0),
        McpTimeout("late", method="tools/list", waited=20.0, was_sent=False),
        AuthError("who are you"),
        ConnectionClosed("closed", was_sent=False),
        HttpError("bad request", status=400),
        HttpError("too large", status=413),
        HttpError("internal", status=500),
    ],
)
def test_only_a_broken_line_is_a_reason_to_send_again(error: McpError) -> None:
    assert decided(error, is_repeatable=True) == Raise(error)
    assert decided(error, is_repeatable=False) == Raise(error)


@pytest.mark.parametrize("status", [502, 504])
def test_what_a_gateway_lost_may_have_run(status: int) -> None:
    error = HttpError("gateway", status=status)
    decision = decided(error)

    assert decided(error, is_repeatable=True) == Retry(0.1)
    assert isinstance(decision, Raise)
    assert isinstance(decision.error, OutcomeUnknown)


@pytest.mark.parametrize("status", [425, 429, 503])
def test_what_was_turned_away_says_so_and_is_repeated_where_that_is_safe(status: int) -> None:
    error = HttpError("come back later", status=status)

    assert decided(error, is_repeatable=True) == Retry(0.1)
    assert decided(error) == Raise(error)


@pytest.mark.parametrize("error", [UNHEARD, HttpError("a proxy", status=502), HttpError("busy", status=503)])
def test_where_nobody_seems_to_be_it_is_tried_for_as_long_as_a_server_takes_to_start(error: McpError) -> None:
    assert decided(error, is_repeatable=True, attempt=6) == Retry(5.0)
    assert decided(error, is_repeatable=True, attempt=7) == Raise(error)
    assert isinstance(decided(UNHEARD), Raise)


@pytest.mark.parametrize("error", [UNHEARD, HttpError("a proxy", status=502)])
def test_nobody_is_paid_where_nobody_is(error: McpError) -> None:
    assert decided(error, is_repeatable=True, budget=Budget(0.0)) == Retry(0.1)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (SessionExpired("404"), "expired"),
        (NEVER_SENT, "away"),
        (UNHEARD, "away"),
        (HttpError("busy", status=503), "away"),
        (HttpError("slowly", status=429), "failed"),
        (LOST, "failed"),
    ],
)
def test_failures_are_counted_by_what_they_are(error: TransportError, expected: str) -> None:
    assert likeness(error) == expected


@pytest.mark.edge("B25")
def test_a_server_is_given_the_time_that_it_asks_for() -> None:
    error = HttpError("busy", status=429, headers={"Retry-After": "3"})

    assert decided(error, is_repeatable=True) == Retry(3.0)


def test_a_server_that_asks_for_too_much_time_is_not_waited_for() -> None:
    error = HttpError("busy", status=503, headers={"retry-after": "3600"})

    assert decided(error, is_repeatable=True) == Raise(error)


def test_a_date_to_wait_for_is_not_read() -> None:
    error = HttpError("busy", status=503, headers={"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"})

    assert decided(error, is_repeatable=True) == Retry(0.1)


def test_attempts_come_to_an_end() -> None:
    assert decided(LOST, attempt=2, is_repeatable=True) == Retry(0.4)
    assert decided(LOST, attempt=3, is_repeatable=True) == Raise(LOST)


def test_what_never_left_is_tried_for_as_long_as_a_server_takes_to_start() -> None:
    delays = [decided(NEVER_SENT, attempt=attempt, jitter=1.0) for attempt in range(7)]

    assert sum(each.delay for each in delays if isinstance(each, Retry)) == pytest.approx(5.65)
    assert decided(NEVER_SENT, attempt=7) == Raise(NEVER_SENT)


def test_a_lost_session_is_not_begun_anew_for_ever() -> None:
    expired = SessionExpired("404")

    assert decided(expired, attempt=3) == Raise(expired)


def test_what_reached_the_server_is_paid_for() -> None:
    budget = Budget(1.0)

    assert decided(LOST, is_repeatable=True, budget=budget) == Retry(0.1)
    assert decided(LOST, is_repeatable=True, budget=budget) == Raise(LOST)


def test_what_never_ran_costs_nothing() -> None:
    budget = Budget(0.0)

    assert decided(NEVER_SENT, budget=budget) == Retry(0.1)
    assert decided(SessionExpired("404"), budget=budget) == Retry(0.0)


def test_what_is_given_up_costs_nothing() -> None:
    budget = Budget(1.0)

    assert decided(LOST, is_repeatable=True, attempt=3, budget=budget) == Raise(LOST)
    assert budget.spend()


def test_answers_earn_further_retries_up_to_what_there_was() -> None:
    budget = Budget(2.0)
    assert [budget.spend() for _ in range(3)] == [True, True, False]
    for _ in range(100):
        budget.earn()

    assert [budget.spend() for _ in range(3)] == [True, True, False]


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (ConnectFailed("refused"), True),
        (ConnectionLost("reset"), True),
        (McpTimeout("slow", method="initialize", waited=1.0), True),
        (HttpError("a proxy", status=502), True),
        (HttpError("busy", status=503), True),
        (HttpError("nothing here", status=404), False),
        (AuthError("who are you"), False),
        (InvalidParams("no", code=-32602), False),
        (None, False),
    ],
)
def test_some_failures_are_over_soon(error: McpError | None, expected: bool) -> None:
    assert is_passing(error) is expected


def test_calls_wait_for_a_server_that_runs_by_itself() -> None:
    assert Restarts(RECONNECTING).waits
    assert not Restarts(RestartPolicy()).waits


def test_never_means_not_even_what_never_ran() -> None:
    never = RetryPolicy.of("never")

    assert decided(NEVER_SENT, never) == Raise(NEVER_SENT)
    assert decided(LOST, never, is_repeatable=True) == Raise(LOST)


def test_always_means_whatever_a_tool_does() -> None:
    assert decided(LOST, RetryPolicy.of("always")) == Retry(0.1)


def test_a_function_may_decide_by_the_method() -> None:
    policy = RetryPolicy.of(lambda method: method == "tools/call")

    assert decided(LOST, policy) == Retry(0.1)
    assert isinstance(decided(LOST, policy, method="tasks/cancel"), Raise)


def test_a_policy_stands_for_itself() -> None:
    policy = RetryPolicy(attempts=1)

    assert RetryPolicy.of(policy) is policy


@pytest.mark.parametrize("given", ["sometimes", 3, None, ["safe"]])
def test_another_word_is_no_policy(given: Any) -> None:
    with pytest.raises(UsageError, match="retry cannot be"):
        RetryPolicy.of(given)


def test_delays_double_up_to_the_longest() -> None:
    assert [backoff(attempt, 0.5, 3.0) for attempt in range(5)] == [0.5, 1.0, 2.0, 3.0, 3.0]


def test_delays_stay_finite() -> None:
    assert backoff(10_000, 0.5, 30.0) == 30.0


@given(st.integers(0, 100), st.floats(0, 1, exclude_max=True))
def test_jitter_takes_at_most_half_of_a_delay(attempt: int, jitter: float) -> None:
    whole = backoff(attempt, 0.5, 30.0)

    assert whole / 2 <= backoff(attempt, 0.5, 30.0, jitter) <= whole


def test_the_first_death_is_followed_by_a_start_at_once() -> None:
    assert Restarts(RestartPolicy()).died(100.0) == 0.0


@pytest.mark.edge("B21")
def test_deaths_in_a_row_are_followed_by_longer_and_longer_waits_until_it_is_enough() -> None:
    restarts = Restarts(RestartPolicy(limit=4))

    assert [restarts.died(100.0 + second) for second in range(6)] == [0.0, 0.5, 1.0, 2.0, None, None]
    assert not restarts.may_start(106.0)


def test_after_some_time_a_server_may_be_started_again() -> None:
    restarts = Restarts(RestartPolicy(limit=1, window=60.0))
    restarts.died(0.0)
    restarts.died(10.0)

    assert not restarts.may_start(59.0)
    assert restarts.may_start(60.0)


def test_to_have_started_ends_no_row() -> None:
    restarts = Restarts(RestartPolicy())
    restarts.died(0.0)
    restarts.started(0.0)

    assert restarts.died(29.0) == 0.5


def test_to_have_stayed_up_ends_the_row() -> None:
    restarts = Restarts(RestartPolicy(limit=1))
    restarts.died(0.0)
    restarts.started(0.0)

    assert restarts.died(30.0) == 0.0


def test_waits_between_starts_have_jitter_too() -> None:
    restarts = Restarts(RestartPolicy())
    restarts.died(0.0)

    assert restarts.died(1.0, jitter=0.5) == 0.375


def test_a_limit_of_none_means_no_restart() -> None:
    assert Restarts(RestartPolicy(limit=0)).died(0.0) is None

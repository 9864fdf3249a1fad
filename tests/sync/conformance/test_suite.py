# generated from tests/aio/conformance/test_suite.py by tools/unasync.py; do not edit
"""Every scenario of the official conformance suite that is for a client without OAuth and skills, scored strictly."""

import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from tests.servers.conformance import FINISHED, Report, Scenario, run, scenarios

DRIVER = "tests.sync.conformance.client"
ELSEWHERE = ("auth/", "sep-2640-")
"""Scenarios of OAuth and of skills."""

MAY_END_BADLY = {"http-invalid-tool-headers"}
WANTED = {
    "initialize": (1, ["2025-06-18", "2025-11-25"]),
    "tools_call": (2, ["2025-06-18", "2025-11-25", "2026-07-28"]),
    "elicitation-sep1034-client-defaults": (5, ["2025-11-25"]),
    "sse-retry": (3, ["2025-11-25"]),
    "request-metadata": (8, ["2026-07-28"]),
    "sep-2322-client-request-state": (5, ["2026-07-28"]),
    "http-standard-headers": (9, ["2026-07-28"]),
    "http-custom-headers": (18, ["2026-07-28"]),
    "http-invalid-tool-headers": (12, ["2026-07-28"]),
    "json-schema-ref-no-deref": (1, ["2026-07-28"]),
    "json-schema-2020-12-preservation": (9, ["2025-11-25", "2026-07-28"]),
}
"""How many checks have to be passed, since those that are skipped count for nothing with the suite, and the versions."""

SCENARIOS = [Scenario(name, version) for name, (_, versions) in WANTED.items() for version in versions]
ENGINES = ("default", "httpx")


@pytest.fixture(scope="module")
def reports() -> Iterator[dict[Any, Future[Report]]]:
    """Run all of them, a few at a time."""
    with ThreadPoolExecutor(3) as pool:
        yield {
            (scenario, engine): pool.submit(run, scenario, f"{sys.executable} -m {DRIVER} --engine {engine}")
            for scenario in SCENARIOS
            for engine in ENGINES
        }
        pool.shutdown(wait=False, cancel_futures=True)


def test_every_scenario_is_known() -> None:
    assert [each for each in scenarios() if not each.name.startswith(ELSEWHERE)] == SCENARIOS


@pytest.mark.timeout(300)
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=str)
def test_scenario_is_passed(scenario: Scenario, engine: str, reports: dict[Any, Future[Report]]) -> None:
    report = reports[scenario, engine].result()

    assert report.failed == (), report.stderr
    assert report.passed >= WANTED[scenario.name][0], report.stderr
    assert report.stdout == FINISHED or scenario.name in MAY_END_BADLY, report.stderr

# generated from tests/aio/conformance/test_authorization.py by tools/unasync.py; do not edit
"""Every scenario of the official conformance suite that is about authorization, extensions included, scored strictly."""

import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from tests.servers.conformance import EXTENSION, FINISHED, Report, Scenario, run, scenarios

DRIVER = "tests.sync.conformance.authorized"
MODERN = ["2026-07-28"]
RECENT = ["2025-11-25", "2026-07-28"]
SINCE_JUNE = ["2025-06-18", "2025-11-25", "2026-07-28"]
FIRST = ["2025-03-26"]

WANTED = {
    "metadata-default": (17, RECENT),
    "metadata-var1": (17, RECENT),
    "metadata-var2": (17, RECENT),
    "metadata-var3": (17, RECENT),
    "basic-cimd": (11, RECENT),
    "scope-from-www-authenticate": (13, RECENT),
    "scope-from-scopes-supported": (13, RECENT),
    "scope-omitted-when-undefined": (13, RECENT),
    "scope-step-up": (22, RECENT),
    "scope-retry-limit": (10, RECENT),
    "token-endpoint-auth-basic": (18, SINCE_JUNE),
    "token-endpoint-auth-post": (18, SINCE_JUNE),
    "token-endpoint-auth-none": (18, SINCE_JUNE),
    "pre-registration": (11, RECENT),
    "2025-03-26-oauth-metadata-backcompat": (12, FIRST),
    "2025-03-26-oauth-endpoint-fallback": (7, FIRST),
    "resource-mismatch": (2, MODERN),
    "offline-access-scope": (11, MODERN),
    "offline-access-not-supported": (13, MODERN),
    "authorization-server-migration": (26, MODERN),
    "iss-supported": (13, MODERN),
    "iss-not-advertised": (13, MODERN),
    "iss-supported-missing": (8, MODERN),
    "iss-wrong-issuer": (8, MODERN),
    "iss-unexpected": (8, MODERN),
    "iss-normalized": (8, MODERN),
    "metadata-issuer-mismatch": (3, MODERN),
    "client-credentials-jwt": (8, [EXTENSION]),
    "client-credentials-basic": (8, [EXTENSION]),
    "enterprise-managed-authorization": (9, [EXTENSION]),
    "dpop": (12, [EXTENSION]),
    "dpop-nonce": (14, [EXTENSION]),
    "wif-jwt-bearer": (8, [EXTENSION]),
}
"""How many checks have to be passed, since those that are skipped count for nothing with the suite, and the versions."""

REFUSALS = {
    "scope-retry-limit": "the server asks for scopes that it was given already",
    "resource-mismatch": "https://evil.example.com/mcp",
    "iss-supported-missing": "does not name its sender",
    "iss-wrong-issuer": "is from 'https://evil.example.com'",
    "iss-unexpected": "is from 'https://evil.example.com'",
    "iss-normalized": "is from 'http://localhost",
    "metadata-issuer-mismatch": "https://attacker.example.com",
}
"""Where the client has to give up, and a part of what it then says."""

SCENARIOS = [Scenario(f"auth/{name}", version) for name, (_, versions) in WANTED.items() for version in versions]
OTHER_ENGINE = [
    Scenario(f"auth/{name}", version)
    for name, version in [
        ("metadata-default", "2025-11-25"),
        ("scope-step-up", "2026-07-28"),
        ("authorization-server-migration", "2026-07-28"),
        ("dpop-nonce", EXTENSION),
    ]
]
"""One scenario for each thing that an engine could get wrong: headers, request bodies, answers that are refusals."""

RUNS = [*((each, "default") for each in SCENARIOS), *((each, "httpx") for each in OTHER_ENGINE)]


@pytest.fixture(scope="module")
def reports() -> Iterator[dict[Any, Future[Report]]]:
    """Run all of them, a few at a time."""
    with ThreadPoolExecutor(3) as pool:
        yield {
            (scenario, engine): pool.submit(run, scenario, f"{sys.executable} -m {DRIVER} --engine {engine}")
            for scenario, engine in RUNS
        }
        pool.shutdown(wait=False, cancel_futures=True)


def test_every_scenario_is_known() -> None:
    assert {each for each in scenarios() if each.name.startswith("auth/")} == set(SCENARIOS)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("scenario", "engine"), RUNS, ids=str)
def test_scenario_is_passed(scenario: Scenario, engine: str, reports: dict[Any, Future[Report]]) -> None:
    report = reports[scenario, engine].result()
    name = scenario.name.removeprefix("auth/")

    assert report.failed == (), report.stderr
    assert report.passed >= WANTED[name][0], report.stderr
    if name in REFUSALS:
        assert report.stderr.startswith("AuthError: ")
        assert REFUSALS[name] in report.stderr
    else:
        assert report.stdout == FINISHED, report.stderr

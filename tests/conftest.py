"""What holds for every test."""

import sys

import pytest
from hypothesis import settings

# A slow machine is no finding; pytest-timeout bounds the whole test.
settings.register_profile("dragoman", deadline=None)
settings.load_profile("dragoman")


@pytest.fixture(autouse=True)
def _strangers() -> None:  # pyright: ignore[reportUnusedFunction]
    """Let a test's servers be known by none before it: systems give their ports again."""
    for colour in ("aio", "sync"):
        transport = sys.modules.get(f"dragoman.{colour}.transports.http")
        if transport is not None:
            vars(transport)["_known_to_speak_sse"].clear()

"""What differs between the colours where tests share a connection."""

from collections.abc import Callable
from typing import Any

import pytest_asyncio

__all__ = ["shared", "shared_ways"]

shared = pytest_asyncio.fixture(scope="module", loop_scope="module")
"""A fixture that all tests of a module share, and the loop it lives in with it."""


def shared_ways(*ways: str) -> Callable[[Callable[..., Any]], Any]:
    """Make such a fixture that there is in several ways, each for all tests."""
    return pytest_asyncio.fixture(scope="module", loop_scope="module", params=ways)

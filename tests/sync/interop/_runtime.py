"""What differs between the colours where tests share a connection."""

from collections.abc import Callable
from typing import Any

import pytest

__all__ = ["shared", "shared_ways"]

shared = pytest.fixture(scope="module")
"""A fixture that all tests of a module share."""


def shared_ways(*ways: str) -> Callable[[Callable[..., Any]], Any]:
    """Make such a fixture that there is in several ways, each for all tests."""
    return pytest.fixture(scope="module", params=ways)

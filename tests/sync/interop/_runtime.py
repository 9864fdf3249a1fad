"""What differs between the colours where tests share a connection."""

import pytest

__all__ = ["shared"]

shared = pytest.fixture(scope="module")
"""A fixture that all tests of a module share."""

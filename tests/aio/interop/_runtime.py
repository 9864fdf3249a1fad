"""What differs between the colours where tests share a connection."""

import pytest_asyncio

__all__ = ["shared"]

shared = pytest_asyncio.fixture(scope="module", loop_scope="module")
"""A fixture that all tests of a module share, and the loop it lives in with it."""

"""This client, async, on httpx2."""

from contextlib import AbstractAsyncContextManager

from bench.contenders import ours

__all__ = ["connect"]


def connect(target: str) -> AbstractAsyncContextManager[ours.Connection]:
    return ours.connect(target, engine="httpx")

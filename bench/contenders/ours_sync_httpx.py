"""This client, sync, on httpx2."""

from contextlib import AbstractContextManager

from bench.contenders import ours_sync

__all__ = ["connect"]


def connect(target: str) -> AbstractContextManager[ours_sync.Connection]:
    return ours_sync.connect(target, engine="httpx")

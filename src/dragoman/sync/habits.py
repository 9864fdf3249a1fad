# generated from src/dragoman/aio/habits.py by tools/unasync.py; do not edit
"""What a connection was told about itself: how long things may take, and how it behaves when they fail."""

from __future__ import annotations

from msgspec import Struct

from dragoman.protocol.recovery import Restarts, RetryPolicy

__all__ = ["Habits", "Timing"]


class Timing(Struct, frozen=True):
    """How long things may take, in seconds.

    One round trip, one with progress at most, connecting as a whole, one round trip of that.
    """

    timeout: float
    max_timeout: float
    connect_timeout: float
    handshake_timeout: float


class Habits(Struct, frozen=True):
    """How a connection behaves: what it retries and restarts, what it fills in, what it says when it gives up."""

    retry: RetryPolicy
    restarts: Restarts | None
    applies_defaults: bool
    announces_cancellation: bool

"""What the members of a host share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from dragoman.aio.hosting.gate import Gate
from dragoman.aio.hosting.hearing import Hearing
from dragoman.aio.hosting.pinning import Pinning
from dragoman.aio.hosting.trusting import Trusting
from dragoman.files.surroundings import Inputs
from dragoman.host.limits import BreakerPolicy

__all__ = ["House"]


class House(Struct, frozen=True):
    """What the members of a host share.

    Attributes:
        options: the host's own, of which each client gets its part.
        inputs: the answers to what configurations ask.
        gate, trusting, pinning: what may happen, who may be used, what was approved.
        hearing: who is told.
        breaker: when a server is left alone.
        changed: called with a kind of list, or None for all, when what a member offers may be different.
    """

    options: Mapping[str, Any]
    inputs: Inputs
    gate: Gate
    trusting: Trusting
    pinning: Pinning
    hearing: Hearing
    breaker: BreakerPolicy
    changed: Callable[[str | None], None]

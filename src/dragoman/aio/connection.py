"""A line that heals: one server, reached, greeted, started again when it dies, and told anew what it had been told."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import count
from typing import Any, TypeVar

from msgspec import UNSET, Raw, Struct

from dragoman.aio._runtime import Crew, Event, Home, Lock, hedge, pause
from dragoman.aio.handlers import Consumer, Context, Handlers
from dragoman.aio.run import run
from dragoman.aio.state import Phase, State
from dragoman.aio.transports import Transport
from dragoman.deadline import Deadline
from dragoman.errors import (
    ConnectionClosed,
    ConnectionLost,
    McpError,
    McpTimeout,
    ServerError,
    TransportError,
    server_error,
)
from dragoman.protocol import recovery
from dragoman.protocol.eras import Era, Identity, Outgoing
from dragoman.protocol.inbound import Refusal, fulfil, read_progress
from dragoman.protocol.jsonrpc import Message, read_error
from dragoman.protocol.negotiate import Introduction, Offer, negotiate
from dragoman.protocol.recovery import RestartPolicy, RetryPolicy
from dragoman.protocol.steps import Ask, Call, Conversation, Hedge, Pause, Reply, Request, Step, Tell

__all__ = ["Caller", "Connection", "Patience"]

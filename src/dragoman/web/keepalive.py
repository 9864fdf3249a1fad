"""How a connection notices that its peer is gone without a word, as after a power cut or behind a router that forgot it.

Whoever only listens hears nothing of that. The system asks such a peer from time to time whether it is still there.
"""

from __future__ import annotations

import socket

__all__ = ["KEEPALIVE"]

_SECONDS_OF_SILENCE = 30
_SECONDS_BETWEEN = 10
_UNANSWERED = 3


def _options() -> list[tuple[int, int, int]]:
    options = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    wanted = {
        "TCP_KEEPIDLE": _SECONDS_OF_SILENCE,
        "TCP_KEEPALIVE": _SECONDS_OF_SILENCE,  # what macOS calls the same
        "TCP_KEEPINTVL": _SECONDS_BETWEEN,
        "TCP_KEEPCNT": _UNANSWERED,
    }
    names = [(name, seconds) for name, seconds in wanted.items() if hasattr(socket, name)]
    return options + [(socket.IPPROTO_TCP, getattr(socket, name), seconds) for name, seconds in names]


KEEPALIVE = tuple(_options())
"""Options of a socket, as `setsockopt` takes them: a peer that has vanished is noticed after a minute."""

"""Time and memory of this process, and a check that what is timed is right."""

import os
import time
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.rows import Sample

__all__ = ["CONNECTIONS", "Watch", "check", "connections", "resident_bytes"]

CONNECTIONS = 24
"""How many connections are opened to see what one costs."""


class Watch:
    """Wall time, and CPU time of this process alone (its children are the servers)."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def stop(self, count: int) -> Sample:
        return Sample((time.perf_counter() - self._wall) / count, (time.process_time() - self._cpu) / count)

    def turns(self, taken: int, seconds: float) -> int:
        """Say how many more turns fill so many seconds, after so many were taken."""
        return max(3, int(seconds * taken / (time.perf_counter() - self._wall)))


def check(actual: Any, expected: Any) -> None:
    """Refuse to time what does not work."""
    if actual != expected:
        raise SystemExit(f"got {str(actual)[:200]} instead of {str(expected)[:200]}")


def connections(url: str) -> int:
    """Ask the server over HTTP how many connections others have made to it."""
    asking = HTTPConnection(urlsplit(url).netloc)
    try:
        asking.request("GET", "/connections")
        return int(asking.getresponse().read())
    finally:
        asking.close()


def resident_bytes() -> int:
    """Give the memory this process holds now; at its peak where the system does not say."""
    statm = Path("/proc/self/statm")
    if statm.exists():
        return int(statm.read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    import resource  # not on Windows, where the rows about memory cannot be measured

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if os.uname().sysname == "Darwin" else peak * 1024

"""Measure one row for one contender, in this fresh process: `python -m bench.worker CONTENDER ROW ERA SECONDS`."""

import asyncio
import gc
import json
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from importlib import import_module

from bench.contenders import CONTENDERS
from bench.rows import ROWS, Row, Sample

__all__: list[str] = []


@contextmanager
def serving(row: Row, era: str) -> Generator[list[str] | str]:
    """Give what a client connects to: the command line of a server, or the URL of one that runs."""
    if row.target == "stdio":
        yield [sys.executable, "-m", "bench.server", era, str(row.tools)]
        return
    command = [sys.executable, "-m", "bench.web", row.target, era, str(row.tools)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        server.communicate()


def measure(contender_name: str, row_name: str, era: str, seconds: float) -> Sample:
    contender, row = CONTENDERS[contender_name], ROWS[row_name]
    connect = import_module(f"bench.contenders.{contender.way(row.target)}").connect
    ways = import_module("bench.loops" if contender.is_async else "bench.threads")
    gc.collect()
    with serving(row, era) as target:
        measured = getattr(ways, row.measure)(connect, target, row.amount, seconds)
        sample: Sample = asyncio.run(measured) if contender.is_async else measured
    return sample


if __name__ == "__main__":
    name, row, era, seconds = sys.argv[1:]
    sys.stdout.write(json.dumps(asdict(measure(name, row, era, float(seconds)))))

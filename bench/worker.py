"""Measure one row for one contender, in this fresh process: `python -m bench.worker CONTENDER ROW ERA SECONDS`."""

import asyncio
import gc
import json
import sys
from dataclasses import asdict
from importlib import import_module

from bench.contenders import CONTENDERS
from bench.rows import ROWS, Sample

__all__: list[str] = []


def measure(contender_name: str, row_name: str, era: str, seconds: float) -> Sample:
    contender, row = CONTENDERS[contender_name], ROWS[row_name]
    command = [sys.executable, "-m", "bench.server", era, str(row.tools)]
    connect = import_module(contender.module).connect
    ways = import_module("bench.loops" if contender.is_async else "bench.threads")
    gc.collect()
    measured = getattr(ways, row.measure)(connect, command, row.amount, seconds)
    sample: Sample = asyncio.run(measured) if contender.is_async else measured
    return sample


if __name__ == "__main__":
    name, row, era, seconds = sys.argv[1:]
    sys.stdout.write(json.dumps(asdict(measure(name, row, era, float(seconds)))))

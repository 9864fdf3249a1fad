"""Measure and print the table: `python -m bench [--quick] [--check]`."""

import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable

from bench import fresh
from bench.contenders import CONTENDERS, Contender
from bench.report import misses, plain, table
from bench.rows import ROWS, Row, Sample

__all__: list[str] = []


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="How fast this client is, beside others.")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=[*ROWS], metavar="ROW", help=", ".join(ROWS))
    parser.add_argument(
        "--contenders", nargs="+", choices=CONTENDERS, default=[*CONTENDERS], metavar="NAME", help=", ".join(CONTENDERS)
    )
    parser.add_argument("--era", choices=["modern", "legacy"], default="modern", help="what the server speaks")
    parser.add_argument("--repeat", type=int, default=5, help="how often everything is measured (5); medians are shown")
    parser.add_argument("--seconds", type=float, default=1.0, help="about how long one measurement of calls lasts (1)")
    parser.add_argument(
        "--quick", action="store_true", help="one repeat of a fifth of a second, for a first impression"
    )
    parser.add_argument(
        "--cpu", action="store_true", help="judge by the client's own CPU time where there is one: for a busy machine"
    )
    parser.add_argument("--json", action="store_true", help="print the medians as JSON instead of a table")
    parser.add_argument("--check", action="store_true", help="exit with 1 if this client is slower than it must be")
    chosen = parser.parse_args()
    if chosen.quick:
        chosen.repeat, chosen.seconds = 1, 0.2
    return chosen


def measure(contender: Contender, row: Row, era: str, seconds: float) -> Sample:
    """Measure once, in a fresh process."""
    alone: dict[str, Callable[[Contender], Sample]] = {
        "importing": fresh.importing,
        "imported_memory": fresh.imported_memory,
    }
    if row.measure in alone:
        return alone[row.measure](contender)
    command = [sys.executable, "-m", "bench.worker", contender.name, row.name, era, str(seconds)]
    return Sample(**json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))


def by_cpu(sample: Sample) -> Sample:
    """Let the client's own CPU time stand for the time that went by."""
    return sample if sample.cpu is None else Sample(sample.cpu, sample.cpu)


def can(contender: Contender, row: Row) -> bool:
    """Say whether a contender can do what a row measures, in a time that somebody would wait."""
    return contender.way(row.target) != "" and (not row.only_for or contender.name in row.only_for)


def is_busy() -> bool:
    """Say whether more than this benchmark, which is two processes at a time, wanted to run in the last minute."""
    return hasattr(os, "getloadavg") and os.getloadavg()[0] > 2


def main() -> int:
    chosen = options()
    samples: dict[tuple[str, str], list[Sample]] = defaultdict(list)
    # Everything once, then everything again: a machine that slows down does it to all alike.
    for repeat in range(chosen.repeat):
        for row in chosen.rows:
            for name in (name for name in chosen.contenders if can(CONTENDERS[name], ROWS[row])):
                sys.stderr.write(f"\r\033[K{repeat + 1}/{chosen.repeat} {row}: {name}" if sys.stderr.isatty() else "")
                sys.stderr.flush()
                sample = measure(CONTENDERS[name], ROWS[row], chosen.era, chosen.seconds)
                samples[row, name].append(by_cpu(sample) if chosen.cpu else sample)
    sys.stderr.write("\r\033[K" if sys.stderr.isatty() else "")
    print(json.dumps(plain(samples), indent=2) if chosen.json else table(samples, chosen.contenders))
    if is_busy():
        print("The machine is busy with something else: the ratios are less sure than they look.", file=sys.stderr)
    missed = misses(samples) if chosen.check else []
    for miss in missed:
        print(f"missed: {miss}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())

"""Measure what an import costs, each time in a new interpreter, beyond what the bare interpreter takes."""

import os
import subprocess
import sys
import time
from collections.abc import Callable

from bench.contenders import Contender
from bench.rows import Sample

__all__ = ["imported_memory", "importing"]

SAY_MEMORY = "; import sys; from bench.clock import resident_bytes; sys.stdout.write(str(resident_bytes()))"


def importing(contender: Contender) -> Sample:
    """Time the import."""
    return _beyond_bare(_seconds, contender.imports)


def imported_memory(contender: Contender) -> Sample:
    """Weigh the import."""
    return _beyond_bare(lambda program: float(_run(program + SAY_MEMORY)), contender.imports)


def _beyond_bare(weigh: Callable[[str], float], imports: str) -> Sample:
    # The smallest of three: whatever else the machine does can only add to it.
    bare = min(weigh("pass") for _ in range(3))
    return Sample(min(weigh(imports) for _ in range(3)) - bare)


def _seconds(program: str) -> float:
    start = time.perf_counter()
    _run(program)
    return time.perf_counter() - start


def _run(program: str) -> bytes:
    # An installed package has its bytecode at hand; a checkout has it too, unless the environment forbids writing it.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, env=environment).stdout

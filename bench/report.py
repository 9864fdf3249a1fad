"""The table of what was measured, and whether it is good enough."""

from collections.abc import Iterable, Mapping
from statistics import median

from bench.rows import ROWS, Row, Sample

__all__ = ["Samples", "middle", "misses", "plain", "table"]

Samples = Mapping[tuple[str, str], list[Sample]]
"""By row and contender."""

BASE = "mcp"
SCALES = {"us": 1e6, "ms": 1e3, "KiB": 1 / 1024, "MiB": 1 / 1024**2}


def middle(samples: list[Sample]) -> Sample:
    """Give the median; wall and CPU each have their own."""
    cpu = [sample.cpu for sample in samples if sample.cpu is not None]
    return Sample(median(sample.each for sample in samples), median(cpu) if cpu else None)


def amount(row: Row, each: float) -> float:
    """Give a measurement in the row's unit."""
    return 1 / each if row.unit == "/s" else each * SCALES.get(row.unit, 1)


def table(samples: Samples, contenders: Iterable[str]) -> str:
    """Draw the table, in Markdown; behind each figure, how many times better than the official client it is."""
    names = list(contenders)
    lines = ["| | " + " | ".join(names) + " |", "|---|" + "---:|" * len(names)]
    for row in ROWS.values():
        measured = [samples.get((row.name, name), []) for name in names]
        if any(measured):
            base = samples.get((row.name, BASE), [])
            cells = [_cell(row, middle(own), base) if own else "" for own in measured]
            lines.append(f"| {row.title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(row: Row, own: Sample, base: list[Sample]) -> str:
    figures = f"{amount(row, own.each):,.{_digits(row, own)}f}"
    if row.unit == "us" and own.cpu is not None:
        figures += f" / {amount(row, own.cpu):,.0f}"
    ratio = f" ({middle(base).each / own.each:.1f}x)" if base and own.each > 0 else ""
    return f"{figures} {row.unit}".rstrip() + ratio


def _digits(row: Row, own: Sample) -> int:
    return 1 if amount(row, own.each) < 100 and row.unit != "us" else 0


def misses(samples: Samples) -> list[str]:
    """Say, for each figure that is not good enough, what it is and what it should be."""
    found = [miss for row in ROWS.values() for miss in _misses_of(row, samples)]
    return [*found, *_bent(samples)]


def _misses_of(row: Row, samples: Samples) -> Iterable[str]:
    base = samples.get((row.name, BASE))
    for name, needed in row.needed.items():
        own = samples.get((row.name, name))
        if own and base and (ratio := middle(base).each / middle(own).each) < needed:
            yield f"{row.title}: {name} is {ratio:.2f} times better than {BASE}, not {needed}"
    for name in ("dragoman", "dragoman sync"):
        own = samples.get((row.name, name))
        if own and row.at_most is not None and (size := amount(row, middle(own).each)) > row.at_most:
            yield f"{row.title}: {name} takes {size:.1f} {row.unit}, not {row.at_most} at most"


def _bent(samples: Samples) -> Iterable[str]:
    for row in ROWS.values():
        small = ROWS.get(row.must_be_linear_with or "")
        for name in ("dragoman", "dragoman sync"):
            large_own, small_own = samples.get((row.name, name)), samples.get((small.name, name)) if small else None
            if small and large_own and small_own:
                share = middle(large_own).each / middle(small_own).each / (row.amount / small.amount)
                if share > 1.5:
                    yield f"{row.title}: {name} takes {share:.2f} times its share of {small.title}"


def plain(samples: Samples) -> list[dict[str, object]]:
    """Give the medians as plain values, in each row's unit."""
    return [
        {"row": row, "contender": name, "unit": ROWS[row].unit, "amount": amount(ROWS[row], middle(own).each)}
        for (row, name), own in samples.items()
    ]

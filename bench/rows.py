"""What is measured, in which unit, and how much better than the official client it must be."""

from dataclasses import dataclass, field

__all__ = ["ROWS", "Row", "Sample"]


@dataclass(frozen=True)
class Sample:
    """One measurement: seconds (or bytes) for one of what the row counts, and the client's own CPU seconds for it."""

    each: float
    cpu: float | None = None


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    title: str
    measure: str
    """The function of `loops` and `threads` that measures it; of `fresh` for what a bare start shows."""
    unit: str
    """`us` or `ms` for one, `/s` for how many a second, `KiB` or `MiB` of memory."""
    amount: int = 1
    tools: int = 3
    not_for: tuple[str, ...] = ()
    """Contenders that take so long over it that nobody would wait."""
    needed: dict[str, float] = field(default_factory=dict)
    """By contender: how many times better than `mcp` at least."""
    at_most: float | None = None
    """In the row's unit, for each colour of this client."""
    must_be_linear_with: str | None = None
    """A row with a smaller amount, of which this one must cost no more than its share and a half."""


def _both(ratio: float) -> dict[str, float]:
    return {"dragoman": ratio, "dragoman sync": ratio}


# Each chunk of a line costs them a copy of all that came before: half a minute for 64 MB.
QUADRATIC = ("mcp", "fastmcp")

ROWS = {
    row.name: row
    for row in (
        Row("import", "import, beyond the bare interpreter", "importing", "ms", needed=_both(8)),
        Row("memory", "memory added by the import", "imported_memory", "MiB", at_most=18),
        Row("connect", "stdio, connect and negotiate", "connecting", "ms"),
        Row("call", "stdio call, one at a time", "echoing", "us", needed={"dragoman": 2, "dragoman sync": 1.8}),
        Row("call-16", "stdio, 16 at once", "echoing", "/s", amount=16, needed={"dragoman": 8}),
        Row("call-128", "stdio, 128 at once", "echoing", "/s", amount=128, needed={"dragoman": 10}),
        Row("structured", "stdio, structured result checked against its schema", "reporting", "us", needed=_both(2.2)),
        Row("tools", "stdio, 1,000 tools listed", "listing", "ms", tools=1000, needed=_both(15)),
        Row("text-10", "stdio, one 10 MB text", "reading", "ms", amount=10, needed=_both(9)),
        Row("text-64", "stdio, one 64 MB text", "reading", "ms", 64, not_for=QUADRATIC, must_be_linear_with="text-10"),
        Row("connection", "memory for one more stdio connection", "connection_memory", "KiB", at_most=60),
    )
}

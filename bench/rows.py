"""What is measured, in which unit, and how much better than the official client it must be."""

from dataclasses import dataclass, field

__all__ = ["ROWS", "Row", "Sample"]


@dataclass(frozen=True)
class Sample:
    """One measurement: seconds (or bytes) for one of what the row counts, and the client's own CPU seconds for it."""

    each: float
    cpu: float | None = None

    def beyond(self, other: "Sample") -> "Sample":
        """Give what this one took more than another; a machine that is busy elsewhere may have made that less than nothing."""
        cpu = None if self.cpu is None or other.cpu is None else max(self.cpu - other.cpu, 0.0)
        return Sample(max(self.each - other.each, 1e-9), cpu)


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    title: str
    measure: str
    """The function of `loops` and `threads` that measures it; of `fresh` for what a bare start shows."""
    unit: str
    """`us` or `ms` for one, `/s` for how many a second, `KiB` or `MiB` of memory, empty for a plain number."""
    amount: int = 1
    target: str = "stdio"
    """`stdio`, over HTTP `json` or `sse` for how the server answers, or `import` for no server at all."""
    tools: int = 3
    only_for: tuple[str, ...] = ()
    """The contenders that can do it, in a time that somebody would wait; empty for all."""
    needed: dict[str, float] = field(default_factory=dict)
    """By contender: how many times better than `mcp` at least."""
    at_most: float | None = None
    """In the row's unit, for each colour of this client."""
    must_be_linear_with: str | None = None
    """A row with a smaller amount, of which this one must cost no more than its share and a half."""


def _both(ratio: float) -> dict[str, float]:
    return _each(ratio, ratio)


def _each(one: float, sync: float) -> dict[str, float]:
    return {"dragoman": one, "dragoman sync": sync}


OURS = ("dragoman", "dragoman sync", "dragoman httpx", "dragoman sync httpx", "floor", "floor sync")
"""Who need not copy a long line again for each chunk of it, and has a token for progress whoever listens."""

RUNNERS = ("dragoman", "dragoman sync")
"""Who has a runner, which checks a model's arguments and knows the tool by the name that the model does."""

_STDIO = (
    Row("connect", "stdio, connect and negotiate", "connecting", "ms"),
    Row("call", "stdio call, one at a time", "echoing", "us", needed=_each(2, 1.8)),
    Row("call-16", "stdio, 16 at once", "echoing", "/s", 16, needed={"dragoman": 8}),
    Row("call-128", "stdio, 128 at once", "echoing", "/s", 128, needed={"dragoman": 10}),
    Row("structured", "stdio, structured result checked against its schema", "reporting", "us", needed=_both(2.2)),
    Row("runner", "stdio call through a runner, beyond the call", "running", "us", only_for=RUNNERS, at_most=150),
    Row("tools", "stdio, 1,000 tools listed", "listing", "ms", tools=1000, needed=_both(15)),
    Row("text-10", "stdio, one 10 MB text", "reading", "ms", 10, needed=_both(9)),
    Row("text-64", "stdio, one 64 MB text", "reading", "ms", 64, only_for=OURS, must_be_linear_with="text-10"),
    Row("connection", "memory for one more stdio connection", "connection_memory", "KiB", at_most=60),
)

_WEB = (
    Row("web-connect", "http://, connect and negotiate", "connecting", "ms", 20, "json", needed=_both(20)),
    Row("json", "HTTP call, JSON, one at a time", "echoing", "us", 1, "json", needed=_each(2.8, 1.5)),
    Row("json-128", "HTTP, JSON, 128 at once", "echoing", "/s", 128, "json", needed={"dragoman": 7}),
    Row("sse", "HTTP call, SSE, one at a time", "echoing", "us", 1, "sse", needed=_each(5, 2.5)),
    Row("sse-128", "HTTP, SSE, 128 at once", "echoing", "/s", 128, "sse", needed={"dragoman": 12}),
    Row("lines", "TCP connections for 1,000 SSE calls, one at a time", "lines", "", 1, "sse", at_most=1),
    Row("lines-128", "TCP connections for 1,000 SSE calls, 128 at once", "lines", "", 128, "sse", at_most=128),
    Row("web-connection", "memory for one more HTTP connection", "connection_memory", "KiB", 1, "json", at_most=60),
    Row("events", "SSE events in one long answer, each", "streaming", "us", 10_000, "sse", 3, OURS, at_most=6),
)

ROWS = {
    row.name: row
    for row in (
        Row("import", "import, beyond the bare interpreter", "importing", "ms", 1, "import", needed=_both(8)),
        Row("memory", "memory added by the import", "imported_memory", "MiB", 1, "import", at_most=18),
        *_STDIO,
        *_WEB,
    )
}

"""Web services beside clients that send a byte at a time: what becomes of the others."""

from collections.abc import Iterator

from benchmarks.report import words
from benchmarks.report.bars import Bar, Panel, panel_of
from benchmarks.report.chart import Absent, Chart
from benchmarks.report.ranks import names
from benchmarks.report.sheet import Sheet
from benchmarks.report.web import chart_of, served
from benchmarks.result import Results, Row

TITLE = "Slow clients: how many of the others are answered"
ALL = 0.97
"""From this share on a server counts as one that keeps up: the last requests are answered after the end."""


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the chart; a result without web services has neither it nor a reason."""
    if "web" in results.suites:
        yield chart(results)


def chart(results: Results) -> Chart | Absent:
    """Return the chart of what is answered of what was asked, and of how long that takes."""
    rows = sorted(served(results, "slow"), key=lambda row: (-share(row), row.median))
    if not rows:
        return Absent(TITLE, "nothing of web/slow was measured")
    answered = [Bar(row.candidate, share(row), row.model, share(row), share(row), kind=row.kind) for row in rows]
    slowest = [Bar(row.candidate, row.median, row.model, row.least, row.most, kind=row.kind) for row in rows]
    panels = [
        Panel("answered of asked", answered, "of the requests of others", percent, log=False),
        panel_of("P99 of the others", slowest, "P99 of the latency", words.duration),
    ]
    return chart_of(results, "web-slow", (TITLE, takeaway(rows)), says(rows), rows, panels, across=2, its=sheet(rows))


def share(row: Row) -> float:
    """Return how many of the requests were answered until the end of the load: parts of one."""
    offered = row.figure("offered")
    return (row.figure("goodput") or 0) / offered if offered else row.figure("answered_share") or 0


def percent(value: float) -> str:
    """Return a share in words."""
    return f"{value:.0%}"


def takeaway(rows: list[Row]) -> str:
    """Say how many servers answer the others, and which do not."""
    clients = f"Beside {rows[0].parameters.get('slow', 'many')} slow clients"
    behind = [row for row in rows if share(row) < ALL]
    if not behind:
        return f"{clients} all {len(rows)} servers answer what the others ask"
    first, last = (percent(share(row)) for row in (behind[-1], behind[0]))
    part = first if first == last else f"{first} to {last}"
    verb = "answers" if len(behind) == 1 else "answer"
    return (
        f"{clients} {len(rows) - len(behind)} of {len(rows)} servers answer the others; {names(behind)} {verb} {part}"
    )


def says(rows: list[Row]) -> str:
    """Say how long the answers take that come, and what does not come."""
    kept = [row for row in rows if share(row) >= ALL]
    left = f"{takeaway(rows)}."
    if not kept:
        return left
    low, high = (words.duration(it([row.median for row in kept])) for it in (min, max))
    between = f"is {low}" if low == high else f"lies between {low} and {high}"
    return f"{left} Where they are answered, their P99 {between}."


def sheet(rows: list[Row]) -> Sheet:
    """Return the table of the cell."""
    head = ["", "answered of asked", "answers per second", "P50", "P99", "unanswered", "errors"]
    return Sheet(head, [line(row) for row in rows]).without_empty()


def line(row: Row) -> list[str]:
    """Return the line of one row."""
    figures = {"goodput": words.rate, "p50_s": words.duration}
    known = ["" if (it := row.figure(name)) is None else write(it) for name, write in figures.items()]
    counts = ["" if (it := row.figure(name)) is None else words.plain(it) for name in ("unanswered", "errors")]
    return [row.candidate, percent(share(row)), *known, words.duration(row.median), *counts]


__all__ = ["charts"]

"""Web services that are asked to end while they are busy: what that costs their users, and how long it takes."""

from collections.abc import Iterator

from benchmarks.report import words
from benchmarks.report.bars import Bar, Panel, panel_of
from benchmarks.report.chart import Absent, Chart
from benchmarks.report.ranks import names
from benchmarks.report.sheet import Sheet
from benchmarks.report.web import chart_of, served
from benchmarks.result import Results, Row

TITLE = "SIGTERM under load: requests that are lost, and how long the end takes"


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the chart; a result without web services has neither it nor a reason."""
    if "web" in results.suites:
        yield chart(results)


def chart(results: Results) -> Chart | Absent:
    """Return the chart of the requests that are lost and of the seconds to the end."""
    rows = sorted(served(results, "stop"), key=lambda row: (lost(row), row.median))
    if not rows:
        return Absent(TITLE, "nothing of web/stop was measured")
    bars = [Bar(row.candidate, lost(row), row.model, *spread(row), kind=row.kind) for row in rows]
    ends = [Bar(row.candidate, row.median, row.model, row.least, row.most, kind=row.kind) for row in rows]
    panels = [
        Panel("requests that are lost", bars, "sent, and never answered", words.plain, log=False),
        panel_of("from SIGTERM to the end", ends, "time", words.duration),
    ]
    return chart_of(results, "web-stop", (TITLE, takeaway(rows)), says(rows), rows, panels, across=2, its=sheet(rows))


def lost(row: Row) -> float:
    """Return how many requests got no answer though they had been sent before the server ended."""
    return row.figure("lost") or 0


def spread(row: Row) -> tuple[float, float]:
    """Return the least and the greatest number that was lost in a round."""
    found = row.by_round("lost").values() or [0]
    return min(found), max(found)


def takeaway(rows: list[Row]) -> str:
    """Say how many servers lose nothing, and which do."""
    losing = [row for row in rows if lost(row)]
    if not losing:
        return f"Asked to end under load, none of {len(rows)} servers loses a request"
    least, most = (words.plain(lost(row)) for row in (losing[0], losing[-1]))
    number = least if least == most else f"{least} to {most}"
    verb = "loses" if len(losing) == 1 else "lose"
    kept = f"{len(rows) - len(losing)} of {len(rows)} servers lose no request"
    return f"Asked to end under load, {kept}; {names(losing)} {verb} {number}"


def says(rows: list[Row]) -> str:
    """Say how long the end takes, and what had to be killed."""
    low, high = (words.duration(it([row.median for row in rows])) for it in (min, max))
    took = f"The end takes {low}" if low == high else f"The end takes {low} to {high}"
    killed = [row for row in rows if row.figure("killed")]
    killing = f", and {names(killed)} had to be killed" if killed else ", and none had to be killed"
    return f"{takeaway(rows)}. {took}{killing}."


def sheet(rows: list[Row]) -> Sheet:
    """Return the table of the cell."""
    head = ["", "lost", "answers", "to the end", "killed", "processes left"]
    return Sheet(head, [line(row) for row in rows]).without_empty()


def line(row: Row) -> list[str]:
    """Return the line of one row."""
    answers, left = (
        "" if (it := row.figure(name)) is None else words.plain(it) for name in ("answers", "left_processes")
    )
    killed = "yes" if row.figure("killed") else "no"
    return [row.candidate, words.plain(lost(row)), answers, words.duration(row.median), killed, left]


__all__ = ["charts"]

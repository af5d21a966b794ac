"""The ring in full: the time of a hop in every model, with its baseline."""

from collections.abc import Callable, Iterator

from benchmarks.report import sheet, together, words
from benchmarks.report.bars import Bar, Key, Panel, drawing, panel_of
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.ranks import headline, leaders, trailers
from benchmarks.result import Results, Row

TITLES = {
    "stream": "Everything in flight: the time of a hop",
    "bounded": "Everything in flight, at most 64 in each channel: the time of a hop",
    "token": "One message in flight: the time of a hop",
}


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return one chart for each of the full rings."""
    for cell, title in TITLES.items():
        yield chart(results, cell, title)


def chart(results: Results, cell: str, title: str) -> Chart | Absent:
    """Return the chart of the models of one cell, the fastest first."""
    rows = models(results, "ring", cell)
    if not rows:
        return Absent(title, f"nothing of ring/{cell} was measured")
    bars = [bar(results, row) for row in rows]
    key = Key([row.candidate for row in rows], mark="by hand (the baseline)" if any(it.mark for it in bars) else "")
    make = panel_of if cell == "bounded" else log_panel
    panel = make("", bars, f"time per hop among {sizes(rows[0])}", words.duration)
    says = f"{ranking(rows)} {near_baseline(results, rows)}".strip()
    table = sheet.of_rows(results, together.of(results, "ring", cell))
    return Chart(f"ring-{cell}", title, headline(rows), says, command_for(results, rows), drawing([panel], key), table)


def log_panel(title: str, bars: list[Bar], axis: str, write: Callable[[float], str]) -> Panel:
    """Return a panel with a log axis, whatever the values: charts that are read together have the same kind of axis."""
    return Panel(title, bars, f"{axis} (log)", write)


def models(results: Results, suite: str, cell: str) -> list[Row]:
    """Return the rows of the models under every Python, the fastest first."""
    return [row for row in together.of(results, suite, cell) if row.kind == "model"]


def bar(results: Results, row: Row, label: str = "") -> Bar:
    """Return a row as a bar, marked with its baseline."""
    baseline = sheet.baseline_of(results, row) if row.kind == "model" else None
    return Bar(
        label or row.candidate,
        row.median,
        row.model,
        row.least,
        row.most,
        baseline.median if baseline else None,
        row.kind,
    )


def sizes(row: Row) -> str:
    """Say how large the ring was."""
    return f"{words.value(row.parameters.get('nodes', '?'))} nodes"


def ranking(rows: list[Row]) -> str:
    """Say which rows are first and last, where their spreads don't overlap with others'."""
    first, last = rows[0], rows[-1]
    each = f"a {first.step}"
    if first is last:
        return f"Only {first.candidate} was measured: {words.duration(first.median)} {each}."
    ratio = words.times(last.median / first.median)
    return (
        f"{first.candidate} {'is fastest' if len(leaders(rows)) == 1 else 'is among the fastest'} with"
        f" {words.duration(first.median)} {each}, {last.candidate}"
        f" {'slowest' if len(trailers(rows)) == 1 else 'among the slowest'} with {words.duration(last.median)},"
        f" {ratio} as long."
    )


def near_baseline(results: Results, rows: list[Row]) -> str:
    """Say which model is nearest to its hand-written baseline, and which is farthest from it."""
    ratios = {
        row.candidate: row.median / baseline.median for row in rows if (baseline := sheet.baseline_of(results, row))
    }
    if not ratios:
        return ""
    near, far = min(ratios, key=lambda name: ratios[name]), max(ratios, key=lambda name: ratios[name])
    text = f"Beside the same ring by hand (the mark), {near} {words.takes(ratios[near])}"
    return f"{text}." if near == far else f"{text}, {far} {words.takes(ratios[far])}."

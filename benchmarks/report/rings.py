"""The ring in full: the time of a hop in every model, with its baseline."""

from collections.abc import Iterator

from benchmarks.report import rows, sheet, words
from benchmarks.report.candidates import models, rows_of
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.ranking import are_ranked, headline, leaders, trailers, unranked
from benchmarks.report.rows import Entry, Panel, drawing, fitting_panel
from benchmarks.result import Results, Row

TITLES = {
    "stream": "Everything in flight: the time of a hop",
    "bounded": "Everything in flight, at most 64 in each channel: the time of a hop",
    "token": "One message in flight: the time of a hop",
}
BY_HAND = {"mark": "by hand (the baseline)"}


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return one chart for each of the full rings."""
    for cell, title in TITLES.items():
        yield chart(results, cell, title)


def chart(results: Results, cell: str, title: str) -> Chart | Absent:
    """Return the chart of the models of one cell, the fastest first."""
    found = models(results, "ring", cell)
    if not found:
        return Absent(title, f"nothing of ring/{cell} was measured")
    bars, below = (
        [bar(results, row) for row in found],
        f"time per hop among {found[0].parameters.get('nodes', '?')} nodes",
    )
    if cell == "bounded":
        panel = fitting_panel("", bars, below, words.duration)
    else:  # these two are read together, so they have the same kind of axis
        panel = Panel("", bars, f"{below} (log)", words.duration)
    alt = f"{ranking(found)} {near_baseline(results, found)}".strip()
    table = sheet.of_rows(results, rows_of(results, "ring", cell))
    draw = drawing([panel], BY_HAND)
    return Chart(f"ring-{cell}", title, headline(found), alt, command_for(results, found), draw, table)


def bar(results: Results, row: Row) -> Entry:
    """Return a row as a bar, marked with its baseline."""
    baseline = sheet.baseline_of(results, row) if row.kind == "model" else None
    return rows.bar(row, mark=baseline.median if baseline else None)


def ranking(found: list[Row]) -> str:
    """Say which rows are first and last, as far as rounds tell them apart."""
    first, last = found[0], found[-1]
    each = f"a {first.step}"
    if first is last:
        return f"Only {first.candidate} was measured: {words.duration(first.median)} {each}."
    ratio = words.times(last.median / first.median)
    if not are_ranked(found):
        medians = f"{words.duration(first.median)} and {words.duration(last.median)}"
        ends = f"{first.candidate} and {last.candidate} have the least and the greatest median"
        return f"{ends}, {medians} {each}; {unranked(found)}."
    return (
        f"{first.candidate} {'is fastest' if len(leaders(found)) == 1 else 'is among the fastest'} with"
        f" {words.duration(first.median)} {each}, {last.candidate}"
        f" {'slowest' if len(trailers(found)) == 1 else 'among the slowest'} with {words.duration(last.median)},"
        f" {ratio} as long."
    )


def near_baseline(results: Results, found: list[Row]) -> str:
    """Say which model is nearest to its hand-written baseline, and which is farthest from it."""
    ratios = {
        row.candidate: row.median / baseline.median for row in found if (baseline := sheet.baseline_of(results, row))
    }
    if not ratios:
        return ""
    near, far = min(ratios, key=lambda name: ratios[name]), max(ratios, key=lambda name: ratios[name])
    text = f"Beside the same ring by hand (the mark), {near} {words.takes(ratios[near])}"
    return f"{text}." if near == far else f"{text}, {far} {words.takes(ratios[far])}."

"""All charts and tables of a result, and the charts that it has no figures for."""

from collections.abc import Iterable, Iterator

from benchmarks.disturbance import MARK
from benchmarks.goals import Verdict, verdicts
from benchmarks.report import (
    articles,
    certainty,
    comparisons,
    explorers,
    gil,
    granian,
    models,
    pools,
    programs,
    rings,
    scale,
    shapes,
    shipped,
    spawn,
    web,
    web_stack,
)
from benchmarks.report.chart import Absent, Chart
from benchmarks.report.polling import with_note
from benchmarks.report.sheet import Sheet
from benchmarks.report.words import plain
from benchmarks.result import Results
from benchmarks.tables import left_out, sides

PARTS = (
    rings, shipped, shapes, comparisons, programs, pools, scale, spawn, articles, gil, web, granian, web_stack,
    certainty,
)  # fmt: skip


def both(results: Results) -> Iterator[Chart | Absent]:
    """Return charts, and in place of each that can't be drawn the reason."""
    for part in PARTS:
        yield from part.charts(results)


def charts(results: Results) -> list[Chart]:
    """Return every chart for which the result has figures, in the order of the report."""
    return [it for it in both(results) if isinstance(it, Chart)]


def absent(results: Results) -> list[Absent]:
    """Return the charts for which the result has no figures."""
    return [it for it in both(results) if isinstance(it, Absent)]


def model_charts(results: Results, model: str) -> list[Chart]:
    """Return a model's own charts, as far as they were measured: `MODEL-ring`, `MODEL-units`."""
    return [it for it in models.charts(results, model) if isinstance(it, Chart)]


def tables(results: Results) -> dict[str, str]:
    """Return tables in Markdown by name: one for each chart, those of the explorers, `goals`, and `left-out` if it has
    anything."""
    found = {chart.name: chart.sheet.markdown() for chart in charts(results)}
    found |= {name: sheet.markdown() for name, sheet in explorers.tables(results)}
    for name, sheet in (("goals", goal_sheet(results)), ("left-out", left_out_sheet(results))):
        if sheet.lines:
            found[name] = sheet.markdown()
    return found


def goal_sheet(results: Results) -> Sheet:
    """Return a table of what was measured against the goals, under every Python."""
    many = len(results.pythons) > 1
    head = [*(["Python"] if many else []), "what", "ratio", "goal", "met", "from", "to", "where"]
    found = [it for python in results.pythons for it in verdicts(results, python)]
    return Sheet(head, [[*([it.python] if many else []), *goal_line(it)] for it in found], left=2 if many else 1)


def goal_line(it: Verdict) -> Iterable[str]:
    """Return the line of one goal."""
    where, ours, theirs = sides(it.goal)
    ratio, least, most, goal = map(plain, (*it.ratio[:3], it.goal.least))
    against = f"{ours} against {with_note(it.goal.theirs.split('/')[1], theirs)}"
    return against, ratio, goal, f"{it.met} {MARK}" if it.disturbed else it.met, least, most, where


def left_out_sheet(results: Results) -> Sheet:
    """Return a table of what could not be measured, and why."""
    lines = [line.partition(": ")[::2] for line in left_out(results)]
    return Sheet(["", "what, and why"], [list(line) for line in lines], left=2)

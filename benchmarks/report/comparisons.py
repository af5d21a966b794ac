"""Compares the models with what one might use instead, hand-written or ready made: ratios, with the goals."""

from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.goals import goals, met
from benchmarks.peers import polls
from benchmarks.report import words
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.polling import EVERY
from benchmarks.report.rows import dot, drawing, ratio_panel
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row
from benchmarks.rounds import Interval, compared

TITLES = {
    "stream": "Against what one might pick instead: everything in flight",
    "bounded": "Against what one might pick instead: at most 64 in each channel",
    "token": "Against what one might pick instead: one message in flight",
}
OF_LANGUAGES = "threads"
"""The model that other languages are compared with."""
SHOWN = 3
KEY = {"met": "goal met", "missed": "goal missed", "undecided": "undecided", "goal": "the goal", "dot": "no goal"}


class Comparison(NamedTuple):
    """A model beside something else: how many times as fast it is, and how many times it is meant to be."""

    model: str
    other: str
    ratio: Interval
    goal: float | None

    @property
    def met(self) -> str:
        """Whether the goal is reached: `yes`, `no`, or `undecided`; nothing where there is none."""
        return met(self.ratio, self.goal) if self.goal else ""


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return one chart for each of the full rings."""
    for cell, title in TITLES.items():
        models = [row for row in results.of("ring", cell) if row.kind == "model"]
        found = [it for model in models for it in comparisons(results, model)]
        if not found:
            yield Absent(title, f"nothing was measured beside a model in ring/{cell}")
            continue
        rows = [row for row in results.of("ring", cell) if row.kind != "past"]
        dots = [dot(it.model, it.other, it.ratio, goal=it.goal) for it in found]
        draw = drawing([ratio_panel(dots, "how many times as fast as that (log)")], KEY)
        command = command_for(results, rows)
        yield Chart(f"comparison-{cell}", title, ends(found, cell), alt_text(found, cell), command, draw, sheet(found))


def comparisons(results: Results, ours: Row) -> list[Comparison]:
    """Return a model beside all that does the same work on the same mechanism, the hardest first."""
    wanted = {goal.theirs: goal.least for goal in goals() if goal.ours == path(ours) and goal.figure == "seconds"}
    found = [
        Comparison(ours.candidate, name_of(row), ratio, wanted.get(path(row)))
        for row in results.of(ours.suite, ours.cell, ours.python)
        if row.kind in ("baseline", "peer", "language") and (row.model or OF_LANGUAGES) == ours.candidate
        if (ratio := compared(ours, row))
    ]
    return sorted(found, key=lambda it: it.ratio)


def name_of(row: Row) -> str:
    """Return what the other one is called."""
    return "code by hand" if row.kind == "baseline" else row.candidate


def path(row: Row) -> str:
    """Return the path of a row as the goals name it."""
    return f"{row.suite}/{row.cell}/{row.candidate}"


def ends(found: list[Comparison], cell: str) -> str:
    """Say how far the two ends are; how many pairs there are of which kind is our choice, so they are not counted."""
    known = [it for it in found if not polls(cell, it.other)] or found
    polling = dict.fromkeys(it.other for it in found if it not in known)
    best, worst = max(known, key=lambda it: it.ratio), min(known, key=lambda it: it.ratio)
    each = [f"{it.model} {words.takes(1 / it.ratio.median)} as {it.other}" for it in (best, worst)]
    but = f" but for {words.listing(polling)}, {EVERY}" if polling else ""
    return each[0] if best is worst else f"Farthest to the right{but}, {each[0]}; farthest to the left, {each[1]}"


def alt_text(found: list[Comparison], cell: str) -> str:
    """Say where the ends are, how many goals are met, and which are not."""
    text, held = f"{ends(found, cell)}.", [it for it in found if it.goal]
    if not held:
        return text
    reached = sum(it.met == "yes" for it in held)
    missed = [f"{it.model} against {it.other} ({words.plain(it.ratio.median)}, goal {it.goal:g})"
              for it in held if it.met == "no"]  # fmt: skip
    listed = [*missed[:SHOWN], *([f"{len(missed) - SHOWN} more"] if len(missed) > SHOWN else [])]
    text += f" {reached} of {len(held)} goals are met, {len(held) - reached - len(missed)} are undecided"
    return f"{text}; not met: {words.listing(listed)}." if missed else f"{text}."


def sheet(found: list[Comparison]) -> Sheet:
    """Return the same as a table."""
    lines = []
    for it in found:
        goal = [f"{it.goal:g}" if it.goal else "", it.met]
        lines.append([it.model, it.other, *map(words.plain, it.ratio[:3]), *goal])
    return Sheet(["model", "against", "times as fast", "from", "to", "goal", "met"], lines, left=2)

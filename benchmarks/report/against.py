"""Compares the models with what one might use instead, hand-written or ready made: ratios, with the goals."""

from collections.abc import Iterator

from benchmarks.goals import by_round, goals
from benchmarks.report import words
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.dots import Dot, drawing
from benchmarks.report.polling import EVERY, polls
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row

TITLES = {
    "stream": "Against what one might pick instead: everything in flight",
    "bounded": "Against what one might pick instead: at most 64 in each channel",
    "token": "Against what one might pick instead: one message in flight",
}
LANGUAGES_AGAINST = "threads"
BELOW = "how many times as fast as that (log)"
SHOWN = 3


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return one chart for each of the full rings."""
    for cell, title in TITLES.items():
        dots = [dot for ours in models(results, cell) for dot in dots_of(results, ours)]
        if not dots:
            yield Absent(title, f"nothing was measured beside a model in ring/{cell}")
            continue
        rows = [row for row in results.of("ring", cell) if row.kind != "past"]
        yield Chart(
            f"against-{cell}", title, verdict(dots, cell), says(dots, cell), command_for(results, rows),
            drawing(dots, BELOW), sheet(dots),
        )  # fmt: skip


def models(results: Results, cell: str) -> list[Row]:
    """Return the models in a ring under the first Python, the fastest first."""
    return [row for row in results.of("ring", cell) if row.kind == "model"]


def dots_of(results: Results, ours: Row) -> list[Dot]:
    """Return a dot for each of the others that ours is compared with, the hardest one first."""
    wanted = {goal.theirs: goal.least for goal in goals() if goal.ours == path(ours) and goal.figure == "seconds"}
    found = [dot(ours, other, wanted.get(path(other))) for other in others(results, ours) if by_round(ours, other)]
    return sorted(found, key=lambda dot: dot.value)


def others(results: Results, ours: Row) -> list[Row]:
    """Return the rows that do the same work on the same model; other languages are compared with threads."""
    rows = [
        row for row in results.of(ours.suite, ours.cell, ours.python) if row.kind in ("baseline", "peer", "language")
    ]
    return [row for row in rows if (row.model or LANGUAGES_AGAINST) == ours.candidate]


def dot(ours: Row, other: Row, goal: float | None) -> Dot:
    """Return the dot of one ratio."""
    ratios = Ratios(ours, other)
    label = "code by hand" if other.kind == "baseline" else other.candidate
    return Dot(ours.candidate, label, ratios.median, ratios.least, ratios.most, goal)


class Ratios:
    """How many times as fast one row is as another, round by round."""

    def __init__(self, ours: Row, theirs: Row) -> None:
        import statistics

        values = by_round(ours, theirs).values()
        self.median, self.least, self.most = statistics.median(values), min(values), max(values)


def path(row: Row) -> str:
    """Return the path of a row as the goals name it."""
    return f"{row.suite}/{row.cell}/{row.candidate}"


def verdict(dots: list[Dot], cell: str) -> str:
    """Say how far the two ends are; how many pairs there are of which kind is our choice, so they are not counted."""
    known = [dot for dot in dots if not polls(cell, dot.label)] or dots
    polling = dict.fromkeys(dot.label for dot in dots if dot not in known)
    best, worst = max(known, key=lambda dot: dot.value), min(known, key=lambda dot: dot.value)
    if best is worst:
        return end(best)
    but = f" but for {words.listing(polling)}, {EVERY}" if polling else ""
    return f"Farthest to the right{but}, {end(best)}; farthest to the left, {end(worst)}"


def end(it: Dot) -> str:
    """Say how our model compares with the other one."""
    return f"{it.group} {words.takes(1 / it.value)} as {it.label}"


def says(dots: list[Dot], cell: str) -> str:
    """Say where the ends are, how many goals are met, and which are not."""
    text = f"{verdict(dots, cell)}."
    held = [dot for dot in dots if dot.goal]
    if not held:
        return text
    missed = [dot for dot in held if not dot.met]
    text += f" {len(held) - len(missed)} of {len(held)} goals are met"
    return f"{text}; not: {listed(missed)}." if missed else f"{text}."


def listed(missed: list[Dot]) -> str:
    """Return the first of these names, and how many more there are."""
    names = [f"{it.group} against {it.label} ({words.plain(it.value)}, goal {it.goal:g})" for it in missed[:SHOWN]]
    return words.listing(names + ([f"{len(missed) - SHOWN} more"] if len(missed) > SHOWN else []))


def sheet(dots: list[Dot]) -> Sheet:
    """Return the same as a table."""
    head = ["model", "against", "times as fast", "from", "to", "goal", "met"]
    return Sheet(head, [line(it) for it in dots], left=2)


def line(it: Dot) -> list[str]:
    """Return the line of one ratio."""
    figures = [words.plain(value) for value in (it.value, it.low, it.high)]
    return [
        it.group,
        it.label,
        *figures,
        f"{it.goal:g}" if it.goal else "",
        ("yes" if it.met else "no") if it.goal else "",
    ]

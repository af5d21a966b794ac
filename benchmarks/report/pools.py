"""Pools: what several workers gain, and what a task costs, beside the pools that one might pick instead."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.report import together, words
from benchmarks.report.bars import Bar, Key, Panel, drawing, panel_of
from benchmarks.report.canvas import FAMILIES, family, place
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.ranks import between, names
from benchmarks.report.rings import bar, models, ranking
from benchmarks.report.sheet import Sheet, of_rows
from benchmarks.result import Results, Row

SHORTEST = 0.1
"""Seconds: models are not ranked by runs that are shorter."""
WORTH = 1.2
"""From here on a pool counts as faster than a plain loop."""
WORKS = {"cpu": "computing", "io": "waiting for a server", "buffer": "reading one buffer"}
TASKS = {
    "nothing": "The cost of an empty task",
    "task-10us": "Tasks that compute for about 10 µs",
    "task-1ms": "Tasks that compute for about 1 ms",
}


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the charts of the gain, and of the cost of tasks of three lengths."""
    yield gain(results)
    for cell, title in TASKS.items():
        yield cost(results, cell, title)


@dataclass(frozen=True)
class Gain:
    """How many times as fast as the plain loop a model did one kind of work, with its spread."""

    row: Row
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Work:
    """One kind of work: what each model gained, the most first unless the runs were too short to rank them."""

    cell: str
    gains: list[Gain]

    @property
    def seconds(self) -> float:
        """How long the shortest run of it took."""
        return min(it.row.median * it.row.steps for it in self.gains)

    @property
    def ranked(self) -> bool:
        """Whether the runs were long enough for an order."""
        return self.seconds >= SHORTEST


def gain(results: Results) -> Chart | Absent:
    """Return the chart of how many times as fast the tasks are done as in a plain loop, which is one for all models."""
    title = "What a pool gains over a plain loop"
    works = [work for cell in WORKS if (work := work_of(results, cell)).gains]
    if not works:
        return Absent(title, "none of the pool's tasks that compute, wait or read was measured")
    every = [it.row for work in works for it in work.gains]
    key = Key([row.candidate for row in every], line="as many times as there are workers")
    draw = drawing([panel(work) for work in works], key, across=3)
    says = " ".join(map(told, works))
    command = command_for(results, every)
    return Chart("pool-speedup", title, computing(works), says, command, draw, sheet(works), too_short(works))


def work_of(results: Results, cell: str) -> Work:
    """Return what each model gained over the plain loop of its Python."""
    rows = [row for row in models(results, "pool", cell) if row.figure("speedup")]
    loops = {python: plain_loop([row for row in rows if row.python == python]) for python in results.pythons}
    gains = [Gain(row, *(loops[row.python] / it for it in (row.median, row.most, row.least))) for row in rows]
    work = Work(cell, gains)
    return work if not gains or work.ranked else Work(cell, sorted(gains, key=by_family))


def plain_loop(rows: list[Row]) -> float:
    """Return the seconds that a plain loop takes for one of these tasks.

    The run of each model has timed one beforehand: this is their median. So the same loop is the measure for all, also
    for a model whose own loop is slow because it can't load a library.
    """
    loops = [row.seconds[number] * gained for row in rows for number, gained in row.by_round("speedup").items()]
    return statistics.median(loops) if loops else 0.0


def by_family(gain: Gain) -> tuple[int, int]:
    """Return the position of a model beside its family, for what is not ranked."""
    name = gain.row.model or ""
    return [*FAMILIES, ""].index(family(name)), place(name)


def panel(work: Work) -> Panel:
    """Return the panel of one kind of work."""
    workers = work.gains[0].row.parameters.get("workers")
    bars = [Bar(it.row.candidate, it.value, it.row.model, it.low, it.high) for it in work.gains]
    title = f"{WORKS[work.cell]}, {workers} workers" if workers else WORKS[work.cell]
    below = "times as fast" if work.ranked else "times as fast (not ranked)"
    return Panel(title, bars, below, words.turned, log=False, line=workers)


def computing(works: list[Work]) -> str:
    """Say which models compute faster than a plain loop, and what waiting gains.

    Where there are several Pythons, what threads gain by computing comes first.
    """
    parts = []
    for work in works:
        if work.ranked:
            gaining = [it for it in work.gains if it.value > WORTH and it.low > 1]
            each = threads_gain(work) if work.cell == "cpu" else ""
            parts.append(each or f"when {WORKS[work.cell]}, {who_gains(work, gaining)}")
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}" if parts else "These runs are too short to rank the models"


def threads_gain(work: Work) -> str:
    """Say what threads gain under each Python; nothing if there is only one."""
    found = sorted((it for it in work.gains if it.row.model == "threads"), key=lambda it: it.row.python)
    if len(found) < 2:
        return ""
    each = [
        f"{words.takes(1 / it.value)} under {it.row.python} ({words.plain(it.low)} to {words.plain(it.high)})"
        for it in found
    ]
    return f"beside a plain loop, {WORKS[work.cell]} in threads {words.listing(each)}"


def who_gains(work: Work, gaining: list[Gain]) -> str:
    """Say which models gain, and between which factors."""
    if not gaining:
        return "no model is faster than a loop"
    values = sorted(it.value for it in gaining)
    by = words.plain(values[0]) if len(values) == 1 else f"{words.plain(values[0])} to {words.plain(values[-1])}"
    if len(gaining) == len(work.gains):
        return f"all models are faster than a loop ({by} times)"
    verb = "is" if len(gaining) == 1 else "are"
    return f"only {names([it.row for it in gaining])} {verb} faster than a loop ({by} times)"


def told(work: Work) -> str:
    """Say what the models at the two ends gain, or that the runs were too short to say."""
    if not work.ranked:
        return f"{WORKS[work.cell].capitalize()}: not ranked, a run took only {words.duration(work.seconds)}."
    first, last = work.gains[0], work.gains[-1]
    least = "" if first is last else f", {last.row.candidate} {words.takes(1 / last.value)}"
    each = f"beside a plain loop, {first.row.candidate} {words.takes(1 / first.value)}{least}"
    return f"{WORKS[work.cell].capitalize()}: {each}."


def too_short(works: list[Work]) -> str:
    """Say which kinds of work are not ranked."""
    short = [work for work in works if not work.ranked]
    parts = [f"{WORKS[it.cell]} took {words.duration(it.seconds)}" for it in short]
    why = f"Not ranked, because a run under {words.duration(SHORTEST)} is mostly noise"
    return f"{why}: {words.listing(parts)}." if parts else ""


def sheet(works: list[Work]) -> Sheet:
    """Return a table with a line for each model and a column for each kind of work."""
    rows = {work.cell: work.gains for work in works}
    values = {(it.row.candidate, cell): words.turned(it.value) for cell, found in rows.items() for it in found}
    names = dict.fromkeys(name for name, _ in values)
    head = ["", *(f"{WORKS[cell]}: times as fast" for cell in rows)]
    return Sheet(head, [[name, *(values.get((name, cell), "") for cell in rows)] for name in names])


def cost(results: Results, cell: str, title: str) -> Chart | Absent:
    """Return the chart of the time of a task, in our pools and in others."""
    rows = together.of(results, "pool", cell)
    if not rows:
        return Absent(title, f"nothing of pool/{cell} was measured")
    bars = [bar(results, row) for row in rows]
    models = [row.candidate for row in rows if row.kind == "model"]
    key = Key(models, peers="what one might pick instead" if any(row.kind == "peer" for row in rows) else "")
    draw = drawing([panel_of("", bars, "time per task", words.duration)], key)
    return Chart(
        f"pool-{cell}", title, ranges(rows), beside(rows), command_for(results, rows), draw, of_rows(results, rows)
    )


def beside(rows: list[Row]) -> str:
    """Return ours, then the best and the worst of the others."""
    ours, others = ([row for row in rows if (row.kind == "model") is own] for own in (True, False))
    text = f"Of the models, {ranking(ours)}" if len(ours) > 1 else ranking(ours) if ours else ""
    if others:
        text += f" Of what one might pick instead, {ranking(others)}" if len(others) > 1 else f" {ranking(others)}"
    return text.strip()


def ranges(rows: list[Row]) -> str:
    """Say between which figures ours and the others are."""
    ours, others = ([row for row in rows if (row.kind == "model") is own] for own in (True, False))
    parts = [f"{between(found)} {where}" for found, where in ((ours, "in our pools"), (others, "in others")) if found]
    return f"A task takes {', '.join(parts)}"

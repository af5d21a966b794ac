"""Pools: what several workers gain, and what a task costs, beside the pools that one might pick instead."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.report import candidates, sweeps, words
from benchmarks.report.canvas import FAMILIES, family, place
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.ranking import between, names
from benchmarks.report.rings import BY_HAND, bar, ranking
from benchmarks.report.rows import Panel, drawing, fitting_panel
from benchmarks.report.rows import bar as bar_of
from benchmarks.report.sheet import Sheet, of_rows
from benchmarks.report.sweeps import Axis, Sweep
from benchmarks.result import Results, Row
from benchmarks.rounds import Interval, interval

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
WORKERS = Axis("workers", "Workers: what each one more adds", "workers", "tasks per second (log)", rate=True)


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the charts of the gain, of the cost of tasks of three lengths, and of the number of workers."""
    yield gain(results)
    for cell, title in TASKS.items():
        yield cost(results, cell, title)
    yield scaling(results)


@dataclass(frozen=True)
class Gain:
    """The ratio of the plain loop's time to a model's, for one kind of work."""

    row: Row
    ratio: Interval


@dataclass(frozen=True)
class Work:
    """One kind of work: what each model gained, the most first unless the runs were too short to rank them."""

    cell: str
    gains: list[Gain]

    @property
    def seconds(self) -> float:
        """The length of its shortest run."""
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
    command = command_for(results, [it.row for work in works for it in work.gains])
    draw = drawing([panel(work) for work in works], {"line": "as many times as there are workers"}, across=3)
    alt = " ".join(map(summary, works))
    return Chart("pool-speedup", title, gains_text(works), alt, command, draw, sheet(works), unranked_text(works))


def work_of(results: Results, cell: str) -> Work:
    """Return what each model gained over the plain loop of its Python."""
    rows = [row for row in candidates.models(results, "pool", cell) if row.figure("speedup")]
    loops = {python: plain_loop([row for row in rows if row.python == python]) for python in results.pythons}
    gains = [Gain(row, interval([loops[row.python] / seconds for seconds in row.seconds.values()])) for row in rows]
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
    bars = [bar_of(it.row, it.ratio.median, it.ratio[1:3]) for it in work.gains]
    title = f"{WORKS[work.cell]}, {workers} workers" if workers else WORKS[work.cell]
    below = "times as fast" if work.ranked else "times as fast (not ranked)"
    return Panel(title, bars, below, words.as_fast, log=False, line=workers)


def gains_text(works: list[Work]) -> str:
    """Say which models compute faster than a plain loop, and what waiting gains.

    Where there are several Pythons, what threads gain by computing comes first.
    """
    each = [
        (threads_gain(work) if work.cell == "cpu" else "") or f"when {WORKS[work.cell]}, {who_gains(work)}"
        for work in works
        if work.ranked
    ]
    text = "; ".join(each)
    return f"{text[0].upper()}{text[1:]}" if each else "These runs are too short to rank the models"


def threads_gain(work: Work) -> str:
    """Say what threads gain under each Python; nothing if there is only one."""
    found = sorted((it for it in work.gains if it.row.model == "threads"), key=lambda it: it.row.python)
    each = [
        f"{words.takes(1 / it.ratio.median)} under {it.row.python}"
        f" ({words.plain(it.ratio.low)} to {words.plain(it.ratio.high)})"
        for it in found
    ]
    return f"beside a plain loop, {WORKS[work.cell]} in threads {words.listing(each)}" if len(found) > 1 else ""


def who_gains(work: Work) -> str:
    """Say which models gain, and between which factors, as far as rounds can tell."""
    if not all(it.ratio.is_known for it in work.gains):
        every = words.span([it.ratio.median for it in work.gains], words.plain)
        return f"models are {every} times as fast as a loop, in too few rounds to say which are faster"
    gaining = [it for it in work.gains if it.ratio.above(1) and it.ratio.median > WORTH]
    if not gaining:
        return "no model is measurably faster than a loop"
    by = words.span([it.ratio.median for it in gaining], words.plain)
    if len(gaining) == len(work.gains):
        return f"all models are faster than a loop ({by} times)"
    verb = "is" if len(gaining) == 1 else "are"
    return f"only {names([it.row for it in gaining])} {verb} faster than a loop ({by} times)"


def summary(work: Work) -> str:
    """Say what the models at the two ends gain, or that the runs were too short to say."""
    if not work.ranked:
        return f"{WORKS[work.cell].capitalize()}: not ranked, a run took only {words.duration(work.seconds)}."
    first, last = work.gains[0], work.gains[-1]
    least = "" if first is last else f", {last.row.candidate} {words.takes(1 / last.ratio.median)}"
    each = f"beside a plain loop, {first.row.candidate} {words.takes(1 / first.ratio.median)}{least}"
    return f"{WORKS[work.cell].capitalize()}: {each}."


def unranked_text(works: list[Work]) -> str:
    """Say which kinds of work are not ranked."""
    parts = [f"{WORKS[it.cell]} took {words.duration(it.seconds)}" for it in works if not it.ranked]
    why = f"Not ranked, because a run under {words.duration(SHORTEST)} is mostly noise"
    return f"{why}: {words.listing(parts)}." if parts else ""


def sheet(works: list[Work]) -> Sheet:
    """Return a table with a line for each model and a column for each kind of work."""
    values = {(it.row.candidate, work.cell): words.as_fast(it.ratio.median) for work in works for it in work.gains}
    names = dict.fromkeys(name for name, _ in values)
    head = ["", *(f"{WORKS[work.cell]}: times as fast" for work in works)]
    return Sheet(head, [[name, *(values.get((name, work.cell), "") for work in works)] for name in names])


def cost(results: Results, cell: str, title: str) -> Chart | Absent:
    """Return the chart of the time of a task, in our pools and in others."""
    rows = candidates.rows_of(results, "pool", cell)
    if not rows:
        return Absent(title, f"nothing of pool/{cell} was measured")
    panel = fitting_panel("", [bar(results, row) for row in rows], "time per task", words.duration)
    draw = drawing([panel], BY_HAND | {"peer": "what one might pick instead"})
    ours, others = ([row for row in rows if (row.kind == "model") is own] for own in (True, False))
    each = [f"{between(it)} {where}" for it, where in ((ours, "in our pools"), (others, "in others")) if it]
    alt = f"Of the models, {ranking(ours)}" if ours else ""
    alt += f" Of what one might pick instead, {ranking(others)}" if others else ""
    takeaway, table = f"A task takes {', '.join(each)}", of_rows(results, rows)
    return Chart(f"pool-{cell}", title, takeaway, alt.strip(), command_for(results, rows), draw, table)


def scaling(results: Results) -> Chart | Absent:
    """Return the chart of tasks that compute along the number of workers, with a part for each family of models."""
    found = sweeps.sweeps_of(results, WORKERS, "pool")
    if not found:
        return Absent(WORKERS.title, "no two numbers of workers were measured (`pool/workers-1` and so on)")
    by_gain = sorted(found, key=lambda name: at_best(found[name]))
    most, least = by_gain[-1], by_gain[0]
    takeaway = f"With more workers, computing in {most} {words.takes(1 / at_best(found[most]))}"
    takeaway += "" if most == least else f", in {least} it {words.takes(1 / at_best(found[least]))}"
    parts = [f"{name} {first_and_best(sweep)}" for name, sweep in found.items()]
    alt = f"Tasks a second, with the fewest workers and at best: {'; '.join(parts)}."
    cpus = results.about.get("machine", {}).get("cpus")
    note = f"This machine has {cpus} processors: more workers than that can't compute at the same time." if cpus else ""
    return sweeps.chart(results, "pool-workers", WORKERS, found, takeaway, alt, note)


def at_best(sweep: Sweep) -> float:
    """Return how many times as long a task takes with the fewest workers as it does at best."""
    return sweep[0][1].median / min(row.median for _, row in sweep)


def first_and_best(sweep: Sweep) -> str:
    """Return the tasks a second with the fewest workers and with the best number of them."""
    best = min(sweep, key=lambda pair: pair[1].median)
    ends = [f"{words.rate(row.per_second)} with {WORKERS.tick(workers)}" for workers, row in (sweep[0], best)]
    return words.listing(dict.fromkeys(ends))

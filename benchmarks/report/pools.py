"""Pools: what several workers gain, and what a task costs, beside the pools that one might pick instead."""

from collections.abc import Iterator

from benchmarks.report import together, words
from benchmarks.report.bars import Bar, Key, Panel, drawing, panel_of
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.rings import bar, models, ranking
from benchmarks.report.sheet import Sheet, of_rows
from benchmarks.result import Results, Row

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


def speedup(row: Row) -> float:
    """Return how many times as fast as a plain loop a pool was; 0 if that is unknown."""
    return row.figure("speedup") or 0.0


def gain(results: Results) -> Chart | Absent:
    """Return the chart of how many times as fast the tasks are done as in a plain loop."""
    title = "What a pool gains over a plain loop"
    rows = {cell: [row for row in models(results, "pool", cell) if speedup(row)] for cell in WORKS}
    rows = {cell: sorted(found, key=speedup, reverse=True) for cell, found in rows.items() if found}
    if not rows:
        return Absent(title, "none of the pool's tasks that compute, wait or read was measured")
    every = [row for found in rows.values() for row in found]
    panels = [panel(cell, found) for cell, found in rows.items()]
    key = Key([row.candidate for row in every], line="as many times as there are workers")
    draw = drawing(panels, key, across=3)
    return Chart("pool-speedup", title, gains(rows), command_for(results, every), draw, sheet(rows))


def panel(cell: str, rows: list[Row]) -> Panel:
    """Return the panel of one kind of work."""
    workers = rows[0].parameters.get("workers")
    bars = [Bar(row.candidate, speedup(row), row.model, *spread(row)) for row in rows]
    title = f"{WORKS[cell]}, {workers} workers" if workers else WORKS[cell]
    return Panel(title, bars, "times as fast", words.plain, log=False, line=workers)


def spread(row: Row) -> tuple[float, float]:
    """Return the least and the greatest value over the rounds."""
    values = row.by_round("speedup").values()
    return min(values), max(values)


def gains(rows: dict[str, list[Row]]) -> str:
    """Say which model gains most in each kind of work."""
    parts = [
        f"{WORKS[cell]}, {found[0].candidate} gains most ({words.times(speedup(found[0]))} as fast as a plain loop)"
        f" and {found[-1].candidate} least ({words.times(speedup(found[-1]))})"
        for cell, found in rows.items()
    ]
    return f"When {'; '.join(parts)}."


def sheet(rows: dict[str, list[Row]]) -> Sheet:
    """Return a table with a line for each model and a column for each kind of work."""
    values = {(row.candidate, cell): words.plain(speedup(row)) for cell, found in rows.items() for row in found}
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
    return Chart(f"pool-{cell}", title, beside(rows), command_for(results, rows), draw, of_rows(results, rows))


def beside(rows: list[Row]) -> str:
    """Return ours, then the best and the worst of the others."""
    ours, others = ([row for row in rows if (row.kind == "model") is own] for own in (True, False))
    text = f"Of the models, {ranking(ours)}" if len(ours) > 1 else ranking(ours) if ours else ""
    if others:
        text += f" Of what one might pick instead, {ranking(others)}" if len(others) > 1 else f" {ranking(others)}"
    return text.strip()

"""How a pool grows with its workers: tasks per second along their number, with a part for each Python."""

from collections.abc import Iterator

from benchmarks.report import together, words
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.lines import Part, drawing
from benchmarks.report.sheet import Sheet
from benchmarks.report.sweeps import Axis, Sweep, line
from benchmarks.result import Results

AXIS = Axis(
    "workers", "Workers: what each one more adds", "workers (log)", rate=True, across="computing, tasks a second (log)"
)


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the chart of tasks that compute, along the number of workers."""
    found = {python: sweeps for python in results.pythons if (sweeps := sweeps_of(results, python))}
    if not found:
        yield Absent(AXIS.title, "no two numbers of workers were measured (`pool/workers-1` and so on)")
        return
    rows = [row for sweeps in found.values() for sweep in sweeps.values() for _, row in sweep]
    named = named_sweeps(found)
    yield Chart(
        "pool-workers", AXIS.title, takeaway(named), says(named), command_for(results, rows),
        drawing([part(python, sweeps) for python, sweeps in found.items()]), sheet(named), note(results),
    )  # fmt: skip


def sweeps_of(results: Results, python: str) -> dict[str, Sweep]:
    """Return the sweeps of the models under one Python, if at least two numbers of workers were measured."""
    rows = [row for row in results.rows if (row.suite, row.python, row.kind) == ("pool", python, "model")]
    found = {
        name: results.sweep("pool", AXIS.parameter, name, python) for name in dict.fromkeys(it.candidate for it in rows)
    }
    return {name: sweep for name, sweep in found.items() if len(sweep) > 1}


def named_sweeps(found: dict[str, dict[str, Sweep]]) -> dict[str, Sweep]:
    """Return all sweeps by the names that their rows have in charts."""
    first = next(iter(found))
    return {
        name if python == first else together.name_of(sweep[0][1]): sweep
        for python, sweeps in found.items()
        for name, sweep in sweeps.items()
    }


def part(python: str, sweeps: dict[str, Sweep]) -> Part:
    """Return the lines of one Python."""
    lines = {name: line(AXIS, sweep) for name, sweep in sweeps.items()}
    return Part(f"Python {python}", lines, {}, AXIS.below, AXIS.across, AXIS.write, AXIS.tick, by_ratio=True)


def gain(sweep: Sweep) -> float:
    """Return how many times as long a task takes with the fewest workers as it does at best."""
    return sweep[0][1].median / min(row.median for _, row in sweep)


def takeaway(named: dict[str, Sweep]) -> str:
    """Say what gains most from more workers, and what least."""
    by_gain = sorted(named, key=lambda name: gain(named[name]))
    most, least = by_gain[-1], by_gain[0]
    text = f"With more workers, computing in {most} {words.takes(1 / gain(named[most]))}"
    return text if most == least else f"{text}, in {least} it {words.takes(1 / gain(named[least]))}"


def says(named: dict[str, Sweep]) -> str:
    """Say for each how many tasks a second the fewest workers do, and how many are done at best."""
    parts = [told(name, sweep) for name, sweep in named.items()]
    return f"Tasks a second, with the fewest workers and at best: {'; '.join(parts)}."


def told(name: str, sweep: Sweep) -> str:
    """Return the two ends of one sweep in words."""
    best = min(sweep, key=lambda pair: pair[1].median)
    ends = [f"{words.rate(row.per_second)} with {AXIS.tick(workers)}" for workers, row in (sweep[0], best)]
    return f"{name} {words.listing(dict.fromkeys(ends))}"


def sheet(named: dict[str, Sweep]) -> Sheet:
    """Return a table with a line for each model and a column for each number of workers."""
    values = sorted({value for sweep in named.values() for value, _ in sweep})
    lines = []
    for name, sweep in named.items():
        figures = {value: AXIS.write(AXIS.figure(row)) for value, row in sweep}
        lines.append([name, *(figures.get(value, "") for value in values)])
    return Sheet(["tasks a second with so many workers", *map(AXIS.tick, values)], lines)


def note(results: Results) -> str:
    """Say how many processors there were."""
    cpus = results.about.get("machine", {}).get("cpus")
    return f"This machine has {cpus} processors: more workers than that can't compute at the same time." if cpus else ""


__all__ = ["charts"]

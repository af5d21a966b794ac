"""How a pool grows with its workers: tasks that compute, per second, along the number of workers."""

from collections.abc import Iterator

from benchmarks.report import words
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.lines import drawing
from benchmarks.report.sweeps import Axis, Sweep, families, sheet, sweeps_of
from benchmarks.result import Results

AXIS = Axis("workers", "Workers: what each one more adds", "workers", rate=True, across="tasks per second (log)")


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the chart of tasks that compute, with a part for each family of models."""
    sweeps = sweeps_of(results, AXIS, "pool")
    if not sweeps:
        yield Absent(AXIS.title, "no two numbers of workers were measured (`pool/workers-1` and so on)")
        return
    rows = [row for sweep in sweeps.values() for _, row in sweep]
    yield Chart(
        "pool-workers", AXIS.title, takeaway(sweeps), says(sweeps), command_for(results, rows),
        drawing(families(AXIS, sweeps)), sheet(AXIS, sweeps), note(results),
    )  # fmt: skip


def gain(sweep: Sweep) -> float:
    """Return how many times as long a task takes with the fewest workers as it does at best."""
    return sweep[0][1].median / min(row.median for _, row in sweep)


def takeaway(sweeps: dict[str, Sweep]) -> str:
    """Say what gains most from more workers, and what least."""
    by_gain = sorted(sweeps, key=lambda name: gain(sweeps[name]))
    most, least = by_gain[-1], by_gain[0]
    text = f"With more workers, computing in {most} {words.takes(1 / gain(sweeps[most]))}"
    return text if most == least else f"{text}, in {least} it {words.takes(1 / gain(sweeps[least]))}"


def says(sweeps: dict[str, Sweep]) -> str:
    """Say for each how many tasks a second the fewest workers do, and how many are done at best."""
    parts = [told(name, sweep) for name, sweep in sweeps.items()]
    return f"Tasks a second, with the fewest workers and at best: {'; '.join(parts)}."


def told(name: str, sweep: Sweep) -> str:
    """Return the two ends of one sweep in words."""
    best = min(sweep, key=lambda pair: pair[1].median)
    ends = [f"{words.rate(row.per_second)} with {AXIS.tick(workers)}" for workers, row in (sweep[0], best)]
    return f"{name} {words.listing(dict.fromkeys(ends))}"


def note(results: Results) -> str:
    """Say how many processors there were."""
    cpus = results.about.get("machine", {}).get("cpus")
    return f"This machine has {cpus} processors: more workers than that can't compute at the same time." if cpus else ""


__all__ = ["charts"]

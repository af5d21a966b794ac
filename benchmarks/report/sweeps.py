"""What one size does: the payload of a message, the number of tasks or workers, the rate of requests."""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.report import candidates, words
from benchmarks.report.canvas import FAMILIES, bare
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.lines import Line, Part, drawing
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row

Sweep = list[tuple[float, Row]]


@dataclass(frozen=True)
class Axis:
    """One of the sizes that are varied."""

    parameter: str
    title: str
    below: str
    across: str = "time per hop (log)"
    """The y axis in words."""
    rate: bool = False
    """Whether hops per second are shown rather than seconds per hop."""
    size: bool = False
    """Whether the values are bytes."""
    unit: str = ""
    """What the values count."""
    lead: str = ""
    """How the sentence about the change from the first value to the last begins."""
    note: str = ""

    def tick(self, value: float) -> str:
        """Return a value in words."""
        return ("none" if not value else words.size(value)) if self.size else f"{int(value):,}"

    def figure(self, row: Row) -> float:
        """Return the figure of a row that is shown."""
        return row.per_second if self.rate else row.median

    def write(self, value: float) -> str:
        """Return that figure in words."""
        return words.rate(value) if self.rate else words.duration(value)

    def ends(self, sweep: Sweep) -> tuple[str, str]:
        """Return the values between which something was measured, in words."""
        return self.tick(sweep[0][0]), self.tick(sweep[-1][0])


PAYLOAD = Axis(
    "payload", "Payload: by reference, or copied", "payload of a message", size=True, unit="payload",
    lead="From the smallest message to the largest",
    note="That each message is made and checked is inside the clock.",
)  # fmt: skip


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the chart of messages of several sizes, with a part for each family of models."""
    axis, sweeps = PAYLOAD, sweeps_of(results, PAYLOAD)
    if not sweeps:
        yield Absent(axis.title, f"no two values of {axis.parameter} were measured")
        return
    takeaway = change(sweeps, axis.lead)
    says = f"{takeaway}. {ranges(axis, sweeps)}"
    yield chart(results, "payload", axis, sweeps, takeaway, says, axis.note)


def chart(
    results: Results, name: str, axis: Axis, sweeps: dict[str, Sweep], takeaway: str, says: str, note: str = ""
) -> Chart:
    """Return the chart of these sweeps, a part for each family."""
    rows = [row for sweep in sweeps.values() for _, row in sweep]
    draw = drawing(families(axis, sweeps))
    return Chart(name, axis.title, takeaway, says, command_for(results, rows), draw, sheet(axis, sweeps), note)


def sweeps_of(results: Results, axis: Axis, suite: str = "ring") -> dict[str, Sweep]:
    """Return the sweeps by model, under every Python, if at least two values were measured."""
    rows = [row for row in results.rows if row.suite == suite and row.kind == "model"]
    found = {}
    for candidate, python in dict.fromkeys((row.candidate, row.python) for row in rows):
        sweep = results.sweep(suite, axis.parameter, candidate, python)
        if len(sweep) > 1:
            named = [(value, candidates.named(results, row)) for value, row in sweep]
            found[named[0][1].candidate] = named
    return found


def families(axis: Axis, sweeps: dict[str, Sweep]) -> list[Part]:
    """Return a part for each family; models without a family come last."""
    lines = {name: line(axis, sweep) for name, sweep in sweeps.items()}
    known = {model for models in FAMILIES.values() for model in models}
    groups = {title: tuple(name for model in models for name in lines if bare(name) == model)
              for title, models in FAMILIES.items()}  # fmt: skip
    groups |= {"others": tuple(name for name in lines if bare(name) not in known)}
    return [part(axis, title, lines, names) for title, names in groups.items() if names]


def part(axis: Axis, title: str, lines: dict[str, Line], models: tuple[str, ...]) -> Part:
    """Return a part with some models in colour."""
    shown = {name: lines[name] for name in models if name in lines}
    behind = {name: it for name, it in lines.items() if name not in shown}
    ratio = axis.parameter in ("units", "workers")
    return Part(title, shown, behind, axis.below, axis.across, axis.write, axis.tick, by_ratio=ratio)


def line(axis: Axis, sweep: Sweep) -> Line:
    """Return the line of a sweep: places and values."""
    return [(value, axis.figure(row)) for value, row in sweep]


def sheet(axis: Axis, sweeps: dict[str, Sweep]) -> Sheet:
    """Return a table with a line for each model and a column for each value."""
    values = sorted({value for sweep in sweeps.values() for value, _ in sweep})
    lines = []
    for name, sweep in sweeps.items():
        figures = {value: axis.write(axis.figure(row)) for value, row in sweep}
        lines.append([name, *(figures.get(value, "") for value in values)])
    return Sheet([axis.below, *map(axis.tick, values)], lines)


def growth(sweep: Sweep) -> float:
    """Return how many times as long the last value takes as the first."""
    return sweep[-1][1].median / sweep[0][1].median


def change(sweeps: dict[str, Sweep], lead: str) -> str:
    """Say what the model that changes most and the one that changes least gain or lose."""
    most, least = extremes(sweeps)
    text = f"{lead}, a hop of {most} {words.takes(growth(sweeps[most]))}"
    return text if most == least else f"{text}, one of {least} {words.takes(growth(sweeps[least]))}"


def extremes(sweeps: dict[str, Sweep]) -> tuple[str, str]:
    """Return the models that change most and least, where most of them get slower or faster."""
    by_growth = sorted(sweeps, key=lambda name: growth(sweeps[name]))
    first, last = by_growth[0], by_growth[-1]
    return (first, last) if growth(sweeps[first]) * growth(sweeps[last]) < 1 else (last, first)


def ranges(axis: Axis, sweeps: dict[str, Sweep]) -> str:
    """Say between which values these two were measured."""
    found = {name: " to ".join(axis.ends(sweeps[name])) for name in extremes(sweeps)}
    if len(set(found.values())) == 1:
        return f"That is from {next(iter(found.values()))} {axis.unit}."
    return f"That is, in {axis.unit}, from {words.listing(f'{it} for {name}' for name, it in found.items())}."


__all__ = ["Axis", "Sweep", "charts"]

"""Charts along one size: the number of tasks or workers, the rate of requests."""

from dataclasses import dataclass

from benchmarks.report import candidates, words
from benchmarks.report.canvas import FAMILIES, bare
from benchmarks.report.chart import Chart, command_for
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
    across: str
    """The y axis in words."""
    rate: bool = False
    """Whether hops per second are shown rather than seconds per hop."""

    def tick(self, value: float) -> str:
        """Return a value in words."""
        return f"{int(value):,}"

    def figure(self, row: Row) -> float:
        """Return the figure of a row that is shown."""
        return row.per_second if self.rate else row.median

    def write(self, value: float) -> str:
        """Return that figure in words."""
        return words.rate(value) if self.rate else words.duration(value)

    def ends(self, sweep: Sweep) -> tuple[str, str]:
        """Return the values between which something was measured, in words."""
        return self.tick(sweep[0][0]), self.tick(sweep[-1][0])


def chart(
    results: Results, name: str, axis: Axis, sweeps: dict[str, Sweep], takeaway: str, alt: str, note: str = ""
) -> Chart:
    """Return the chart of these sweeps, a part for each family."""
    rows = [row for sweep in sweeps.values() for _, row in sweep]
    draw = drawing(families(axis, sweeps))
    return Chart(name, axis.title, takeaway, alt, command_for(results, rows), draw, sheet(axis, sweeps), note)


def sweeps_of(results: Results, axis: Axis, suite: str) -> dict[str, Sweep]:
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

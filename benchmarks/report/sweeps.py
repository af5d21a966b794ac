"""What one size does: messages in flight, capacity, number of nodes, payload."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf

from benchmarks.report import together, words
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
    endless: str = ""
    """What the value beyond all numbers is called."""
    rate: bool = False
    """Whether hops per second are shown rather than seconds per hop."""
    size: bool = False
    """Whether the values are bytes."""
    across: str = "time per hop (log)"
    """The y axis in words."""

    def tick(self, value: float) -> str:
        """Return a value in words."""
        if value == inf:
            return self.endless
        return ("none" if not value else words.size(value)) if self.size else f"{int(value):,}"

    def figure(self, row: Row) -> float:
        """Return the figure of a row that is shown."""
        return row.per_second if self.rate else row.median

    def write(self, value: float) -> str:
        """Return that figure in words."""
        return words.rate(value) if self.rate else words.duration(value)


RATE = "hops per second (log)"
UNITS_OF = {"in_flight": "messages in flight", "capacity": "capacity", "nodes": "nodes", "payload": "payload"}
"""What the values of a size count."""
AXES = {
    "in-flight": Axis("in_flight", "Messages in flight: how batching hides a switch", "messages in flight", "all"),
    "capacity": Axis(
        "capacity", "Capacity: how much room lets run", "capacity of each channel", "inf", True, across=RATE
    ),
    "nodes": Axis("nodes", "Number of nodes, 64 messages in flight", "nodes (log)"),
    "payload": Axis("payload", "Payload: by reference, or copied", "payload of a message", size=True),
}


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return one chart for each size, with a part for each family of models."""
    for name, axis in AXES.items():
        sweeps = sweeps_of(results, axis)
        if not sweeps:
            yield Absent(axis.title, f"no two values of {axis.parameter} were measured")
            continue
        says, rows = SAYS[name](axis, sweeps), [row for sweep in sweeps.values() for _, row in sweep]
        yield Chart(
            name, axis.title, TAKEAWAYS[name](axis, sweeps), says, command_for(results, rows),
            drawing(families(axis, sweeps)), sheet(axis, sweeps), NOTES.get(name, ""),
        )  # fmt: skip


def sweeps_of(results: Results, axis: Axis, suite: str = "ring") -> dict[str, Sweep]:
    """Return the sweeps by model, under every Python, if at least two values were measured."""
    rows = [row for row in results.rows if row.suite == suite and row.kind == "model"]
    found = {}
    for candidate, python in dict.fromkeys((row.candidate, row.python) for row in rows):
        sweep = results.sweep(suite, axis.parameter, candidate, python)
        if len(sweep) > 1:
            named = [(value, together.named(results, row)) for value, row in sweep]
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
    ratio = axis.parameter in ("nodes", "units", "workers")
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


def most_and_least(axis: Axis, sweeps: dict[str, Sweep]) -> tuple[tuple[str, float], tuple[str, float]]:
    """Return the models that change most and least from the first value to the last, and the factors of their times."""
    ratios = {name: sweep[-1][1].median / sweep[0][1].median for name, sweep in sweeps.items()}
    by_ratio = sorted(ratios.items(), key=lambda pair: pair[1])
    return by_ratio[-1], by_ratio[0]


def ends(axis: Axis, sweeps: dict[str, Sweep], name: str) -> tuple[str, str]:
    """Return the values between which a model was measured, in words."""
    return axis.tick(sweeps[name][0][0]), axis.tick(sweeps[name][-1][0])


def aside(axis: Axis, sweeps: dict[str, Sweep], name: str, other: str) -> str:
    """Return the values between which a model was measured, if they differ from those of the other model."""
    first, last = ends(axis, sweeps, name)
    return "" if (first, last) == ends(axis, sweeps, other) else f" ({last} against {first})"


def of_in_flight(axis: Axis, sweeps: dict[str, Sweep]) -> str:
    """Say that fewer switches are needed the more messages are under way."""
    (least, small), (most, great) = most_and_least(axis, sweeps)
    first, last = ends(axis, sweeps, most)
    return (
        f"With {first} in flight, a hop of {most} {words.takes(1 / great)} as with {last}, one of {least}"
        f" {words.takes(1 / small)}{aside(axis, sweeps, least, most)}: a task that finds several messages waiting can"
        " handle them in one turn."
    )


def batching(axis: Axis, sweeps: dict[str, Sweep]) -> str:
    """Say how much batching saves at most and at least."""
    (least, small), (most, great) = most_and_least(axis, sweeps)
    return f"With more messages in flight, a hop of {most} {words.takes(great)}, one of {least} {words.takes(small)}"


def of_capacity(axis: Axis, sweeps: dict[str, Sweep]) -> str:
    """Say that capacity lets a sender run on."""
    (least, small), (most, great) = most_and_least(axis, sweeps)
    first, last = ends(axis, sweeps, most)
    return (
        f"With capacity {last} instead of {first}, a hop of {most} {words.takes(great)}, one of {least}"
        f" {words.takes(small)}{aside(axis, sweeps, least, most)}: without room every message is a hand-over, and a"
        " task waits for each."
    )


def adding_capacity(axis: Axis, sweeps: dict[str, Sweep]) -> str:
    """Say what capacity saves at most and at least."""
    (least, small), (most, great) = most_and_least(axis, sweeps)
    return f"With capacity, a hop of {most} {words.takes(great)}, one of {least} {words.takes(small)}"


def extra_cost(axis: Axis, sweeps: dict[str, Sweep], comparison: str) -> str:
    """Say how much longer a hop takes at the right end than at the left one, where most and where least."""
    (most, great), (least, small) = most_and_least(axis, sweeps)
    first, last = ends(axis, sweeps, most)
    compared = comparison.format(first=first, last=last)
    return (
        f"A hop of {most} {words.takes(great)} {compared}, one of {least}"
        f" {words.takes(small)}{aside(axis, sweeps, least, most)}."
    )


def growing(axis: Axis, sweeps: dict[str, Sweep]) -> str:
    """Say how much more expensive a hop gets from the smallest ring to the largest, at most and at least."""
    (most, great), (least, small) = most_and_least(axis, sweeps)
    first = f"From the smallest ring to the largest, a hop of {most} {words.takes(great)}"
    return f"{first}, one of {least} {words.takes(small)}"


def copying(axis: Axis, sweeps: dict[str, Sweep]) -> str:
    """Say what a large message costs at most and at least."""
    (most, great), (least, small) = most_and_least(axis, sweeps)
    last = ends(axis, sweeps, most)[1]
    return f"With {last} to carry, a hop of {most} {words.takes(great)}, one of {least} {words.takes(small)}"


def of_nodes(axis: Axis, sweeps: dict[str, Sweep]) -> str:
    """Say whether many tasks make each hop more expensive."""
    return extra_cost(axis, sweeps, "among {last} nodes as among {first}")


def of_payload(axis: Axis, sweeps: dict[str, Sweep]) -> str:
    """Say that models which copy messages pay for each byte."""
    return extra_cost(axis, sweeps, "with a payload of {last} as with {first}")


NOTES = {
    "nodes": "Larger rings get fewer messages, so that all take about as long: a step between neighbours may be that.",
    "payload": "That each message is made and checked is inside the clock.",
}
TAKEAWAYS: dict[str, Callable[[Axis, dict[str, Sweep]], str]] = {
    "in-flight": batching,
    "capacity": adding_capacity,
    "nodes": growing,
    "payload": copying,
}
SAYS: dict[str, Callable[[Axis, dict[str, Sweep]], str]] = {
    "in-flight": of_in_flight,
    "capacity": of_capacity,
    "nodes": of_nodes,
    "payload": of_payload,
}

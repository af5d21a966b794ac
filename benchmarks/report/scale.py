"""More processors: what each more worker adds, on this machine and beside it on the others whose results are committed,
and what Amdahl's law makes of the measured shares."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path

from benchmarks.report import words
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.lines import Line, Part, drawing
from benchmarks.report.machines import Measured, machine_of, measured
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row, read
from benchmarks.rounds import Interval, compared

SUITE = "scale"
FOLDER = Path(__file__).parents[1] / "results"
WORK = {"pool": "tasks that compute", "ring": "hops in a ring"}
TITLES = {"pool": "Pools with more and more workers", "ring": "Rings with more and more nodes"}
SURE = 0.25
"""A share whose interval is wider says nothing of more processors."""
COMPUTED = (1, 2, 4, 8, 16, 32, 64)
"""The numbers of processors for which the law is computed."""
LAW = (
    "Computed, not measured, by Amdahl's law: if a part s of the work does not become faster, n processors are at most"
    " 1 / (s + (1 - s) / n) times as fast. The part s is what the gain of the last measured number of workers, no"
    " greater than that of the processors, makes of it. The law knows no memory that all wait for, and no second"
    " socket: a real machine stays below."
)


@dataclass(frozen=True)
class Curve:
    """A model under one Python on one machine, with its rows by number of workers."""

    machine: str
    model: str
    name: str
    """The model's, with the Python where there are several."""
    rows: dict[int, Row]
    processors: int

    @cached_property
    def gains(self) -> dict[int, Interval]:
        """The gain of each number of workers over one, taken round by round."""
        ratios = {number: compared(row, self.rows[1]) for number, row in sorted(self.rows.items())}
        return {number: ratio for number, ratio in ratios.items() if ratio}

    @cached_property
    def share(self) -> Interval | None:
        """The part of the work that did not become faster, between 0 and 1; None if that can't be told."""
        number = max((it for it in self.gains if it <= self.processors), default=1)
        if number == 1:
            return None
        gain = self.gains[number]
        return Interval(*(share_of(it, number) for it in (gain.median, gain.high, gain.low)), gain.rounds)

    @property
    def is_computed(self) -> bool:
        """Whether rounds lie close enough together to compute anything from the share."""
        return self.share is not None and self.share.is_known and self.share.high - self.share.low <= SURE

    @property
    def line(self) -> Line:
        """The measured gains along the number of workers."""
        return [(number, gain.median) for number, gain in self.gains.items()]


def share_of(gain: float, number: int) -> float:
    """Return the part of the work that so many processors did not make faster, if they gained so much."""
    return min(1.0, max(0.0, (number / gain - 1) / (number - 1)))


def amdahl(share: float, number: float) -> float:
    """Return how many times as fast so many processors are at most if this part of the work does not gain."""
    return 1 / (share + (1 - share) / number) if share or number < inf else inf


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the charts of pools, of rings, and of what is computed."""
    if SUITE not in results.suites:
        yield Absent("More processors", "it was not measured (`python -m benchmarks run scale --json`)")
        return
    every = machines(results)
    for cell in WORK:
        yield gains(results, cell, [it for one in every for it in curves(one, cell)])
    yield amdahl_limits(results, [it for one in every for it in curves(one, "pool") if it.share])


def machines(results: Results) -> list[Measured]:
    """Return this result, then those of other machines that are committed."""
    others = [(path.name, read(path)) for path in committed()]
    here = machine_of(results)
    every = measured([("", results), *((name, it) for name, it in others if machine_of(it) != here)])
    return [it for it in every if SUITE in it.results.suites]


def committed() -> list[Path]:
    """Return the files of the folder of results that have this suite."""
    return [
        path for path in sorted(FOLDER.glob("*.json")) if re.search(rf'"suite":\s*"{SUITE}"', path.read_text())
    ]  # fmt: skip


def curves(one: Measured, cell: str) -> Iterator[Curve]:
    """Yield the curves of a machine, those with one worker and at least one number more."""
    pythons, processors = one.results.pythons, one.results.about.get("machine", {}).get("cpus") or 1
    for python in pythons:
        rows = one.results.of(SUITE, cell, python)
        for model in dict.fromkeys(row.model for row in sorted(rows, key=lambda row: row.candidate)):
            own = {int(row.parameters["workers"]): row for row in rows if row.model == model}
            if model and 1 in own and len(own) > 1:
                name = model if python == pythons[0] else f"{model}, {python}"
                yield Curve(machine(one), model, name, dict(sorted(own.items())), processors)


def machine(one: Measured) -> str:
    """Return a machine in a few words."""
    about = one.results.about.get("machine", {})
    preliminary = ", preliminary" if one.results.about.get("preliminary") else ""
    return f"{one.label}: {words.counted(about.get('cpus') or 0, 'processor')}{preliminary}"


def gains(results: Results, cell: str, every: list[Curve]) -> Chart | Absent:
    """Return the chart of what was measured, with a part for each machine."""
    if not every:
        return Absent(TITLES[cell], f"no two numbers of workers of {SUITE}/{cell} were measured")
    below = "worker" if cell == "pool" else "node"
    draw = drawing([part(group, {it.name: it.line for it in group}, f"{below}s") for group in by_machine(every)])
    best = max(every, key=lambda it: max(gain.median for gain in it.gains.values()))
    number, most = max(best.gains.items(), key=lambda pair: pair[1].median)
    verb = "do" if number > 1 else "does"
    takeaway = f"At best, {words.counted(number, below)} {verb} {words.as_many(most.median)} {WORK[cell]} a second"
    takeaway += f" as one, in {best.name}"
    alt = " ".join(f"{it.machine}, {it.name}: {summary(it)}." for it in every)
    note = f"Times as fast as one {below}, taken round by round."
    rows = [row for row in results.rows if (row.suite, row.cell) == (SUITE, cell)]
    return Chart(
        f"scale-{cell}", TITLES[cell], takeaway, alt, command_for(results, rows), draw, sheet(every, below), note
    )


def by_machine(every: list[Curve]) -> list[list[Curve]]:
    """Return the curves of each machine together."""
    return [[it for it in every if it.machine == name] for name in dict.fromkeys(it.machine for it in every)]


def part(group: list[Curve], lines: dict[str, Line], below: str, across: str = "times as fast (log)") -> Part:
    """Return the picture of one machine."""
    models = {it.name: it.model for it in group}
    return Part(group[0].machine, lines, {}, below, across, words.plain, as_text, True, models=models)


def as_text(number: float) -> str:
    """Return a number of workers as text."""
    return f"{number:,.0f}"


def summary(it: Curve) -> str:
    """Return the gains of a curve in words."""
    return words.listing(f"{words.plain(gain.median)} with {number}" for number, gain in it.gains.items())


def sheet(every: list[Curve], below: str) -> Sheet:
    """Return a table with a line for each curve and a column for each number of workers."""
    numbers = sorted({number for it in every for number in it.rows})
    lines = [[it.machine, it.name, *(with_interval(it.gains.get(number)) for number in numbers)] for it in every]
    return Sheet(["machine", "model", *(words.counted(number, below) for number in numbers)], lines, left=2)


def with_interval(ratio: Interval | None, write: Callable[[float], str] = words.plain) -> str:
    """Return a ratio with what it lies between; nothing if there is none."""
    return "" if ratio is None else f"{write(ratio.median)} ({write(ratio.low)} to {write(ratio.high)})"


def amdahl_limits(results: Results, every: list[Curve]) -> Chart | Absent:
    """Return the chart of what Amdahl's law makes of the shares of pools."""
    title, sure = "Computed: more processors than were measured", [it for it in every if it.is_computed]
    if not sure:
        return Absent(title, "the rounds lie too far apart to tell which part of the work gains nothing")
    laws = [(group, {it.name: law(it) for it in group}) for group in by_machine(sure)]
    draw = drawing([part(group, lines, "processors", "computed: at most (log)") for group, lines in laws])
    best = max(sure, key=lambda it: limit(it, COMPUTED[-1]))
    takeaway = f"Computed: with {COMPUTED[-1]} processors, {best.name} would be at most"
    takeaway += f" {words.times(limit(best, COMPUTED[-1]))} as fast as with one"
    head = ["machine", "model", "part that gains nothing", *(f"{it} processors" for it in COMPUTED[1:]), "any number"]
    lines = [line(it, it.share) for it in every if it.share]
    alt = " ".join(f"{it[0]}, {it[1]}: {it[-2]} with {COMPUTED[-1]} processors." for it in lines if it[-2])
    rows = [row for row in results.rows if (row.suite, row.cell) == (SUITE, "pool")]
    return Chart(
        "scale-amdahl", title, takeaway, alt, command_for(results, rows), draw, Sheet(head, lines, left=2), LAW
    )


def law(it: Curve) -> Line:
    """Return the computed line of a curve."""
    return [(number, limit(it, number)) for number in COMPUTED]


def limit(it: Curve, number: float) -> float:
    """Return what the law makes of a curve's share."""
    return amdahl(it.share.median if it.share else 1, number)


def line(it: Curve, share: Interval) -> list[str]:
    """Return the line of a curve in the table of what is computed."""
    limits = [limit(it, number) for number in (*COMPUTED[1:], inf)] if it.is_computed else []
    shown = ["no limit" if it == inf else words.plain(float(f"{it:.2g}")) for it in limits]
    return [it.machine, it.name, with_interval(share, "{:.1%}".format), *(shown or [""] * len(COMPUTED))]

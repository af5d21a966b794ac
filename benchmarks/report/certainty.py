"""How sure the conclusions are: how often equal arms are called different, and a known difference is found."""

from collections.abc import Iterator
from itertools import combinations

from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.rows import Entry, Panel, Point, drawing
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row
from benchmarks.rounds import ENOUGH, interval

SUITE, ARM = "certainty", "arm "
SESSIONS = (2, 3, 4, 6, 9, 12)
"""Rounds of a session."""
FOUND = ("+3 %", "+5 %", "+10 %", "+20 %")
TITLE = "How often equal candidates are called different, and a known difference is found"


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the chart of false alarms and finds; a result without the suite has neither it nor a reason."""
    if SUITE in results.suites:
        yield chart(results)


def chart(results: Results) -> Chart | Absent:
    """Return the chart: by the rounds of a session, what the rule says, marked with what the plain range would."""
    rows = [row for row in results.rows if row.suite == SUITE]
    most = min(len(row.seconds) for row in rows)
    sizes = [number for number in SESSIONS if number <= most]
    if not sizes:
        return Absent(TITLE, "one round is no session (--rounds 36)")
    there = [name for name in FOUND if any(row.candidate == name for row in rows)]
    alarms = {number: shares(rows, ARM, number) for number in sizes}
    finds = {(name, number): shares(rows, name, number) for name in there for number in sizes if number >= ENOUGH}
    false = [entry("", number, *alarms[number]) for number in sizes]
    true = [entry(name, number, *found) for (name, number), found in finds.items()]
    panels = [
        Panel(title, entries, "of all pairs", percent, log=False)
        for title, entries in (("equal, called different", false), ("a known difference, found", true))
    ]
    takeaway = (
        f"Of equal candidates the plain range of {sizes[0]} rounds would call {percent(alarms[sizes[0]][1])} different;"
        f" the rule of this site calls {percent(alarms[sizes[-1]][0])} different in {sizes[-1]} rounds"
    )
    draw = drawing(panels, {"mark": "if the plain range of the rounds decided"}, across=2)
    says = f"{takeaway}. {told(finds)}"
    return Chart("certainty", TITLE, takeaway, says, command_for(results, rows), draw, sheet(alarms, finds))


def shares(rows: list[Row], name: str, number: int) -> tuple[float, float]:
    """Return in which part of the pairs of all sessions of so many rounds the first is called faster, or another: by
    the rule, and by the plain range of the ratios."""
    found = [told_apart(one, other, number) for one, other in pairs(rows, name)]
    sessions = [it for each in found for it in each]
    rule, plain = (sum(it) / len(sessions) for it in zip(*sessions, strict=True))
    return rule, plain


def pairs(rows: list[Row], name: str) -> Iterator[tuple[Row, Row]]:
    """Yield the equal arms of each cell two by two, or each of them with the slower arm of this name."""
    for cell in dict.fromkeys(row.cell for row in rows):
        arms = [row for row in rows if row.cell == cell and row.candidate.startswith(ARM)]
        if name == ARM:
            yield from combinations(arms, 2)
        else:
            yield from ((arm, row) for row in rows if (row.cell, row.candidate) == (cell, name) for arm in arms)


def told_apart(one: Row, other: Row, number: int) -> Iterator[tuple[bool, bool]]:
    """Yield for each session of so many rounds whether the two are told apart: by the rule, by the plain range."""
    rounds = sorted(one.seconds.keys() & other.seconds.keys())
    known = one.candidate.startswith(ARM) and other.candidate.startswith(ARM)
    for begin in range(0, len(rounds) - number + 1, number):
        ratios = [other.seconds[it] / one.seconds[it] for it in rounds[begin : begin + number]]
        it = interval(ratios)
        rule = it.above(1) or (known and it.below(1))
        yield rule, min(ratios) > 1 or (known and max(ratios) < 1)


def entry(group: str, number: int, rule: float, plain: float) -> Entry:
    """Return a bar with its mark."""
    return Entry(f"{number} rounds", None, (Point("bar", (rule,)), Point("mark", (plain,))), group=group)


def percent(part: float) -> str:
    """Return a part as percent."""
    return f"{part:.0%}"


def told(finds: dict[tuple[str, int], tuple[float, float]]) -> str:
    """Say what is found in how many rounds."""
    each = [
        f"{name} in {percent(rule)} of the sessions of {number} rounds" for (name, number), (rule, _) in finds.items()
    ]
    return f"Found are {'; '.join(each)}." if each else "These are too few rounds to find anything."


def sheet(alarms: dict[int, tuple[float, float]], finds: dict[tuple[str, int], tuple[float, float]]) -> Sheet:
    """Return a table with a line for each number of rounds."""
    names = dict.fromkeys(name for name, _ in finds)
    head = ["rounds", "equal, called different", "by the plain range", *(f"{name} found" for name in names)]
    lines = [
        [str(number), percent(rule), percent(plain), *(percent(finds.get((name, number), (0, 0))[0]) for name in names)]
        for number, (rule, plain) in alarms.items()
    ]
    return Sheet(head, lines)


__all__ = ["charts"]

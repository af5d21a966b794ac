"""How sure the conclusions are: how often equal arms are called different, and a known difference is found."""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

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
    alarms = {number: shares(rows, ARM, number=number) for number in sizes}
    enough = [number for number in sizes if number >= ENOUGH]
    finds = {(name, number): shares(rows, name, number=number) for name in there for number in enough}
    false = [entry("", number, alarms[number]) for number in sizes]
    true = [entry(name, number, found) for (name, number), found in finds.items()]
    panels = [
        Panel(title, entries, "of all pairs", percent, log=False)
        for title, entries in (("equal, called different", false), ("a known difference, found", true))
    ]
    takeaway = (
        f"Of equal candidates the plain range of {sizes[0]} rounds would call {percent(alarms[sizes[0]].plain)}"
        f" different; the rule of this site calls {percent(alarms[sizes[-1]].rule)} different in {sizes[-1]} rounds"
    )
    draw = drawing(panels, {"mark": "if the plain range of the rounds decided"}, across=2)
    holding = {number: shares(rows, ARM, *there, number=number).holds for number in enough}
    alt = f"{takeaway}. {summary(finds, holding)}"
    return Chart("certainty", TITLE, takeaway, alt, command_for(results, rows), draw, sheet(alarms, finds, holding))


class Shares(NamedTuple):
    """Of the pairs of arms in all sessions of so many rounds: in which part the first is called faster, or another."""

    rule: float
    plain: float
    """The same by the plain range of the ratios."""
    holds: float
    """In which part the interval holds the true ratio."""


def shares(rows: list[Row], *names: str, number: int) -> Shares:
    """Return the shares of the pairs with arms of these names."""
    found = [told_apart(one, other, number) for name in names for one, other in pairs(rows, name)]
    sessions = [it for each in found for it in each]
    return Shares(*(sum(it) / len(sessions) for it in zip(*sessions, strict=True)))


def pairs(rows: list[Row], name: str) -> Iterator[tuple[Row, Row]]:
    """Yield the equal arms of each cell two by two, or each of them with the slower arm of this name."""
    for cell in dict.fromkeys(row.cell for row in rows):
        arms = [row for row in rows if row.cell == cell and row.candidate.startswith(ARM)]
        if name == ARM:
            yield from combinations(arms, 2)
        else:
            yield from ((arm, row) for row in rows if (row.cell, row.candidate) == (cell, name) for arm in arms)


def told_apart(one: Row, other: Row, number: int) -> Iterator[tuple[bool, bool, bool]]:
    """Yield for each session of so many rounds whether the two are told apart: by the rule, by the plain range; and
    whether the interval holds the true ratio."""
    rounds = sorted(one.seconds.keys() & other.seconds.keys())
    equal = other.candidate.startswith(ARM)
    true = 1 if equal else 1 + float(other.candidate.strip("+ %")) / 100
    for begin in range(0, len(rounds) - number + 1, number):
        ratios = [other.seconds[it] / one.seconds[it] for it in rounds[begin : begin + number]]
        it = interval(ratios)
        rule = it.above(1) or (equal and it.below(1))
        yield rule, min(ratios) > 1 or (equal and max(ratios) < 1), it.low <= true <= it.high


def entry(group: str, number: int, found: Shares) -> Entry:
    """Return a bar with its mark."""
    return Entry(f"{number} rounds", None, (Point("bar", (found.rule,)), Point("mark", (found.plain,))), group=group)


def percent(part: float) -> str:
    """Return a part as percent."""
    return f"{part:.0%}"


def summary(finds: dict[tuple[str, int], Shares], holding: dict[int, float]) -> str:
    """Say what is found in how many rounds, and how often the interval is right."""
    if not finds:
        return "These are too few rounds to find anything."
    each = [f"{name} in {percent(it.rule)} of the sessions of {number} rounds" for (name, number), it in finds.items()]
    right = [f"{percent(part)} of the sessions of {number}" for number, part in holding.items()]
    return f"Found are {'; '.join(each)}. The interval holds the true ratio in {', '.join(right)} rounds."


def sheet(alarms: dict[int, Shares], finds: dict[tuple[str, int], Shares], holding: dict[int, float]) -> Sheet:
    """Return a table with a line for each number of rounds."""
    names = dict.fromkeys(name for name, _ in finds)
    head = ["rounds", "false alarms", "by the plain range", *names]
    lines = [
        [str(number), percent(alarm.rule), percent(alarm.plain)]
        + [percent(finds[name, number].rule) if (name, number) in finds else "" for name in names]
        + [percent(holding[number]) if number in holding else ""]
        for number, alarm in alarms.items()
    ]
    return Sheet([*head, "truth held"], lines)

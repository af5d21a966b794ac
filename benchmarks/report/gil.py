"""With the GIL and without it: what it costs and saves, the same work in every model, and a shared iterator."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from benchmarks.report import candidates, words
from benchmarks.report.builds import comparison
from benchmarks.report.chart import Absent, Chart, command_for, table
from benchmarks.report.rows import dot, drawing, ratio_panel
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row
from benchmarks.rounds import Interval, by_round, compared, interval
from benchmarks.twins import ONE_THREADED, POOLS

TITLE = "What the GIL costs, and what it saves"
WORKS_TITLE = "Computing, waiting and a shared buffer, with the GIL and without it"
WORKS_NOTE = (
    "Computing is called cpu here, waiting io. Each of the first columns is the whole life of a pool, its start and its"
    " end included; one that is called warm is a task in a pool that is there already."
)
RACE_TITLE = "The race of a shared iterator"
MEMORY = "bytes_per_unit"
WRONG = "wrong_per_million"


@dataclass(frozen=True)
class Pair:
    """A figure under both Pythons: the ratio, the rows of the first one, the figure under each in words."""

    group: str
    label: str
    ratio: Interval
    rows: list[Row]
    figures: tuple[str, str] = ("", "")

    @property
    def model(self) -> str | None:
        """The model that gives the colour."""
        return self.rows[0].model if self.rows[0].kind == "model" else None


@dataclass(frozen=True)
class Group:
    """Rows of one cell that stand together."""

    title: str
    suite: str
    cell: str
    candidates: tuple[str, ...]
    figure: str = "seconds"


RINGS = ("threads", "rawthreads", "processes", "subinterp", "greenlet", "asyncio")
GROUPS = (
    Group("tasks that compute, in a pool", "pool", "cpu", POOLS),
    Group("tasks that wait, in a pool", "pool", "io", POOLS),
    Group("tasks that read one buffer, in a pool", "pool", "buffer", POOLS),
    Group("empty tasks: the pool itself", "pool", "nothing", POOLS),
    Group("ring, everything in flight", "ring", "stream", RINGS),
    Group("ring, one in flight", "ring", "token", RINGS),
    Group("a shared iterator", "gil", "iterator", ("list", "a class", "a generator", "that class, locked")),
    Group(
        "conversations over sockets", "gil", "loops", ("one loop", "a loop in each thread", "a loop in each process")
    ),
    Group("one thread computes, nothing else runs", "gil", "one-thread", ("calls", "large numbers", "a list")),
    Group("memory of one among 300", "spawn", "units-300", ("threads", "processes", "subinterp"), MEMORY),
)
ONE_THREAD = "the classics together, in one thread"
WORKS = {
    "cpu": ("articles", "cpu"),
    "io": ("articles", "io"),
    "buffer": ("articles", "buffer"),
    "warm cpu": ("pool", "cpu"),
    "warm io": ("pool", "io"),
    "warm buffer": ("pool", "buffer"),
}
"""The columns of the table: a whole pool with its start and its end, then one task of a pool that is there already.
Their names are short, for a phone."""


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the charts of each Python without the GIL beside one with it, or a line if it was always on or off."""
    gils = {row.python: row.gil for row in results.rows}
    pairs = [(twin_of(tag, results.pythons), tag) for tag in results.pythons[1:]]
    pairs = [(one, other) for one, other in pairs if gils[one] and not gils[other]]
    if not pairs:
        have = "off" if gils and not any(gils.values()) else "on"
        yield Absent(TITLE, f"not measured: the GIL was always {have} (`--python 3.14 --python 3.14t` has both)")
    for one, other in pairs:
        yield ratios(results, one, other)
        yield works(results, one, other)
        yield race(results, one, other)


def twin_of(tag: str, tags: list[str]) -> str:
    """Return the Python to compare one with: the same version with the GIL, or the first."""
    twin = tag.removesuffix("t")
    return twin if twin != tag and twin in tags else tags[0]


def ratios(results: Results, one: str, other: str) -> Chart | Absent:
    """Return the chart of how many times as fast, or as small, the one without the GIL is."""
    found = [*grouped(results, one, other), *classics(results, one, other)]
    if not found:
        return Absent(TITLE, f"nothing was measured under {one} and under {other}")
    dots = [dot(it.group, it.label, it.ratio, it.model) for it in found]
    draw = drawing([ratio_panel(dots, f"times as fast, or as small, on {other} (log)")])
    better, worse = sum(it.ratio.above(1) for it in found), sum(it.ratio.below(1) for it in found)
    undecided = len(found) - better - worse
    takeaway = f"Without the GIL, {better} of {len(found)} figures are better, {worse} worse, {undecided} undecided"
    alt = f"{takeaway}. {extremes(results, found, one, other)} {comparison(results, one, other)}"
    command = command_for(results, [row for it in found for row in it.rows])
    return Chart(f"gil-{other}", TITLE, takeaway, alt, command, draw, pairs_sheet(found, one, other))


def grouped(results: Results, one: str, other: str) -> Iterator[Pair]:
    """Yield what stands in the groups and was measured under both."""
    for group in GROUPS:
        for name in group.candidates:
            first, second = (results.row(group.suite, group.cell, name, python) for python in (one, other))
            if first and second and (ratio := compared(second, first, group.figure)):
                figures = figure_text(first, group.figure), figure_text(second, group.figure)
                yield Pair(group.title, name, ratio, [first], figures)


def figure_text(row: Row, figure: str) -> str:
    """Return a figure of a row in words."""
    return words.duration(row.median) if figure == "seconds" else words.size(row.figure(figure) or 0)


def classics(results: Results, one: str, other: str) -> Iterator[Pair]:
    """Yield one for each model that runs in one thread: the geometric mean of its ratios in all classics."""
    for name in ONE_THREADED:
        pairs = [
            (first, second)
            for cell in results.cells("classics")
            if (first := results.row("classics", cell, name, one))
            and (second := results.row("classics", cell, name, other))
        ]
        each = [by_round(second, first) for first, second in pairs]
        rounds = set.intersection(*map(set, each)) if each else set()
        if rounds:
            means = [prod(it[number] for it in each) ** (1 / len(each)) for number in sorted(rounds)]
            yield Pair(ONE_THREAD, name, interval(means), [first for first, _ in pairs])


def extremes(results: Results, found: list[Pair], one: str, other: str) -> str:
    """Say what lies farthest to the right and to the left, and what a thread takes of memory."""
    memory = GROUPS[-1]
    times = sorted((it for it in found if it.group != memory.title), key=lambda it: it.ratio)
    sides = ((side, times[at]) for side, at in (("right", -1), ("left", 0)) if times)
    parts = [
        f"Farthest to the {side}, {it.label} ({it.group}) {words.takes(1 / it.ratio.median)}." for side, it in sides
    ]
    rows = [results.row(memory.suite, memory.cell, "threads", python) for python in (one, other)]
    sizes = [words.size(size) for row in rows if row and (size := row.figure(MEMORY))]
    if len(sizes) == len(rows):
        parts.append(f"A thread among 300 takes {sizes[0]} of memory under {one}, {sizes[1]} under {other}.")
    return " ".join(parts)


def pairs_sheet(pairs: list[Pair], one: str, other: str) -> Sheet:
    """Return the same as a table, with the figures themselves."""
    lines = [[it.group, it.label, *it.figures, *map(words.plain, it.ratio[:3])] for it in pairs]
    return Sheet(["what", "", one, other, "times as fast, or as small", "from", "to"], lines, left=2)


def works(results: Results, one: str, other: str) -> Chart | Absent:
    """Return the table of three works under threads, processes, interpreters and asyncio, on both Pythons."""
    rows = {title: found for title, cell in WORKS.items() if (found := workers(results, cell, one, other))}
    if not rows:
        return Absent(WORKS_TITLE, "none of the works was measured under both")
    every = [row for found in rows.values() for row in found]
    values = {(row.candidate, title): spread(row) for title, found in rows.items() for row in found}
    models = sorted({name for name, _ in values}, key=lambda name: (POOLS.index(name.partition(",")[0]), name))
    sheet = Sheet(["", *rows], [[name, *(values.get((name, title), "") for title in rows)] for name in models])
    return table(f"works-{other}", WORKS_TITLE, gain_of_threads(results, one, other), results, every, sheet, WORKS_NOTE)


def gain_of_threads(results: Results, one: str, other: str) -> str:
    """Say what a warm pool of threads that compute gains over one thread of the same Python, which is asyncio's."""
    each = []
    for python in (one, other):
        several, alone = (results.row("pool", "cpu", name, python) for name in ("threads", "asyncio"))
        if not several or not alone or not (ratio := compared(several, alone)):
            return "Three kinds of work, with the GIL and without it"
        each.append(words.takes(1 / ratio.median))
    return f"With the GIL, computing in threads {each[0]} as in one thread; without it, it {each[1]}"


def workers(results: Results, cell: tuple[str, str], one: str, other: str) -> list[Row]:
    """Return the rows of a work, the fastest first, if both Pythons have some."""
    rows = [row for row in candidates.models(results, *cell) if row.model in POOLS and row.python in (one, other)]
    return rows if {row.python for row in rows} == {one, other} else []


def spread(row: Row) -> str:
    """Return a median with its spread, and the unit once if it is the same."""
    each = [words.duration(it) for it in (row.median, row.least, row.most)]
    units = {it.partition(" ")[2] for it in each}
    median, least, most = (it.partition(" ")[0] for it in each) if len(units) == 1 else each
    return f"{median} ({least} to {most}) {'' if len(units) > 1 else units.pop()}".strip()


def race(results: Results, one: str, other: str) -> Chart | Absent:
    """Return the table of how often a shared iterator goes wrong."""
    first = [row for row in results.rows if (row.suite, row.cell, row.python) == ("gil", "iterator", one)]
    rows = [
        candidates.named(results, row)
        for it in first
        for python in (one, other)
        if (row := results.row("gil", "iterator", it.candidate, python))
    ]
    if not any(row.python == other for row in rows):
        return Absent(RACE_TITLE, f"gil/iterator was not measured under {one} and {other}")
    head = ["four threads share", "wrong in a million steps", "from", "to", "refused", "lost", "races", "crashes"]
    sheet = Sheet([*head, "time per step", "from", "to"], [race_line(row) for row in rows])
    wrong = {python: sum(row.python == python and total(row, WRONG) > 0 for row in rows) for python in (one, other)}
    every = sum(row.python == other for row in rows)
    takeaway = f"Of {every} shared iterators, {wrong[one]} went wrong with the GIL and {wrong[other]} without it"
    return table(f"iterator-{other}", RACE_TITLE, takeaway, results, rows, sheet)


def race_line(row: Row) -> list[str]:
    """Return the line of one iterator."""
    wrong = [words.plain(it) for it in interval(row.by_round(WRONG).values())[:3]]
    others = [words.plain(row.figure(f"{name}_per_million") or 0) for name in ("refused", "lost")]
    counts = [f"{total(row, name):,.0f}" for name in ("races", "crashes")]
    times = [words.duration(it) for it in (row.median, row.least, row.most)]
    return [row.candidate, *wrong, *others, *counts, *times]


def total(row: Row, name: str) -> float:
    """Return the sum of a figure over all rounds."""
    return sum(row.by_round(name).values())

"""With the GIL and without it: what it costs and saves, the same work in every model, and a shared iterator."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from benchmarks.goals import by_round
from benchmarks.report import together, words
from benchmarks.report.bars import Bar, Key, Panel
from benchmarks.report.bars import drawing as bars_drawing
from benchmarks.report.builds import comparison
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.dots import Dot, drawing
from benchmarks.report.grid import Grid
from benchmarks.report.grid import drawing as grid_drawing
from benchmarks.report.ranks import between, leaders, names
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row

TITLE = "What the GIL costs, and what it saves"
WORKS_TITLE = "Computing, waiting and a shared buffer, with the GIL and without it"
WORKS_NOTE = (
    "Computing is called cpu here, waiting io. Each of the first columns is the whole life of a pool, its start and its"
    " end included; one that is called warm is a task in a pool that is there already."
)
RACE_TITLE = "The race of a shared iterator"
MEMORY = "bytes_per_unit"


@dataclass(frozen=True)
class Pair:
    """What was measured under both Pythons: its dot, the rows of the first one, and its figure under each in words."""

    dot: Dot
    rows: list[Row]
    figures: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Group:
    """Rows of one cell that stand together."""

    title: str
    suite: str
    cell: str
    candidates: tuple[str, ...]
    figure: str = "seconds"


POOLS = ("threads", "processes", "subinterp", "asyncio")
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
ONE_THREADED = ("greenlet", "asyncio")
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


def charts(results: Results, one: str, other: str) -> Iterator[Chart | Absent]:
    """Return the charts of a Python with the GIL and one without it."""
    yield ratios(results, one, other)
    yield works(results, one, other)
    yield race(results, one, other)


def ratios(results: Results, one: str, other: str) -> Chart | Absent:
    """Return the chart of how many times as fast, or as small, the one without the GIL is."""
    found = [*grouped(results, one, other), *classics(results, one, other)]
    if not found:
        return Absent(TITLE, f"nothing was measured under {one} and under {other}")
    dots, rows = [it.dot for it in found], [row for it in found for row in it.rows]
    below = f"times as fast, or as small, on {other} (log)"
    says = f"{moved(dots)}. {extremes(results, dots, one, other)} {comparison(results, one, other)}"
    return Chart(
        f"gil-{other}", TITLE, moved(dots), says, command_for(results, rows), drawing(dots, below),
        pairs_sheet(found, one, other),
    )  # fmt: skip


def moved(dots: list[Dot]) -> str:
    """Say how many figures are better without the GIL in every round, and how many worse."""
    better, worse = sum(dot.low > 1 for dot in dots), sum(dot.high < 1 for dot in dots)
    return f"Without the GIL, {better} of {len(dots)} figures are better in every round, {worse} worse"


def grouped(results: Results, one: str, other: str) -> Iterator[Pair]:
    """Yield what stands in the groups and was measured under both."""
    for group in GROUPS:
        for name in group.candidates:
            first, second = (results.row(group.suite, group.cell, name, python) for python in (one, other))
            if first and second and (values := by_round(second, first, group.figure)):
                model = first.model if first.kind == "model" else None
                figures = written(first, group.figure), written(second, group.figure)
                yield Pair(dot(group.title, name, [*values.values()], model), [first], figures)


def written(row: Row, figure: str) -> str:
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
            yield Pair(dot(ONE_THREAD, name, means, name), [first for first, _ in pairs])


def dot(group: str, label: str, values: list[float], model: str | None) -> Dot:
    """Return the dot of these ratios."""
    return Dot(group, label, statistics.median(values), min(values), max(values), model=model)


def extremes(results: Results, dots: list[Dot], one: str, other: str) -> str:
    """Say what lies farthest to the right and to the left, and what a thread takes of memory."""
    memory = GROUPS[-1]
    times = [it for it in dots if it.group != memory.title]
    text = ""
    if times:
        best, worst = max(times, key=lambda it: it.value), min(times, key=lambda it: it.value)
        text = (
            f"Farthest to the right, {best.label} ({best.group}) {words.takes(1 / best.value)}."
            f" Farthest to the left, {worst.label} ({worst.group}) {words.takes(1 / worst.value)}."
        )
    rows = [results.row(memory.suite, memory.cell, "threads", python) for python in (one, other)]
    sizes = [row.figure(MEMORY) for row in rows if row]
    if len(sizes) == len(rows) and all(sizes):
        first, second = (words.size(it or 0) for it in sizes)
        text += f" A thread among 300 takes {first} of memory under {one}, {second} under {other}."
    return text.strip()


def pairs_sheet(pairs: list[Pair], one: str, other: str) -> Sheet:
    """Return the same as a table, with the figures themselves."""
    lines = [
        [it.dot.group, it.dot.label, *it.figures, *map(words.plain, (it.dot.value, it.dot.low, it.dot.high))]
        for it in pairs
    ]
    return Sheet(["what", "", one, other, "times as fast, or as small", "from", "to"], lines, left=2)


def works(results: Results, one: str, other: str) -> Chart | Absent:
    """Return the table of three works under threads, processes, interpreters and asyncio, on both Pythons."""
    rows = {title: found for title, cell in WORKS.items() if (found := workers(results, cell, one, other))}
    if not rows:
        return Absent(WORKS_TITLE, "none of the works was measured under both")
    every = [row for found in rows.values() for row in found]
    values = {(row.candidate, title): row for title, found in rows.items() for row in found}
    names = sorted({name for name, _ in values}, key=place)
    draw = grid_drawing(Grid(names, [*rows], {at: row.median for at, row in values.items()}, words.duration))
    sheet = Sheet(["", *rows], [[name, *(spread(values.get((name, title))) for title in rows)] for name in names])
    return Chart(
        f"works-{other}", WORKS_TITLE, gained(results, one, other), fastest(rows), command_for(results, every), draw,
        sheet, WORKS_NOTE,
    )  # fmt: skip


def gained(results: Results, one: str, other: str) -> str:
    """Say what a warm pool of threads that compute gains over one thread of the same Python, which is asyncio's."""
    each = []
    for python in (one, other):
        several, alone = (results.row("pool", "cpu", name, python) for name in ("threads", "asyncio"))
        if not several or not alone or not (ratios := by_round(several, alone).values()):
            return "Three kinds of work, with the GIL and without it"
        each.append(words.takes(1 / statistics.median(ratios)))
    return f"With the GIL, computing in threads {each[0]} as in one thread; without it, it {each[1]}"


def workers(results: Results, cell: tuple[str, str], one: str, other: str) -> list[Row]:
    """Return the rows of a work, the fastest first, if both Pythons have some."""
    rows = [row for row in together.of(results, *cell) if row.model in POOLS and row.kind == "model"]
    rows = [row for row in rows if row.python in (one, other)]
    return rows if {row.python for row in rows} == {one, other} else []


def place(name: str) -> tuple[int, str]:
    """Return the position of a row: by model, and the first Python before the other."""
    return POOLS.index(name.partition(",")[0]), name


def spread(row: Row | None) -> str:
    """Return a median with its spread."""
    return f"{words.duration(row.median)} ({words.duration(row.least)} to {words.duration(row.most)})" if row else ""


def fastest(rows: dict[str, list[Row]]) -> str:
    """Say which are the fastest in each column, and how far the last one is behind."""
    parts = [
        f"{title}: {names(leaders(found))}, {between(leaders(found))}"
        f" ({found[-1].candidate} {words.takes(found[-1].median / found[0].median)})"
        for title, found in rows.items()
    ]
    return f"The fastest of each column are, for {'; '.join(parts)}."


def race(results: Results, one: str, other: str) -> Chart | Absent:
    """Return the chart of how often a shared iterator goes wrong."""
    rows = [
        together.named(results, row)
        for first in in_order(results, one)
        for python in (one, other)
        if (row := results.row("gil", "iterator", first.candidate, python))
    ]
    if not any(row.python == other for row in rows):
        return Absent(RACE_TITLE, f"gil/iterator was not measured under {one} and {other}")
    bars = [wrong_bar(row) for row in rows]
    panel = Panel("", bars, "wrong steps in a million", words.rate, log=False)
    lines = [race_line(row) for row in rows]
    head = ["four threads share", "wrong in a million steps", "from", "to", "refused", "lost", "races", "crashes"]
    sheet = Sheet([*head, "time per step", "from", "to"], lines)
    draw = bars_drawing([panel], Key([]))
    return Chart(
        f"iterator-{other}", RACE_TITLE, wrong_ones(rows, one, other), went_wrong(rows, one, other),
        command_for(results, rows), draw, sheet,
    )  # fmt: skip


def wrong_ones(rows: list[Row], one: str, other: str) -> str:
    """Say how many of the iterators went wrong under each Python."""
    wrong = {python: sum(row.python == python and worst_of(row) > 0 for row in rows) for python in (one, other)}
    total = sum(row.python == other for row in rows)
    return f"Of {total} shared iterators, {wrong[one]} went wrong with the GIL and {wrong[other]} without it"


def in_order(results: Results, python: str) -> list[Row]:
    """Return the rows of the race in the order of the suite, which is that in which they were measured first."""
    return [row for row in results.rows if (row.suite, row.cell, row.python) == ("gil", "iterator", python)]


def wrong_bar(row: Row) -> Bar:
    """Return the bar of one iterator; one without the GIL has the threads' colour."""
    values = row.by_round("wrong_per_million").values()
    kind = "baseline" if row.gil else "model"
    return Bar(row.candidate, statistics.median(values), row.model, min(values), max(values), kind=kind)


def race_line(row: Row) -> list[str]:
    """Return the line of one iterator."""
    wrong = row.by_round("wrong_per_million").values()
    counts = [f"{sum(row.by_round(name).values()):,.0f}" for name in ("races", "crashes")]
    times = [words.duration(it) for it in (row.median, row.least, row.most)]
    figures = [words.plain(it) for it in (statistics.median(wrong), min(wrong), max(wrong))]
    others = [words.plain(row.figure(f"{name}_per_million") or 0) for name in ("refused", "lost")]
    return [row.candidate, *figures, *others, *counts, *times]


def went_wrong(rows: list[Row], one: str, other: str) -> str:
    """Say how many iterators went wrong at all under each Python, and how many races ended their process."""
    parts = []
    for python in (one, other):
        own = [row for row in rows if row.python == python]
        wrong = [row for row in own if max(row.by_round("wrong_per_million").values()) > 0]
        parts.append(f"under {python}, {len(wrong)} of {len(own)} were wrong at least once")
    worst = max(rows, key=worst_of)
    text = f"Of the iterators that four threads shared, {words.listing(parts)}."
    if worst_of(worst):
        steps = words.plain(worst_of(worst))
        text += f" The worst round was of {worst.candidate}: {steps} wrong steps in a million."
    return f"{text} {crashes(rows)}"


def crashes(rows: list[Row]) -> str:
    """Say how many races ended their process, and those of which iterators."""
    races, crashed = (sum(sum(row.by_round(name).values()) for row in rows) for name in ("races", "crashes"))
    names = [row.candidate for row in rows if sum(row.by_round("crashes").values())]
    of_which = f", of {words.listing(names)}" if names else ""
    return f"Of {races:,.0f} races, {crashed:,.0f} crashed Python{of_which}."


def worst_of(row: Row) -> float:
    """Return the wrong steps in a million, in the worst round."""
    return max(row.by_round("wrong_per_million").values())


__all__ = ["charts"]

"""The shapes that programs have: where ours is faster, and where what ships is."""

from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.disturbance import marked
from benchmarks.report import grid, lines, words
from benchmarks.report.chart import Absent, Chart, command_for, table
from benchmarks.report.grid import Grid
from benchmarks.report.lines import Part
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row
from benchmarks.rounds import Interval, compared
from benchmarks.suites.shapes import BETWEEN, COMPILED, EXECUTORS, INSIDE, ITEMS, QUEUES, slug

SUITE = "shapes"
HELD = QUEUES | EXECUTORS
BEHIND = {False: 0.95, True: 0.7}
"""A ratio below this is told, by whether what ships is compiled."""
FORMS = {
    "chain": "{tasks} in a row",
    "fan-in": "{tasks} into one",
    "fan-out": "one to {tasks}",
    "crowd": "a crowd of {tasks}",
    "pairs": "{tasks} in pairs",
}
SIZES = ("int", "10 kB", "60 kB", "250 kB", "1 MB")
"""A number, and bytes of growing sizes."""
HAND_OFF = "hand-off: ours wakes the task that has waited longest, for each item; there one task goes on as it can"
IN_C = "compiled: one Python function around each operation takes about as long as the operation itself"
UNKNOWN = "not known"
CROWDED = 100
"""With so many senders and a capacity, it is told whose turn comes when."""


class Pair(NamedTuple):
    """A model beside what ships with it, in one cell."""

    ours: Row
    theirs: Row
    ratio: Interval

    @property
    def is_behind(self) -> bool:
        """Whether ours is slower by more than a little, as far as rounds can tell."""
        return self.ratio.below(BEHIND[self.theirs.candidate in COMPILED])


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the pictures and the table of turns; a result without the suite has neither them nor a reason."""
    if SUITE in results.suites:
        pairs = list(pairs_of(results))
        inside = [it for it in pairs if it.ours.candidate in INSIDE and it.ours.step == "hop"]
        between = [it for it in pairs if it not in inside]
        yield chart(results, "shapes", "Shapes within a process: where what ships is faster", inside)
        yield chart(results, "shapes-between", "Between processes, and in pools: where what ships is faster", between)
        yield sizes(results)
        yield turns(results)
        yield exceptions(results, [it for it in pairs if it.is_behind])


def pairs_of(results: Results) -> Iterator[Pair]:
    """Yield every model beside what ships with it, cell by cell."""
    for cell in results.cells(SUITE):
        for name, models in HELD.items():
            for model in models:
                ours, theirs = (results.row(SUITE, cell, it) for it in (model, name))
                if ours and theirs and (ratio := compared(ours, theirs)):
                    yield Pair(ours, theirs, ratio)


def chart(results: Results, name: str, title: str, pairs: list[Pair]) -> Chart | Absent:
    """Return the picture of these pairs, with a grid for each kind of work."""
    if not pairs:
        return Absent(title, "no model was measured beside what ships with it")
    kinds = {"a call": [it for it in pairs if it.ours.step == "call"]}
    kinds |= {model: [it for it in pairs if it.ours.candidate == model and it.ours.step == "hop"] for model in BETWEEN}
    rest = [it for it in pairs if not any(it in some for some in kinds.values())]
    titles = {"a call": "A call in a pool of one worker"} | {it: f"{it}, against" for it in BETWEEN}
    grids = [grid_of("", rest)] if rest else []
    grids += [grid_of(titles[it], kinds[it]) for it in (*BETWEEN, "a call") if kinds[it]]
    rows = [row for it in pairs for row in (it.ours, it.theirs)]
    note = "A figure says how many times as fast ours is: below 1, what ships is faster."
    text = f"{counts(pairs)}."
    return Chart(
        name, title, counts(pairs), f"{text} {losses(pairs)}".strip(), command_for(results, rows), grid.drawing(grids),
        sheet(pairs), note,
    )  # fmt: skip


def grid_of(title: str, pairs: list[Pair]) -> Grid:
    """Return a grid with a line for each shape, and a column for each thing that ships."""
    columns = list(dict.fromkeys(name for name in HELD for it in pairs if it.theirs.candidate == name))
    found = {(label(it.ours), it.theirs.candidate): it.ratio for it in pairs}
    labels = dict.fromkeys(label(it.ours) for it in pairs)
    return Grid(title, columns, [(line, [found.get((line, column)) for column in columns]) for line in labels])


def label(row: Row) -> str:
    """Return a shape, or an item, in a few words: `100 in a row, 8 in flight`."""
    its = row.parameters
    if row.step == "call":
        return str(its["item"])
    if row.cell.startswith("item-"):
        return f"item: {its['item']}"
    tasks = FORMS[str(its["form"])].format(tasks=words.value(its["tasks"]))
    if its["capacity"] != "inf":
        return f"{tasks}, capacity {its['capacity']}"
    return f"{tasks}, {its['in_flight']} in flight" if its["form"] == "chain" else tasks


def counts(pairs: list[Pair]) -> str:
    """Say in how many pairs which side is faster, as far as rounds can tell."""
    states = [grid.state(it.ratio) for it in pairs]
    text = f"Of {len(pairs)} pairs, ours is faster in {states.count('good')}"
    return f"{text}, what ships in {states.count('bad')}; {states.count('')} are undecided"


def losses(pairs: list[Pair]) -> str:
    """Say where ours is farther behind than a little, by what ships."""
    found: dict[str, list[Pair]] = {}
    for it in pairs:
        if it.is_behind:
            found.setdefault(it.theirs.candidate, []).append(it)
    least = {name: min(some, key=lambda it: it.ratio.median) for name, some in found.items()}
    each = [
        f"{name} in {len(found[name])} (at most: {label(it.ours)}, {words.plain(float(f'{it.ratio.median:.2g}'))})"
        for name, it in least.items()
    ]
    return f"Ahead of ours by more than a little are: {'; '.join(each)}." if each else ""


def sheet(pairs: list[Pair]) -> Sheet:
    """Return a table of the pairs: times, CPU times, ratios."""
    head = ["", "ours", "against", "ours takes", "that takes", "times as fast", "from", "to", "our CPU", "its CPU"]
    lines = [
        [
            label(it.ours),
            *(marked(row.candidate, row) for row in (it.ours, it.theirs)),
            *(words.duration(row.median) for row in (it.ours, it.theirs)),
            *(words.plain(float(f"{value:.2g}")) for value in it.ratio[:3]),
            *(words.duration(row.figure("cpu_s_per_step") or 0) for row in (it.ours, it.theirs)),
        ]
        for it in pairs
    ]
    return Sheet(head, lines, left=3)


def sizes(results: Results) -> Chart | Absent:
    """Return the chart of an item by its size: what lies between two memories is copied."""
    title = "The size of an item: between processes and interpreters it is copied"
    found = by_size(results)
    if not found:
        return Absent(title, "nothing was measured with items of every size")
    grown = {name: curve[-1].median / curve[0].median for name, curve in found.items()}
    most, least = max(grown, key=lambda name: grown[name]), min(grown, key=lambda name: grown[name])
    takeaway = f"An item of {SIZES[-1]} through {most} {words.takes(grown[most])} as an int"
    takeaway += "" if most == least else f", through {least} it {words.takes(grown[least])}"
    times = {name: [words.duration(row.median) for row in curve] for name, curve in found.items()}
    alt = f"{takeaway}. An item takes, from an int to {SIZES[-1]}:"
    alt += f" {'; '.join(f'{name} {" to ".join((its[0], its[-1]))}' for name, its in times.items())}."
    command = command_for(results, [row for curve in found.values() for row in curve])
    table = Sheet(["", *SIZES], [[name, *its] for name, its in times.items()])
    note = "Queue, SimpleQueue and Pipe are those of multiprocessing."
    return Chart("shapes-sizes", title, takeaway, alt, command, lines.drawing([curves(found)], across=1), table, note)


def by_size(results: Results) -> dict[str, list[Row]]:
    """Return the rows of what was measured with items of every size, by its name, models first."""
    cells = [results.of(SUITE, f"item-{slug(size)}") for size in SIZES]
    found: dict[str, list[Row]] = {}
    for rows in cells:
        for row in sorted(rows, key=lambda row: (row.kind, row.candidate)):
            found.setdefault(row.candidate, []).append(row)
    return {name: curve for name, curve in found.items() if len(curve) == len(SIZES)}


def curves(found: dict[str, list[Row]]) -> Part:
    """Return the lines of these rows; only models have a colour."""
    places = [float(ITEMS[size]) for size in SIZES]
    ticks = dict(zip(places, SIZES, strict=True))
    short = {name.removeprefix("multiprocessing."): curve for name, curve in found.items()}
    shown = {name: list(zip(places, (row.median for row in curve), strict=True)) for name, curve in short.items()}
    models = {name: name if name in BETWEEN else "" for name in shown}
    below, across = "an int, and bytes", "time per item (log)"
    return Part("An item", shown, {}, below, across, words.duration, ticks.__getitem__, models=models)


def turns(results: Results) -> Chart | Absent:
    """Return the table of many senders into one small channel: how long an item takes, and whose turn comes when."""
    title = "Many senders, one small channel: whose turn it is"
    rows = [row for row in results.rows if row.suite == SUITE and row.figure("in_a_row") is not None]
    rows = [row for row in rows if row.parameters["tasks"] > CROWDED]
    if not rows:
        return Absent(title, "nothing with so many senders was measured")
    lines = [
        [
            row.candidate,
            words.duration(row.median),
            words.duration(row.figure("cpu_s_per_step") or 0),
            words.plain(row.figure("in_a_row") or 0),
            words.plain(row.figure("longest_gap") or 0),
        ]
        for row in sorted(rows, key=lambda row: (row.model or "", row.kind))
    ]
    by_row = [row.figure("in_a_row") or 0 for row in rows]
    takeaway = f"Before another sender's turn comes, one sends {words.span(by_row, words.plain)} items in a row"
    head = ["", "time per item", "CPU per item", "items in a row", "longest wait, in items of others"]
    return table("shapes-turns", title, takeaway, results, rows, Sheet(head, lines), f"{label(rows[0])}.")


def exceptions(results: Results, pairs: list[Pair]) -> Chart | Absent:
    """Return the table of the pairs in which ours is behind by more than a little, each with the reason."""
    title = "Where ours is behind by more than a little, and why"
    if not pairs:
        return Absent(title, "ours is nowhere behind by more than a little")
    lines = [
        [
            f"a call with {label(it.ours)}" if it.ours.step == "call" else label(it.ours),
            it.ours.candidate,
            it.theirs.candidate,
            why_behind(it),
            *(words.plain(float(f"{value:.2g}")) for value in it.ratio[:3]),
        ]
        for it in sorted(pairs, key=lambda it: (it.theirs.candidate in COMPILED, why_behind(it), it.ratio.median))
    ]
    written = [it for it in pairs if it.theirs.candidate not in COMPILED]
    takeaway = (
        f"In {len(pairs)} pairs ours is behind by more than a little, in {len(written)} of them against what is "
        "written in Python"
    )
    head = ["", "ours", "against", "why", "times as fast", "from", "to"]
    note = f"By more than a little: below {BEHIND[False]}, and below {BEHIND[True]} against what is compiled."
    rows = [row for it in pairs for row in (it.ours, it.theirs)]
    return table("shapes-behind", title, takeaway, results, rows, Sheet(head, lines, left=4), note)


def why_behind(pair: Pair) -> str:
    """Return why what ships is faster here, as far as that is known."""
    its = pair.ours.parameters
    bounded = its.get("capacity") != "inf"
    if pair.ours.step == "hop" and (its["form"] == "fan-out" or (bounded and its["form"] in ("fan-in", "crowd"))):
        return HAND_OFF
    return IN_C if pair.theirs.candidate in COMPILED else UNKNOWN

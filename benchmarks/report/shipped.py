"""What ships beside what is built for it: the queue or pool that comes with a model, and ours.

Their distance says how much of a cost is the queue; what the best channels of all models differ in is the model.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.report import together, words
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.pairs import Pair
from benchmarks.report.pairs import drawing as pairs_drawing
from benchmarks.report.polling import EVERY, polls
from benchmarks.report.ranks import between, faster, in_order
from benchmarks.report.sheet import Sheet
from benchmarks.report.slopes import Panel, Slope
from benchmarks.report.slopes import drawing as slopes_drawing
from benchmarks.result import Results, Row

CHANNELS = {
    "threads": "queue.Queue",
    "processes": "multiprocessing.Queue",
    "subinterp": "interpreters.Queue",
    "gevent": "gevent.queue.Queue",
    "eventlet": "eventlet.Queue",
    "asyncio": "asyncio.Queue",
    "trio": "trio memory channel",
    "anyio": "anyio stream",
}
"""The queue that comes with Python or with the library; nothing ships with the other models."""
POOLS = {
    "threads": "ThreadPoolExecutor",
    "processes": "ProcessPoolExecutor, chunks of 1",
    "subinterp": "InterpreterPoolExecutor",
    "gevent": "gevent.pool.Pool.map",
    "eventlet": "eventlet.GreenPool.imap",
    "asyncio": "asyncio.gather, slices of 100",
    "trio": "trio nursery, CapacityLimiter",
}
"""The pool, or what one writes where there is none; `map` of a ProcessPoolExecutor sends single tasks unless told."""
SHIPS = "what ships with it"
HIGHLIGHTED = "threads"


@dataclass(frozen=True)
class Both:
    """A model's own row, and the row of what ships with it if that was measured."""

    built: Row
    ships: Row | None


@dataclass(frozen=True)
class Cell:
    """A piece of work that was measured with what ships and with what is built for it."""

    name: str
    suite: str
    cell: str
    title: str
    what: str
    step: str
    kind: str


CELLS = (
    Cell("shipped-stream", "ring", "stream", "Streaming: the model, and the queue", "streaming", "hop", "channel"),
    Cell("shipped-token", "ring", "token", "Waking: the model, and the queue", "waking a task", "hop", "channel"),
    Cell("shipped-pool", "pool", "nothing", "An empty task: the model, and the pool", "an empty task", "task", "pool"),
)


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the slopes from streaming to waking, and the pairs of each cell."""
    yield slope(results)
    for cell in CELLS:
        yield pairs(results, cell)


def both(results: Results, suite: str, cell: str, python: str | None = None) -> list[Both]:
    """Return the models of a cell under one Python (the first), the fastest first, each with what ships with it."""
    known = CHANNELS if suite == "ring" else POOLS
    rows = [row for row in results.of(suite, cell, python) if row.kind == "model"]
    found = [Both(row, results.row(suite, cell, known.get(row.candidate, ""), row.python)) for row in rows]
    return [Both(together.named(results, it.built), it.ships) for it in found]


def pairs(results: Results, cell: Cell) -> Chart | Absent:
    """Return the chart with two marks for each model."""
    under_each = [it for python in results.pythons for it in both(results, cell.suite, cell.cell, python)]
    found = sorted(under_each, key=lambda it: it.built.median)
    if not any(it.ships for it in found):
        return Absent(cell.title, f"nothing that ships with a model was measured in {cell.suite}/{cell.cell}")
    rows = [row for it in found for row in (it.built, it.ships) if row]
    draw = pairs_drawing(
        [pair(it) for it in found], (SHIPS, f"a {cell.kind} built for it"), f"time per {cell.step} (log)"
    )
    return Chart(
        cell.name, cell.title, gap(found, cell), says(found, cell), command_for(results, rows), draw, sheet(found)
    )


def pair(it: Both) -> Pair:
    """Return the two marks of a model."""
    marks = [(row.median, row.least, row.most) if row else None for row in (it.ships, it.built)]
    return Pair(it.built.candidate, it.built.model, marks[0], marks[1])


def gap(found: list[Both], cell: Cell) -> str:
    """Say how far models are apart with what ships, and with what is built for them."""
    with_queue = [(it.ships, it.built) for it in found if it.ships]
    compared = [it for it in with_queue if not polls(cell.cell, it[0].candidate)] or with_queue
    polling = dict.fromkeys(it[0].candidate for it in with_queue if it not in compared)
    ships, built = (apart([*rows]) for rows in zip(*compared, strict=True))
    each = f"with a {cell.kind} built for each, {built}"
    but = f" (without {words.listing(polling)}, {EVERY})" if polling else ""
    return f"{cell.what.capitalize()}: with what ships, models lie a factor of {ships} apart{but}; {each}"


def apart(rows: list[Row]) -> str:
    """Return the ratio of the slowest to the fastest in words."""
    ordered = in_order(rows)
    return words.times(ordered[-1].median / ordered[0].median).removesuffix(" times")


def says(found: list[Both], cell: Cell) -> str:
    """Return both figures of each model, and where what ships is faster."""
    ships = [
        f"{it.built.candidate} {words.duration(it.ships.median)} and {words.duration(it.built.median)}"
        for it in found
        if it.ships
    ]
    alone = [f"{it.built.candidate} {words.duration(it.built.median)}" for it in found if not it.ships]
    text = f"A {cell.step} with what ships, and with a {cell.kind} built for it: {'; '.join(ships)}."
    text += f" With one built for it alone, since nothing ships: {words.listing(alone)}." if alone else ""
    quicker = [it.built.candidate for it in found if it.ships and faster(it.ships, it.built)]
    return f"{text} Faster with what ships in every round: {words.listing(quicker)}." if quicker else text


def sheet(found: list[Both]) -> Sheet:
    """Return both figures and their ratio for each model."""
    lines = []
    for it in found:
        ships = [it.ships.candidate, words.duration(it.ships.median)] if it.ships else ["nothing", ""]
        lines.append([it.built.candidate, *ships, words.duration(it.built.median), in_times(it)])
    return Sheet(["", "ships with it", "with that", "built for it", "what ships takes"], lines, left=2)


def in_times(it: Both) -> str:
    """Return how many times as long it takes with what ships, as far as the spreads allow it."""
    if not it.ships:
        return ""
    ratio = it.ships.median / it.built.median
    return words.times(ratio) if faster(it.built, it.ships) or faster(it.ships, it.built) else "no difference"


def slope(results: Results) -> Chart | Absent:
    """Return the chart of two panels: from streaming to waking with what is built for each model, and with what
    ships."""
    title = "From streaming to waking"
    cells = [{it.built.candidate: it for it in both(results, "ring", cell)} for cell in ("stream", "token")]
    names = [name for name in cells[0] if name in cells[1]]
    if len(names) < 2:
        return Absent(title, "the ring was not measured both ways with two models")
    built = [slope_of(name, cells[0][name].built, cells[1][name].built) for name in names]
    ships = [
        slope_of(name, first, second)
        for name in names
        if (first := cells[0][name].ships) and (second := cells[1][name].ships)
    ]
    panels = [Panel("With a channel built for it", built)] + ([Panel("With what ships", ships)] if ships else [])
    rows = [row for cell in cells for name in names for row in (cell[name].built, cell[name].ships) if row]
    ends = ("task is awake", "has to be woken")
    return Chart(
        "slope", title, fall(cells), told(panels), command_for(results, rows),
        slopes_drawing(panels, ends, "time per message (log)"), slope_sheet(panels),
    )  # fmt: skip


def slope_of(name: str, first: Row, second: Row) -> Slope:
    """Return the line of one model."""
    return Slope(name, first.model, first.median, second.median, highlighted=name == HIGHLIGHTED)


def fall(cells: list[dict[str, Both]]) -> str:
    """Say in words of everyday what a message takes in either case, from the fastest model to the slowest."""
    awake, asleep = (between([it.built for it in cell.values()]) for cell in cells)
    return (
        f"With a channel built for each model, a message to a task that is awake takes {awake};"
        f" to one that has to be woken, {asleep}"
    )


def told(panels: list[Panel]) -> str:
    """Return each panel in a sentence, for those who don't see it."""
    return " ".join(
        f"{panel.title}: "
        + "; ".join(
            f"{it.name} from {words.duration(it.first)} to {words.duration(it.second)}"
            for it in sorted(panel.slopes, key=lambda it: it.second)
        )
        + "."
        for panel in panels
    )


def slope_sheet(panels: list[Panel]) -> Sheet:
    """Return the two ends of all lines."""
    lines = [
        [panel.title, it.name, words.duration(it.first), words.duration(it.second)]
        for panel in panels
        for it in panel.slopes
    ]
    return Sheet(["", "model", "task is awake", "has to be woken"], lines, left=2)


__all__ = ["CHANNELS", "POOLS", "both", "charts"]

"""The queue or pool that ships with a model, beside what is built for it here.

Their distance says how much of a cost is the queue; what the best channels of all models differ in is the model.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.peers import polls
from benchmarks.report import candidates, lines, words
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.lines import Part
from benchmarks.report.polling import EVERY
from benchmarks.report.ranking import between, in_order, less
from benchmarks.report.rows import Entry, Panel, Point, drawing
from benchmarks.report.sheet import Sheet
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
HIGHLIGHTED = "threads"
ENDS = ("task is awake", "has to be woken")
"""What the two ends of a slope are."""


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


def with_shipped(results: Results, suite: str, cell: str, python: str | None = None) -> list[Both]:
    """Return the models of a cell under one Python (the first), the fastest first, each with what ships with it."""
    known = CHANNELS if suite == "ring" else POOLS
    rows = [row for row in results.of(suite, cell, python) if row.kind == "model"]
    found = [Both(row, results.row(suite, cell, known.get(row.candidate, ""), row.python)) for row in rows]
    return [Both(candidates.named(results, it.built), it.ships) for it in found]


def pairs(results: Results, cell: Cell) -> Chart | Absent:
    """Return the chart with two marks for each model."""
    under_each = [it for python in results.pythons for it in with_shipped(results, cell.suite, cell.cell, python)]
    found = sorted(under_each, key=lambda it: it.built.median)
    if not any(it.ships for it in found):
        return Absent(cell.title, f"nothing that ships with a model was measured in {cell.suite}/{cell.cell}")
    rows = [row for it in found for row in (it.built, it.ships) if row]
    below, heads = f"time per {cell.step} (log)", ("ships", "built")
    panel = Panel("", [entry(it) for it in found], below, words.duration, heads=heads)
    draw = drawing([panel], {"ships": "what ships with it", "built": f"a {cell.kind} built for it"})
    return Chart(
        cell.name, cell.title, gap(found, cell), alt_text(found, cell), command_for(results, rows), draw, sheet(found)
    )


def entry(it: Both) -> Entry:
    """Return the two marks of a model, with a line between them."""
    rows = {style: row for style, row in (("ships", it.ships), ("built", it.built)) if row}
    marks = [Point(style, (row.median,), (row.least, row.most)) for style, row in rows.items()]
    gap = Point("gap", tuple(row.median for row in rows.values()))
    texts = words.duration(it.ships.median) if it.ships else "nothing", words.duration(it.built.median)
    return Entry(it.built.candidate, it.built.model, (gap, *marks), texts=texts)


def gap(found: list[Both], cell: Cell) -> str:
    """Say how far models are apart with what ships, and with what is built for them."""
    with_queue = [(it.ships, it.built) for it in found if it.ships]
    compared = [it for it in with_queue if not polls(cell.cell, it[0].candidate)] or with_queue
    polling = dict.fromkeys(it[0].candidate for it in with_queue if it not in compared)
    ships, built = (factor_between([*rows]) for rows in zip(*compared, strict=True))
    each = f"with a {cell.kind} built for each, {built}"
    but = f" (without {words.listing(polling)}, {EVERY})" if polling else ""
    return f"{cell.what.capitalize()}: with what ships, models lie a factor of {ships} apart{but}; {each}"


def factor_between(rows: list[Row]) -> str:
    """Return the ratio of the slowest to the fastest in words."""
    ordered = in_order(rows)
    return words.times(ordered[-1].median / ordered[0].median).removesuffix(" times")


def alt_text(found: list[Both], cell: Cell) -> str:
    """Return both figures of each model, and where what ships is faster."""
    ships = [
        f"{it.built.candidate} {words.duration(it.ships.median)} and {words.duration(it.built.median)}"
        for it in found
        if it.ships
    ]
    alone = [f"{it.built.candidate} {words.duration(it.built.median)}" for it in found if not it.ships]
    text = f"A {cell.step} with what ships, and with a {cell.kind} built for it: {'; '.join(ships)}."
    text += f" With one built for it alone, since nothing ships: {words.listing(alone)}." if alone else ""
    quicker = [it.built.candidate for it in found if it.ships and less(it.ships, it.built)]
    return f"{text} Faster with what ships: {words.listing(quicker)}." if quicker else text


def sheet(found: list[Both]) -> Sheet:
    """Return both figures and their ratio for each model."""
    lines = []
    for it in found:
        ships = [it.ships.candidate, words.duration(it.ships.median)] if it.ships else ["nothing", ""]
        lines.append([it.built.candidate, *ships, words.duration(it.built.median), times_as_long(it)])
    return Sheet(["", "ships with it", "with that", "built for it", "what ships takes"], lines, left=2)


def times_as_long(it: Both) -> str:
    """Return how many times as long it takes with what ships, as far as rounds tell them apart."""
    if not it.ships:
        return ""
    ratio = it.ships.median / it.built.median
    return words.times(ratio) if less(it.built, it.ships) or less(it.ships, it.built) else "undecided"


def slope(results: Results) -> Chart | Absent:
    """Return the chart of two panels: from streaming to waking with what is built for each model, and with what
    ships."""
    title = "From streaming to waking"
    cells = [{it.built.candidate: it for it in with_shipped(results, "ring", cell)} for cell in ("stream", "token")]
    names = [name for name in cells[0] if name in cells[1]]
    if len(names) < 2:
        return Absent(title, "the ring was not measured both ways with two models")
    built = {name: slope_of(*(cell[name].built for cell in cells)) for name in names}
    pairs = {name: (cells[0][name].ships, cells[1][name].ships) for name in names}
    ships = {name: slope_of(first, second) for name, (first, second) in pairs.items() if first and second}
    both_parts = (("With a channel built for it", built), ("With what ships", ships))
    parts = [part(title, slopes) for title, slopes in both_parts if slopes]
    rows = [row for cell in cells for name in names for row in (cell[name].built, cell[name].ships) if row]
    awake, asleep = (between([it.built for it in cell.values()]) for cell in cells)
    takeaway = (
        f"With a channel built for each model, a message to a task that is awake takes {awake};"
        f" to one that has to be woken, {asleep}"
    )
    command, draw = command_for(results, rows), lines.drawing(parts)
    return Chart("slope", title, takeaway, summary(parts), command, draw, slope_sheet(parts))


def slope_of(first: Row, second: Row) -> lines.Line:
    """Return the line of one model."""
    return [(0, first.median), (1, second.median)]


def part(title: str, slopes: dict[str, lines.Line]) -> Part:
    """Return one of the two small pictures."""
    return Part(
        title, slopes, {}, "", "time per message (log)", words.duration, lambda place: ENDS[int(place)],
        slopes=True, thick=HIGHLIGHTED,
    )  # fmt: skip


def summary(parts: list[Part]) -> str:
    """Return each picture in a sentence, for those who don't see it."""
    return " ".join(f"{it.title}: {'; '.join(ends_text(it))}." for it in parts)


def ends_text(part: Part) -> Iterator[str]:
    """Yield what each line of a picture says, the quickest to wake first."""
    for name, ((_, first), (_, second)) in sorted(part.shown.items(), key=lambda item: item[1][-1][1]):
        yield f"{name} from {words.duration(first)} to {words.duration(second)}"


def slope_sheet(parts: list[Part]) -> Sheet:
    """Return the two ends of all lines."""
    each = [(it.title, name, line) for it in parts for name, line in it.shown.items()]
    rows = [[title, name, *(words.duration(value) for _, value in line)] for title, name, line in each]
    return Sheet(["", "model", *ENDS], rows, left=2)

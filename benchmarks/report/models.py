"""The pictures of one model, for its own page: its rings beside baseline and peers, its tasks."""

from collections.abc import Iterator

from benchmarks.report import words
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.lines import Line, Part
from benchmarks.report.lines import drawing as lines_drawing
from benchmarks.report.polling import with_note
from benchmarks.report.ranking import less
from benchmarks.report.rows import Panel, bar, drawing
from benchmarks.report.sheet import Sheet, of_rows
from benchmarks.report.spawn import TIME, memory_of
from benchmarks.result import Results, Row

RINGS = {"stream": "everything in flight", "token": "one message in flight", "bounded": "at most 64 in each channel"}
WHEN = {
    "stream": "while messages wait",
    "bounded": "with 64 to a channel",
    "token": "when a task has to be woken",
}
HELD_AGAINST_LANGUAGES = "threads"
KEY = {
    "peer": "what one might pick instead",
    "language": "what one might pick instead",
    "baseline": "by hand (the baseline)",
}


def charts(results: Results, model: str) -> Iterator[Chart | Absent]:
    """Return all charts of one model."""
    yield rings(results, model)
    yield units(results, model)


def slug(model: str) -> str:
    """Return the name of a model as part of a file name."""
    return model.replace(":", "-")


def rings(results: Results, model: str) -> Chart | Absent:
    """Return the full rings: this model, its baseline, and what one might use instead."""
    title = f"{model}: the ring, beside code by hand and what one might pick instead"
    found = {cell: rows for cell in RINGS if (rows := own_rows(results, cell, model)) and has_model(rows)}
    if not found:
        return Absent(title, f"no full ring was measured on {model}")
    draw = drawing([panel(cell, rows) for cell, rows in found.items()], KEY)
    alt = " ".join(place_text(cell, rows) for cell, rows in found.items())
    command = command_for(results, [row for each in found.values() for row in each])
    return Chart(f"{slug(model)}-ring", title, both_hops(found, model), alt, command, draw, table(results, found))


def both_hops(found: dict[str, list[Row]], model: str) -> str:
    """Say what a hop takes while messages wait, and what it takes to wake a task."""
    own = {cell: next(row for row in rows if row.kind == "model") for cell, rows in found.items()}
    parts = [f"{words.duration(own[cell].median)} {when}" for cell, when in WHEN.items() if cell in own]
    return f"{model}: a hop takes {', '.join(parts)}"


def own_rows(results: Results, cell: str, model: str) -> list[Row]:
    """Return the rows that belong to a model; other languages belong to threads."""
    rows = results.of("ring", cell)
    return [row for row in rows if (row.model or HELD_AGAINST_LANGUAGES) == model and row.kind != "past"]


def has_model(rows: list[Row]) -> bool:
    """Return whether the model itself is among these rows."""
    return any(row.kind == "model" for row in rows)


def panel(cell: str, rows: list[Row]) -> Panel:
    """Return the panel of one ring; all have the same kind of axis, since they are read together."""
    return Panel(RINGS[cell], [bar(row, label=label(row)) for row in rows], "time per hop (log)", words.duration)


def label(row: Row) -> str:
    """Return the label of a row; a baseline is labelled as one."""
    return "by hand" if row.kind == "baseline" else row.candidate


def place_text(cell: str, rows: list[Row]) -> str:
    """Say how the model does in one ring."""
    own = next(row for row in rows if row.kind == "model")
    others = [row for row in rows if row is not own]
    text = f"With {RINGS[cell]}, a hop takes {words.duration(own.median)}"
    if not others:
        return f"{text}."
    beside = f"Beside it, {with_note(cell, label(others[0]))} {words.takes(others[0].median / own.median)}"
    if len(others) == 1:
        return f"{text}. {beside}."
    slower, quicker = (sum(it) for it in zip(*((less(own, row), less(row, own)) for row in others), strict=True))
    sides = f"{slower} slower, {quicker} faster, {len(others) - slower - quicker} undecided"
    return f"{text}; of the {len(others)} others here, {sides}. {beside}."


def table(results: Results, found: dict[str, list[Row]]) -> Sheet:
    """Return all rings in one table."""
    plain = of_rows(results, [row for rows in found.values() for row in rows])
    cells = [RINGS[cell] for cell, rows in found.items() for _ in rows]
    lines = [[cell, *rest] for cell, rest in zip(cells, plain.lines, strict=True)]
    return Sheet(["ring", *plain.head], lines, left=2)


def units(results: Results, model: str) -> Chart | Absent:
    """Return the chart of time and memory of a task against the number of tasks, with the baseline's."""
    title = f"{model}: what a task costs"
    sweep, baseline = (results.sweep("spawn", "units", name) for name in (model, f"baseline {model}"))
    if not sweep:
        return Absent(title, f"no tasks of {model} were started")
    memory = [(number, memory_of(row)) for number, row in sweep if memory_of(row) > 0]
    baseline_memory = [(number, memory_of(row)) for number, row in baseline if memory_of(row) > 0]
    parts = [growth(model, "time", [(n, row.median) for n, row in sweep], [(n, row.median) for n, row in baseline])]
    parts += [growth(model, "memory", memory, baseline_memory)] if memory else []
    number, row = sweep[-1]
    takes = f" and takes {words.size(memory[-1][1])}" if memory and memory[-1][0] == number else ""
    each = f"starts in {words.duration(row.median)}{takes}"
    takeaway = f"{model}: one of {TIME.tick(number)} {each}"
    alt = f"Among {TIME.tick(number)} tasks, one of {model} {each}{' of memory' if takes else ''}."
    rows = [row for _, row in (*sweep, *baseline)]
    draw = lines_drawing(parts, same_axis=False)
    note = "Dotted: the same by hand." if baseline else ""
    command = command_for(results, rows)
    return Chart(f"{slug(model)}-units", title, takeaway, alt, command, draw, units_sheet(rows), note)


def growth(model: str, what: str, shown: Line, baseline: Line) -> Part:
    """Return the values of time or of memory."""
    write = words.duration if what == "time" else words.size
    hand = {model: baseline} if baseline else {}
    return Part(what, {model: shown}, {}, TIME.below, f"{what} per task (log)", write, TIME.tick, True, by_hand=hand)


def units_sheet(rows: list[Row]) -> Sheet:
    """Return a table of time and memory for each number of tasks."""
    lines = [
        [
            label(row),
            f"{row.parameters['units']:,}",
            words.duration(row.median),
            words.size(memory_of(row)) if memory_of(row) > 0 else "",
        ]
        for row in rows
    ]
    return Sheet(["", "tasks", "time per task", "memory per task"], lines).without_empty()

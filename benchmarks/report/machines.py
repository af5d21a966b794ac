"""Results of several machines in one page: a column for each result and Python, and ratios only within a column.

    python -m benchmarks report mine.json theirs.json         build/report/index.html, tables/

Times of different machines stand beside each other in tables, never on one axis: what makes them differ is mostly the
machine. What can be compared is the order within each column, and the ratio to one candidate that all columns have.
Nothing here tells one machine from another by its name: a result has none.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from string import ascii_uppercase
from typing import Any

from benchmarks.report import words
from benchmarks.report.document import document
from benchmarks.report.facts import state
from benchmarks.report.ranking import are_ranked, leaders, names
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row
from benchmarks.rounds import compared

TITLE = "Python's concurrency models on several machines"
METHOD = (
    "A machine has a letter. Where it has several results, each has a number. Each column is one result under one"
    " Python. Its times are the medians of its rounds. Beside them stands how many times as fast that is as one"
    " candidate of the same column (for pools: as a plain loop), taken round by round. Compare these ratios, and the"
    " order, from one column to another. The times themselves differ because the machines do."
)
KINDS = ("model", "peer")
REFERENCE = "threads"
"""What the others of a column are held against, if all columns have it."""
OTHER_WORK = "other sizes"


@dataclass(frozen=True)
class Measured:
    """One result."""

    label: str
    """The letter of its machine, and a number where this machine has several results: `A`, `B2`."""
    name: str
    """That of its file."""
    results: Results


@dataclass(frozen=True)
class Column:
    """One result under one Python, with its rows of a cell by candidate."""

    label: str
    result: str
    rows: dict[str, Row]


def measured(named: Iterable[tuple[str, Results]]) -> list[Measured]:
    """Return the results with labels, those of one machine together."""
    by_machine: dict[tuple[Any, ...], list[tuple[str, Results]]] = {}
    for name, results in named:
        by_machine.setdefault(machine_of(results), []).append((name, results))
    found = []
    for place, own in enumerate(by_machine.values()):
        letter = ascii_uppercase[place] if place < len(ascii_uppercase) else f"M{place + 1}"
        for number, (name, results) in enumerate(own, 1):
            found.append(Measured(f"{letter}{number}" if len(own) > 1 else letter, name, results))
    return found


def machine_of(results: Results) -> tuple[Any, ...]:
    """Return what tells one machine from another: its processors, its memory, its system."""
    machine = results.about.get("machine", {})
    return machine.get("cpu_model"), machine.get("cpus"), machine.get("memory_bytes"), system(machine)


def system(machine: dict[str, Any]) -> str:
    """Return the platform without the C library, which is that of the Python."""
    return str(machine.get("platform") or "not known").partition("-with-")[0]


def about_sheet(every: list[Measured]) -> Sheet:
    """Return a table with a line for each result: the machine, the Pythons, the day."""
    head = ["", "result", "processors", "memory", "system", "Python", "measured on", "rows"]
    return Sheet(head, [about_line(it) for it in every], left=len(head) - 1)


def about_line(it: Measured) -> list[str]:
    """Return the line of one result."""
    about, machine = it.results.about, it.results.about.get("machine", {})
    processors = [f"{machine['cpus']} of" if machine.get("cpus") else "", str(machine.get("cpu_model") or "not known")]
    memory = words.size(machine["memory_bytes"]) if machine.get("memory_bytes") else "not known"
    pythons = ", ".join(map(python_of, about.get("pythons", {}).items())) or ", ".join(it.results.pythons)
    day = str(about.get("date", "not known")).partition("T")[0]
    return [
        it.label, it.name, " ".join(filter(None, processors)), memory, system(machine), pythons, day,
        f"{len(it.results.rows):,}",
    ]  # fmt: skip


def python_of(item: tuple[str, dict[str, Any]]) -> str:
    """Return the version of a Python, and that it has no GIL."""
    tag, about = item
    return f"{about.get('version', tag)}{'' if about.get('gil', True) else ' without the GIL'}"


def warnings(every: list[Measured]) -> Iterator[str]:
    """Yield what has to be known of a result before its figures: that it was quick, or not finished."""
    for it in every:
        for line in state(it.results):
            yield f"{it.label} ({it.name}): {line}"


def shared_cells(every: list[Measured]) -> list[tuple[str, str]]:
    """Return the cells in which at least two results have the same candidate."""
    cells = dict.fromkeys((row.suite, row.cell) for it in every for row in it.results.rows)
    return [cell for cell in cells if shared(columns(every, *cell))]


def columns(every: list[Measured], suite: str, cell: str) -> list[Column]:
    """Return the columns of a cell: one for each Python of each result that has rows in it."""
    found = []
    for it in every:
        for python in it.results.pythons:
            rows = [row for row in it.results.of(suite, cell, python) if row.kind in KINDS]
            if rows:
                found.append(Column(f"{it.label}, {python}", it.label, {row.candidate: row for row in rows}))
    return found


def shared(every: list[Column]) -> list[str]:
    """Return the candidates that at least two results have, in the order of the first column."""
    known = dict.fromkeys(name for column in every for name in column.rows)
    return [name for name in known if len({column.result for column in every if name in column.rows}) > 1]


def cell_sheet(every: list[Measured], suite: str, cell: str) -> Sheet | None:
    """Return the table of a cell, or None if no two results have a candidate of it in common."""
    found = columns(every, suite, cell)
    candidates = shared(found)
    if not candidates:
        return None
    held = references(found, candidates)
    lines = []
    for name in candidates:
        first = next(column.rows[name] for column in found if name in column.rows)
        lines.append([name, *(text for column in found for text in cells_of(column, name, first, held))])
    heads = [text for column in found for text in (column.label, f"times as fast as {held}")]
    return Sheet(["", *heads], lines).without_empty()


def references(every: list[Column], candidates: list[str]) -> str:
    """Return what the rows of each column are held against: a plain loop, or a candidate that all columns have."""
    rows = [row for column in every for name, row in column.rows.items() if name in candidates and row.kind == "model"]
    if rows and all(row.figure("speedup") for row in rows):
        return "a loop"
    known = [name for name in candidates if all(name in column.rows for column in every)]
    return REFERENCE if REFERENCE in known or not known else known[0]


def cells_of(column: Column, name: str, first: Row, held: str) -> tuple[str, str]:
    """Return the time of a candidate in a column, and how many times as fast that is."""
    row = column.rows.get(name)
    if row is None:
        return "", ""
    if not same_work(first, row):
        return OTHER_WORK, ""
    return words.duration(row.median), ratio(row, column.rows.get(held))


def ratio(row: Row, reference: Row | None) -> str:
    """Return how many times as fast a row is as another of its column, or as the plain loop that its run has timed."""
    if reference is None:
        speedup = row.figure("speedup")
        return words.as_fast(speedup) if speedup else ""
    known = compared(row, reference)
    return words.as_fast(known.median) if known else ""


def same_work(one: Row, other: Row) -> bool:
    """Return whether both rows did the same work."""
    return one.parameters == other.parameters and one.steps == other.steps


def lead(every: list[Measured], suite: str, cell: str) -> str:
    """Say which models lead in each column, and whether they are the same everywhere."""
    found = columns(every, suite, cell)
    candidates = shared(found)
    ahead: dict[str, list[str]] = {}
    for column in found:
        models = [row for name, row in column.rows.items() if name in candidates and row.kind == "model"]
        if models:
            first = sorted(leaders(models), key=lambda row: candidates.index(row.candidate))
            ahead.setdefault(names(first) if are_ranked(models) else "undecided", []).append(column.label)
    if not ahead:
        return "None of the models was measured in two results."
    if len(ahead) == 1:
        return f"Ahead in every column: {next(iter(ahead))}."
    return "Ahead: " + "; ".join(f"{who} in {'; '.join(labels)}" for who, labels in ahead.items()) + "."


def step_of(every: list[Measured], suite: str, cell: str) -> str:
    """Return what the times of a cell are the times of."""
    return next(row.step for column in columns(every, suite, cell) for row in column.rows.values())


def page(every: list[Measured]) -> str:
    """Return the page of several results as one HTML file without scripts and external files."""
    return document(TITLE, "\n".join(parts(every)))


def parts(every: list[Measured]) -> Iterator[str]:
    """Yield the parts of the page: the machines, the method, a table for each cell."""
    cells = shared_cells(every)
    yield f"<header><h1>{TITLE}</h1>"
    yield from (f'<p class="note">{escape(line)}</p>' for line in warnings(every))
    yield f"<p>{escape(METHOD)}</p>{about_sheet(every).html()}</header>"
    links = "".join(f'<li><a href="#{anchor(*cell)}">{escape("/".join(cell))}</a></li>' for cell in cells)
    yield f'<nav aria-label="Contents"><ul>{links}</ul></nav><main>'
    for suite, cell in cells:
        sheet = cell_sheet(every, suite, cell)
        table = sheet.html() if sheet else ""
        about = f"Time per {step_of(every, suite, cell)}. {lead(every, suite, cell)}"
        yield f'<section id="{anchor(suite, cell)}"><h2>{escape(f"{suite}/{cell}")}</h2><p>{escape(about)}</p>{table}'
        yield "</section>"
    yield "</main>"


def anchor(suite: str, cell: str) -> str:
    """Return the name of a section."""
    return f"{suite}-{cell}"


def files(every: list[Measured]) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of what `python -m benchmarks report` writes for several results."""
    yield "index.html", page(every).encode()
    yield "tables/machines.md", about_sheet(every).markdown().encode()
    for suite, cell in shared_cells(every):
        sheet = cell_sheet(every, suite, cell)
        if sheet:
            yield f"tables/machines-{anchor(suite, cell)}.md", sheet.markdown().encode()

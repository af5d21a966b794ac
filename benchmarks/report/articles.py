"""The tables of two articles, measured again; where a result has the articles' own figures, then beside now."""

from collections.abc import Iterator

from benchmarks.report import rows, words
from benchmarks.report.candidates import rows_of
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.ranking import between, headline, leaders, names
from benchmarks.report.rings import ranking
from benchmarks.report.rows import Entry, Panel, drawing, fitting_panel
from benchmarks.report.sheet import Sheet, of_rows
from benchmarks.result import Results, Row

RINGS = {"ring-2010": "", "ring-30000": ", 30,000 messages"}
"""The cells, and what their rows are called beside their names."""
POOLS = {"cpu": "four slices of a factorial", "io": "20 requests of 20 ms", "buffer": "ten million numbers summed"}
SHORT = {"cpu": "computing", "io": "waiting", "buffer": "summing"}
TITLES = ("The article of 2010, measured again", "The article on subinterpreters, measured again")
KEY = {"peer": "what one might pick instead", "past": "then", "mark": "then"}


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return one chart for each article."""
    yield of_2010(results)
    yield of_pools(results)


def of_2010(results: Results) -> Chart | Absent:
    """Return the chart of the ring on every mechanism of the article of 2010."""
    found = sorted((row for cell in RINGS for row in rows_of(results, "articles", cell)), key=lambda row: row.median)
    if not found:
        return Absent(TITLES[0], "nothing of articles/ring-2010 was measured")
    below = f"time per hop (log), {found[0].parameters.get('nodes', '?')} nodes, all in flight"
    draw = drawing([Panel("", bars_of(found), below, words.duration)], KEY)
    says = f"{ranking(now(found) or found)} {moved(found)}".strip()
    takeaway, command = headline(now(found) or found), command_for(results, found)
    return Chart("article-2010", TITLES[0], takeaway, says, command, draw, table(results, found))


def of_pools(results: Results) -> Chart | Absent:
    """Return the chart of computing, waiting and a buffer, each with the start and the end of its pool."""
    by_cell = {cell: found for cell in POOLS if (found := rows_of(results, "articles", cell))}
    if not by_cell:
        return Absent(TITLES[1], "nothing of the article's three works was measured")
    every = [row for found in by_cell.values() for row in found]
    panels = [
        fitting_panel(POOLS[cell], bars_of(found), "life of the pool", words.duration)
        for cell, found in by_cell.items()
    ]
    first = {cell: leaders(now(found) or found) for cell, found in by_cell.items()}
    parts = [f"{POOLS[cell]}, {names(found)} ({between(found)})" for cell, found in first.items()]
    says = f"Start and end of the pool included, the fastest are, for {'; for '.join(parts)}. {moved(every)}".strip()
    takeaway = f"Fastest with start and end: {'; '.join(f'{SHORT[cell]}, {names(it)}' for cell, it in first.items())}"
    command, draw = command_for(results, every), drawing(panels, KEY, across=3)
    return Chart("article-subinterpreters", TITLES[1], takeaway, says, command, draw, table(results, every))


def now(found: list[Row]) -> list[Row]:
    """Return the rows that were measured."""
    return [row for row in found if row.kind != "past"]


def then(found: list[Row], row: Row) -> Row | None:
    """Return the figure of the article for this row."""
    same = [it for it in found if it.kind == "past" and it.cell == row.cell and it.model == row.model]
    return same[0] if same and row.kind == "model" else None


def bars_of(found: list[Row]) -> list[Entry]:
    """Return a bar for each row that was measured, marked with the article's figure, and for each figure
    without one."""
    paired = {id(past) for row in now(found) if (past := then(found, row))}
    bars = []
    for row in found:
        if id(row) not in paired:
            past = then(found, row)
            bars.append(
                rows.bar(row, mark=past.median if past else None, label=row.candidate + RINGS.get(row.cell, ""))
            )
    return bars


def moved(found: list[Row]) -> str:
    """Say how far the figures are from those of the article; nothing if the result does not have those."""
    ratios = {row.candidate: past.median / row.median for row in now(found) if (past := then(found, row))}
    if not ratios:
        return "" if any(row.kind == "past" for row in found) else "The article's own figures are not in this result."
    most, least = max(ratios, key=lambda name: ratios[name]), min(ratios, key=lambda name: ratios[name])
    text = f"Beside the figure of then, {most} {words.takes(1 / ratios[most])} now"
    return f"{text}." if most == least else f"{text}, {least} {words.takes(1 / ratios[least])}."


def table(results: Results, found: list[Row]) -> Sheet:
    """Return all rows, with their cells."""
    plain = of_rows(results, found)
    when = [[row.cell, "then" if row.kind == "past" else "now"] for row in found]
    lines = [[*its, *line] for its, line in zip(when, plain.lines, strict=True)]
    return Sheet(["what", "when", *plain.head], lines, left=3)

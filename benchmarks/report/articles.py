"""The tables of two articles, measured again."""

from collections.abc import Iterator

from benchmarks.report import rows, words
from benchmarks.report.candidates import rows_of
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.ranking import are_ranked, between, headline, leaders, names, unranked
from benchmarks.report.rings import ranking
from benchmarks.report.rows import Panel, drawing, fitting_panel
from benchmarks.report.sheet import Sheet, of_rows
from benchmarks.result import Results, Row

RINGS = {"ring-2010": "", "ring-30000": ", 30,000 messages"}
"""The cells, and what their rows are called beside their names."""
POOLS = {
    "cpu": ("computing", "four slices of a factorial"),
    "io": ("waiting", "20 requests of 20 ms"),
    "buffer": ("summing", "ten million numbers summed"),
}
"""What each is called in short, and what is done."""
TITLES = ("The article of 2010, measured again", "The article on subinterpreters, measured again")
KEY = {"peer": "what one might pick instead"}


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return one chart for each article."""
    yield of_2010(results)
    yield of_pools(results)


def of_2010(results: Results) -> Chart | Absent:
    """Return the chart of the ring on every mechanism of the article of 2010."""
    found = sorted((row for cell in RINGS for row in rows_of(results, "articles", cell)), key=lambda row: row.median)
    if not found:
        return Absent(TITLES[0], "nothing of articles/ring-2010 was measured")
    bars = [rows.bar(row, label=row.candidate + RINGS[row.cell]) for row in found]
    below = f"time per hop (log), {found[0].parameters.get('nodes', '?')} nodes, all in flight"
    draw, command = drawing([Panel("", bars, below, words.duration)], KEY), command_for(results, found)
    return Chart("article-2010", TITLES[0], headline(found), ranking(found), command, draw, table(results, found))


def of_pools(results: Results) -> Chart | Absent:
    """Return the chart of computing, waiting and a buffer, each with the start and the end of its pool."""
    by_cell = {cell: found for cell in POOLS if (found := rows_of(results, "articles", cell))}
    if not by_cell:
        return Absent(TITLES[1], "nothing of the article's three works was measured")
    every = [row for found in by_cell.values() for row in found]
    panels = [
        fitting_panel(POOLS[cell][1], [rows.bar(row) for row in found], "life of the pool", words.duration)
        for cell, found in by_cell.items()
    ]
    first = {cell: fastest(found) for cell, found in by_cell.items()}
    takeaway = "; ".join(f"{POOLS[cell][0]}, {who}" for cell, who in first.items())
    alt = "; for ".join(f"{POOLS[cell][1]}, {first[cell]} ({between(found)} in all)" for cell, found in by_cell.items())
    return Chart(
        "article-subinterpreters", TITLES[1], f"Fastest with start and end: {takeaway}",
        f"Start and end of the pool included, the fastest are, for {alt}.", command_for(results, every),
        drawing(panels, KEY, across=3), table(results, every),
    )  # fmt: skip


def fastest(found: list[Row]) -> str:
    """Return the names of the rows that lead, or why there is no order."""
    return names(leaders(found)) if are_ranked(found) else f"undecided ({unranked(found)})"


def table(results: Results, found: list[Row]) -> Sheet:
    """Return all rows, with their cells."""
    plain = of_rows(results, found)
    lines = [[row.cell, *line] for row, line in zip(found, plain.lines, strict=True)]
    return Sheet(["what", *plain.head], lines, left=2)

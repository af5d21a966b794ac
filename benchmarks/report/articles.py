"""The tables of two articles, measured again; where a result has the articles' own figures, then against now."""

from collections.abc import Iterator

from benchmarks.report import together, words
from benchmarks.report.bars import Bar, Key, Panel, drawing, panel_of
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.ranks import between, headline, leaders, names
from benchmarks.report.rings import ranking
from benchmarks.report.sheet import Sheet, of_rows
from benchmarks.result import Results, Row

RINGS = {"ring-2010": "", "ring-30000": ", 30,000 messages"}
"""The cells, and what their rows are called beside their names."""
POOLS = {"cpu": "four slices of a factorial", "io": "20 requests of 20 ms", "buffer": "ten million numbers summed"}
SHORT = {"cpu": "computing", "io": "waiting", "buffer": "summing"}
TITLES = ("The article of 2010, measured again", "The article on subinterpreters, measured again")


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return one chart for each article."""
    yield of_2010(results)
    yield of_pools(results)


def of_2010(results: Results) -> Chart | Absent:
    """Return the chart of the ring on every mechanism of the article of 2010."""
    rows = sorted((row for cell in RINGS for row in together.of(results, "articles", cell)), key=lambda row: row.median)
    if not rows:
        return Absent(TITLES[0], "nothing of articles/ring-2010 was measured")
    bars = bars_of(rows, RINGS)
    nodes = rows[0].parameters.get("nodes", "?")
    panel = Panel("", bars, f"time per hop (log), {nodes} nodes, all in flight", words.duration)
    says = f"{ranking(now(rows) or rows)} {moved(rows)}".strip()
    draw = drawing([panel], key(rows, bars))
    takeaway = headline(now(rows) or rows)
    return Chart("article-2010", TITLES[0], takeaway, says, command_for(results, rows), draw, table(results, rows))


def of_pools(results: Results) -> Chart | Absent:
    """Return the chart of computing, waiting and a buffer, each with the start and the end of its pool."""
    by_cell = {cell: found for cell in POOLS if (found := together.of(results, "articles", cell))}
    if not by_cell:
        return Absent(TITLES[1], "nothing of the article's three works was measured")
    rows = [row for found in by_cell.values() for row in found]
    panels = [
        panel_of(POOLS[cell], bars_of(found), "life of the pool", words.duration) for cell, found in by_cell.items()
    ]
    first = {cell: leaders(now(found) or found) for cell, found in by_cell.items()}
    parts = [f"{POOLS[cell]}, {names(found)} ({between(found)})" for cell, found in first.items()]
    says = f"Start and end of the pool included, the fastest are, for {'; for '.join(parts)}. {moved(rows)}".strip()
    takeaway = f"Fastest with start and end: {'; '.join(f'{SHORT[cell]}, {names(it)}' for cell, it in first.items())}"
    draw = drawing(panels, key(rows, [bar for panel in panels for bar in panel.bars]), across=3)
    return Chart(
        "article-subinterpreters", TITLES[1], takeaway, says, command_for(results, rows), draw, table(results, rows)
    )


def now(rows: list[Row]) -> list[Row]:
    """Return the rows that were measured."""
    return [row for row in rows if row.kind != "past"]


def then(rows: list[Row], row: Row) -> Row | None:
    """Return the figure of the article for this row."""
    same = [it for it in rows if it.kind == "past" and it.cell == row.cell and it.model == row.model]
    return same[0] if same and row.kind == "model" else None


def bars_of(rows: list[Row], suffixes: dict[str, str] | None = None) -> list[Bar]:
    """Return a bar for each row that was measured, marked with the article's figure, and for each figure
    without one."""
    paired = {id(past) for row in now(rows) if (past := then(rows, row))}
    found = []
    for row in rows:
        if id(row) not in paired:
            past, label = then(rows, row), row.candidate + (suffixes or {}).get(row.cell, "")
            found.append(
                Bar(label, row.median, row.model, row.least, row.most, past.median if past else None, row.kind)
            )
    return found


def key(rows: list[Row], bars: list[Bar]) -> Key:
    """Return the key: what colours and marks mean."""
    models = [row.candidate for row in rows if row.kind == "model"]
    names = {"peer": "what one might pick instead", "past": "then"}
    kinds = [name for kind, name in names.items() if any(bar.kind == kind for bar in bars)]
    return Key(models, mark="then" if any(bar.mark for bar in bars) else "", peers=", ".join(kinds))


def moved(rows: list[Row]) -> str:
    """Say how far the figures are from those of the article; nothing if the result does not have those."""
    ratios = {row.candidate: past.median / row.median for row in now(rows) if (past := then(rows, row))}
    if not ratios:
        return "" if any(row.kind == "past" for row in rows) else "The article's own figures are not in this result."
    most, least = max(ratios, key=lambda name: ratios[name]), min(ratios, key=lambda name: ratios[name])
    text = f"Beside the figure of then, {most} {words.takes(1 / ratios[most])} now"
    return f"{text}." if most == least else f"{text}, {least} {words.takes(1 / ratios[least])}."


def table(results: Results, rows: list[Row]) -> Sheet:
    """Return all rows, with their cells."""
    plain = of_rows(results, rows)
    lines = [
        [row.cell, "then" if row.kind == "past" else "now", *line] for row, line in zip(rows, plain.lines, strict=True)
    ]
    return Sheet(["what", "when", *plain.head], lines, left=3)

"""Tables of web services for their pages: they put side by side what the report has chart by chart."""

from collections.abc import Callable

from benchmarks.disturbance import disturbed_rounds, marked
from benchmarks.report import granian, words
from benchmarks.report import web_stack as stack
from benchmarks.report.granian import WITH, WITHOUT
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row
from benchmarks.web.stack import past

SUITE = "web"
Write = Callable[[float], str]
NONE = "—"


def tables(results: Results) -> dict[str, str]:
    """The tables in Markdown by name, as far as the result has figures for them."""
    if SUITE not in results.suites:
        return {}
    found = {name: make(results) for name, make in TABLES.items()}
    return {name: sheet.markdown() for name, sheet in found.items() if sheet.lines}


def in_words(row: Row | None, figure: str, write: Write) -> str:
    """A figure of a row in words; a dash if there is none."""
    value = row.figure(figure) if row else None
    return NONE if row is None or value is None else write(words.rounded(value, row.by_round(figure).values()))


def spread(row: Row | None, figure: str, write: Write) -> str:
    """A figure with its least and its greatest value, as far as there are several rounds, and with the mark."""
    text = in_words(row, figure, write)
    if row is None or text == NONE:
        return text
    rounds = row.by_round(figure).values()
    least, most = (write(words.rounded(it(rounds), rounds)) for it in (min, max))
    return marked(text if least == most else f"{text} ({least} to {most})", row)


def measured_for(rows: list[Row]) -> str:
    """The number of rounds that these rows have, and their length: `2 × 3 s`."""
    rounds = sorted({len(row.seconds) for row in rows})
    seconds = sorted({row.parameters["seconds"] for row in rows if "seconds" in row.parameters})
    return f"{' or '.join(map(str, rounds))} × {' or '.join(map(words.plain, seconds))} s" if rounds and seconds else ""


def summary(results: Results) -> Sheet:
    """Every model as a server: capacity, tail, and the memory of a connection that waits."""
    columns = {
        "answers a second": ("json", "goodput", words.rate),
        "after 10 ms each": ("io", "goodput", words.rate),
        "P99": ("tail", "alone_p99_s", words.duration),
        "P99, 1 % compute": ("tail", "p99_s", words.duration),
        "memory of a connection": ("idle", "pss_bytes_per_connection", words.size),
        "in the kernel": ("idle", "kernel_bytes_per_connection", words.size),
    }
    models = dict.fromkeys(row.candidate for row in results.rows if row.suite == SUITE and row.cell in PLAIN)
    lines = []
    for name in models:
        rows = {cell: results.row(SUITE, cell, name) for cell in PLAIN}
        if any(row and row.kind in ("model", "peer") for row in rows.values()) and rows["tail"]:
            lines.append([name, *(spread(rows[cell], figure, write) for cell, figure, write in columns.values())])
    if lines:
        lines.append(["*rounds × seconds*", *(measured_for(results.of(SUITE, it[0])) for it in columns.values())])
    return Sheet(["", *columns], lines)


PLAIN = ("json", "io", "tail", "idle")
"""The cells of the summary."""


def granian_cells(results: Results) -> Sheet:
    """Every cell of the article without the GIL, now and then."""
    now: dict[str, tuple[str, Write]] = {
        "a second": ("goodput", words.rate),
        "mean": ("mean_s", words.duration),
        "P99": ("p99_s", words.duration),
        "max": ("max_s", words.duration),
        "cores": ("server_cores", words.plain),
        "memory": ("peak_pss_bytes", words.size),
    }
    then = {name: column for name, column in now.items() if name != "P99"}
    then["memory"] = ("memory_bytes", words.size)
    lines = []
    for line in granian.lines(results):
        for python in (WITH, WITHOUT):
            rows = line.now.get(python), line.then.get(python)
            figures = [
                in_words(row, *column)
                for row, columns in zip(rows, (now, then), strict=True)
                for column in columns.values()
            ]
            if any(rows):
                name = granian.cells(line)[0]
                lines.append([marked(name, rows[0]) if rows[0] else name, python, *figures])
    return Sheet(["", "Python", *now, *(f"then: {name}" for name in then)], lines, left=2)


def stack_ends(results: Results) -> Sheet:
    """The longest start and end of each server, and whether it ever had to be killed or left anything behind."""
    lines = []
    for name, curve in stack.curves(results).items():
        worst = {it: max((value for row in curve.values() for value in row.by_round(it).values()), default=None)
                 for it in ("start_s", "stop_s", "killed", "left_processes")}  # fmt: skip
        times = [NONE if value is None else words.duration(value) for value in (worst["start_s"], worst["stop_s"])]
        lines.append([name, *times, "yes" if worst["killed"] else "no", f"{worst['left_processes'] or 0:.0f}"])
    return Sheet(["", "longest start", "longest end", "had to be killed", "processes left"], lines)


def gone_servers(results: Results) -> Sheet:
    """The servers of the article that can't be run any more, with the article's figures."""
    then = stack.articles(results)
    lines = []
    for it in results.left_out:
        if it.suite == SUITE and it.cell.startswith("workers-") and not it.failed:
            old = then.get(it.candidate)
            figures = in_words(old, "p99_s", words.duration), in_words(old, "goodput", words.rate)
            lines.append([it.candidate, it.why, *figures])
    return Sheet(["", "reason", "then: P99", "then: a second"], lines, left=2)


def quiet_cells(results: Results) -> Sheet:
    """The length of each cell's rounds; how many of its rows other programs disturbed, or the generator limited."""
    return Sheet(
        ["", "rounds × seconds", "rows", "disturbed", "limited by the generator", "processors used by the generator"],
        [quiet_line(results, cell) for cell in results.cells(SUITE) if cell != past.CELL],
    )


def quiet_line(results: Results, cell: str) -> list[str]:
    """The line of one cell."""
    rows = [row for row in results.rows if (row.suite, row.cell) == (SUITE, cell) and row.kind != "past"]
    generator = [row.figure("generator_cores") or 0 for row in rows]
    busy = sum(bool(disturbed_rounds(row, by_generator=False)) for row in rows)
    limits = sum(bool(disturbed_rounds(row, by_others=False)) for row in rows)
    return [
        cell,
        measured_for(rows),
        str(len(rows)),
        str(busy),
        str(limits),
        f"{min(generator):.2f} to {max(generator):.2f}" if rows else "",
    ]


TABLES: dict[str, Callable[[Results], Sheet]] = {
    "web-summary": summary,
    "web-granian-cells": granian_cells,
    "web-stack-ends": stack_ends,
    "web-stack-gone": gone_servers,
    "web-quiet": quiet_cells,
}

"""Tables of web services for their pages: they put side by side what the report has chart by chart."""

from collections.abc import Callable

from benchmarks.report import granian, words
from benchmarks.report.granian import WITH, WITHOUT
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row
from benchmarks.web.columns import BUSY_GENERATOR, OTHER_WORK, is_disturbed
from benchmarks.web.stack import past
from concdocs import stack
from concdocs.verdicts import MARK

SUITE = "web"
Write = Callable[[float], str]
NONE = "—"


def tables(results: Results) -> dict[str, str]:
    """The tables in Markdown by name, as far as the result has figures for them."""
    if SUITE not in results.suites:
        return {}
    found = {name: make(results) for name, make in TABLES.items()}
    return {name: sheet.markdown() for name, sheet in found.items() if sheet.lines}


def told(row: Row | None, figure: str, write: Write) -> str:
    """A figure of a row in words; a dash if there is none."""
    value = row.figure(figure) if row else None
    return NONE if row is None or value is None else write(words.rough(value, row.by_round(figure).values()))


def spread(row: Row | None, figure: str, write: Write) -> str:
    """A figure with its least and its greatest value, as far as there are several rounds, and with the mark."""
    text = told(row, figure, write)
    if row is None or text == NONE:
        return text
    rounds = row.by_round(figure).values()
    least, most = (write(words.rough(it(rounds), rounds)) for it in (min, max))
    return marked(text if least == most else f"{text} ({least} to {most})", row)


def marked(text: str, row: Row) -> str:
    """The text with the mark, if other programs disturbed the row or the load generator limited it."""
    return f"{text} {MARK}" if is_disturbed(row) else text


def answers(row: Row) -> str:
    """The answers per second, with the mark."""
    return marked(words.rate(words.rough(row.per_second, row.seconds.values())), row)


def measured_for(rows: list[Row]) -> str:
    """How many rounds these rows have, and how long each was: `2 × 3 s`."""
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


def slow(results: Results) -> Sheet:
    """What happens to other clients while some send slowly."""
    rows = sorted(results.of(SUITE, "slow"), key=lambda row: -(row.figure("answered_share") or 0))
    head = ["", "share of requests answered", "P50", "P99"]
    return Sheet(head, [
        [marked(row.candidate, row), told(row, "answered_share", lambda share: f"{min(share, 1):.0%}"),
         *(told(row, figure, words.duration) for figure in ("p50_s", "p99_s"))]
        for row in rows
    ])  # fmt: skip


def stop(results: Results) -> Sheet:
    """What SIGTERM under load costs."""
    rows = sorted(results.of(SUITE, "stop"), key=lambda row: (row.figure("lost") or 0, row.median))
    return Sheet(["", "requests lost", "time to end", "had to be killed"], [
        [marked(row.candidate, row), told(row, "lost", words.plain), words.duration(row.median),
         told(row, "killed", lambda value: "yes" if value else "no")]
        for row in rows
    ])  # fmt: skip


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
                told(row, *column)
                for row, columns in zip(rows, (now, then), strict=True)
                for column in columns.values()
            ]
            if any(rows):
                name = granian.cells(line)[0]
                lines.append([marked(name, rows[0]) if rows[0] else name, python, *figures])
    return Sheet(["", "Python", *now, *(f"then: {name}" for name in then)], lines, left=2)


def stack_rows(results: Results) -> Sheet:
    """The article's table: each server with the number of workers that suits it, by P99."""
    then = stack.articles(results)
    rows = sorted(stack.chosen(results).values(), key=lambda row: row.figure("p99_s") or float("inf"))
    now: dict[str, tuple[str, Write]] = {
        "P50": ("p50_s", words.duration),
        "P99": ("p99_s", words.duration),
        "a second": ("goodput", words.rate),
        "P99 at 300": ("open_300_p99_s", words.duration),
        "P99 at 600": ("open_600_p99_s", words.duration),
        "memory": ("peak_pss_bytes", words.size),
    }
    lines = []
    for row in rows:
        old = then.get(row.candidate)
        old_workers = str(old.parameters["workers"]) if old else NONE
        figures = [told(row, *it) for it in now.values()]
        past_figures = [told(old, *now[name]) for name in ("P50", "P99", "a second")]
        lines.append([marked(row.candidate, row), str(stack.number(row.cell)), *figures, old_workers, *past_figures])
    return Sheet(["", "workers", *now, "then: workers", "then: P50", "then: P99", "then: a second"], lines)


def stack_workers(results: Results) -> Sheet:
    """Answers per second of each server by the number of its workers; the number that suits it is in bold."""
    curves = stack.curves(results)
    numbers = sorted({number for curve in curves.values() for number in curve})
    lines = []
    for name, curve in curves.items():
        best = stack.best(curve)
        rates = {number: answers(row) for number, row in curve.items()}
        rates[best] = f"**{rates[best]}**"
        lines.append([name, *(rates.get(number, "") for number in numbers)])
    return Sheet(["workers", *map(str, numbers)], lines)


def stack_ends(results: Results) -> Sheet:
    """How long each server took to start and to end, and whether it ever had to be killed or left anything behind."""
    lines = []
    for name, curve in stack.curves(results).items():
        worst = {it: max((value for row in curve.values() for value in row.by_round(it).values()), default=None)
                 for it in ("start_s", "stop_s", "killed", "left_processes")}  # fmt: skip
        times = [NONE if value is None else words.duration(value) for value in (worst["start_s"], worst["stop_s"])]
        lines.append([name, *times, "yes" if worst["killed"] else "no", f"{worst['left_processes'] or 0:.0f}"])
    return Sheet(["", "longest start", "longest end", "had to be killed", "processes left"], lines)


def stack_delays(results: Results) -> Sheet:
    """Answers per second by the milliseconds of the database, and the memory that it takes."""
    curves = stack.delays(results)
    numbers = sorted({number for curve in curves.values() for number in curve})
    if not numbers:
        return Sheet([], [])
    lines = []
    for name, curve in sorted(curves.items(), key=lambda item: last_rate(item[1]), reverse=True):
        last = curve[max(curve)]
        rates = [answers(curve[number]) if number in curve else "" for number in numbers]
        lines.append([name, workers(last), *rates, told(last, "peak_pss_bytes", words.size)])
    return Sheet(["", "workers", *(f"{number} ms" for number in numbers), "memory"], lines)


def workers(row: Row) -> str:
    """The number of workers, with the number of threads of each if that is bounded: `2 × 16 threads`."""
    number, threads = (row.parameters.get(name, "") for name in ("workers", "threads"))
    return f"{number} × {threads} threads" if threads else str(number)


def last_rate(curve: stack.Curve) -> float:
    """The answers per second with the slowest database."""
    return curve[max(curve)].per_second


def gone(results: Results) -> Sheet:
    """The servers of the article that can't be run any more, with the article's figures."""
    then = stack.articles(results)
    lines = []
    for it in results.left_out:
        if it.suite == SUITE and it.cell.startswith(stack.WORKERS) and not it.failed:
            old = then.get(it.candidate)
            figures = told(old, "p99_s", words.duration), told(old, "goodput", words.rate)
            lines.append([it.candidate, it.why, *figures])
    return Sheet(["", "reason", "then: P99", "then: a second"], lines, left=2)


def quiet(results: Results) -> Sheet:
    """How long each cell was measured; how many of its rows other programs disturbed, or the generator limited."""
    return Sheet(
        ["", "rounds × seconds", "rows", "disturbed", "limited by the generator", "processors used by the generator"],
        [quiet_line(results, cell) for cell in results.cells(SUITE) if cell != past.CELL],
    )


def quiet_line(results: Results, cell: str) -> list[str]:
    """The line of one cell."""
    rows = [row for row in results.rows if (row.suite, row.cell) == (SUITE, cell) and row.kind != "past"]
    others, generator = ([row.figure(name) or 0 for row in rows] for name in ("foreign_cores", "generator_cores"))
    busy, limits = sum(it > OTHER_WORK for it in others), sum(it > BUSY_GENERATOR for it in generator)
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
    "web-slow-clients": slow,
    "web-sigterm": stop,
    "web-granian-cells": granian_cells,
    "web-stack-rows": stack_rows,
    "web-stack-workers": stack_workers,
    "web-stack-delays": stack_delays,
    "web-stack-ends": stack_ends,
    "web-stack-gone": gone,
    "web-quiet": quiet,
}

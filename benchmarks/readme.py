"""The README's picture and tables, from the results that are committed.

make bench-all && cp build/results/*.json benchmarks/results/
python -m benchmarks.readme      draws the picture, and writes the tables into README.md, between their marks
"""

import re
import statistics
from collections.abc import Callable
from functools import cache
from pathlib import Path

from benchmarks.disturbance import MARK, is_disturbed
from benchmarks.report.chart import Chart
from benchmarks.report.look import Look
from benchmarks.report.sheet import Sheet
from benchmarks.report.shipped import Both, slope, with_shipped
from benchmarks.report.words import duration, rate, rounded
from benchmarks.result import Results, Row, read
from benchmarks.rounds import compared
from concmodels import catalog

ROOT = Path(__file__).parent.parent
RESULT = ROOT / "benchmarks" / "results" / "full.json"
TWINS = ROOT / "benchmarks" / "results" / "full-free-threaded.json"
WEB = ROOT / "benchmarks" / "results" / "web.json"
WEB_PEERS = ("uvicorn, raw", "granian asgi, raw")
"""Servers of others that stand among the models."""
PICTURES = ROOT / "docs" / "pictures"
MEMORY = "bytes_per_unit"
FREE_THREADED = {
    "one thread multiplies large numbers, a task": ("pool/cpu/asyncio", "seconds"),
    "two threads do that, a task": ("pool/cpu/threads", "seconds"),
    "eight threads wait, a task": ("pool/io/threads", "seconds"),
    "two threads read one buffer, a task": ("pool/buffer/threads", "seconds"),
    "one event loop, a round trip": ("gil/loops/one loop", "seconds"),
    "an event loop in each of two threads, a round trip": ("gil/loops/a loop in each thread", "seconds"),
    "an empty task in a pool of threads": ("pool/nothing/threads", "seconds"),
    "ring of threads, everything in flight, a hop": ("ring/stream/threads", "seconds"),
    "ring of threads, one in flight, a hop": ("ring/token/threads", "seconds"),
    "ring of asyncio tasks, everything in flight, a hop": ("ring/stream/asyncio", "seconds"),
    "one thread calls functions, a task": ("gil/one-thread/calls", "seconds"),
    "memory of one of 300 threads, without the kernel's": ("spawn/units-300/threads", MEMORY),
}
"""What the table of the twins shows: a row, and which of its figures."""


@cache
def results() -> Results:
    """Return the committed result."""
    return read(RESULT)


def models_table() -> str:
    """Return the table of the models: what a task is, and a hop with what ships and with what is built for it."""
    each = [f"{cell}: {what}" for cell in ("streaming", "waking") for what in ("what ships", "built for it")]
    head = ["model", "a task is", "in parallel", *each]
    waking = {it.built.candidate: it for it in with_shipped(results(), "ring", "token")}
    lines = [
        [*first_columns(it, waking[it.built.candidate]), *hop_times(it), *hop_times(waking[it.built.candidate])]
        for it in with_shipped(results(), "ring", "stream")
    ]
    return Sheet(head, lines, left=3).markdown()


def first_columns(it: Both, waking: Both) -> list[str]:
    """Return what the catalog says of a model, without what only its own page needs; with the mark if a round was
    disturbed."""
    model = it.built.candidate
    facts = catalog.facts(model)
    rows = [row for both in (it, waking) for row in (both.built, both.ships) if row]
    mark = f" {MARK}" if any(map(is_disturbed, rows)) else ""
    return [f"`{model}`{mark}", *(re.split(r"[:,;(]| with its ", it)[0].strip() for it in (facts.unit, facts.parallel))]


def hop_times(it: Both) -> list[str]:
    """Return the time of a hop with what ships, if anything does, and with what is built for the model."""
    return [hop_time(it.ships) if it.ships else "", hop_time(it.built)]


def hop_time(row: Row) -> str:
    """Return the time of a hop, in the unit that fits."""
    if row.median < 1e-6:
        return f"{row.median * 1e9:,.0f} ns"
    return f"{row.median * 1e6:,.1f} µs" if row.median < 1e-3 else f"{row.median * 1e3:,.1f} ms"


def figure(row: Row, name: str) -> float:
    """Return a figure that every program has."""
    value = row.figure(name)
    assert value is not None, f"{row.name} has no {name}"
    return value


def free_threaded_table() -> str:
    """Return the table of the same work with the GIL and without it."""
    twins = read(TWINS)
    one, other = twins.pythons
    lines = []
    for what, (path, name) in FREE_THREADED.items():
        rows = [row for python in (one, other) if (row := twins.row(*path.split("/", 2), python=python))]
        if len(rows) == 2 and (ratio := compared(rows[1], rows[0], name)):
            spread = f"{ratio.median:.3g} ({ratio.low:.3g} to {ratio.high:.3g})"
            mark = f" {MARK}" if any(map(is_disturbed, rows)) else ""
            lines.append([what + mark, *(time_or_memory(row, name) for row in rows), spread])
    table = Sheet(["what", one, other, f"times as fast, or as small, on {other} (spread)"], lines).markdown()
    return table + ("\n*Preliminary, measured on a busy machine.*\n" if twins.about.get("preliminary") else "")


def time_or_memory(row: Row, name: str) -> str:
    """Return a time, or a number of bytes."""
    return f"{figure(row, name) / 2**10:,.0f} KiB" if name == MEMORY else duration(row.median)


def web_table() -> str:
    """Return the table of web services: how many answers, how long they take at most, what a connection takes."""
    found = read(WEB)
    head = ["model", "requests/s", "P99 alone", "P99 with 1% heavy requests", "memory of an idle connection"]
    lines = []
    for row in found.of("web", "json"):
        tail, idle = (found.row("web", cell, row.candidate) for cell in ("tail", "idle"))
        if (row.kind == "model" or row.candidate in WEB_PEERS) and tail and idle:
            name = f"`{row.candidate}`" if row.kind == "model" else row.candidate
            mark = f" {MARK}" if any(map(is_disturbed, (row, tail, idle))) else ""
            lines.append([name + mark, answers_per_second(row), *p99_of_both(tail), connection_memory(idle)])
    return Sheet(head, lines).markdown()


def answers_per_second(row: Row) -> str:
    """Return answers per second with their spread."""
    values = row.seconds.values()
    median, least, most = (rate(rounded(it, values)) for it in (row.per_second, 1 / row.most, 1 / row.least))
    return f"{median} ({least} to {most})"


def p99_of_both(row: Row) -> list[str]:
    """Return P99 without heavy requests and with them, with their spreads."""
    return [p99(row, name) for name in ("alone_p99_s", "seconds")]


def p99(row: Row, name: str) -> str:
    """Return a latency with its spread."""
    values = row.by_round(name).values()
    median, least, most = (duration(rounded(it(values), values)) for it in (statistics.median, min, max))
    return f"{median} ({least} to {most})"


def connection_memory(row: Row) -> str:
    """Return the memory of a connection that waits: that of the process, and the kernel's."""
    parts = (figure(row, f"{whose}_bytes_per_connection") / 2**10 for whose in ("pss", "kernel"))
    return " + ".join(f"{kibibytes:.0f} KiB" for kibibytes in parts)


TABLES: dict[str, Callable[[], str]] = {"models": models_table, "free-threaded": free_threaded_table, "web": web_table}


def with_tables(text: str) -> str:
    """Return the text of the README with the tables of the result."""
    for name, table in TABLES.items():
        start, end = f"<!-- {name} -->\n", "<!-- end -->"
        before, mark, rest = text.partition(start)
        if mark:
            text = f"{before}{start}{table()}{end}{rest.partition(end)[2]}"
    return text


def pictures() -> dict[Path, str]:
    """Return the files of the picture, for a light page and a dark one, with their contents."""
    chart = slope(results())
    assert isinstance(chart, Chart), "the result has no figures for the picture"
    return {PICTURES / f"slope-{'dark' if it.dark else 'light'}.svg": chart.svg(it) for it in (Look(), Look(dark=True))}


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(with_tables(readme.read_text()))
    PICTURES.mkdir(exist_ok=True)
    for path, text in pictures().items():
        path.write_text(text)

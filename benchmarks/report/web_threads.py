"""Web services whose threads are bounded: what more of them bring to answers that wait, and to those that do not."""

from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.report import words
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.lines import Line, Part, drawing
from benchmarks.report.ranking import bounds
from benchmarks.report.sheet import Sheet
from benchmarks.report.sweeps import Sweep
from benchmarks.result import Results, Row

TITLE = "Blocking threads: answers per second and P99, by their number"
PAGES = {"/json": "small answers", "/io": "answers that wait"}
P99 = "p99_s"
NOTE = (
    "Granian with Flask and one worker, for 128 users. A P99 needs a thousand answers; a server that gives fewer has"
    " none. The article's own figures, of eight cores, are in the table."
)


class Growth(NamedTuple):
    """What one page gives under one Python, by the number of threads."""

    label: str
    what: str
    """What its answers are called in a sentence."""
    path: str
    sweep: Sweep


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the chart; a result without web services has neither it nor a reason."""
    if "web" in results.suites:
        yield chart(results)


def chart(results: Results) -> Chart | Absent:
    """Return the chart of answers per second and of P99 by the number of threads."""
    found = list(growths(results))
    if not found:
        return Absent(TITLE, "no two numbers of threads were measured")
    rows = [row for it in found for _, row in it.sweep]
    draw = drawing(parts(found), same_axis=False)
    table = sheet(results, found)
    return Chart("web-threads", TITLE, takeaway(found), says(found), command_for(results, rows), draw, table, NOTE)


def growths(results: Results) -> Iterator[Growth]:
    """Yield both pages under each Python, as far as they were measured."""
    for python in results.pythons:
        for path, what in PAGES.items():
            sweep = results.sweep("web", "threads", f"wsgi W1 {path}", python)
            if len(sweep) > 1:
                first = python == results.pythons[0]
                label, of = (path, what) if first else (f"{path}, {python}", f"{what} under {python}")
                yield Growth(label, of, path, sweep)


def parts(found: list[Growth]) -> list[Part]:
    """Return one picture for answers per second and one for P99, as far as there is a P99."""
    rates = {it.label: [(value, row.per_second) for value, row in it.sweep] for it in found}
    both = [("answers", "a second (log)", words.rate, rates), ("P99", "latency (log)", words.duration, slowest(found))]
    models = dict.fromkeys(rates, "threads")
    return [
        Part(title, lines, {}, "blocking threads (log)", across, write, tick, by_ratio=True, models=models)
        for title, across, write, lines in both
        if lines
    ]


def slowest(found: list[Growth]) -> dict[str, Line]:
    """Return the lines of P99."""
    lines = {it.label: [(value, p99) for value, row in it.sweep if (p99 := row.figure(P99))] for it in found}
    return {label: line for label, line in lines.items() if line}


def tick(value: float) -> str:
    """Return a number of threads in words."""
    return f"{int(value):,}"


def takeaway(found: list[Growth]) -> str:
    """Say what the greatest number of threads gives beside the least."""
    first, last = (tick(found[0].sweep[at][0]) for at in (0, -1))
    changes = words.listing(f"{change(it.sweep)} {it.what}" for it in found)
    return f"{last} blocking threads give {changes} as {first} {'does' if first == '1' else 'do'}"


def change(sweep: Sweep) -> str:
    """Return how many answers there are at the end of a sweep beside its begin, if the spreads tell them apart."""
    first, last = sweep[0][1], sweep[-1][1]
    (least, most), (its_least, its_most) = bounds(first), bounds(last)
    if least <= its_most and its_least <= most:
        return "as many"
    return words.many(last.per_second / first.per_second)


def says(found: list[Growth]) -> str:
    """Say how many answers there are with the fewest threads and with the most."""
    first, last = (tick(found[0].sweep[at][0]) for at in (0, -1))
    ends = [
        f"{words.rate(it.sweep[0][1].per_second)} and {words.rate(it.sweep[-1][1].per_second)} {it.what}"
        for it in found
    ]
    return f"In a second there are, with {first} and with {last} blocking threads, {'; '.join(ends)}."


def sheet(results: Results, found: list[Growth]) -> Sheet:
    """Return a table with a line for each number of threads; the article's figures are at its end."""
    numbers = sorted({value for it in found for value, _ in it.sweep})
    heads = [head for it in found for head in (f"{it.label}, a second", "P99")]
    then = [f"{path}, then, on 8 cores" for path in PAGES]
    return Sheet(["blocking threads", *heads, *then], [line(results, found, it) for it in numbers]).without_empty()


def line(results: Results, found: list[Growth], number: float) -> list[str]:
    """Return the line of one number of threads."""
    rows = [dict(it.sweep).get(number) for it in found]
    now = [cell for row in rows for cell in (("", "") if row is None else figures(row))]
    return [tick(number), *now, *(then(results, number, path) for path in PAGES)]


def figures(row: Row) -> tuple[str, str]:
    """Return answers per second and P99 in words."""
    p99 = row.figure(P99)
    return words.rate(row.per_second), "" if p99 is None else words.duration(p99)


def then(results: Results, number: float, path: str) -> str:
    """Return the article's answers per second with so many threads; nothing if it does not say."""
    wanted = {"endpoint": path, "threads": number, "workers": 1, "interface": "wsgi", "python": "3.14"}
    past = [row for row in results.rows if row.suite == "web" and row.kind == "past" and row.cell != "granian-shares"]
    found = [row for row in past if {name: row.parameters.get(name) for name in wanted} == wanted]
    return words.rate(found[0].per_second) if found else ""


__all__ = ["charts"]

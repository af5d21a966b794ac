"""Web services: answers per second, the tail, the knee, connections that wait."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from benchmarks.report import sheet, sweeps, together, words
from benchmarks.report.bars import Bar, Key, Panel, drawing, panel_of
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.lines import drawing as lines
from benchmarks.report.once import least
from benchmarks.report.ranks import between, names
from benchmarks.report.sheet import Sheet
from benchmarks.report.sweeps import Axis
from benchmarks.result import Results, Row

CAPACITIES = {
    "json": ("web-models", "A small answer: how many a second"),
    "io": ("web-waiting", "An answer after 10 ms: how many a second, for 64 users"),
}
TAIL = "One request in a hundred computes: what 99 % of the others wait at most"
IDLE = "Ten thousand connections that wait: the memory of each"
KNEE = Axis(
    "rate", "More and more requests: when answers take longer", "requests per second", across="P99 of the latency (log)"
)
WIDE = 2.0
"""If a row's rounds differ by a greater factor, no row of the chart is called the best: another round may be too."""
COLUMNS: dict[str, tuple[str, Callable[[float], str]]] = {
    "P50": ("p50_s", words.duration),
    "P99 alone": ("alone_p99_s", words.duration),
    "P99": ("p99_s", words.duration),
    "CPU of an answer": ("cpu_us_per_request", lambda it: words.duration(it / 1e6)),
    "memory (PSS)": ("peak_pss_bytes", words.size),
    "memory of a connection (PSS)": ("pss_bytes_per_connection", words.size),
    "and in the kernel": ("kernel_bytes_per_connection", words.size),
}
"""The figures in the tables."""


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the charts of the suite `web`; in their place one reason if nothing of it was measured."""
    if "web" not in results.suites:
        yield Absent("Web services", "nothing of the suite web was measured, which has to be named")
        return
    for cell, (name, title) in CAPACITIES.items():
        yield capacity(results, cell, name, title)
    yield tail(results)
    yield idle(results)
    yield knee(results)


def capacity(results: Results, cell: str, name: str, title: str) -> Chart | Absent:
    """Return the chart of answers per second."""
    rows = served(results, cell)
    if not rows:
        return Absent(title, f"nothing of web/{cell} was measured")
    bars = [rate_bar(results, row) for row in rows]
    panel = panel_of("", bars, "answers per second", words.rate)
    mark = "by hand" if any(bar.mark for bar in bars) else ""
    takeaway = most_answers(rows, bars)
    says = (
        f"{takeaway}. The fewest answers are {words.rate(rows[-1].per_second)} a second. The load comes from the"
        " same machine, and shares its processors."
    )
    return chart_of(results, name, (title, takeaway), says, rows, [panel], mark)


def most_answers(rows: list[Row], bars: list[Bar]) -> str:
    """Say which servers give most answers; or, where each answer takes its time, how many of the possible answers."""
    first, ahead = rows[0], least(rows)
    if delay := re.search(r"ms=(\d+)", str(first.parameters.get("endpoint", ""))):
        possible = first.parameters["connections"] / (int(delay[1]) / 1000)
        given = " to ".join(dict.fromkeys(words.rate(row.per_second) for row in (rows[-1], first)))
        users = f"{first.parameters['connections']} users who wait {delay[1]} ms for each answer"
        return f"{users} can get {words.rate(possible)} a second; the servers give {given}"
    most = f"{servers(ahead)} {gives(ahead)} most answers, {words.rate(first.per_second)} a second"
    by_hand = max((bar.mark for bar in bars if bar.mark), default=0)
    return f"{most}; servers written by hand give up to {words.rate(by_hand)}" if by_hand else most


def servers(rows: list[Row]) -> str:
    """Return the names of a few rows, with the number of their workers where a model has several."""
    return names([replace(row, candidate=f"{row.candidate}{workers(row)}") for row in rows])


def workers(row: Row) -> str:
    """Return how many workers a model has, in brackets; nothing if it is one process."""
    number = row.parameters.get("workers") or 1
    return f" ({number} workers)" if row.kind == "model" and number > 1 else ""


def gives(rows: list[Row]) -> str:
    """Return the verb that goes with so many servers."""
    return "gives" if len(rows) == 1 else "give"


def rate_bar(results: Results, row: Row) -> Bar:
    """Return the answers per second of a row, marked with those of its baseline."""
    baseline = sheet.baseline_of(results, row) if row.kind == "model" else None
    mark = baseline.per_second if baseline else None
    return Bar(row.candidate, row.per_second, row.model, 1 / row.most, 1 / row.least, mark, row.kind)


def tail(results: Results) -> Chart | Absent:
    """Return the chart of P99 with requests that compute, marked with P99 without them."""
    rows = served(results, "tail")
    if not rows:
        return Absent(TAIL, "nothing of web/tail was measured")
    bars = [
        Bar(row.candidate, row.median, row.model, row.least, row.most, row.figure("alone_p99_s"), row.kind)
        for row in rows
    ]
    panel = panel_of("", bars, "P99 of the latency", words.duration)
    mark = "where no request computes" if any(bar.mark for bar in bars) else ""
    takeaway = f"One request in a hundred computes: {lowest_p99(rows)}"
    says = (
        f"{takeaway}. The highest P99 is {words.duration(rows[-1].median)}. Where a task runs until it waits, one that"
        " computes keeps all others waiting."
    )
    return chart_of(results, "web-tail", (TAIL, takeaway), says, rows, [panel], mark)


def lowest_p99(rows: list[Row]) -> str:
    """Say which servers have the lowest P99; only how far all are apart if the rounds of one of them differ widely."""
    widest = max(row.most / row.least for row in rows)
    if widest > WIDE:
        return f"P99 is {between(rows)}, and the rounds of one server differ by a factor of up to {widest:.2g}"
    ahead, single = least(rows), least([row for row in rows if row.kind == "model" and not workers(row)])
    text = f"{servers(ahead)} {'keeps' if len(ahead) == 1 else 'keep'} P99 lowest, {between(ahead)}"
    if single and any(map(workers, ahead)):
        text += f"; of the models with one process, {names(single)}, {between(single)}"
    return text


def idle(results: Results) -> Chart | Absent:
    """Return the chart of the memory of a connection that waits: that of the process, and the kernel's."""
    rows = [row for row in served(results, "idle") if positive(row, "pss_bytes_per_connection")]
    if not rows:
        return Absent(IDLE, "nothing of web/idle was measured")
    rows.sort(key=lambda row: row.figure("pss_bytes_per_connection") or 0)
    titles = {"pss_bytes_per_connection": "in the process (PSS)", "kernel_bytes_per_connection": "in the kernel"}
    panels = [
        Panel(title, [memory_bar(row, name) for row in rows if positive(row, name)], "per connection (log)", words.size)
        for name, title in titles.items()
        if any(positive(row, name) for row in rows)
    ]
    first, last = rows[0], rows[-1]
    takeaway = f"A connection that waits takes {size(first)} in {first.candidate} and {size(last)} in {last.candidate}"
    says = f"{takeaway}; what the kernel has for it, such as the stack of a thread, is not in that."
    return chart_of(results, "web-idle", (IDLE, takeaway), says, rows, panels, across=2)


def positive(row: Row, figure: str) -> bool:
    """Return whether there is such a figure; where other work frees memory meanwhile it can be below nothing."""
    return (row.figure(figure) or 0) > 0


def memory_bar(row: Row, figure: str) -> Bar:
    """Return a figure of memory with its spread."""
    values = [value for value in row.by_round(figure).values() if value > 0]
    return Bar(row.candidate, row.figure(figure) or 0, row.model, min(values), max(values), kind=row.kind)


def size(row: Row) -> str:
    """Return the memory of a connection in words."""
    return words.size(row.figure("pss_bytes_per_connection") or 0)


def knee(results: Results) -> Chart | Absent:
    """Return the chart of P99 at growing rates."""
    found = sweeps.sweeps_of(results, KNEE, "web")
    if not found:
        return Absent(KNEE.title, "no two rates were measured")
    rows = [row for sweep in found.values() for _, row in sweep]
    highest = max(sweep[-1][0] for sweep in found.values())
    there = [row for sweep in found.values() for rate, row in sweep if rate == highest]
    rounds = max(len(row.seconds) for row in there)
    within = f"among {len(there)} servers" if len(there) > 1 else f"on {there[0].candidate}"
    within += f", in {'one round' if rounds == 1 else f'{rounds} rounds'}"
    takeaway = f"At {KNEE.tick(highest)} requests a second P99 is {between(there)} {within}"
    says = f"{takeaway}. Up to its knee, a server answers at once; beyond it, requests wait in a queue."
    parts = sweeps.families(KNEE, found)
    draw, table = lines(parts), sweeps.sheet(KNEE, found)
    return Chart("web-knee", KNEE.title, takeaway, says, command_for(results, rows), draw, table)


def served(results: Results, cell: str) -> list[Row]:
    """Return the models and what one might use instead, under every Python, the fastest first."""
    return [row for row in together.of(results, "web", cell) if row.kind in ("model", "peer")]


def chart_of(
    results: Results,
    name: str,
    titles: tuple[str, str],
    says: str,
    rows: list[Row],
    panels: list[Panel],
    mark: str = "",
    across: int = 1,
    its: Sheet | None = None,
) -> Chart:
    """Return a chart of bars, by default with the table of its cell; the titles are its subject and its takeaway."""
    models = [row.model for row in rows if row.kind == "model" and row.model]
    peers = "servers of others" if any(row.kind == "peer" for row in rows) else ""
    key = Key(models, mark=mark, peers=peers)
    shown = its or table(together.of(results, "web", rows[0].cell))
    return Chart(name, *titles, says, command_for(results, rows), drawing(panels, key, across), shown)


def table(rows: Iterable[Row]) -> Sheet:
    """Return a table of the rows of one cell."""
    found = list(rows)
    step = found[0].step
    head = ["", f"{step}s per second" if step == "request" else f"per {step}", "rounds", *COLUMNS]
    return Sheet(head, [line(row) for row in found]).without_empty()


def line(row: Row) -> list[str]:
    """Return the line of one row."""
    value = words.rate(row.per_second) if row.step == "request" else words.duration(row.median)
    figures = [(row.figure(figure), write) for figure, write in COLUMNS.values()]
    return [row.candidate, value, str(len(row.seconds)), *("" if it is None else write(it) for it, write in figures)]

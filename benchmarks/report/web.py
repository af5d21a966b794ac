"""Web services: answers per second, the tail, the knee, connections that wait, slow clients, and the end under load."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace

from benchmarks.disturbance import marked
from benchmarks.report import rows as kit
from benchmarks.report import sheet, sweeps, words
from benchmarks.report.candidates import rows_of
from benchmarks.report.chart import Absent, Chart, command_for, table
from benchmarks.report.ranking import are_ranked, between, leaders, names, unranked
from benchmarks.report.rows import Entry, Panel, drawing, fitting_panel
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
    "rate", "More and more requests: when answers take longer", "requests per second", "P99 of the latency (log)"
)
SLOW = "Slow clients: how many of the others are answered"
STOP = "SIGTERM under load: requests that are lost, and how long the end takes"
OTHERS = {"peer": "servers of others"}
ALL = 0.97
"""From this share on a server counts as one that keeps up: the last requests are answered after the end."""
PROCESS, KERNEL = "pss_bytes_per_connection", "kernel_bytes_per_connection"
COLUMNS: dict[str, tuple[str, Callable[[float], str]]] = {
    "P50": ("p50_s", words.duration),
    "P99 alone": ("alone_p99_s", words.duration),
    "P99": ("p99_s", words.duration),
    "CPU of an answer": ("cpu_us_per_request", lambda it: words.duration(it / 1e6)),
    "memory (PSS)": ("peak_pss_bytes", words.size),
    "memory of a connection (PSS)": (PROCESS, words.size),
    "and in the kernel": (KERNEL, words.size),
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
    yield waiting_memory(results)
    yield knee(results)
    yield slow_clients(results)
    yield stop(results)


def served(results: Results, cell: str) -> list[Row]:
    """Return the models and what one might use instead, under every Python, the fastest first."""
    return [row for row in rows_of(results, "web", cell) if row.kind in ("model", "peer")]


def capacity(results: Results, cell: str, name: str, title: str) -> Chart | Absent:
    """Return the chart of answers per second."""
    rows = served(results, cell)
    if not rows:
        return Absent(title, f"nothing of web/{cell} was measured")
    bars = [rate_bar(results, row) for row in rows]
    takeaway = most_answers(rows, bars)
    alt = (
        f"{takeaway}. The fewest answers are {words.rate(rows[-1].per_second)} a second. The load comes from the"
        " same machine, and shares its processors."
    )
    panel = fitting_panel("", bars, "answers per second", words.rate)
    draw, cells = drawing([panel], OTHERS | {"mark": "by hand"}), cell_sheet(rows_of(results, "web", cell))
    return Chart(name, title, takeaway, alt, command_for(results, rows), draw, cells)


def rate_bar(results: Results, row: Row) -> Entry:
    """Return the answers per second of a row, marked with those of its baseline."""
    baseline = sheet.baseline_of(results, row) if row.kind == "model" else None
    return kit.bar(row, row.per_second, (1 / row.most, 1 / row.least), baseline.per_second if baseline else None)


def most_answers(rows: list[Row], bars: list[Entry]) -> str:
    """Say which servers give most answers; or, where each answer takes its time, how many of the possible answers."""
    first, ahead = rows[0], leaders(rows)
    if delay := re.search(r"ms=(\d+)", str(first.parameters.get("endpoint", ""))):
        possible = first.parameters["connections"] / (int(delay[1]) / 1000)
        given = " to ".join(dict.fromkeys(words.rate(row.per_second) for row in (rows[-1], first)))
        users = f"{first.parameters['connections']} users who wait {delay[1]} ms for each answer"
        return f"{users} can get {words.rate(possible)} a second; the servers give {given}"
    verb = "gives" if len(ahead) == 1 else "give"
    most = f"{servers(ahead)} {verb} most answers, {words.rate(first.per_second)} a second"
    if not are_ranked(rows):
        given = words.span([row.per_second for row in rows], words.rate)
        most = f"The servers give {given} answers a second; {unranked(rows)}"
    by_hand = max((mark for bar in bars if (mark := bar.value("mark"))), default=0)
    return f"{most}; the models written by hand give up to {words.rate(by_hand)}" if by_hand else most


def servers(rows: list[Row]) -> str:
    """Return the names of a few rows, with the number of their workers where a model has several."""
    return names([replace(row, candidate=f"{row.candidate}{workers(row)}") for row in rows])


def workers(row: Row) -> str:
    """Return how many workers a model has, in brackets; nothing if it is one process."""
    number = row.parameters.get("workers") or 1
    return f" ({number} workers)" if row.kind == "model" and number > 1 else ""


def tail(results: Results) -> Chart | Absent:
    """Return the chart of P99 with requests that compute, marked with P99 without them."""
    rows = served(results, "tail")
    if not rows:
        return Absent(TAIL, "nothing of web/tail was measured")
    bars = [kit.bar(row, mark=row.figure("alone_p99_s")) for row in rows]
    panel = fitting_panel("", bars, "P99 of the latency", words.duration)
    takeaway = f"One request in a hundred computes: {lowest_p99(rows)}"
    alt = (
        f"{takeaway}. The highest P99 is {words.duration(rows[-1].median)}. Where a task runs until it waits, one that"
        " computes keeps all others waiting."
    )
    draw, command = drawing([panel], OTHERS | {"mark": "if none computes"}), command_for(results, rows)
    return Chart("web-tail", TAIL, takeaway, alt, command, draw, cell_sheet(rows_of(results, "web", "tail")))


def lowest_p99(rows: list[Row]) -> str:
    """Say which servers have the lowest P99; only how far all are apart if there is no order."""
    if not are_ranked(rows):
        return f"P99 is {between(rows)}; {unranked(rows)}"
    ahead, single = leaders(rows), leaders([row for row in rows if row.kind == "model" and not workers(row)])
    text = f"{servers(ahead)} {'keeps' if len(ahead) == 1 else 'keep'} P99 lowest, {between(ahead)}"
    if single and any(map(workers, ahead)):
        text += f"; of the models with one process, {names(single)}, {between(single)}"
    return text


def waiting_memory(results: Results) -> Chart | Absent:
    """Return the chart of the memory of a connection that waits: that of the process, and the kernel's."""
    rows = [row for row in served(results, "idle") if positive(row, PROCESS)]
    if not rows:
        return Absent(IDLE, "nothing of web/idle was measured")
    rows.sort(key=lambda row: row.figure(PROCESS) or 0)
    panels = [
        Panel(title, bars, "per connection (log)", words.size)
        for name, title in ((PROCESS, "in the process (PSS)"), (KERNEL, "in the kernel"))
        if (bars := [memory_bar(row, name) for row in rows if positive(row, name)])
    ]
    each = [f"{words.size(row.figure(PROCESS) or 0)} in {row.candidate}" for row in (rows[0], rows[-1])]
    takeaway = f"A connection that waits takes {each[0]} and {each[1]}"
    alt = f"{takeaway}; what the kernel has for it, such as the stack of a thread, is not in that."
    draw, command = drawing(panels, OTHERS, across=2), command_for(results, rows)
    return Chart("web-idle", IDLE, takeaway, alt, command, draw, cell_sheet(rows_of(results, "web", "idle")))


def positive(row: Row, figure: str) -> bool:
    """Return whether there is such a figure; where other work frees memory meanwhile it can be below nothing."""
    return (row.figure(figure) or 0) > 0


def memory_bar(row: Row, figure: str) -> Entry:
    """Return a figure of memory with its spread."""
    values = [value for value in row.by_round(figure).values() if value > 0]
    return kit.bar(row, row.figure(figure) or 0, (min(values), max(values)))


def knee(results: Results) -> Chart | Absent:
    """Return the chart of P99 at growing rates."""
    found = sweeps.sweeps_of(results, KNEE, "web")
    if not found:
        return Absent(KNEE.title, "no two rates were measured")
    highest = max(sweep[-1][0] for sweep in found.values())
    there = [row for sweep in found.values() for rate, row in sweep if rate == highest]
    rounds = max(len(row.seconds) for row in there)
    within = f"among {len(there)} servers" if len(there) > 1 else f"on {there[0].candidate}"
    within += f", in {'one round' if rounds == 1 else f'{rounds} rounds'}"
    takeaway = f"At {KNEE.tick(highest)} requests a second P99 is {between(there)} {within}"
    alt = f"{takeaway}. Up to its knee, a server answers at once; beyond it, requests wait in a queue."
    return sweeps.chart(results, "web-knee", KNEE, found, takeaway, alt)


def slow_clients(results: Results) -> Chart | Absent:
    """Return the table of what is answered beside clients that send a byte at a time, and of how long that takes."""
    rows = sorted(served(results, "slow"), key=lambda row: (-answered_share(row), row.median))
    if not rows:
        return Absent(SLOW, "nothing of web/slow was measured")
    clients, behind = rows[0].parameters.get("slow", "many"), [row for row in rows if answered_share(row) < ALL]
    takeaway = f"Beside {clients} slow clients "
    if behind:
        part = words.span([answered_share(row) for row in behind], "{:.0%}".format)
        verb = "answers" if len(behind) == 1 else "answer"
        takeaway += f"{len(rows) - len(behind)} of {len(rows)} servers answer the others; {names(behind)} {verb} {part}"
    else:
        takeaway += f"all {len(rows)} servers answer what the others ask"
    columns = {
        "answered of asked": ("", lambda row: f"{answered_share(row):.0%}"),
        "answers per second": ("goodput", words.rate),
        "P50": ("p50_s", words.duration),
        "P99": ("", lambda row: words.duration(row.median)),
        "unanswered": ("unanswered", words.plain),
        "errors": ("errors", words.plain),
    }
    return table("web-slow", SLOW, takeaway, results, rows, figures(rows, columns))


def answered_share(row: Row) -> float:
    """Return how many of the requests were answered until the end of the load: parts of one."""
    offered = row.figure("offered")
    return (row.figure("goodput") or 0) / offered if offered else row.figure("answered_share") or 0


def stop(results: Results) -> Chart | Absent:
    """Return the table of what SIGTERM under load costs: the requests that are lost, and the seconds to the end."""
    rows = sorted(served(results, "stop"), key=lambda row: (row.figure("lost") or 0, row.median))
    if not rows:
        return Absent(STOP, "nothing of web/stop was measured")
    losing = [row for row in rows if row.figure("lost")]
    takeaway = f"Asked to end under load, none of {len(rows)} servers loses a request"
    if losing:
        number = words.span([row.figure("lost") or 0 for row in losing], words.plain)
        kept = f"{len(rows) - len(losing)} of {len(rows)} servers lose no request"
        verb = "loses" if len(losing) == 1 else "lose"
        takeaway = f"Asked to end under load, {kept}; {names(losing)} {verb} {number}"
    columns = {
        "lost": ("", lambda row: words.plain(row.figure("lost") or 0)),
        "answers": ("answers", words.plain),
        "to the end": ("", lambda row: words.duration(row.median)),
        "killed": ("", lambda row: "yes" if row.figure("killed") else "no"),
        "processes left": ("left_processes", words.plain),
    }
    return table("web-stop", STOP, takeaway, results, rows, figures(rows, columns))


def cell_sheet(found: list[Row]) -> Sheet:
    """Return a table of the rows of one cell."""
    step = found[0].step
    if step == "request":
        first = {f"{step}s per second": ("", lambda row: words.rate(row.per_second))}
    else:
        first = {f"per {step}": ("", lambda row: words.duration(row.median))}
    return figures(found, first | {"rounds": ("", lambda row: str(len(row.seconds)))} | COLUMNS)


def figures(found: Iterable[Row], columns: Mapping[str, tuple[str, Callable[..., str]]]) -> Sheet:
    """Return a table of these rows: a column has the name of a figure and what writes it, or what writes the row."""
    lines = []
    for row in found:
        cells = ((row.figure(figure) if figure else row, write) for figure, write in columns.values())
        lines.append([marked(row.candidate, row), *("" if it is None else write(it) for it, write in cells)])
    return Sheet(["", *columns], lines).without_empty()

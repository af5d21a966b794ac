"""Servers with frameworks, behind nginx and with a database: latencies, workers, and a database that takes its time."""

from collections.abc import Callable, Iterator

from benchmarks.disturbance import marked
from benchmarks.report import words
from benchmarks.report.canvas import family
from benchmarks.report.chart import Absent, Chart, command_for, table
from benchmarks.report.lines import Part, drawing
from benchmarks.report.ranking import less
from benchmarks.report.rows import Entry, Panel, Point
from benchmarks.report.rows import drawing as rows_drawing
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row
from benchmarks.web.stack import past

STACK = "Behind nginx, with a database: P50 and P99 of each server"
WORKERS = "Behind nginx, with a database: answers per second, by the number of workers"
DELAY = "A database that takes its time: answers per second"
SUITE, P50, P99 = "web", "p50_s", "p99_s"
GROUPS = {
    "processes and threads": ("processes and interpreters", "threads"),
    "greenlets and coroutines": ("greenlets", "coroutines"),
}
"""Families of models, by what a worker of these servers has for each request."""
VARIED = "delay of a query, ms"
IN_BRACKETS = "In brackets: the number of workers, all of which together may have 64 connections to the database."
BLOCKING = "gunicorn meinheld"
"""It has greenlets, but the article's driver of the database blocks the process in which they are."""
NEARLY = 0.95
"""So much of the most answers is as good as the most."""
BEST = (
    "In brackets: the smallest number of workers with which the server gives at least 95% of its most answers, to 100"
    " users in a closed loop."
)

STARRED = "The star is at that number: the smallest with which the server gives at least 95% of its most answers."

type Curve = dict[int, Row]
"""The rows of one server by the number of its workers, or by the milliseconds that the database takes."""


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the charts; a result without web services has neither them nor a reason."""
    if SUITE in results.suites:
        yield latencies(results)
        yield workers(results)
        yield delay(results)


def curves(results: Results, varied: str = "workers-") -> dict[str, Curve]:
    """Return the curve of every server, the least first; `varied` is the beginning of the names of its cells."""
    cells = {int(cell.removeprefix(varied)): cell for cell in results.cells(SUITE) if cell.startswith(varied)}
    found: dict[str, Curve] = {}
    for number in sorted(cells):
        for row in results.of(SUITE, cells[number]):
            found.setdefault(row.candidate, {})[number] = row
    return found


def delays(results: Results) -> dict[str, Curve]:
    """Return the curve of every server by the milliseconds that the database takes."""
    return curves(results, "delay-")


def best(curve: Curve) -> int:
    """Return the fewest workers that are about as good as any number; medians are compared."""
    enough = NEARLY * max(row.per_second for row in curve.values())
    return min(number for number, row in curve.items() if row.per_second >= enough)


def chosen(results: Results) -> dict[str, Row]:
    """Return the row of every server with the number of workers that suits it."""
    return {name: curve[best(curve)] for name, curve in curves(results).items()}


def articles(results: Results) -> dict[str, Row]:
    """Return the figures of the article of 2020."""
    return {row.candidate: row for row in results.of(SUITE, past.CELL)}


def latencies(results: Results) -> Chart | Absent:
    """Return the chart of P50 and P99, each server with its best number of workers."""
    rows = sorted((it for it in chosen(results).values() if p99(it)), key=p99)
    if not rows:
        return Absent(STACK, "nothing of web/workers-1 was measured, or too few answers for a P99")
    then = articles(results)
    panel = Panel("", [entry(row, then.get(row.candidate)) for row in rows], "latency (log)", words.duration)
    draw = rows_drawing([panel], {"range": "P50 and P99", "then": "then, on 4 cores"})
    takeaway = f"P99 behind nginx and with a database: {in_groups(rows)}"
    past_rows = [row for row in then.values() if p99(row)]
    back = f"In the article, on four cores and with another machine for the load: {in_groups(past_rows)}."
    alt = f"{takeaway}. {back if past_rows else "The article's own figures are not in this result."}"
    command = command_for(results, [row for curve in curves(results).values() for row in curve.values()])
    return Chart("web-stack", STACK, takeaway, alt, command, draw, latency_table(rows, then), BEST)


def p99(row: Row) -> float:
    """Return P99; 0 where there were too few answers for it."""
    return row.figure(P99) or 0


def entry(row: Row, then: Row | None) -> Entry:
    """Return P50 and P99 of a row, with those of the article."""
    points = [("range", row.figure(P50) or p99(row), p99(row))]
    points += [("then", then.figure(P50) or 0, p99(then))] if then else []
    return Entry(label(row), row.model, tuple(Point(style, ends) for style, *ends in points))


def label(row: Row) -> str:
    """Return the name of a server with the number of its workers."""
    return f"{row.candidate} ({row.parameters['workers']})"


def grouped(rows: list[Row]) -> dict[str, list[Row]]:
    """Return the rows by their group, without groups that have none."""
    found = {name: [row for row in rows if group_of(row) == name] for name in GROUPS}
    return {name: rows for name, rows in found.items() if rows}


def group_of(row: Row) -> str | None:
    """Return the group of a row; None if it is in neither."""
    if row.candidate.startswith(BLOCKING):
        return next(iter(GROUPS))
    return next((name for name, families in GROUPS.items() if family(row.model) in families), None)


def in_groups(rows: list[Row]) -> str:
    """Say between what P99 lies in each group."""
    found = {name: words.span([p99(row) for row in rows], words.duration) for name, rows in grouped(rows).items()}
    return "; ".join(f"{name}, {values}" for name, values in found.items())


def latency_table(rows: list[Row], then: dict[str, Row]) -> Sheet:
    """Return the table of the chosen rows, with the article's figures."""
    columns: dict[str, tuple[str, Callable[[float], str]]] = {
        "P50": (P50, words.duration),
        "P99": (P99, words.duration),
        "P99 at 300/s": ("open_300_p99_s", words.duration),
        "at 600/s": ("open_600_p99_s", words.duration),
        "memory": ("peak_pss_bytes", words.size),
    }
    of_then = [columns[name] for name in ("P50", "P99")]
    lines = []
    for row in rows:
        old = then.get(row.candidate)
        lines.append([
            marked(row.candidate, row), *figures(row, [*columns.values()]), *figures(old, of_then)
        ])  # fmt: skip
    head = [
        "",
        "workers",
        "answers per second",
        *columns,
        "then, on 4 cores: workers",
        "a second",
        "P50 then",
        "P99 then",
    ]
    return Sheet(head, lines).without_empty()


def figures(row: Row | None, columns: list[tuple[str, Callable[[float], str]]]) -> list[str]:
    """Return the number of workers, answers per second and figures in words; nothing where there is no row, or it
    lacks a figure."""
    if row is None:
        return [""] * (len(columns) + 2)
    known = ((row.figure(figure), write) for figure, write in columns)
    return [str(row.parameters["workers"]), answers(row), *("" if it is None else write(it) for it, write in known)]


def workers(results: Results) -> Chart | Absent:
    """Return the table of answers per second by the number of workers."""
    found = {name: curve for name, curve in curves(results).items() if len(curve) > 1}
    if not found:
        return Absent(WORKERS, "no two numbers of workers were measured")
    groups = grouped([next(iter(curve.values())) for curve in found.values()])
    gains = "; ".join(f"{name}, {gain_text([found[row.candidate] for row in rows])}" for name, rows in groups.items())
    takeaway = f"The best number of workers instead of one: {gains}"
    rows = [row for curve in found.values() for row in curve.values()]
    return table("web-workers", WORKERS, takeaway, results, rows, sheet_along(found, "workers", best), STARRED)


def gain_text(each: list[Curve]) -> str:
    """Return how many times as many answers there are at most, as far as rounds tell the two apart."""
    pairs = [(next(iter(curve.values())), curve[best(curve)]) for curve in each]
    ratios = [first.median / top.median for first, top in pairs if less(top, first)]
    return f"up to {words.as_many(max(ratios))} answers" if ratios else "no more answers"


def sheet_along(found: dict[str, Curve], what: str, star: Callable[[Curve], int] = lambda curve: -1) -> Sheet:
    """Return a table with a column for each value of what is varied; one of them may have a star."""
    numbers = sorted({number for curve in found.values() for number in curve})
    lines = []
    for name, curve in found.items():
        starred = star(curve)
        rates = {number: marked(answers(row) + " ★" * (number == starred), row) for number, row in curve.items()}
        lines.append([name, *(rates.get(number, "") for number in numbers)])
    return Sheet([what, *map(str, numbers)], lines)


def answers(row: Row) -> str:
    """Return the answers per second of a row, as exactly as its rounds tell them."""
    return words.rate(words.rounded(row.per_second, row.seconds.values()))


def delay(results: Results) -> Chart | Absent:
    """Return the chart of answers per second by the time that a query takes."""
    known = [curve for curve in delays(results).values() if len(curve) > 1]
    if not known:
        return Absent(DELAY, "no two delays of the database were measured")
    found = {label(first(curve)): curve for curve in sorted(known, key=lambda curve: last(curve).median)}
    kept = {name: first(curve).median / last(curve).median for name, curve in found.items()}
    longest, left = max(number for curve in known for number in curve), words.span(kept.values(), "{:.0%}".format)
    takeaway = (
        f"Where a query takes {longest} ms, servers give {left} of the answers that they give where it takes none"
    )
    each = "; ".join(f"{name}, {words.as_many(ratio)}" for name, ratio in kept.items())
    alt = f"{takeaway}. {each}. {overtaking_text(found)}"
    models = {name: first(curve).model or "" for name, curve in found.items()}
    shown = {name: [(float(it), row.per_second) for it, row in curve.items()] for name, curve in found.items()}
    part = Part("answers", shown, {}, VARIED, "a second (log)", words.rate, "{:.0f}".format, models=models)
    cells = sheet_along(found, VARIED)
    memory = [words.size(size) if (size := last(curve).figure("peak_pss_bytes")) else "" for curve in found.values()]
    sheet = Sheet([*cells.head, "memory"], [[*line, it] for line, it in zip(cells.lines, memory, strict=True)])
    command = command_for(results, [row for curve in known for row in curve.values()])
    draw = drawing([part], across=1)
    return Chart("web-delay", DELAY, takeaway, alt, command, draw, sheet.without_empty(), IN_BRACKETS)


def first(curve: Curve) -> Row:
    """Return the row of the least value."""
    return curve[min(curve)]


def last(curve: Curve) -> Row:
    """Return the row of the greatest value."""
    return curve[max(curve)]


def overtaking_text(found: dict[str, Curve]) -> str:
    """Say which servers change places with the delay, as far as rounds tell them apart at both ends."""
    pairs = [
        f"{one} before {other}"
        for one, its in found.items()
        for other, others in found.items()
        if less(first(its), first(others)) and less(last(others), last(its))
    ]
    if not pairs:
        return "None that was clearly before another one falls behind it."
    return f"With no delay {words.listing(pairs)}; with the longest it is the other way round."

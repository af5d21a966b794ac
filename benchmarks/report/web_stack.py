"""Servers with frameworks, behind nginx and with a database: latencies, workers, and a database that takes its time."""

from collections.abc import Callable, Iterator

from benchmarks.report import ranges, words
from benchmarks.report.canvas import family
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.lines import Line, Part, drawing
from benchmarks.report.once import below
from benchmarks.report.ranges import Range, Words
from benchmarks.report.sheet import Sheet
from benchmarks.report.sweeps import Sweep
from benchmarks.result import Results, Row

STACK = "Behind nginx, with a database: P50 and P99 of each server"
WORKERS = "Behind nginx, with a database: answers per second, by the number of workers"
DELAY = "A database that takes its time: answers per second"
PAST = "article-2020"
P50, P99 = "p50_s", "p99_s"
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


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return the charts; a result without web services has neither them nor a reason."""
    if "web" in results.suites:
        yield latencies(results)
        yield workers(results)
        yield delay(results)


def latencies(results: Results) -> Chart | Absent:
    """Return the chart of P50 and P99, each server with its best number of workers."""
    sweeps = by_workers(results)
    best = sorted((it for it in map(best_of, sweeps.values()) if p99(it)), key=p99)
    if not best:
        return Absent(STACK, "nothing of web/workers-1 was measured, or too few answers for a P99")
    past = {row.candidate: row for row in results.of("web", PAST)}
    texts = Words("latency (log)", "P50 and P99", "then, on 4 cores", words.duration)
    draw = ranges.drawing([range_of(row, past) for row in best], texts)
    table = Sheet(*latency_table(best, past)).without_empty()
    title = f"P99 behind nginx and with a database: {in_groups(best)}"
    command = command_for(results, [row for sweep in sweeps.values() for _, row in sweep])
    return Chart("web-stack", STACK, title, f"{title}. {back_then(past)}", command, draw, table, BEST)


def by_workers(results: Results) -> dict[str, Sweep]:
    """Return what each server gives by the number of its workers."""
    rows = [row for cell in results.cells("web") if cell.startswith("workers-") for row in results.of("web", cell)]
    found: dict[str, Sweep] = {}
    for row in sorted(rows, key=lambda row: int(row.parameters["workers"])):
        found.setdefault(row.candidate, []).append((float(row.parameters["workers"]), row))
    return found


def best_of(sweep: Sweep) -> Row:
    """Return the row with the fewest workers that are about as good as any number; medians are compared."""
    enough = NEARLY * max(row.per_second for _, row in sweep)
    return min((pair for pair in sweep if pair[1].per_second >= enough), key=lambda pair: pair[0])[1]


def p99(row: Row) -> float:
    """Return P99; 0 where there were too few answers for it."""
    return row.figure(P99) or 0


def range_of(row: Row, past: dict[str, Row]) -> Range:
    """Return P50 and P99 of a row, with those of the article."""
    then = past.get(row.candidate)
    figures = (then.figure(P50) or 0, then.figure(P99) or 0) if then else None
    return Range(label(row), row.figure(P50) or p99(row), p99(row), row.model or "", figures)


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
    found = {name: [p99(row) for row in rows] for name, rows in grouped(rows).items()}
    return "; ".join(f"{name}, {between(values, words.duration)}" for name, values in found.items())


def between(values: list[float], write: Callable[[float], str]) -> str:
    """Return the least and the greatest in words."""
    low, high = write(min(values)), write(max(values))
    return low if low == high else f"{low} to {high}"


def back_then(past: dict[str, Row]) -> str:
    """Say the same of the article."""
    rows = [row for row in past.values() if p99(row)]
    if not rows:
        return "The article's own figures are not in this result."
    return f"In the article, on four cores and with another machine for the load: {in_groups(rows)}."


def latency_table(best: list[Row], past: dict[str, Row]) -> tuple[list[str], list[list[str]]]:
    """Return the head and the lines of the table."""
    figures = {"P50": P50, "P99": P99, "P99 at 300/s": "open_300_p99_s", "at 600/s": "open_600_p99_s"}
    then = {"then, on 4 cores: workers": "", "a second": "", "P50 then": P50, "P99 then": P99}
    lines = []
    for row in best:
        now = [seconds(row, figure) for figure in figures.values()]
        lines.append([row.candidate, str(row.parameters["workers"]), words.rate(row.per_second), *now])
        lines[-1] += of_then(past[row.candidate]) if row.candidate in past else [""] * len(then)
    return ["", "workers", "answers per second", *figures, *then], lines


def of_then(row: Row) -> list[str]:
    """Return the article's figures in words."""
    return [str(row.parameters["workers"]), words.rate(row.per_second), seconds(row, P50), seconds(row, P99)]


def seconds(row: Row, figure: str) -> str:
    """Return a figure in words; nothing where there is none."""
    found = row.figure(figure)
    return "" if found is None else words.duration(found)


def workers(results: Results) -> Chart | Absent:
    """Return the chart of answers per second by the number of workers."""
    sweeps = {name: sweep for name, sweep in by_workers(results).items() if len(sweep) > 1}
    if not sweeps:
        return Absent(WORKERS, "no two numbers of workers were measured")
    rows = [row for sweep in sweeps.values() for _, row in sweep]
    groups = grouped([sweep[0][1] for sweep in sweeps.values()])
    gains = "; ".join(f"{name}, {gained(sweeps, rows)}" for name, rows in groups.items())
    title = f"The best number of workers instead of one: {gains}"
    ends = "; ".join(f"{name}, {ends_of(sweeps, rows)}" for name, rows in groups.items())
    parts = [workers_part(name, sweeps, rows) for name, rows in groups.items()]
    says = f"{title}. Answers per second with the best number: {ends}."
    draw, table = drawing(parts, across=1), along(sweeps, "workers")
    return Chart("web-workers", WORKERS, title, says, command_for(results, rows), draw, table)


def gained(sweeps: dict[str, Sweep], rows: list[Row]) -> str:
    """Return how many times as many answers there are at most, as far as the spreads tell the two apart."""
    best = {row.candidate: best_of(sweeps[row.candidate]) for row in rows}
    ratios = [row.median / best[row.candidate].median for row in rows if below(best[row.candidate], row)]
    return f"up to {words.many(max(ratios))} answers" if ratios else "no more answers"


def ends_of(sweeps: dict[str, Sweep], rows: list[Row]) -> str:
    """Return between what the answers per second lie with the best number of workers."""
    return between([best_of(sweeps[row.candidate]).per_second for row in rows], words.rate)


def workers_part(name: str, sweeps: dict[str, Sweep], rows: list[Row]) -> Part:
    """Return the picture of one group."""
    shown = {row.candidate: line_of(sweeps[row.candidate]) for row in rows}
    behind = {other: line_of(sweep) for other, sweep in sweeps.items() if other not in shown}
    models = {row.candidate: row.model or "" for row in rows}
    return Part(name, shown, behind, "workers (log)", "a second (log)", words.rate, tick, by_ratio=True, models=models)


def line_of(sweep: Sweep) -> Line:
    """Return the answers per second along a sweep."""
    return [(value, row.per_second) for value, row in sweep]


def tick(value: float) -> str:
    """Return a whole number in words."""
    return f"{int(value):,}"


def along(sweeps: dict[str, Sweep], what: str) -> Sheet:
    """Return a table with a column for each value of what is varied."""
    numbers = sorted({value for sweep in sweeps.values() for value, _ in sweep})
    lines = []
    for name, sweep in sweeps.items():
        rates = {value: words.rate(row.per_second) for value, row in sweep}
        lines.append([name, *(rates.get(number, "") for number in numbers)])
    return Sheet([what, *map(tick, numbers)], lines)


def delay(results: Results) -> Chart | Absent:
    """Return the chart of answers per second by the time that a query takes."""
    sweeps = by_delay(results)
    if not sweeps:
        return Absent(DELAY, "no two delays of the database were measured")
    rows = [row for sweep in sweeps.values() for _, row in sweep]
    title, kept = delay_title(sweeps), {name: words.many(ratio) for name, ratio in ratios_of(sweeps).items()}
    says = f"{title}. {'; '.join(f'{name}, {many}' for name, many in kept.items())}. {turned_over(sweeps)}".strip()
    models = {name: sweep[0][1].model or "" for name, sweep in sweeps.items()}
    shown = {name: line_of(sweep) for name, sweep in sweeps.items()}
    part = Part("answers", shown, {}, VARIED, "a second (log)", words.rate, tick, models=models)
    draw, table = drawing([part], across=1), along(sweeps, VARIED)
    return Chart("web-delay", DELAY, title, says, command_for(results, rows), draw, table, IN_BRACKETS)


def by_delay(results: Results) -> dict[str, Sweep]:
    """Return what each server gives by the milliseconds that a query takes, the least first."""
    found: dict[str, Sweep] = {}
    for cell in results.cells("web"):
        if cell.startswith("delay-"):
            for row in results.of("web", cell):
                found.setdefault(label(row), []).append((float(row.parameters["delay_ms"]), row))
    return {name: sorted(sweep, key=lambda pair: pair[0]) for name, sweep in found.items() if len(sweep) > 1}


def ratios_of(sweeps: dict[str, Sweep]) -> dict[str, float]:
    """Return by server how many answers are left with the longest delay: parts of one."""
    return {name: sweep[0][1].median / sweep[-1][1].median for name, sweep in sweeps.items()}


def delay_title(sweeps: dict[str, Sweep]) -> str:
    """Say between what the shares of the answers lie that are left."""
    longest = tick(max(sweep[-1][0] for sweep in sweeps.values()))
    found = ratios_of(sweeps).values()
    part = f"{min(found):.0%} to {max(found):.0%}" if len(found) > 1 else f"{max(found):.0%}"
    return f"Where a query takes {longest} ms, servers give {part} of the answers that they give where it takes none"


def turned_over(sweeps: dict[str, Sweep]) -> str:
    """Say which servers change places with the delay, as far as the spreads tell them apart at both ends."""
    pairs = [
        f"{one} before {other}"
        for one, its in sweeps.items()
        for other, others in sweeps.items()
        if below(its[0][1], others[0][1]) and below(others[-1][1], its[-1][1])
    ]
    if not pairs:
        return "None that was clearly before another one falls behind it."
    return f"With no delay {words.listing(pairs)}; with the longest it is the other way round."


__all__ = ["charts"]

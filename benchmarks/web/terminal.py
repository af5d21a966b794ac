"""A report as text: what was done, a table of latencies, how they are distributed, and what is to be noted."""

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from benchmarks.web.latencies import Latencies, octaves
from benchmarks.web.plan import Plan
from benchmarks.web.report import Report
from concmodels.programs.output.formats import duration, short
from concmodels.programs.result import count

_WIDEST_BAR = 40
_COLUMNS = {"mean": "mean_s", "P50": "p50_s", "P90": "p90_s", "P99": "p99_s", "P99.9": "p999_s", "max": "max_s"}


def print_report(report: Report, console: Console) -> None:
    """Print the report."""
    console.print(_title(report))
    console.print(_table(report))
    console.print()
    console.print(_distribution(report.latencies, console))
    for line in _lines(report):
        console.print(line, markup=False)
    for sentence in report.notes():
        console.print(Text(f"note: {sentence}", style="yellow"))


def _title(report: Report) -> Text:
    plan = report.plan
    title = Text(f"{report.goodput:,.0f} answers/s from {plan.target.address}\n", style="bold")
    warmup = f" after {plan.warmup_s:g} s" if plan.warmup_s else ""
    how_long = f"{count(plan.connections, 'connection')}, {plan.seconds:g} s{warmup}"
    return title.append(f"{_loop(plan)}; {how_long}\n", "not bold dim")


def _loop(plan: Plan) -> str:
    if plan.rate is None:
        return "closed loop, latency from when each request was sent"
    how = "evenly spaced" if plan.even else "at random (Poisson)"
    return f"open loop, {plan.rate:,g} requests/s {how}, latency from when each was due"


def _table(report: Report) -> Table:
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    for header in ("path", "requests", *_COLUMNS):
        grid.add_column(header, justify="left" if header == "path" else "right", no_wrap=header != "path")
    rows = [(kind.path, its) for kind, its in report.by_kind]
    if len(rows) > 1:
        rows.append(("all", report.latencies))
    for path, its in rows:
        times = [getattr(its, name) for name in _COLUMNS.values()]
        grid.add_row(Text(path), f"{its.count:,}", *("-" if it is None else duration(it * 1e9) for it in times))
    return grid


def _distribution(of: Latencies, console: Console) -> Table:
    """Return a bar for each doubling of the latency."""
    grid = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
    grid.add_column("latency from", justify="right")
    grid.add_column("requests", justify="right")
    grid.add_column("")
    bars = octaves(of.histogram)
    block = "█" if console.encoding.lower().startswith("utf") else "#"
    for bound, number in bars.items():
        bar = block * max(number > 0, round(number / max(bars.values()) * _WIDEST_BAR))
        grid.add_row(duration(bound * 1e3), f"{number:,}", Text(bar, style="cyan"))
    return grid


def _lines(report: Report) -> Iterator[str]:
    errors = ", ".join(f"{number:,} times {name}" for name, number in report.errors.items())
    yield f"answers {report.answers:,}; unanswered {report.unanswered:,}; errors: {errors or 'none'}"
    if report.offered is not None:
        yield f"offered {report.offered:,.0f}/s, answered {report.goodput:,.0f}/s; most waiting {report.most_waiting:,}"
    served = "unknown" if report.least_served is None else f"{report.least_served:.0%} of the mean"
    opened = duration(report.opened_s * 1e9)
    yield f"least served connection: {served}; reopened {report.reopened:,}; all open in {opened}"
    waited = "" if report.generator_waited is None else f", waited {report.generator_waited:.0%} for one"
    yield f"generator: computed {report.generator_cores:.0%} of a processor{waited}"


def progress(seconds: float, of: float, answers: int) -> str:
    """Return the line that shows how far a run is."""
    return f"{seconds:.0f} of {of:g} s, {short(answers)} answers"

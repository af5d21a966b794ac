"""Channel patterns and classics: many programs on every model, as tables."""

from collections import Counter
from collections.abc import Iterator
from math import exp, log

from benchmarks.report import words
from benchmarks.report.candidates import models
from benchmarks.report.chart import Absent, Chart, table
from benchmarks.report.ranking import are_ranked, leaders
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row

TITLES = {"channel": "One channel at work: patterns", "classics": "The classics"}


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return a table for each of the two suites: a line for each model, a column for each program."""
    for suite, title in TITLES.items():
        rows = {cell: found for cell in results.cells(suite) if (found := models(results, suite, cell))}
        if rows:
            every = [row for found in rows.values() for row in found]
            yield table(suite, title, most_often_ahead(rows), results, every, sheet(rows), note(rows))
        else:
            yield Absent(title, f"nothing of the suite {suite} was measured")


def in_order(rows: dict[str, list[Row]]) -> list[str]:
    """Return the models by how many times as long as the fastest they take: the geometric mean over their programs."""
    return sorted({row.candidate for found in rows.values() for row in found}, key=lambda it: mean_of(rows, it))


def mean_of(rows: dict[str, list[Row]], model: str) -> float:
    """Return that mean of a model."""
    logs = [log(row.median / found[0].median) for found in rows.values() for row in found if row.candidate == model]
    return exp(sum(logs) / len(logs))


def most_often_ahead(rows: dict[str, list[Row]]) -> str:
    """Say which model is most often among the fastest, and in how many of the programs."""
    ranked = [found for found in rows.values() if are_ranked(found)]
    if not ranked:
        return f"{len(rows)} programs, in too few rounds for an order"
    led = Counter(row.candidate for found in ranked for row in leaders(found))
    most = max(led.values())
    best = [name for name, count in led.items() if count == most]
    verb = "is" if len(best) == 1 else "are"
    return f"{words.listing(best)} {verb} among the fastest in {most} of {len(rows)} programs"


def note(rows: dict[str, list[Row]]) -> str:
    """Say what is counted in each program."""
    programs: dict[str, list[str]] = {}
    for cell, found in rows.items():
        programs.setdefault(found[0].step, []).append(cell)
    each = [f"per {step} ({words.listing(cells)})" for step, cells in programs.items()]
    return f"The best on the whole comes first. The figures are times {'; '.join(each)}."


def sheet(rows: dict[str, list[Row]]) -> Sheet:
    """Return the table, the best model first."""
    times = {(row.candidate, cell): words.duration(row.median) for cell, found in rows.items() for row in found}
    return Sheet(["", *rows], [[model, *(times.get((model, cell), "") for cell in rows)] for model in in_order(rows)])

"""The servers behind nginx and before a database: each with its numbers of workers, and the number that suits it."""

from benchmarks.report.web_stack import best_of
from benchmarks.result import Results, Row
from benchmarks.web.stack import past

SUITE, WORKERS, DELAY = "web", "workers-", "delay-"

type Curve = dict[int, Row]
"""The rows of one server by the number of its workers."""


def curves(results: Results) -> dict[str, Curve]:
    """The curve of every server."""
    found: dict[str, Curve] = {}
    for cell in sorted((it for it in results.cells(SUITE) if it.startswith(WORKERS)), key=number):
        for row in results.of(SUITE, cell):
            found.setdefault(row.candidate, {})[number(cell)] = row
    return found


def delays(results: Results) -> dict[str, Curve]:
    """The rows of every server by the milliseconds that the database takes."""
    found: dict[str, Curve] = {}
    for cell in sorted((it for it in results.cells(SUITE) if it.startswith(DELAY)), key=number):
        for row in results.of(SUITE, cell):
            found.setdefault(row.candidate, {})[number(cell)] = row
    return found


def number(cell: str) -> int:
    """The number in the name of a cell."""
    return int(cell.rpartition("-")[2])


def best(curve: Curve) -> int:
    """The fewest workers whose answers per second, in the median of the rounds, come near the most of any number."""
    return number(best_of([(float(workers), row) for workers, row in curve.items()]).cell)


def chosen(results: Results) -> dict[str, Row]:
    """The row of every server with the number of workers that suits it."""
    return {name: curve[best(curve)] for name, curve in curves(results).items()}


def articles(results: Results) -> dict[str, Row]:
    """The figures of the article of 2020."""
    return {row.candidate: row for row in results.of(SUITE, past.CELL)}

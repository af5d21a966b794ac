"""The rows of a chart: those of a cell under every Python, told apart by their names.

A row under the first Python is called as ever; that of another one has its Python in its name: `threads, 3.14t`.
"""

from dataclasses import replace

from benchmarks.result import Results, Row


def rows_of(results: Results, suite: str, cell: str) -> list[Row]:
    """Return the rows of a cell under every Python, the fastest first, with the names that they have in charts."""
    rows = [named(results, row) for python in results.pythons for row in results.of(suite, cell, python)]
    return sorted(rows, key=lambda row: row.median)


def models(results: Results, suite: str, cell: str) -> list[Row]:
    """Return those of the models."""
    return [row for row in rows_of(results, suite, cell) if row.kind == "model"]


def named(results: Results, row: Row) -> Row:
    """Return a row with the name that it has in charts."""
    return row if row.python == results.pythons[0] else replace(row, candidate=f"{row.candidate}, {row.python}")

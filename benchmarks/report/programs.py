"""Channel patterns and classics: many programs on every model."""

from collections import Counter
from collections.abc import Iterator
from math import exp, log

from benchmarks.report import words
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.grid import Grid, drawing
from benchmarks.report.ranks import leaders
from benchmarks.report.rings import models
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row

TITLES = {"channel": "One channel at work: patterns", "classics": "The classics"}


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return one chart for each of the two suites."""
    for suite, title in TITLES.items():
        rows = {cell: found for cell in results.cells(suite) if (found := models(results, suite, cell))}
        if not rows:
            yield Absent(title, f"nothing of the suite {suite} was measured")
            continue
        grid, every = grid_of(rows), [row for found in rows.values() for row in found]
        yield Chart(
            suite, title, leading(rows), says(rows, grid), command_for(results, every), drawing(grid), sheet(rows, grid)
        )


def grid_of(rows: dict[str, list[Row]]) -> Grid:
    """Return the grid, with the models in the order of their overall result."""
    values = {(row.candidate, cell): row.median for cell, found in rows.items() for row in found}
    models = sorted({model for model, _ in values}, key=lambda model: on_the_whole(rows, model))
    return Grid(models, list(rows), values, words.duration)


def on_the_whole(rows: dict[str, list[Row]], model: str) -> float:
    """Return how many times as long as the fastest a model takes: the geometric mean over its programs."""
    logs = [log(row.median / found[0].median) for found in rows.values() for row in found if row.candidate == model]
    return exp(sum(logs) / len(logs))


def leading(rows: dict[str, list[Row]]) -> str:
    """Say which model is most often among the fastest, and in how many of the programs."""
    led = Counter(row.candidate for found in rows.values() for row in leaders(found))
    most = max(led.values())
    best = [name for name, count in led.items() if count == most]
    verb = "is" if len(best) == 1 else "are"
    return f"{words.listing(best)} {verb} among the fastest in {most} of {len(rows)} programs"


def says(rows: dict[str, list[Row]], grid: Grid) -> str:
    """Say which models do well overall, and where models differ most."""
    spread = {cell: found[-1].median / found[0].median for cell, found in rows.items()}
    widest = max(spread, key=lambda cell: spread[cell])
    first, last = rows[widest][0], rows[widest][-1]
    return (
        f"On the whole {grid.models[0]} comes first: {words.times(on_the_whole(rows, grid.models[0]))} the fastest of"
        f" each column. Models lie farthest apart in {widest}: {words.duration(first.median)} a {first.step} in"
        f" {first.candidate}, {words.duration(last.median)} in {last.candidate}."
    )


def sheet(rows: dict[str, list[Row]], grid: Grid) -> Sheet:
    """Return a table with a line for each model; its head says what is counted."""
    head = ["", *(f"{cell}, per {found[0].step}" for cell, found in rows.items())]
    lines = [
        [model, *(words.duration(grid.values[model, cell]) if (model, cell) in grid.values else "" for cell in rows)]
        for model in grid.models
    ]
    return Sheet(head, lines)

"""One Python against another: with the GIL against without it, one version against the next."""

from collections.abc import Iterator

from benchmarks.goals import by_round
from benchmarks.report import gil, words
from benchmarks.report.against import Ratios
from benchmarks.report.chart import Absent, Chart, command_for
from benchmarks.report.dots import Dot, drawing
from benchmarks.report.sheet import Sheet
from benchmarks.result import Results, Row

CELLS = {
    ("ring", "stream"): "ring, everything in flight",
    ("ring", "token"): "ring, one in flight",
    ("channel", "fanin-4"): "four senders, one receiver",
    ("pool", "nothing"): "empty tasks",
    ("pool", "cpu"): "tasks that compute",
    ("pool", "buffer"): "tasks that read one buffer",
    ("classics", "buffer"): "bounded buffer",
}
"""Where the difference is to be seen; if a result has none of these, its first ones are shown."""


def charts(results: Results) -> Iterator[Chart | Absent]:
    """Return a chart for every pair of interpreters, and a line if the GIL was always on or always off."""
    pairs = list(pairs_of(results))
    gils = gils_of(results)
    if not any(gils[one] != gils[other] for one, other in pairs):
        have = "off" if gils and not any(gils.values()) else "on"
        yield Absent(gil.TITLE, f"not measured: the GIL was always {have} (`--python 3.14 --python 3.14t` has both)")
    for one, other in pairs:
        if gils[one] and not gils[other]:
            yield from gil.charts(results, one, other)
        else:
            yield chart(results, one, other, f"Python {one} against {other}")


def gils_of(results: Results) -> dict[str, bool]:
    """Return, by Python, whether the GIL was on."""
    return {row.python: row.gil for row in results.rows}


def pairs_of(results: Results) -> Iterator[tuple[str, str]]:
    """Return each Python but the first, with the one to compare it with: the same version with the GIL, or
    the first."""
    tags = results.pythons
    for tag in tags[1:]:
        twin = tag.removesuffix("t")
        yield (twin if twin != tag and twin in tags else tags[0]), tag


def chart(results: Results, one: str, other: str, title: str) -> Chart | Absent:
    """Return the chart of how many times as fast the second Python is."""
    pairs = list(rows_of(results, one, other))
    if not pairs:
        return Absent(f"{title}: {one} and {other}", "no model was measured under both")
    dots = [dot(where, first, second) for where, first, second in pairs]
    rows = [row for _, first, _ in pairs for row in [first]]
    below = f"how many times as fast {other} is as {one} (log)"
    return Chart(
        f"python-{other}", title, moved(dots, one, other), says(dots, one, other), command_for(results, rows),
        drawing(dots, below), sheet(dots),
    )  # fmt: skip


def moved(dots: list[Dot], one: str, other: str) -> str:
    """Say how many are faster and how many slower in every round."""
    faster, slower = sum(dot.low > 1 for dot in dots), sum(dot.high < 1 for dot in dots)
    return f"{faster} of {len(dots)} are faster under {other} than under {one}, {slower} slower"


def rows_of(results: Results, one: str, other: str) -> Iterator[tuple[str, Row, Row]]:
    """Return the cell, and the rows of the same model under both Pythons."""
    for suite, cell in cells_of(results, one, other):
        for first in models_of(results, suite, cell, one):
            second = results.row(suite, cell, first.candidate, other)
            if second and by_round(second, first):
                yield CELLS.get((suite, cell), f"{suite}/{cell}"), first, second


def cells_of(results: Results, one: str, other: str) -> list[tuple[str, str]]:
    """Return those of `CELLS` that both Pythons have, or else the first cell that both have."""
    both = [pair for pair in every_cell(results) if all(models_of(results, *pair, python) for python in (one, other))]
    return [pair for pair in CELLS if pair in both] or both[: len(CELLS)]


def every_cell(results: Results) -> Iterator[tuple[str, str]]:
    """Return all cells of a result."""
    return ((suite, cell) for suite in results.suites for cell in results.cells(suite))


def models_of(results: Results, suite: str, cell: str, python: str) -> list[Row]:
    """Return the models that were measured under one Python."""
    return [row for row in results.of(suite, cell, python) if row.kind == "model"]


def dot(where: str, first: Row, second: Row) -> Dot:
    """Return the dot of the second Python against the first."""
    ratios = Ratios(second, first)
    return Dot(where, first.candidate, ratios.median, ratios.least, ratios.most, model=first.model)


def says(dots: list[Dot], one: str, other: str) -> str:
    """Say which models gain and lose most."""
    best, worst = max(dots, key=lambda it: it.value), min(dots, key=lambda it: it.value)
    gained = sum(it.value > 1 for it in dots)
    return (
        f"{gained} of {len(dots)} are faster under {other} than under {one}. Farthest to the right, {best.label}"
        f" ({best.group}) {words.takes(1 / best.value)}; farthest to the left, {worst.label} ({worst.group})"
        f" {words.takes(1 / worst.value)}."
    )


def sheet(dots: list[Dot]) -> Sheet:
    """Return the same as a table."""
    lines = [[it.group, it.label, *(words.plain(value) for value in (it.value, it.low, it.high))] for it in dots]
    return Sheet(["what", "model", "times as fast", "from", "to"], lines, left=2)


__all__ = ["charts"]

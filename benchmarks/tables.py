"""A result as tables on a terminal: the cells, the goals, and what was left out."""

import statistics
from collections.abc import Iterable, Sequence

from rich.table import Table

from benchmarks.disturbance import is_disturbed, marked
from benchmarks.goals import Goal, Verdict, verdicts
from benchmarks.result import LeftOut, Results, Row
from benchmarks.web.columns import columns
from concmodels.programs.output.formats import duration, short

KINDS = {"model": "", "baseline": "by hand", "peer": "instead", "language": "language", "past": "then"}


def cells(results: Results, wanted: Sequence[str] = ()) -> Iterable[Table]:
    """Return a table for every cell; `wanted` are suites, or cells such as `ring/stream`."""
    for suite in results.suites:
        for cell in results.cells(suite):
            if not wanted or suite in wanted or f"{suite}/{cell}" in wanted:
                rows = [row for python in results.pythons for row in results.of(suite, cell, python)]
                yield cell_table(sorted(rows, key=lambda row: row.median), len(results.pythons) > 1)


def cell_table(rows: list[Row], pythons: bool) -> Table:
    """Return the table of one cell, the fastest first."""
    first = rows[0]
    table = new_table(f"{first.suite}/{first.cell}: {sizes(rows)}")
    table.add_column(first.cell, no_wrap=True)
    if pythons:
        table.add_column("Python", no_wrap=True)
    table.add_column("", no_wrap=True)
    if first.suite == "web":
        add_web_rows(table, rows, pythons)
        return table
    for head in (f"per {first.step}", "from", "to", "per second", "rounds"):
        table.add_column(head, justify="right")
    for row in rows:
        figures = [duration(it * 1e9) for it in (row.median, row.least, row.most)]
        name = [marked(row.candidate, row), row.python] if pythons else [marked(row.candidate, row)]
        table.add_row(*name, KINDS[row.kind], *figures, short(row.per_second), str(len(row.seconds)))
    return table


def add_web_rows(table: Table, rows: list[Row], pythons: bool) -> None:
    """Add the rows of web services, with the columns that their cell has."""
    shown = columns(rows)
    for head in shown:
        table.add_column(head, justify="right")
    for number, row in enumerate(rows):
        name = [marked(row.candidate, row), row.python] if pythons else [marked(row.candidate, row)]
        figures = [column[number] for column in shown.values()]
        table.add_row(*name, KINDS[row.kind], *figures)


def new_table(title: str) -> Table:
    """Return an empty table."""
    return Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)


def sizes(rows: Iterable[Row]) -> str:
    """Return the sizes that all rows have in common."""
    common = [set(row.parameters.items()) for row in rows if all(map(is_plain, row.parameters.values()))]
    both = set.intersection(*common) if common else set()
    return ", ".join(f"{name} {value}" for name, value in sorted(both, key=str))


def is_plain(value: object) -> bool:
    """Return whether this is a number or a word."""
    return isinstance(value, int | float | str)


def goals(results: Results) -> Iterable[Table]:
    """Return the tables of measured values against goals, for every Python."""
    for python in results.pythons:
        if found := verdicts(results, python):
            yield goal_table(found, f"the goals, under Python {python}: ours over the other's, above 1 is faster")


def goal_table(found: list[Verdict], title: str) -> Table:
    """Return the table of the goals under one Python."""
    table = new_table(title)
    for head in ("", "ours", "against"):
        table.add_column(head, overflow="fold")
    for head in ("median", "from", "to", "goal"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("met")
    for it in found:
        ratios = [f"{value:.3g}" for value in it.ratio[:3]]
        table.add_row(*sides(it.goal), *ratios, f"{it.goal.least:.3g}", {"no": "[red]no"}.get(it.met, it.met))
    return table


def sides(goal: Goal) -> tuple[str, str, str]:
    """Return the cell, ours, and the other, which has its own cell with it if that is a different one."""
    (suite, cell, ours), (_, other_cell, theirs) = (path.split("/", 2) for path in (goal.ours, goal.theirs))
    where = f"{suite}/{cell}" + ("" if goal.figure == "seconds" else f" {goal.figure}")
    return where, ours, theirs if cell == other_cell else f"{other_cell}/{theirs}"


def left_out(results: Results) -> Iterable[str]:
    """Return a line for everything that could not be measured; candidates with the same reason share a line."""
    reasons: dict[tuple[str, bool], list[LeftOut]] = {}
    for it in results.left_out:
        reasons.setdefault((it.why, it.failed), []).append(it)
    for (why, failed), items in reasons.items():
        names = ", ".join(it.name for it in items[:4]) + (f" and {len(items) - 4} more" if len(items) > 4 else "")
        yield f"{'failed' if failed else 'left out'}: {names}: {why}"


def summary(results: Results) -> str:
    """Return how much was measured, in a sentence."""
    rows = len(results.rows)
    spread = [row.most / row.least - 1 for row in results.rows if len(row.seconds) > 1]
    noise = f"; the slowest round took {statistics.median(spread):.0%} more than the fastest (median)" if spread else ""
    return f"{rows} measured under Python {', '.join(results.pythons) or '(none)'}{noise}{beside(results)}"


def beside(results: Results) -> str:
    """Return how many rows had a round that other work disturbed, or that the generator limited."""
    rows = [row for row in results.rows if row.kind != "past"]
    disturbed = sum(map(is_disturbed, rows))
    if not disturbed:
        return ""
    return f"; {disturbed} of {len(rows)} rows had a round that other work disturbed or that the load generator limited"

"""Shows a check on the terminal: a progress bar on standard error, then a table with a line for each model."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import TextIO

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from concmodels.check.programs import PROGRAMS
from concmodels.check.report import BROKEN, NOT_GUARANTEED, WORKED, Found, ModelReport, Report
from concmodels.programs.output.streams import console


@contextlib.contextmanager
def progress(count: int, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show a bar for so many tests. Yields a function to be called with the name of each test's model when it ends."""
    err = console(sys.stderr)
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()
    with Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal) as bar:
        task = bar.add_task("", total=count)

        def advance(model: str) -> None:
            bar.update(task, advance=1, description=model)

        yield advance


def show(report: Report, stream: TextIO | None) -> None:
    """Print the table, and below it what broke."""
    out = console(stream)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for header in ("model", "guarantees", *PROGRAMS):
        table.add_column(header, no_wrap=True)
    for its in report.models:
        if its.why_not is None:
            table.add_row(Text(its.model, style="bold"), _guarantees(its), *(_program(its, name) for name in PROGRAMS))
    out.print(table)
    for its in report.models:
        if its.why_not is not None:
            out.print(Text(f"{its.model} can't run here: {its.why_not}", style="dim"), soft_wrap=True)
    for model, found in report.broken:
        out.print(Text(f"{model}: {found.test}: {found.reason}", style="red"), soft_wrap=True)


def _guarantees(report: ModelReport) -> Text:
    its = [it for it in report.found if it.test not in PROGRAMS]
    kept, broken, left = (sum(it.verdict == verdict for it in its) for verdict in (WORKED, BROKEN, NOT_GUARANTEED))
    text = Text(f"{kept} kept", style="" if broken else "green")
    if broken:
        text.append(f", {broken} broken", style="bold red")
    if left:
        text.append(f", {left} not guaranteed", style="dim")
    return text


def _program(report: ModelReport, name: str) -> Text:
    found = next((it for it in report.found if it.test == name), Found(name, NOT_GUARANTEED))
    return Text("works", "green") if found.verdict == WORKED else Text("fails", "bold red")

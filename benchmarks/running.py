"""`python -m benchmarks run`, from its options to its exit status: the bar while it runs, the words at its end."""

import sys
from argparse import Namespace
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from benchmarks import tables
from benchmarks.cell import Candidate
from benchmarks.goals import WILD, verdicts
from benchmarks.result import Results
from benchmarks.session import Session, Turn
from concmodels.programs.output.streams import console

OK, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130
CALM: dict[str, Any] = {"refresh_per_second": 1}
"""The bar is drawn beside what is measured, and on the same CPUs."""


def measure(options: Namespace, candidates: list[Candidate], command: str) -> int:
    """Measure these, write the file, and say what came of it; return the exit status."""
    session = Session(options, candidates, command)
    status = OK
    try:
        with progress_bar(session) as tell:
            session.run(tell)
    except KeyboardInterrupt:
        status = INTERRUPTED
    results = session.record.results()
    print_outcome(results, quick=options.quick)
    if options.output:
        part = "" if status == OK else "; what was measured until then"
        console(sys.stderr).print(f"The result is in {options.output}{part}.", soft_wrap=True)
    if not session.pythons:
        return BAD_INPUT
    return status or (FAILED if is_bad(results, options.quick) else OK)


@contextmanager
def progress_bar(session: Session) -> Iterator[Callable[[Turn], None]]:
    """Yield a function that shows progress on a terminal; it is called with each turn when that begins."""
    terminal = console(sys.stderr)
    columns = [TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    columns += [TextColumn("left:"), TimeRemainingColumn()]
    with Progress(*columns, console=terminal, disable=not terminal.is_terminal, transient=True, **CALM) as progress:
        task = progress.add_task("", total=sum(1 for _ in session.turns()), completed=-1)

        def tell(turn: Turn) -> None:
            progress.update(task, advance=1, description=turn.name)

        yield tell


def print_outcome(results: Results, *, quick: bool) -> None:
    """Print the goals and what was left out. A quick run says nothing about goals."""
    out = console(sys.stdout)
    for table in () if quick else tables.goals(results):
        out.print(table)
        out.print()
    for line in (*tables.left_out(results), *(far_from_goals(results) if quick else ())):
        out.print(line, markup=False, soft_wrap=True)
    out.print(tables.summary(results))


def far_from_goals(results: Results) -> Iterator[str]:
    """Return a line for every ratio that is far off its goal."""
    for python in results.pythons:
        for it in verdicts(results, python):
            if it.wild:
                off = f"{it.ratio.median:.3g} times, and {it.goal.least:.3g} is the goal: off by more than {WILD:g}"
                yield f"wild: {it.goal.ours} against {it.goal.theirs}@{python}: {off}"


def is_bad(results: Results, quick: bool) -> bool:
    """Return whether something failed or, in a quick run, a ratio is far off its goal."""
    return any(it.failed for it in results.left_out) or (quick and any(far_from_goals(results)))

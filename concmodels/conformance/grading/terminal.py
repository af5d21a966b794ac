"""Shows the outcomes on the terminal: a line per guarantee as soon as it is tested, a progress bar, the verdict."""

import contextlib
from collections.abc import Callable, Iterator
from typing import TextIO

from rich.padding import Padding
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from concmodels.conformance.grading.report import BROKEN, KEPT, NOT_GUARANTEED, Line, Outcome, Report
from concmodels.programs.output.streams import console

_WORDS = {
    KEPT: ("passed        ", "green"),
    BROKEN: ("failed        ", "bold red"),
    NOT_GUARANTEED: ("not guaranteed", "dim"),
}

_VALUES_TOLD = 6
_HARDLY = 20
"""Fewer guarantees than this say little about a model."""


class TerminalReport:
    """Writes the report to one stream, usually standard output."""

    def __init__(self, stream: TextIO | None, quiet: bool, traceback: bool) -> None:
        self._out = console(stream)
        self._quiet, self._traceback = quiet, traceback
        self._told: set[str] = set()

    @contextlib.contextmanager
    def model(self, name: str, count: int) -> Iterator[Callable[[Outcome], None]]:
        """Show the outcomes of a model. Yields a function to be called with each outcome."""
        self._told.clear()
        if not self._quiet:
            self._print(Text(name, style="bold"))
        waiting: list[Outcome] = []
        columns = BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}", style="dim")
        hidden = self._quiet or not self._out.is_terminal
        # On the console of the report, so that lines appear above the bar.
        with Progress(*columns, console=self._out, transient=True, disable=hidden) as bar:
            task = bar.add_task("", total=count)

            def tell(outcome: Outcome) -> None:
                if waiting and waiting[0].guarantee != outcome.guarantee:
                    self._line(Line(waiting[0].guarantee, waiting.copy()))
                    waiting.clear()
                waiting.append(outcome)
                bar.update(task, advance=1, description=outcome.guarantee)

            yield tell
            if waiting:
                self._line(Line(waiting[0].guarantee, waiting))

    def verdict(self, report: Report, *, is_whole: bool) -> None:
        """Show how many guarantees were kept, broken and not given; `is_whole`: no guarantee was left out by `-k`."""
        counts = f"{len(report.broken)} broken, {len(report.not_guaranteed)} not guaranteed"
        style = "bold red" if report.broken else "bold green"
        if report.broken:
            self._print(Text(f"broken: {', '.join(line.guarantee for line in report.broken)}"))
        if is_whole and len(report.kept) + len(report.broken) < _HARDLY:
            self._print(Text("This is hardly tested: give it iteration, `close` and the nowait forms too."))
        self._print(Text.assemble((f"{report.model}: {report.grade}", style), f" ({counts})"))

    def _line(self, line: Line) -> None:
        if self._quiet:
            return
        word, style = _WORDS[line.verdict]
        text = Text.assemble((word, style), f"  {line.guarantee}")
        if line.verdict == NOT_GUARANTEED:
            text.append(f": {line.outcomes[0].reason}", style="dim")
        elif missing := line.only(NOT_GUARANTEED):
            text.append(f" (not for {_values(missing)}{self._new_reason(missing[0].reason)})", style="dim")
        self._print(text)
        if line.verdict == BROKEN:
            self._explain(line)

    def _new_reason(self, reason: str) -> str:
        """Return the reason if it has not been shown before: it need not be repeated at every guarantee."""
        known = reason in self._told
        self._told.add(reason)
        return "" if known else f": {reason}"

    def _explain(self, line: Line) -> None:
        """Show the sentence of the contract, then each way in which it was broken, with the values."""
        self._indented(f"guaranteed: {line.sentence}")
        broken = line.only(BROKEN)
        for reason in dict.fromkeys(it.reason for it in broken):
            same = [it for it in broken if it.reason == reason]
            values = f" ({_values(same)})" if same[0].values else ""
            self._indented(f"but{values}: {reason}", style="red")
            if same[0].explanation:
                self._indented(same[0].explanation)
            if self._traceback:
                self._details(same[0])

    def _details(self, outcome: Outcome) -> None:
        if outcome.traceback:
            self._indented(outcome.traceback.rstrip(), style="dim")
        if outcome.output:
            self._indented(f"the model printed:\n{outcome.output.rstrip()}", style="dim")

    def _indented(self, text: str, style: str = "") -> None:
        if self._out.is_terminal:
            self._out.print(Padding(Text(text, style=style), (0, 0, 0, 6)))
        else:
            self._print(Text("\n".join(f"      {part}".rstrip() for part in text.splitlines()), style=style))

    def _print(self, text: Text) -> None:
        self._out.print(text, soft_wrap=not self._out.is_terminal)


def _values(outcomes: list[Outcome]) -> str:
    told = [it.values for it in outcomes]
    if len(told) > _VALUES_TOLD:
        told[_VALUES_TOLD - 1 :] = [f"and {len(told) - _VALUES_TOLD + 1} more"]
    return "; ".join(told)

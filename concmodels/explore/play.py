"""`--play`: the reader is the scheduler.

At every point with more than one task to choose from, a table says which line each task would run next, and the reader
types a number. `u` takes the last choice back: the program is run again from the start, up to there. `?` searches all
that can come of each choice, and says which of them can still fail.
"""

import sys
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from concmodels.explore.choices import Choose, Chosen
from concmodels.explore.eventloops.unwatched import CodeInThread
from concmodels.explore.failures.replay_id import ReplayId, checksum
from concmodels.explore.running.outcome import failure_of, reached_the_limit, sentence
from concmodels.explore.running.runs import Runs
from concmodels.explore.strategies.sleep_sets import Redundant, SleepSets
from concmodels.explore.surroundings import Surroundings
from concmodels.models.simulated.schedules import Recorder
from concmodels.programs.output.streams import console

if TYPE_CHECKING:
    from rich.console import Console

    from concmodels.explore.running.options import Options
    from concmodels.explore.running.scenario import Scenario
    from concmodels.models.simulated.world import Run

HELP = "a number: this task goes on; u: undo; ?: which choices can still fail; q: leave"
LOOK_AHEAD = 500
"""How many schedules `?` tries for each choice."""


def play(scenario: Scenario, options: Options) -> int:
    """Play the scenario; return the exit status: 1 if the schedule that was played fails, else 0."""
    try:
        with Surroundings().watched(), Runs(scenario, options.for_play()) as runs, runs.switching():
            return _Game(runs, console(sys.stdout)).play()
    except CodeInThread:
        if scenario.watched is None:
            raise
        return play(scenario.watched(), options)


class _Game:
    def __init__(self, runs: Runs, out: Console) -> None:
        self._runs = runs
        self._out = out
        self._choices: list[int] = []

    def play(self) -> int:
        self._out.print(f"{self._runs.scenario.label}: you are the scheduler. {HELP}", markup=False)
        while True:
            recorder = Recorder(Chosen(self._choices))
            run = self._runs.repeat(recorder, record=True)
            if isinstance(run.error, Choose) and run.cut:
                if not self._ask(run.error.rows):
                    return 0
                continue
            failed = self._tell_the_end(run)
            if failed and (again := self._replay_id(recorder)):
                self._out.print(f"its replay id: {again}", markup=False)
            if not self._undo_at_the_end():
                return int(failed)

    def _ask(self, rows: list[tuple[str, str, str]]) -> bool:
        """Let the reader decide; return False to leave."""
        self._show(rows)
        while True:
            answer = self._input(f"{len(self._choices) + 1}> ")
            if answer in ("q", None):
                return False
            if answer == "?":
                self._look_ahead(len(rows))
            elif answer == "u" and self._choices:
                self._choices.pop()
                return True
            elif answer.isascii() and answer.isdecimal() and 1 <= int(answer) <= len(rows):
                self._choices.append(int(answer) - 1)
                return True
            else:
                self._out.print(HELP, markup=False)

    def _undo_at_the_end(self) -> bool:
        while True:
            answer = self._input("u: undo, q: leave> ")
            if answer in ("q", "", None):
                return False
            if answer == "u" and self._choices:
                self._choices.pop()
                return True

    def _input(self, prompt: str) -> str | None:
        self._runs.more_time()
        try:
            return input(prompt).strip()
        except EOFError:
            return None

    def _show(self, rows: list[tuple[str, str, str]]) -> None:
        table = Table("", "task", "next", "where")
        for number, (task, what, where) in enumerate(rows, 1):
            table.add_row(str(number), Text(task), Text(what), Text(where))
        self._out.print(table)

    def _tell_the_end(self, run: Run) -> bool:
        error = failure_of(run, self._runs.options.check)
        if error is None:
            ended = "the program has ended, and nothing went wrong"
            if reached_the_limit(run):
                ended = "the program is cut: it makes too many steps"
            elif run.value is not None:
                ended += f": it has returned {run.value!r}"
            self._out.print(ended, markup=False)
            return False
        lines = [f"the program has failed: {sentence(error)}", *(f"  {wait}" for wait in getattr(error, "waits", ()))]
        self._out.print("\n".join(lines), markup=False)
        return True

    def _replay_id(self, recorder: Recorder) -> str:
        """Return the replay id of the schedule that was played; nothing if that is too long for one."""
        scenario, options = self._runs.scenario, self._runs.options
        codes = checksum(scenario.codes)
        made = ReplayId(codes, options.switches, recorder.schedule, order=options.order, interrupt=options.interrupt)
        return "" if str(made).endswith("!") else str(made)

    def _look_ahead(self, count: int) -> None:
        for choice in range(count):
            self._out.print(f"{choice + 1}: {self._what_can_come(choice)}", markup=False)

    def _what_can_come(self, choice: int) -> str:
        search, prefix = SleepSets(), [*self._choices, choice]
        for _ in range(LOOK_AHEAD):
            self._runs.more_time()
            search.begin()
            run = self._runs.repeat(Chosen(prefix, search))
            if not (run.cut and isinstance(run.error, Redundant)):
                error = failure_of(run, self._runs.options.check)
                if error is not None:
                    return f"can still fail: {sentence(error)}"
            if not search.end(run):
                return "can't fail any more"
        return f"has not failed in {LOOK_AHEAD} schedules"

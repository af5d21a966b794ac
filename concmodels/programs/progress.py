"""Shows a run on the terminal while it lasts: the start of its tasks, an estimate if the run is long, a progress bar.

The bar costs the program almost nothing: a thread counts four times a second, from outside, how far the program is. The
thread starts when the counted phase begins, not before, because a process with threads must not fork. The bar appears
after a second. If the output goes to a pipe or a file, only the estimate is written.
"""

import contextlib
import os
import sys
import threading
from typing import TYPE_CHECKING, Any, TextIO

from concmodels.programs.estimate import WORTH_SAYING_S, in_words
from concmodels.programs.output import console
from concmodels.programs.stopwatch import Listener, Stopwatch

if TYPE_CHECKING:
    from concmodels.programs.plan import AnyPlan

_FIRST_LOOK_S = 1.0
_LOOK_EVERY_S = 0.25
_ERASE_LINE = "\r\x1b[2K"


class Terminal(Listener):
    """Shows one run after the other on `stream`, which is standard error."""

    wants_estimate = True

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr or open(os.devnull, "w")  # noqa: SIM115 - None: it was closed by `2>&-`
        self._lively = self._stream.isatty()
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        if self._lively:
            import rich.progress  # noqa: F401 - imported now, not while a run is measured

    def preparing(self, plan: AnyPlan[Any]) -> None:
        """Say what is being started, on a line that goes away."""
        if self._lively:
            self._write(f"{_ERASE_LINE}{plan.model}: starting {plan.starting} ...\r")

    def estimated(self, seconds: float) -> None:
        """Say how long the run will take, if that is long."""
        if seconds > WORTH_SAYING_S:
            self._write(f"{self._erase}this will take {in_words(seconds)}; Ctrl-C ends it\n")

    def running(self, timer: Stopwatch[Any, Any]) -> None:
        """Start the thread that shows the bar."""
        if self._lively:
            self._write(_ERASE_LINE)
            self._over.clear()
            self._thread = threading.Thread(target=self._show, args=(timer,), name="progress")
            self._thread.start()

    def stopped(self) -> None:
        """Stop the thread, and erase the line."""
        thread, self._thread = self._thread, None
        self._over.set()
        if thread is not None:
            with contextlib.suppress(RuntimeError):  # Ctrl-C interrupted its start: then it ends by itself
                thread.join()
        elif self._lively:
            self._write(_ERASE_LINE)

    @property
    def _erase(self) -> str:
        return _ERASE_LINE if self._lively else ""

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):  # the terminal is gone
            self._stream.write(text)
            self._stream.flush()

    def _show(self, timer: Stopwatch[Any, Any]) -> None:
        if self._over.wait(_FIRST_LOOK_S):
            return
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        progress = Progress(*columns, console=console(self._stream), transient=True, auto_refresh=False)
        with contextlib.suppress(OSError), progress as bar:
            task = bar.add_task(timer.plan.model, total=timer.plan.steps)
            while not self._over.wait(_LOOK_EVERY_S):
                bar.update(task, completed=_steps_done(timer), refresh=True)


def _steps_done(timer: Stopwatch[Any, Any]) -> int | None:
    """Return the number of steps done; None if it can't be counted, because the program changes it just then."""
    try:
        return timer.steps_done()
    except Exception:  # noqa: BLE001 - a bar may stand still for a moment
        return None

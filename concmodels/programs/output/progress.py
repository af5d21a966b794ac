"""The progress bar of a run: rich's own, which rich draws from a thread of its own, once a second.

The program does nothing for it: the thread reads from outside how far the program is. It starts when the counted phase
begins, not before, because a process with threads must not fork; and it draws nothing in the first second.
"""

import contextlib
import signal
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from rich.progress import Progress

from concmodels.programs.output.streams import console
from concmodels.programs.signals import masked

if TYPE_CHECKING:
    from rich.console import RenderableType

_ERASE_LINE = "\r\x1b[2K"


class Bar(Progress):
    """Shows on standard error, a terminal, how many steps of a run are done: from `start` to `stop`."""

    def __init__(self, model: str, steps: int, done: Callable[[], int]) -> None:
        self._done = done
        super().__init__(console=console(sys.stderr), transient=True, refresh_per_second=1)
        self.add_task(model, total=steps)
        self._write(f"{_ERASE_LINE}{model}: starting ...\r")

    def start(self) -> None:
        """Start the thread. It must not take the signals that are for the main thread."""
        self._write(_ERASE_LINE)
        with masked(signal.SIG_BLOCK):
            self.live.start()

    def stop(self) -> None:
        """Stop the thread, and erase the line; a second call does no harm."""
        with masked(signal.SIG_BLOCK), contextlib.suppress(OSError):  # the terminal is gone
            for task in self.task_ids:
                self.remove_task(task)  # else rich would draw it once more
            self.live.stop()
        self._write(_ERASE_LINE)

    def get_renderables(self) -> Iterable[RenderableType]:
        """Look how far the program is, and return what rich makes of it."""
        with contextlib.suppress(Exception):  # the program just changes what is counted: the bar stands still
            for task in self.task_ids:
                self.update(task, completed=self._done())
        return super().get_renderables()

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError):
            self.console.file.write(text)
            self.console.file.flush()

"""The bar of `map(..., progress="label")`: on standard error if that is a terminal, and nothing anywhere else.

No thread draws it: the task that takes the results does, at most ten times a second. At the end the bar is gone.
"""

import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import Any

DRAW_EVERY_S = 0.1


def is_to_be_shown(label: str | None) -> bool:
    """Whether there is a label, and a terminal to show it on. Raises `TypeError` for what is no label."""
    if label is None:
        return False
    if not isinstance(label, str):
        raise TypeError(f"progress is the label of a bar, a text, or None, not {label!r}")
    return sys.stderr is not None and sys.stderr.isatty()


class Bar:
    """One bar. `total` is the number of results to come, None if that is unknown."""

    def __init__(self, label: str, total: int | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
        self._task = self._progress.add_task(label, total=total)
        self._count = 0
        self._next = 0.0
        self._progress.start()

    def step(self, result: Any = None) -> Any:
        """Count one more result, and return it."""
        self._count += 1
        moment = time.monotonic()
        if moment >= self._next:
            self._next = moment + DRAW_EVERY_S
            self._progress.update(self._task, completed=self._count, refresh=True)
        return result

    def stop(self) -> None:
        """Take the bar away; a second call does nothing."""
        self._progress.stop()


def shown(results: Generator[Any], label: str, total: int | None) -> Generator[Any]:
    """Yield the same results, with a bar while a task takes them."""
    bar = Bar(label, total)
    try:
        yield from map(bar.step, results)
    finally:
        bar.stop()
        results.close()

"""The pools of a run. A program may forget a pool that it made, so all pools end with the run at the latest."""

from contextlib import ExitStack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self

    from concmodels.models.pools.workers import Workers


class Pools:
    """The workers of those pools of a run that have not ended. Leaving the `with` ends them."""

    def __init__(self, main: Any) -> None:
        self._main = main
        self._open: dict[Workers, None] = {}  # in the order in which they were made

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._open:  # again, if a task of one pool has made another one meanwhile
            ends = ExitStack()
            for workers in list(self._open):
                ends.push(workers.leave)
            ends.__exit__(kind, error, trace)

    def add(self, workers: Workers) -> None:
        """Add the workers of a new pool, and drop those of forgotten pools that have ended by themselves."""
        for it in list(self._open):  # one step, also without the GIL; `tuple` would be many, and others make pools too
            if it.all_ended():
                it.join()
        self._open[workers] = None

    def discard(self, workers: Workers) -> None:
        """Drop the workers of a pool that has ended."""
        self._open.pop(workers, None)

    def pass_on(self, error: BaseException) -> None:
        """Interrupt main if `error`, which a task of a pool has raised, is Ctrl-C."""
        guard = self._main.guard
        if guard is not None and guard.has_raised(error):
            guard.pending = True
            self._main.interrupt()

    def delivered(self, error: BaseException, task: Any) -> None:
        """Stop interrupting main if `error` is Ctrl-C and is about to be raised there as the outcome of a task."""
        guard = self._main.guard
        if guard is not None and task is self._main and guard.has_raised(error):
            guard.pending = False

"""The pools of a run: whoever makes one may forget it, so their end is the end of the run, at the latest."""

from contextlib import ExitStack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, Self

    from concmodels.models.pools.workers import Staff


class Pools:
    """The pools of a run that have not ended; the end of the run is theirs too."""

    def __init__(self, main: Any) -> None:
        self._main = main
        self._open: set[Staff] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        while self._open:
            ends = ExitStack()
            for staff in tuple(self._open):
                ends.push(staff.leave)
            ends.__exit__(kind, error, trace)

    def add(self, staff: Staff) -> None:
        """One more; those that were forgotten and have gone are none any more."""
        for it in tuple(self._open):
            if it.has_left():
                it.end()
        self._open.add(staff)

    def discard(self, staff: Staff) -> None:
        """It has ended."""
        self._open.discard(staff)

    def pass_on(self, error: BaseException) -> None:
        """A task of a pool has ended with this: if it is Ctrl-C, main has to hear of it."""
        guard = self._main.guard
        if guard is not None and guard.has_raised(error):
            guard.pending = True
            self._main.interrupt()

    def delivered(self, error: BaseException, task: Any) -> None:
        """A task of the run has asked for a result and gets this: if it is Ctrl-C and that is main, main has heard."""
        guard = self._main.guard
        if guard is not None and task is self._main and guard.has_raised(error):
            guard.pending = False

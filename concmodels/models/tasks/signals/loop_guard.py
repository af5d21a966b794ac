"""Ctrl-C, SIGTERM and SIGHUP on an event loop: the loop's own handler ends main.

Which group main waits for is in `native_waits`. `guard.py` has what is the same in every model.
"""

import signal

from concmodels.models.tasks.signals.guard import Guard
from concmodels.models.waiting.waiter import native_waits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from concmodels.models.waiting.waiter import NativeWait


def _is_ending(error: BaseException | None) -> bool:
    """Return whether this is an interrupt or a cancellation, or was raised while one was handled."""
    while isinstance(error, Exception):
        error = error.__context__
    return error is not None


class LoopGuard(Guard):
    """The guard of a run on an event loop that brings a handler of its own (asyncio, trio, and anyio on either).

    In the program's own code it raises; anywhere else the loop's handler for Ctrl-C decides, and that one cancels the
    main task or interrupts it at its next checkpoint. SIGTERM and SIGHUP call `cancel`, which cancels the main task.
    `call_soon` must be safe in a signal handler: it has the loop call back between two tasks. `main` is the library's
    own task. `breaks_off` says that the loop's handler breaks off the loop when it is called again, as asyncio's does:
    then a further Ctrl-C cancels main itself, and its request replaces the one before.
    """

    def __init__(
        self,
        call_soon: Callable[[Callable[[], object]], object],
        main: Any,
        cancel: Callable[[], object],
        *,
        breaks_off: bool = False,
    ) -> None:
        super().__init__(self._pass_on, self._names)
        self._call_soon = call_soon
        self._main = main
        self._cancel = cancel
        self._breaks_off = breaks_off
        self._cancelled = False
        self._came_in: NativeWait | None = None  # the wait in which the last signal came
        self._passed_on = False  # whether the loop is about to call `_landed`
        self._has_passed_on = False  # whether an interrupt was handed to the loop's handler, ever

    def _leaving(self) -> NativeWait | None:
        """Return the wait of main for the tasks of a group that were told to end; None if main is in no such wait."""
        wait = native_waits.get(self._main)
        return wait if wait is not None and wait.purpose.is_ending() else None

    def has_to_end(self) -> bool:
        """As `Guard.has_to_end`: the last signal came during this wait, or has led to it."""
        wait = self._leaving()
        if wait is None or not self._interrupted:
            return False
        return self.pending or wait is self._came_in or _is_ending(wait.reason) or _is_ending(wait.purpose.bare)

    def _count(self, signum: signal.Signals) -> None:
        super()._count(signum)
        self._came_in = native_waits.get(self._main)

    def _names(self) -> list[str]:
        wait = self._leaving()
        names: list[str] = [] if wait is None else wait.purpose.names()
        return names

    def _pass_on(self) -> None:
        if not self._passed_on:
            self._passed_on = True
            self._call_soon(self._landed)

    def _landed(self) -> None:
        """Hand the interrupt to the loop. The loop calls this between two tasks.

        asyncio's handler cancels main at once, so main must not be in the middle of an operation.
        """
        pending, self.pending, self._passed_on = self.pending, False, False
        if not pending:
            return
        again, self._has_passed_on = self._has_passed_on, True
        if self._signum != signal.SIGINT:
            self._cancelled = True
            self._cancel()
        elif again and self._breaks_off:
            self._main.uncancel()
            self._main.cancel()
        else:
            self._handlers.call_old(signal.SIGINT)

    def raise_cancelled(self) -> None:
        """Raise the signal that main was cancelled for, if it was one."""
        if self._cancelled:
            self.land()

    def __exit__(self, *_: object) -> None:
        if self._signum == signal.SIGINT:
            self._landed()  # now: the loop will not get to it any more
        super().__exit__()

"""Ctrl-C, SIGTERM and SIGHUP on an event loop: the loop's own handler ends main.

What main is doing is read from its suspended coroutines. `guard.py` has what is the same in every model.
"""

import signal
import sys

from concmodels.models.tasks.signals.frames import chain
from concmodels.models.tasks.signals.guard import Guard, exceptions_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterator
    from types import CodeType
    from typing import Any


class MainSight:
    """Says what main is doing.

    `coroutine` returns that of main, `exits` is the code that waits for a group, and `interrupts` are the exceptions
    that main gets for Ctrl-C.
    """

    def __init__(
        self,
        coroutine: Callable[[], Any],
        exits: tuple[CodeType, ...],
        interrupts: tuple[type[BaseException], ...],
    ) -> None:
        self.interrupts = interrupts
        self._coroutine = coroutine
        self._exits = exits

    def handled(self) -> Iterator[BaseException]:
        """The exceptions that main is handling where it is suspended."""
        for coroutine in chain(self._coroutine()):
            yield from exceptions_in(coroutine)

    def leaving(self) -> Any:
        """The group whose end main waits for; None if there is none."""
        for coroutine in chain(self._coroutine()):
            frame = getattr(coroutine, "cr_frame", None)
            if frame is not None and frame.f_code in self._exits:
                return frame.f_locals["self"]
        return None

    def ending(self) -> Any:
        """The group whose end main waits for, if its tasks have been cancelled."""
        group = self.leaving()
        return group if group is not None and group.is_ending() else None

    def names(self) -> list[str]:
        """The names of the tasks that main waits for."""
        group = self.ending()
        names: list[str] = [] if group is None else group.names()
        return names


def cancel_again(main: asyncio.Task[Any]) -> None:
    """Cancel main for a Ctrl-C after it has swallowed the cancellation for an earlier one, which counts no longer."""
    main.uncancel()
    main.cancel()


class LoopGuard(Guard):
    """The guard of a run on an event loop that brings a handler of its own (asyncio, trio, and anyio on either).

    In the program's own code it raises; anywhere else the loop's handler for Ctrl-C decides, and that one cancels the
    main task or interrupts it at its next checkpoint. SIGTERM and SIGHUP call `cancel`, which cancels the main task.
    `call_soon` must be safe in a signal handler: it has the loop call back between two tasks. `sight` says what main
    is doing. `cancel_again` replaces the loop's handler, for a Ctrl-C that is a first one again, where that handler
    would break off the loop when it is called twice (asyncio's).
    """

    def __init__(
        self,
        call_soon: Callable[[Callable[[], object]], object],
        sight: MainSight,
        cancel: Callable[[], object],
        cancel_again: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(self._pass_on, sight.names)
        self._call_soon = call_soon
        self._sight = sight
        self.interrupts = sight.interrupts
        self._cancel = cancel
        self._cancel_again = cancel_again
        self._cancelled = False
        self._passed_on = False  # whether the loop is about to call `_landed`
        self._has_passed_on = False  # whether an interrupt was handed to the loop's handler, ever
        self._afresh = False  # whether the next one that is handed over is a first one again
        self._interrupted: Any = None  # the group that main waited for when the last one was handed over

    def is_cleaning_up(self) -> bool:
        """Whether main waits for a group whose tasks were told to end."""
        return self._sight.ending() is not None

    def handled(self) -> Iterator[BaseException | None]:
        """The exceptions that are being handled: in the running code, and in main where it is suspended."""
        yield sys.exception()
        yield from self._sight.handled()

    def is_known(self) -> bool:
        """Whether main is still to raise the last one, or in the middle of handling it.

        A nursery of trio's hides an interrupt that came while it waited, until its tasks have ended. So an interrupt is
        also known while main still waits for the group that it waited for then.
        """
        return super().is_known() or (self._interrupted is not None and self._sight.ending() is self._interrupted)

    def _begin_afresh(self) -> None:
        self._afresh = self._has_passed_on

    def _pass_on(self) -> None:
        if not self._passed_on:
            self._passed_on = True
            self._call_soon(self._landed)

    def _landed(self) -> None:
        """Hand the interrupt to the loop. The loop calls this between two tasks.

        asyncio's handler cancels main at once, so main must not be in the middle of an operation.
        """
        pending, self.pending, self._passed_on = self.pending, False, False
        afresh, self._afresh = self._afresh, False
        if not pending:
            return
        self._has_passed_on = True
        self._interrupted = self._sight.leaving()
        if self._requests.signum != signal.SIGINT:
            self._cancelled = True
            self._cancel()
        elif afresh and self._cancel_again is not None:
            self._cancel_again()
        else:
            self._handlers.call_old(signal.SIGINT)

    def raise_cancelled(self) -> None:
        """Raise the signal that main was cancelled for, if it was one."""
        if self._cancelled:
            self.land()

    def __exit__(self, *_: object) -> None:
        if self._requests.signum == signal.SIGINT:
            self._landed()  # now: the loop will not come to it any more
        super().__exit__()

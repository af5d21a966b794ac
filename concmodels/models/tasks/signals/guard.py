"""Ctrl-C that never breaks a channel.

Python's own handler raises `KeyboardInterrupt` between any two bytecodes of the main thread: also between "lock taken"
and "lock given back". A lock lost like that hangs the program for ever. So while a model runs, a handler of ours asks
first *where* the signal landed:

* in the program's own code it raises there, as Python does;
* in code of a model (a file below `models/`) it only marks the interrupt as pending and wakes the main task.
  The model raises it where nothing is half done. A small thread then sends the signal again every 0.2 ms until it has
  landed, because a task that never waits leaves the model's code only for moments.

SIGTERM and SIGHUP end a run in the same way, unless the program ignores or handles them itself. What is raised is
`Terminated` then.

    Guard           where the interrupt is raised (here)
    SignalHandlers  the handlers, installed and restored (`handlers.py`)
    EndRequests     whether a signal is a first one or the second (`requests.py`)
"""

import _thread
import gc
import signal
import sys
import time

from concmodels.errors import Terminated
from concmodels.models.tasks.signals.handlers import RESEND_S, SignalHandlers, in_program
from concmodels.models.tasks.signals.requests import EndRequests

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType
    from typing import NoReturn, Self

LOOK_UP_S = 0.2
"""A signal that comes just before a system call that waits is not seen until that is over: so it may wait so long."""

_RAISED_BY = "_concmodels_guard"


def is_signal(error: BaseException) -> bool:
    """Whether a guard has raised this for a signal, and not some code for reasons of its own."""
    return _RAISED_BY in vars(error)


class Guard:
    """Delivers the signals that end a run, while a model runs in the main thread; elsewhere it does nothing.

    `wake` is called in the handler: it must not wait and must not take a lock. `leftovers` kills the tasks that can be
    killed and names those that have not ended; it is asked when the run is given up. `main` is the greenlet of the main
    task, in the models that suspend it.
    """

    interrupts: tuple[type[BaseException], ...] = (KeyboardInterrupt, Terminated)
    """What such a signal is to main."""

    def __init__(
        self,
        wake: Callable[[], object],
        leftovers: Callable[[], Iterable[str]] = tuple,
        main: object = None,
    ) -> None:
        self.pending = False  # whether an interrupt is still to be raised
        self.cleaning_up = False  # whether main waits for tasks that were told to end
        self._wake = wake
        self._main = main
        self._resent = False
        self._handlers = SignalHandlers(self._on_signal, self._on_lost)
        self._requests = EndRequests(self, self._handlers, leftovers)

    def __enter__(self) -> Self:
        self._handlers.install()
        if self._handlers.installed and self.pending:  # it came before it could be sent again
            self.pending = False
            self.put_off()
        return self

    def __exit__(self, *_: object) -> None:
        if self._handlers.installed:
            self._handlers.stop_sending()  # no thread sends a signal any more, ...
            self._requests.stop()
            self._handlers.restore()  # ... and this delivers the last one before it changes anything
        if self.pending:
            self.land()

    # Where it is raised.

    def check(self) -> None:
        """Raise a pending interrupt. Called where the model holds nothing and has taken nothing."""
        if self.pending:
            self.land()

    def land(self) -> NoReturn:
        """Raise the interrupt here and now."""
        raise self.take()

    def take(self) -> KeyboardInterrupt | Terminated:
        """Return the interrupt, which is no longer pending: the caller raises it."""
        self.pending = False
        signum = self._requests.signum
        error = KeyboardInterrupt() if signum == signal.SIGINT else Terminated(signum)
        vars(error)[_RAISED_BY] = id(self)  # a number: the error may be pickled
        return error

    def has_raised(self, error: BaseException) -> bool:
        """Whether this was raised by this guard, and is not a `KeyboardInterrupt` of the program's own."""
        return vars(error).get(_RAISED_BY) == id(self)

    def _on_signal(self, signum: signal.Signals, frame: FrameType | None) -> None:
        """Handle a signal of the user, or one that a thread of the run has sent."""
        resent = self._resent
        if resent:  # else nothing is stored: a thread may just be sending it again
            self._resent = False
        if self._requests.is_answered(signum):
            return
        if resent and not self.pending:
            return  # it has landed while it was sent again
        if not resent:
            if self._requests.is_repeated(signum):
                return
            if self._requests.count(signum):
                self._begin_afresh()
        if in_program(frame):
            self.land()
        self.put_off()
        self._wake()

    def _on_lost(self, error: BaseException) -> bool:
        """Raise an interrupt later that was raised where Python drops exceptions; False if this is another error."""
        if not (self._handlers.installed and self.has_raised(error)):
            return False
        self.put_off()
        self._wake()
        return True

    def put_off(self) -> None:
        """Raise the interrupt later: it struck where something is half done, or just done and not returned yet."""
        if not self.pending:
            self.pending = True
            _thread.start_new_thread(self._resend, ())

    def _resend(self) -> None:
        """Send the signal again and again, until it has landed.

        Not while main waits for tasks to end: there it can't land, and of two equal signals that come at a time the
        kernel delivers one. So one sent from here could hide the user's second. And not before the handler has taken
        the last one: it might take back the note of this one together with it, and would then count this one as the
        user's.
        """
        while self._may_resend():
            time.sleep(RESEND_S)
            with self._handlers.sending:
                if self._may_resend() and not self.cleaning_up and not self._resent:
                    self._resent = True
                    _thread.interrupt_main(self._requests.signum)

    def _may_resend(self) -> bool:
        return self.pending and self._handlers.installed

    # What main does. A signal that comes now is the second unless the last one is over.

    def is_over(self) -> bool:
        """Whether main has handled the last signal, and goes on."""
        return not (self.is_known() or self.is_cleaning_up())

    def is_known(self) -> bool:
        """Whether main is still to raise the last one, or in the middle of handling it."""
        return self.pending or any(map(self._is_of_interrupt, self.handled()))

    def is_cleaning_up(self) -> bool:
        """Whether main only waits for tasks to end that were told to; perhaps for Ctrl-C, and perhaps not."""
        return self.cleaning_up

    def handled(self) -> Iterator[BaseException | None]:
        """The exceptions that are being handled: in the task that was interrupted, and in main if that is another."""
        yield sys.exception()
        if self._main is not None:
            yield from exceptions_in(self._main)

    def _is_of_interrupt(self, error: BaseException | None) -> bool:
        """Whether this is an interrupt, or was raised while one was handled."""
        while error is not None and not isinstance(error, self.interrupts):
            error = error.__context__
        return error is not None

    def _begin_afresh(self) -> None:
        """Take note that the last signal is over: the one that has just come is a first one."""


def exceptions_in(suspended: object) -> Iterator[BaseException]:
    """Return what a suspended greenlet or coroutine is handling: it tells the garbage collector what it refers to."""
    return (it for it in gc.get_referents(suspended) if isinstance(it, BaseException))

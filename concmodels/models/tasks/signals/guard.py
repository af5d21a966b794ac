"""Ctrl-C that never breaks a channel.

Python's own handler raises `KeyboardInterrupt` between any two bytecodes of the main thread: also between "lock taken"
and "lock given back". A lock lost like that hangs the program for ever. So while a model runs, a handler of the library
first checks *where* the signal arrived:

* in the program's own code it raises there, as Python does;
* in code of a model (a file below `models/`) it only marks the interrupt as pending and wakes the main task.
  The model raises it where nothing is half done. A small thread then sends the signal again every 0.2 ms until it has
  landed, because a task that never waits leaves the model's code only for moments.

SIGTERM and SIGHUP end a run in the same way, unless the program ignores or handles them itself. What is raised is
`Terminated` then.

A signal that comes while main waits, because of an earlier one, for tasks that were told to end gives the run up. In
the program's own clean-up it is raised like the first. `handlers.py` installs the handlers, and restores the old ones.
"""

import _thread
import os
import signal
import sys
import time

from concmodels.errors import Terminated
from concmodels.models.tasks.signals.handlers import RESEND_S, SignalHandlers, in_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType
    from typing import NoReturn, Self

LOOK_UP_S = 0.2
"""The longest wait of a system call, in seconds: a signal that comes just before the call is seen only after it."""

_RAISED_BY = "_concmodels_guard"
_NAMES_SHOWN = 5
_ONCE_S = 1.0
"""Signals that end a program come twice: `timeout` sends one to it and one to its group, and when a terminal is closed
the shell sends one and the kernel another. What comes within this time is the same request."""


def is_signal(error: BaseException) -> bool:
    """Return whether a guard has raised this for a signal, and not some code for reasons of its own."""
    return _RAISED_BY in vars(error)


def _is_of_signal(error: BaseException | None) -> bool:
    """Return whether this is an interrupt, or was raised while one was handled."""
    while error is not None and not isinstance(error, (KeyboardInterrupt, Terminated)):
        error = error.__context__
    return error is not None


class Guard:
    """Delivers the signals that end a run, while a model runs in the main thread; elsewhere it does nothing.

    `wake` is called in the handler: it must not wait and must not take a lock. `leftovers` kills the tasks that can be
    killed and names those that have not ended; it is asked when the run is given up.
    """

    def __init__(self, wake: Callable[[], object], leftovers: Callable[[], Iterable[str]] = tuple) -> None:
        self.pending = False  # whether an interrupt is still to be raised
        self.cleaning_up = False  # whether main waits for tasks that were told to end
        self._wake = wake
        self._leftovers = leftovers
        self._signum = signal.SIGINT  # the signal that is raised for
        self._came_at: float | None = None  # when the last one came
        self._interrupted = False  # whether main has not handled the last one, as far as is known
        self._resent = False
        self._handlers = SignalHandlers(self._on_signal, self._on_lost)

    def __enter__(self) -> Self:
        self._handlers.install()
        if self._handlers.installed and self.pending:  # it came before it could be sent again
            self.pending = False
            self.postpone()
        return self

    def __exit__(self, *_: object) -> None:
        if self._handlers.installed:
            self._handlers.stop_sending()  # no thread sends a signal any more, ...
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
        error = KeyboardInterrupt() if self._signum == signal.SIGINT else Terminated(self._signum)
        vars(error)[_RAISED_BY] = id(self)  # a number: the error may be pickled
        return error

    def has_raised(self, error: BaseException) -> bool:
        """Return whether this guard has raised the error, and not the program itself."""
        return vars(error).get(_RAISED_BY) == id(self)

    def _on_signal(self, signum: signal.Signals, frame: FrameType | None) -> None:
        """Handle a signal from the user, or one that `_resend` has sent."""
        if self._resent:  # otherwise nothing is stored: a thread may just be sending it again
            self._resent = False
            if not self.pending:
                return  # it has landed while it was sent again
        elif self._is_repeated(signum):
            return
        else:
            self._count(signum)
        if in_program(frame):
            self.land()
        self.postpone()
        self._wake()

    def _is_repeated(self, signum: signal.Signals) -> bool:
        """Return whether this is one more signal for the same request. Ctrl-C never is: it is pressed on purpose."""
        if self._came_at is None or signal.SIGINT in (signum, self._signum):
            return False
        return time.monotonic() - self._came_at < _ONCE_S

    def _count(self, signum: signal.Signals) -> None:
        """Take note of a signal from the user; give the run up if it is the second that main does nothing about."""
        if self.has_to_end():
            self._give_up(signum)
        self._came_at, self._interrupted = time.monotonic(), True
        if not self.pending or self._signum == signal.SIGINT:  # otherwise SIGTERM decides how the program ends
            self._signum = signum

    def has_to_end(self) -> bool:
        """Return whether main waits, because of a signal, for tasks that were told to end."""
        return self.cleaning_up and self._interrupted

    def leave(self, *errors: BaseException | None, cleaning_up: bool) -> None:
        """Note that main is about to wait for tasks, and whether they were told to end, because of these errors."""
        if not (self.pending or any(map(_is_of_signal, (sys.exception(), *errors)))):
            self._interrupted = False  # main has handled the last signal, and has gone on since
        self.cleaning_up = cleaning_up

    def _give_up(self, signum: signal.Signals) -> NoReturn:
        """Say which tasks are in the way, and leave the program at once."""
        names = list(self._leftovers())
        more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
        running = f"; still running: {', '.join(names[:_NAMES_SHOWN])}{more}" if names else ""
        os.write(2, f"\ninterrupted again during the clean-up{running}\n".encode())
        os._exit(128 + signum)

    def _on_lost(self, error: BaseException) -> bool:
        """Postpone an interrupt that was raised where Python drops exceptions; return False if it is another error."""
        if not (self._handlers.installed and self.has_raised(error)):
            return False
        self.postpone()
        self._wake()
        return True

    def postpone(self) -> None:
        """Raise the interrupt later: it came where something is half done, or just done and not returned yet."""
        if not self.pending:
            self.pending = True
            _thread.start_new_thread(self._resend, ())

    def _resend(self) -> None:
        """Send the signal again and again, until it has landed.

        None is sent while main waits for tasks to end: there it can't land, and of two equal signals that come at a
        time the kernel delivers one. So one sent from here could hide the user's second. Nor is one sent before the
        handler has taken the last one: the handler might clear the notes of both together, and would then count the
        later one as the user's.
        """
        while self._may_resend():
            time.sleep(RESEND_S)
            with self._handlers.sending:
                if self._may_resend() and not self.cleaning_up and not self._resent:
                    self._resent = True
                    _thread.interrupt_main(self._signum)

    def _may_resend(self) -> bool:
        return self.pending and self._handlers.installed

"""A signal that asks a run to end is a first one, the same once more, or the second, which gives the run up.

Ctrl-C, or another such signal, is the *second* if it comes before the last one is over: that one still waits to be
raised, or main is in an `except`, a `finally` or a `with` that handles it. While the library waits for tasks to end,
the second gives the run up. In the program's own clean-up it is raised like the first; but if the library then waits
for tasks, they have a second at most, and there is no need of a third. A signal that comes when main has handled the
last one, and goes on, is a first one again.
"""

import _thread
import os
import signal
import time

from concmodels.models.tasks.signals.handlers import send

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import NoReturn, Protocol

    from concmodels.models.tasks.signals.handlers import SignalHandlers

    class Main(Protocol):
        """The signal handler's view of main: whether it is over the last signal."""

        def is_over(self) -> bool: ...
        def is_known(self) -> bool: ...
        def is_cleaning_up(self) -> bool: ...


_ASK_EVERY_S = 0.5
_NAMES_SHOWN = 5
_ONCE_S = 1.0
"""Signals that end a program come twice: `timeout` sends one to it and one to its group, and when a terminal is closed
the shell sends one and the kernel another. What comes within this time is the same request."""


class EndRequests:
    """Counts the signals that ask a run to end.

    `signum` is the signal that is raised for: the first SIGTERM or SIGHUP, even if Ctrl-C comes too, because it decides
    how the program ends. `leftovers` kills the tasks that can be killed and names those that have not ended; it is
    asked when the run is given up.
    """

    def __init__(self, main: Main, handlers: SignalHandlers, leftovers: Callable[[], Iterable[str]]) -> None:
        self.signum = signal.SIGINT
        self._main = main
        self._leftovers = leftovers
        self._came_at: float | None = None  # when the last one came
        self._watch = CleanUpWatch(main, handlers, self)

    def is_repeated(self, signum: signal.Signals) -> bool:
        """Whether this is one more signal for the same request. Ctrl-C never is: who presses it again means it."""
        if self._came_at is None or signal.SIGINT in (signum, self.signum):
            return False
        return time.monotonic() - self._came_at < _ONCE_S

    def count(self, signum: signal.Signals) -> bool:
        """Count a signal. Returns True if it is a first one once more, after main has handled the last."""
        again, self._came_at = self._came_at is not None, time.monotonic()
        if not again or self._main.is_over():
            self.signum = signum
            return again
        if self.signum == signal.SIGINT:
            self.signum = signum
        if self._main.is_cleaning_up() and self._main.is_known():
            self.give_up(signum)
        self._watch.begin()
        return False

    def is_answered(self, signum: signal.Signals) -> bool:
        """Whether this signal was only a question of the watch; then main, which is here, has answered it."""
        return self._watch.is_answered(signum)

    def stop(self) -> None:
        """End the watch; the run is over."""
        self._watch.stop()

    def give_up(self, signum: signal.Signals) -> NoReturn:
        """Say which tasks are in the way, and leave the program at once."""
        names = list(self._leftovers())
        more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
        running = f"; still running: {', '.join(names[:_NAMES_SHOWN])}{more}" if names else ""
        os.write(2, f"\ninterrupted again during the clean-up{running}\n".encode())
        os._exit(128 + signum)


class CleanUpWatch:
    """After the second signal, gives the run up if main waits for tasks twice in a row.

    A thread asks main every half second what it does. It does so by the signal itself: only in the handler, with main
    stopped where it is, can be told which exceptions main handles.
    """

    def __init__(self, main: Main, handlers: SignalHandlers, requests: EndRequests) -> None:
        self._main = main
        self._handlers = handlers
        self._requests = requests
        self._main_thread = _thread.get_ident()
        self._asked: signal.Signals | None = None
        self._watching = False
        self._waits = False  # whether main waited for tasks when it was asked last
        self._same_clean_up = False  # whether main has not left the clean-up in which the second signal came

    def begin(self) -> None:
        """Begin to ask: the second signal came in the program's own clean-up, or in one that had begun before."""
        self._same_clean_up = self._main.is_cleaning_up()
        if not self._watching:
            self._watching, self._waits = True, False
            self._over = _thread.allocate_lock()
            self._over.acquire()
            _thread.start_new_thread(self._ask, (self._over,))

    def _ask(self, over: _thread.LockType) -> None:
        while not over.acquire(timeout=_ASK_EVERY_S):
            with self._handlers.sending:
                signum = self._requests.signum
                if self._handlers.installed and self._handlers.handle(signum):
                    self._asked = signum
                    send(self._main_thread, signum)

    def is_answered(self, signum: signal.Signals) -> bool:
        """Whether this signal was a question; then look what main does."""
        if signum != self._asked:
            return False
        self._asked = None
        main = self._main
        self._same_clean_up = self._same_clean_up and main.is_cleaning_up()
        waited, self._waits = self._waits, main.is_cleaning_up() and (self._same_clean_up or main.is_known())
        if waited and self._waits:
            self._requests.give_up(self._requests.signum)
        if self._watching and main.is_over():
            self._end()
        return True

    def stop(self) -> None:
        """Ask no more, and take in a question that is under way."""
        if self._watching:
            self._end()
            if hasattr(signal, "pthread_sigmask"):
                signal.pthread_sigmask(signal.SIG_BLOCK, ())  # blocks nothing: a system call, at whose end signals come

    def _end(self) -> None:
        self._watching = False
        self._over.release()

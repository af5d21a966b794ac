"""Ends a search from outside: for Ctrl-C, or for a program that computes and reaches no scheduling point any more.

Both come as signals to the main thread, while some task of the program is running. They end that run at its next step.
If it makes none, an exception is thrown into it wherever it is, again and again. In other threads, and on systems
without such timers, a search can't be ended from outside.
"""

import linecache
import os
import signal
import threading
import time
from typing import TYPE_CHECKING, Self

from concmodels.explore.errors import StillComputing
from concmodels.models.tasks.signals.frames import of_program, short, stack

if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from concmodels.models.simulated.world import World

GRACE_S = 0.5
"""How long a run may take to reach its next step."""

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Stopped(BaseException):
    """Ends a run; programs do not catch it."""


class Watchdog:
    """`with Watchdog(seconds) as watchdog:` around a search; its `world` is that of the run under way."""

    def __init__(self, seconds: float) -> None:
        self.world: World | None = None
        self.may_be_late = False
        """Whether a run may end at its next step when the time is over: on a busy machine that takes longer."""
        self._seconds = seconds
        self._interrupted = False
        self._stuck: list[str] | None = None
        self._old: dict[signal.Signals, Any] = {}
        self._timer = (0.0, 0.0)
        self._has_alarm = False  # Windows has none, not even the name SIGALRM

    def __enter__(self) -> Self:
        self._begin = time.monotonic()
        if threading.current_thread() is threading.main_thread():
            if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                self._old[signal.SIGINT] = signal.signal(signal.SIGINT, self._interrupt)
            if hasattr(signal, "setitimer"):
                self._take_timer()
        return self

    def __exit__(self, *_: object) -> None:
        if self._has_alarm:
            left, interval = self._timer
            rest = max(left - (time.monotonic() - self._begin), 1e-3) if left else 0.0
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self._old.pop(signal.SIGALRM))
            self._has_alarm = False
            signal.setitimer(signal.ITIMER_REAL, rest, interval)
        for signum, handler in self._old.items():
            signal.signal(signum, handler)

    def check(self) -> None:
        """Raise what has ended the run: `KeyboardInterrupt` or `StillComputing`."""
        if self._interrupted:
            raise KeyboardInterrupt
        if self._stuck is not None:
            where = self._stuck[0].strip() if self._stuck else "in code that is not the program's"
            raise StillComputing(
                f"a schedule was still computing when its time was over, {where}: have it compute less, or give more "
                "seconds",
                self._stuck,
            )

    def start_timer(self) -> None:
        """Let `seconds` begin again."""
        if self._has_alarm:
            signal.setitimer(signal.ITIMER_REAL, self._seconds + GRACE_S, GRACE_S)

    def _take_timer(self) -> None:
        self._timer = signal.getitimer(signal.ITIMER_REAL)
        if 0 < self._timer[0] < self._seconds + GRACE_S:
            return  # somebody else's alarm comes first
        self._has_alarm = True
        self._old[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._strike)
        self.start_timer()

    def _interrupt(self, _signum: int, _frame: FrameType | None) -> None:
        is_repeated, self._interrupted = self._interrupted, True
        if is_repeated or not self._has_alarm:
            raise KeyboardInterrupt
        if self.world is not None:
            self.world.cut_soon(Stopped())
        signal.setitimer(signal.ITIMER_REAL, GRACE_S, GRACE_S)  # not raised here: in a finalizer it would be lost

    def _strike(self, _signum: int, frame: FrameType | None) -> None:
        world = self.world
        if world is None:
            if self._interrupted:
                raise KeyboardInterrupt
            return
        if self.may_be_late and not isinstance(world.cut_by, Stopped):
            world.cut_soon(Stopped())
            return
        if self._stuck is None:
            self._stuck = [_line(it) for it in stack(frame) if of_program(it)]
        world.cut_soon(Stopped())
        if _may_raise(frame):
            raise Stopped


def _may_raise(frame: FrameType | None) -> bool:
    """Return whether the program itself is running, or something that it has called and that is not ours."""
    for it in stack(frame):
        if of_program(it):
            return True
        if it.f_code.co_filename.startswith(_PACKAGE):
            return False
    return False


def _line(frame: FrameType) -> str:
    code, line = frame.f_code, frame.f_lineno
    source = linecache.getline(code.co_filename, line, frame.f_globals).strip()
    return f"at {short(code.co_filename)}:{line} in {code.co_name}: {source}"

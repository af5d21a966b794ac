"""The signals of a program: Ctrl-C, SIGTERM and SIGHUP strike only during a run, and the alarm of `--timeout`.

Every model ends cleanly on Ctrl-C. So the alarm calls the SIGINT handler that is installed at that
moment, and passes on the frame that the alarm has interrupted, because the handler decides by that frame whether it may
raise. The alarm is a signal timer and not a thread, because a process with threads must not fork.
"""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, Self

from concmodels.models.tasks.signals.handlers import ENDING, held_back_between_runs, terminate

GRACE_S = 10.0
CAN_BLOCK = hasattr(signal, "pthread_sigmask")
"""Whether signals can be held back here: not on Windows."""


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Hold Ctrl-C, SIGTERM and SIGHUP back; drop those that came meanwhile at the end, when everything is done.

    Only the runs of models let them in, and each of them also those that came before it. SIGTERM and SIGHUP raise
    `Terminated` where they are let in, if they had their default action before.
    """
    plain = [signum for signum in ENDING if signal.getsignal(signum) == signal.SIG_DFL]
    with held_back_between_runs() if CAN_BLOCK else contextlib.nullcontext():
        for signum in plain:
            signal.signal(signum, terminate)
        try:
            yield
            while CAN_BLOCK and (came := ENDING & signal.sigpending()):
                signal.sigwait(came)
        finally:
            for signum in plain:
                signal.signal(signum, signal.SIG_DFL)


@contextlib.contextmanager
def masked(how: int) -> Iterator[None]:
    """Block or unblock the three signals in this thread and in what it starts; do nothing where there is no Unix."""
    if not CAN_BLOCK:
        yield
        return
    old = signal.pthread_sigmask(how, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


class Alarm:
    """`with Alarm(seconds) as alarm:` raises `KeyboardInterrupt` in the main thread when the time is over.

    `alarm.struck` is then True. If the block has not ended `GRACE_S` seconds later, `on_hang` is called. Raises
    `RuntimeError` outside the main thread, where signals can't be received.
    """

    def __init__(self, seconds: float | None, on_hang: Callable[[], None] | None = None) -> None:
        no_signals = threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer")
        if seconds is not None and no_signals:
            raise RuntimeError("a timeout needs the main thread and a Unix: it ends the run with a signal")
        self.struck = False
        self._seconds = seconds
        self._on_hang = on_hang
        self._armed = False
        self._old: dict[signal.Signals, Any] = {}

    @property
    def is_set(self) -> bool:
        """Whether there is a limit."""
        return self._seconds is not None

    def __enter__(self) -> Self:
        if self._seconds is not None:
            if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as under nohup; models leave that as it is
                self._old[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
            self._old[signal.SIGALRM] = signal.signal(signal.SIGALRM, self._strike)
            self._armed = True
            signal.setitimer(signal.ITIMER_REAL, self._seconds, GRACE_S)
        return self

    def __exit__(self, *_: object) -> None:
        if self._armed:
            self._armed = False
            signal.setitimer(signal.ITIMER_REAL, 0)
        for signum, handler in self._old.items():
            signal.signal(signum, handler)

    def _strike(self, _signum: int, frame: FrameType | None) -> None:
        if not self._armed:
            return
        if self.struck:
            if self._on_hang is not None:
                self._on_hang()
            return
        self.struck = True
        handler = signal.getsignal(signal.SIGINT)
        assert callable(handler)
        handler(signal.SIGINT, frame)

"""The signals that ask a program to end: which of them a run handles, where they are raised, how they are blocked."""

import _thread
import signal
import sys
import time
from contextlib import contextmanager

from concmodels import platform
from concmodels.errors import Terminated
from concmodels.facts import LIBRARIES
from concmodels.models import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import Any

RESEND_S = 0.0002
"""The seconds after which a signal that came where nothing can be raised is sent again."""

_FINALIZERS = frozenset({"weakref", "_weakrefset", "multiprocessing.util", "importlib._bootstrap", "_frozen_importlib"})

ENDING = frozenset(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that ask a program to end: each of them ends a run."""

held_by_stdlib: list[object] = []
"""The locks of a model that the standard library's code holds in the main thread; meanwhile nothing is raised."""


def in_program(frame: FrameType | None) -> bool:
    """Return whether this frame belongs to the program, not to a model and not to a library that a model called.

    The standard library and the models' own libraries, with what these call, are neither: there the frame that called
    them decides. The same goes for the generated code that makes a named tuple.
    """
    if held_by_stdlib:
        return False
    while frame is not None:
        if frame.f_code.co_filename.startswith((FOLDER, platform.FOLDER)):
            return False
        module = str(frame.f_globals.get("__name__", ""))
        if frame.f_code.co_name == "__del__" or module in _FINALIZERS:
            return False  # an exception there would be printed, and lost
        if module == "threading" and frame.f_code.co_qualname == "Thread.start":
            return False  # it waits, for a moment, in code that an exception breaks: "release unlocked lock"
        root = module.partition(".")[0]
        if not (root in sys.stdlib_module_names or root in LIBRARIES or root.startswith("namedtuple_")):
            return True
        frame = frame.f_back
    return False


def hold_back() -> None:
    """Block the signals that end a run in the calling thread, and in the threads and processes that it starts.

    On Windows there is nothing to block: a signal does not interrupt a thread.
    """
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)


@contextmanager
def held_back() -> Iterator[None]:
    """Block these signals as `hold_back` does, in this `with`. One that comes meanwhile is delivered at its end."""
    old = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


@contextmanager
def held_back_between_runs() -> Iterator[None]:
    """Block these signals as `held_back` does, but not while a run has its handlers installed.

    So none comes in the moments before and after, as in an import: what Python's own handler raises there may be
    raised in a callback, and be lost.
    """
    with held_back():
        _held_back_between_runs.append(True)
        try:
            yield
        finally:
            _held_back_between_runs.pop()


_held_back_between_runs: list[bool] = []


def terminate(signum: int, frame: FrameType | None) -> None:
    """Handle SIGTERM or SIGHUP outside a run: raise `Terminated`. A run replaces this handler as it does `SIG_DFL`.

    Where nothing can be raised (a run may be just about to begin, and what is raised in a finalizer is lost) the
    signal is sent again in a moment.
    """
    if in_program(frame):
        raise Terminated(signum)
    _thread.start_new_thread(_resend, (signum,))


def _resend(signum: int) -> None:
    time.sleep(RESEND_S)
    _thread.interrupt_main(signal.Signals(signum))


class SignalHandlers:
    """The signal handlers of one run, in place of the program's own; outside the main thread there are none.

    `on_signal` is called in the handler. Threads of the run send signals to main, too. They hold `sending` and look at
    `installed` first, so that after `stop_sending` no such signal comes to the handlers of the program.

    What a handler raises is lost where Python calls code and has no caller to raise an exception to: in a finalizer, a
    callback of a weak reference or of the garbage collector, a generator that is dropped. Python hands it to
    `sys.unraisablehook`, and `on_lost` is asked first: it returns whether it has taken care of the exception.
    """

    def __init__(
        self,
        on_signal: Callable[[signal.Signals, FrameType | None], None],
        on_lost: Callable[[BaseException], bool],
    ) -> None:
        self.installed = False
        self.sending = _thread.allocate_lock()
        self._on_signal = on_signal
        self._on_lost = on_lost
        self._old: dict[signal.Signals, Any] = {}
        self._old_hook: Callable[[Any], object] = sys.unraisablehook
        self._let_in: frozenset[Any] = frozenset()  # what was held back before

    def install(self) -> None:
        """Install the handlers."""
        for signum in _for_a_run():
            try:
                self._old[signum] = signal.signal(signum, self._handle)
            except ValueError:
                return  # not the main thread
        self._old_hook, sys.unraisablehook = sys.unraisablehook, self._on_unraisable
        self.installed = bool(self._old)
        if _held_back_between_runs:
            self._let_in = ENDING & signal.pthread_sigmask(signal.SIG_UNBLOCK, ENDING)

    def stop_sending(self) -> None:
        """Let no thread of the run send a signal any more."""
        with self.sending:
            self.installed = False

    def restore(self) -> None:
        """Restore the program's handlers, but for one that the program itself has replaced during the run.

        A loop's `add_signal_handler` does that. SIGINT's is restored anyway: the run's own loop may have replaced it.
        """
        if self._let_in:
            signal.pthread_sigmask(signal.SIG_BLOCK, self._let_in)
        if sys.unraisablehook == self._on_unraisable:
            sys.unraisablehook = self._old_hook
        for signum, old in self._old.items():
            if signum == signal.SIGINT or self.handle(signum):
                signal.signal(signum, old)

    def handle(self, signum: signal.Signals) -> bool:
        """Return whether these handlers still handle this signal."""
        return signal.getsignal(signum) == self._handle

    def call_old(self, signum: signal.Signals) -> None:
        """Call the handler that these have replaced."""
        self._old[signum](signum, None)

    def _on_unraisable(self, unraisable: Any) -> None:
        if unraisable.exc_value is None or not self._on_lost(unraisable.exc_value):
            self._old_hook(unraisable)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self._on_signal(signal.Signals(number), frame)


def is_ours(handler: object) -> bool:
    """Return whether a signal handler is the library's own, which only ends the run or the program."""
    return handler is terminate or isinstance(getattr(handler, "__self__", None), SignalHandlers)


def _for_a_run() -> list[signal.Signals]:
    """Return the signals that a run may handle: none that is ignored, SIGTERM and SIGHUP only if no other code does."""
    from concmodels.platform.measuring import caught_signals  # a child makes no run as a rule

    handlers = {signum: signal.getsignal(signum) for signum in ENDING}
    caught = caught_signals() if signal.SIG_DFL in handlers.values() else 0

    def is_free(signum: signal.Signals, handler: object) -> bool:
        if signum == signal.SIGINT:
            return handler not in (signal.SIG_IGN, None)
        return is_ours(handler) or (handler == signal.SIG_DFL and not caught >> (signum - 1) & 1)

    return [signum for signum, handler in handlers.items() if is_free(signum, handler)]

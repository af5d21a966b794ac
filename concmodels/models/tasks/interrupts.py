"""Ctrl-C that never breaks a channel.

Python's own handler raises `KeyboardInterrupt` between any two bytecodes of the main thread: also between "lock taken"
and "lock given back". A lock lost like that hangs the program for ever. So while a model runs, a handler of ours asks
first *where* the signal landed:

* in the program's own code it raises there, as Python does;
* in code of a model (a file of this folder) it only marks the interrupt as pending and wakes the main task. The model
  raises it where nothing is half done. A small thread then knocks every 0.2 ms until the interrupt has landed, because
  a task that never waits leaves the model's code only for moments.

The standard library and the models' own libraries are neither: there the frame that called them decides.

SIGTERM and SIGHUP end a run in the same way, unless the program ignores or handles them itself. What is raised is
`Terminated` then.
"""

import _thread
import gc
import os
import signal
import sys
import time
from contextlib import contextmanager

from concmodels.errors import Terminated
from concmodels.models import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType
    from typing import Any, NoReturn, Self

_LIBRARIES = frozenset({"greenlet", "gevent", "eventlet", "trio", "anyio", "outcome", "sniffio"})
_FINALIZERS = frozenset({"weakref", "multiprocessing.util", "importlib._bootstrap", "_frozen_importlib"})
_KNOCK_S = 0.0002
_ASKED_S = 0.5
_SHOWN = 5
_RAISED_BY = "_concmodels_guard"
_ONCE_S = 1.0
"""Signals that end a program come twice: `timeout` sends one to it and one to its group, and when a terminal is closed
the shell sends one and the kernel another. What comes within this time is the same request."""

LOOK_UP_S = 0.2
"""A signal that comes just before a system call that waits is not seen until that is over: so it may wait so long."""

ENDING = frozenset(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))
"""The signals that ask a program to end: each of them ends a run."""

held_by_stdlib: list[object] = []
"""The locks of a model that the main thread holds in code of the standard library: till it lets go nothing is raised.
"""


def in_program(frame: FrameType | None) -> bool:
    """Whether this frame belongs to the program, not to a model and not to a library that a model called."""
    if held_by_stdlib:
        return False
    while frame is not None:
        if frame.f_code.co_filename.startswith(FOLDER):
            return False
        module = str(frame.f_globals.get("__name__", ""))
        if frame.f_code.co_name == "__del__" or module in _FINALIZERS:
            return False  # an exception there would be printed, and lost
        root = module.partition(".")[0]
        if root not in sys.stdlib_module_names and root not in _LIBRARIES:
            return True
        frame = frame.f_back
    return False


def is_signal(error: BaseException) -> bool:
    """Whether a guard has raised this for a signal, and not some code for reasons of its own."""
    return _RAISED_BY in vars(error)


def hold_back() -> None:
    """Block the signals that end a run in the calling thread, and in whatever thread or process it starts."""
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)


@contextmanager
def held_back() -> Iterator[None]:
    """As `hold_back`, in this block. What came meanwhile is delivered at its end."""
    old = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def terminate(signum: int, frame: FrameType | None) -> None:
    """A handler for SIGTERM and SIGHUP: raises `Terminated`. A run takes its place as it does with `SIG_DFL`.

    A run may be just about to begin, and what is raised in a finalizer is lost: then it comes again in a moment.
    """
    if in_program(frame):
        raise Terminated(signum)
    _thread.start_new_thread(_strike_again, (signum,))


def _strike_again(signum: int) -> None:
    time.sleep(_KNOCK_S)
    _thread.interrupt_main(signal.Signals(signum))


def is_ours(handler: object) -> bool:
    """Whether a signal handler only ends the run or the program."""
    return handler is terminate or isinstance(getattr(handler, "__self__", None), Guard)


def _for_a_run() -> list[signal.Signals]:
    """The signals that a run may handle: none that is ignored, and SIGTERM and SIGHUP only if nobody else does."""
    handlers = {signum: signal.getsignal(signum) for signum in ENDING}
    caught = _caught() if signal.SIG_DFL in handlers.values() else 0

    def is_free(signum: signal.Signals, handler: object) -> bool:
        if signum == signal.SIGINT:
            return handler not in (signal.SIG_IGN, None)
        return is_ours(handler) or (handler == signal.SIG_DFL and not caught >> (signum - 1) & 1)

    return [signum for signum, handler in handlers.items() if is_free(signum, handler)]


def _caught() -> int:
    """The signals that have handlers, a bit for each. Python does not know those of gevent and faulthandler."""
    try:
        with open("/proc/self/status") as file:
            return int(next(line for line in file if line.startswith("SigCgt:")).split()[1], 16)
    except OSError:
        return 0


class Guard:
    """Installs the handler while a model runs in the main thread; elsewhere it does nothing.

    `wake` is called in the handler: it must not wait and must not take a lock. `leftovers` kills what can be killed
    and names the tasks that would not end; it is asked when the run is given up. `main` is the greenlet of the main
    task, in the models that suspend it.

    Ctrl-C, or another signal that ends a run, which comes again before the last one is over (it waits to be raised, or
    main is still in an `except`, a `finally` or a `with` that handles it) is the *second*. While the library waits for
    tasks to end, the second gives the run up. In the program's own clean-up it is raised like the first; but if the
    library then waits for tasks, they have a second at most, and there is no need of a third. Main that has handled the
    signal and goes on hears the next one as a first.
    """

    interrupts: tuple[type[BaseException], ...] = (KeyboardInterrupt, Terminated)
    """What such a signal is to main."""

    def __init__(
        self,
        wake: Callable[[], object],
        leftovers: Callable[[], Iterable[str]] = tuple,
        main: object = None,
    ) -> None:
        self.pending = False
        self.cleaning_up = False
        self._signum = signal.SIGINT  # what is raised for
        self._struck: float | None = None  # when it last did
        self._knocked = False
        self._installed = False
        self._insisting = self._waits = self._in_clean_up = False
        self._asked: signal.Signals | None = None
        self._wake = wake
        self._leftovers = leftovers
        self._main = main
        self._main_thread = _thread.get_ident()
        self._old: dict[signal.Signals, Any] = {}
        self._knocking = _thread.allocate_lock()

    def __enter__(self) -> Self:
        for signum in _for_a_run():
            try:
                self._old[signum] = signal.signal(signum, self._handle)
            except ValueError:
                return self  # not the main thread
        self._installed = bool(self._old)
        if self.pending:  # it came before the knocks could
            self.pending = False
            self.put_off()
        return self

    def __exit__(self, *_: object) -> None:
        if self._installed:
            with self._knocking:  # no knock is under way any more, ...
                self._installed = False
            if self._insisting:
                self._stop_insisting()
                signal.pthread_sigmask(signal.SIG_BLOCK, ())  # a visit to the kernel, which hands over a last question
            for signum, old in self._old.items():
                self._restore(signum, old)  # ... and this delivers the last one before it changes anything
        if self.pending:
            self.land()

    def _restore(self, signum: signal.Signals, old: Any) -> None:
        """The program may have installed a handler of its own meanwhile, as a loop's `add_signal_handler` does."""
        if signum == signal.SIGINT or signal.getsignal(signum) == self._handle:
            signal.signal(signum, old)

    def check(self) -> None:
        """Raise a pending interrupt. Called where the model holds nothing and has taken nothing."""
        if self.pending:
            self.land()

    def land(self) -> NoReturn:
        """Raise the interrupt here and now."""
        raise self.take()

    def take(self) -> KeyboardInterrupt | Terminated:
        """It is pending no more: whoever calls this raises what it returns."""
        self.pending = False
        error = KeyboardInterrupt() if self._signum == signal.SIGINT else Terminated(self._signum)
        vars(error)[_RAISED_BY] = id(self)  # a number: the error may be pickled
        return error

    def has_raised(self, error: BaseException) -> bool:
        """Whether this was raised by this guard, and is not a `KeyboardInterrupt` of the program's own."""
        return vars(error).get(_RAISED_BY) == id(self)

    def put_off(self) -> None:
        """It was raised where something had just been done, which must not be lost: raise it later."""
        if not self.pending:
            self.pending = True
            _thread.start_new_thread(self._knock, ())

    def _handle(self, number: int, frame: FrameType | None) -> None:
        signum, knocked, self._knocked = signal.Signals(number), self._knocked, False
        if signum == self._asked:
            self._asked = None
            self._answer()
            return
        if knocked and not self.pending:
            return  # it has landed while this knock was on its way
        if not knocked:
            if self._is_the_same(signum):
                return
            self._count(signum)
        if in_program(frame):
            self.land()
        self.put_off()
        self._wake()

    def _count(self, signum: signal.Signals) -> None:
        """The signal has come: a first one, or the second.

        What is raised is for the first SIGTERM or SIGHUP, even if Ctrl-C comes too: it says how the program ends.
        """
        again, self._struck = self._struck is not None, time.monotonic()
        if not again or self.is_over():
            self._signum = signum
            if again:
                self._begin_afresh()
            return
        if self._signum == signal.SIGINT:
            self._signum = signum
        if self.is_cleaning_up() and self.is_known():
            self._give_up(signum)
        else:
            self._begin_to_insist()

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
        """The exceptions that are being handled: by whoever was running, and by main if that was another."""
        yield sys.exception()
        if self._main is not None:
            yield from exceptions_in(self._main)

    def _is_of_interrupt(self, error: BaseException | None) -> bool:
        """Whether this is an interrupt, or was raised while one was handled."""
        while error is not None and not isinstance(error, self.interrupts):
            error = error.__context__
        return error is not None

    def _begin_afresh(self) -> None:
        """The last signal is over: this one is a first."""

    def _begin_to_insist(self) -> None:
        """The second has come, in the program's own clean-up or in one that began before: make a third needless."""
        self._in_clean_up = self.is_cleaning_up()
        if not self._insisting:
            self._insisting, self._waits = True, False
            self._over = _thread.allocate_lock()
            self._over.acquire()
            _thread.start_new_thread(self._insist, (self._over,))

    def _insist(self, over: _thread.LockType) -> None:
        """Ask main now and then what it does. It answers in the handler: only there can it be told what it handles."""
        while not over.acquire(timeout=_ASKED_S):
            with self._knocking:
                signum = self._signum
                if self._installed and signal.getsignal(signum) == self._handle:
                    self._asked = signum
                    signal.pthread_kill(self._main_thread, signum)

    def _answer(self) -> None:
        self._in_clean_up = self._in_clean_up and self.is_cleaning_up()
        waited, self._waits = self._waits, self.is_cleaning_up() and (self._in_clean_up or self.is_known())
        if waited and self._waits:
            self._give_up(self._signum)
        if self._insisting and self.is_over():
            self._stop_insisting()

    def _stop_insisting(self) -> None:
        self._insisting = False
        self._over.release()

    def _is_the_same(self, signum: signal.Signals) -> bool:
        """Whether it is one more signal for one request. Who presses Ctrl-C again always means it."""
        if self._struck is None or signal.SIGINT in (signum, self._signum):
            return False
        return time.monotonic() - self._struck < _ONCE_S

    def _knock(self) -> None:
        while self._may_knock():
            time.sleep(_KNOCK_S)
            with self._knocking:
                if self._may_knock() and not self.cleaning_up:  # else it could not land, and hide another signal
                    self._knocked = True
                    _thread.interrupt_main(self._signum)

    def _may_knock(self) -> bool:
        return self.pending and self._installed

    def _give_up(self, signum: signal.Signals) -> None:
        """The second Ctrl-C: say what is in the way, and leave at once."""
        names = list(self._leftovers())
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        running = f"; still running: {', '.join(names[:_SHOWN])}{more}" if names else ""
        os.write(2, f"\ninterrupted again during the clean-up{running}\n".encode())
        os._exit(128 + signum)


def exceptions_in(suspended: object) -> Iterator[BaseException]:
    """What a suspended greenlet or coroutine is handling: it refers to that, and says so to the garbage collector."""
    return (it for it in gc.get_referents(suspended) if isinstance(it, BaseException))

"""Ctrl-C that never breaks a channel.

Python's own handler raises `KeyboardInterrupt` between any two bytecodes of the main thread: also between "lock taken"
and "lock given back". A lock lost like that hangs the program for ever. So while a model runs, a handler of ours asks
first *where* the signal landed:

* in the program's own code it raises there, as Python does;
* in code of a room (a file of this folder) it only marks the interrupt as pending and wakes the main task. The room
  raises it where nothing is half done. A small thread then knocks every 0.2 ms until the interrupt has landed, because
  a task that never waits leaves the room's code only for moments.

The standard library and the models' own libraries are neither: there the frame that called them decides.
"""

import _thread
import os
import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType
    from typing import Any, Self

_ROOMS = os.path.dirname(os.path.abspath(__file__)) + os.sep
_LIBRARIES = frozenset({"greenlet", "gevent", "eventlet", "trio", "anyio", "outcome", "sniffio"})
_FINALIZERS = frozenset({"weakref", "multiprocessing.util"})
_KNOCK_S = 0.0002
_SHOWN = 5

lent: list[object] = []
"""The locks of a room that the main thread holds in code of the standard library: till it lets go nothing is raised."""


def in_program(frame: FrameType | None) -> bool:
    """Whether this frame belongs to the program, not to a room and not to a library that a room called."""
    if lent:
        return False
    while frame is not None:
        if frame.f_code.co_filename.startswith(_ROOMS):
            return False
        module = str(frame.f_globals.get("__name__", ""))
        if frame.f_code.co_name == "__del__" or module in _FINALIZERS:
            return False  # an exception there would be printed, and lost
        root = module.partition(".")[0]
        if root not in sys.stdlib_module_names and root not in _LIBRARIES:
            return True
        frame = frame.f_back
    return False


class Guard:
    """Installs the handler while a model runs in the main thread; elsewhere it does nothing.

    `wake` is called in the handler: it must not wait and must not take a lock. `leftovers` kills what can be killed
    and names the tasks that would not end; it is asked when Ctrl-C comes again during the clean-up.
    """

    def __init__(self, wake: Callable[[], object], leftovers: Callable[[], Iterable[str]] = tuple) -> None:
        self.pending = False
        self.cleaning_up = False
        self._struck = False
        self._knocked = False
        self._installed = False
        self._wake = wake
        self._leftovers = leftovers
        self._old: Any = None
        self._knocking = _thread.allocate_lock()

    def __enter__(self) -> Self:
        old = signal.getsignal(signal.SIGINT)
        if old in (signal.SIG_IGN, None):
            return self  # Ctrl-C was switched off for this process: it stays off
        try:
            signal.signal(signal.SIGINT, self._handle)
        except ValueError:
            return self  # not the main thread
        self._old, self._installed = old, True
        return self

    def __exit__(self, *_: object) -> None:
        if self._installed:
            with self._knocking:  # no knock is under way any more, ...
                self._installed = False
            signal.signal(signal.SIGINT, self._old)  # ... and this delivers the last one before it changes anything
        if self.pending:
            self.land()

    def check(self) -> None:
        """Raise a pending interrupt. Called where the room holds nothing and has taken nothing."""
        if self.pending:
            self.land()

    def land(self) -> None:
        """Raise `KeyboardInterrupt` here and now."""
        self.pending = False
        raise KeyboardInterrupt

    def put_off(self) -> None:
        """It was raised where something had just been done, which must not be lost: raise it later."""
        if not self.pending:
            self.pending = True
            _thread.start_new_thread(self._knock, ())

    def _handle(self, _signum: int, frame: FrameType | None) -> None:
        knocked, self._knocked = self._knocked, False
        if self.cleaning_up and self._struck and not knocked:
            self._give_up()
        self._struck = True
        if in_program(frame):
            self.land()
        self.put_off()
        self._wake()

    def _knock(self) -> None:
        while self._may_knock():
            time.sleep(_KNOCK_S)
            with self._knocking:
                if self._may_knock():
                    self._knocked = True
                    _thread.interrupt_main()

    def _may_knock(self) -> bool:
        return self.pending and self._installed

    def _give_up(self) -> None:
        """The second Ctrl-C: say what is in the way, and leave at once."""
        names = list(self._leftovers())
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        running = f"; still running: {', '.join(names[:_SHOWN])}{more}" if names else ""
        os.write(2, f"\ninterrupted again during the clean-up{running}\n".encode())
        os._exit(130)


class LoopGuard(Guard):
    """The same over an event loop that brings a handler of its own (asyncio, trio, and anyio on either).

    In the program's own code it raises; anywhere else the loop's handler decides, and that one cancels the main task
    or interrupts it at its next checkpoint. `call_soon` must be safe in a handler: it tells when the loop had its turn.
    """

    def __init__(self, call_soon: Callable[[Callable[[], object]], object]) -> None:
        super().__init__(self._pass_on)
        self._call_soon = call_soon
        self._passed_on = False

    def _pass_on(self) -> None:
        if not self._passed_on:
            self._passed_on = True
            self._call_soon(self._landed)

    def _landed(self) -> None:
        """Between two turns of the loop: asyncio's handler cancels main at once, which must not be in mid-operation."""
        pending, self.pending, self._passed_on = self.pending, False, False
        if pending:
            self._old(signal.SIGINT, None)

    def __exit__(self, *_: object) -> None:
        self._landed()  # the loop's handler has it
        super().__exit__()

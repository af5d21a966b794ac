"""The ring of one thread, and every switch in it; what is raised in a tasklet there, and what is called back.

It uses the fields of tasklets, but neither makes a tasklet nor asks for the current thread: `tasklet.py` does that.
"""

import sys
from _thread import get_ident
from collections import deque

from greenlet import greenlet

from concmodels.errors import Deadlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, NoReturn

    type Tasklet = Any  # a `tasklet`, and below the `Timer` of a `run`: the modules that define them import this one
    type Channel = Any
    type Timer = Any

IN_RING: Any = "in the ring"


class TaskletExit(SystemExit):
    """Ends a tasklet silently: `kill` raises it in the tasklet, which should not catch it."""


class Bomb:
    """An exception that is sent to a tasklet in place of a value. It is raised when the tasklet goes on."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException | None) -> None:
        self.error = error

    def explode(self) -> NoReturn:
        error, self.error = self.error, None
        assert error is not None
        try:
            raise error
        finally:
            del error  # else the traceback would hold the exception in a cycle


def instance(exc: Any, args: tuple[Any, ...]) -> BaseException:
    """Return the exception `exc(*args)`. Raises `TypeError` if `exc` is not an exception class."""
    if not (isinstance(exc, type) and issubclass(exc, BaseException)):
        raise TypeError("exceptions must be classes derived from BaseException")
    error: BaseException = exc(*args)
    return error


def normalized(exc: type[BaseException] | BaseException, val: object, tb: TracebackType | None) -> BaseException:
    """Return the exception that `raise exc, val, tb` would raise in Python 2, which had that statement.

    Raises `TypeError` as that statement did: for an instance with a value, and for what is no exception.
    """
    if isinstance(exc, BaseException):
        if val is not None:
            raise TypeError("instance exception may not have a separate value")
        error = exc
    elif isinstance(val, BaseException):
        error = val
    else:
        args: tuple[Any, ...] = val if isinstance(val, tuple) else (val,)
        error = instance(exc, () if val is None else args)
    return error if tb is None else error.with_traceback(tb)


class Callbacks:
    """The functions that are called at every switch of tasklets, and at every use of a channel."""

    on_schedule: Callable[[Tasklet, Tasklet], object] | None = None
    on_channel: Callable[[Channel, Tasklet, int, int], object] | None = None

    @staticmethod
    def call(callback: Callable[..., object], *args: Any) -> None:
        """Call one of them; print an exception that it raises, and go on."""
        try:
            callback(*args)
        except Exception:  # noqa: BLE001 - in the middle of a switch it can only be shown
            sys.excepthook(*sys.exc_info())


callbacks = Callbacks()


def get_schedule_callback() -> Any:
    """Return the callback that `set_schedule_callback` has set."""
    return callbacks.on_schedule


def set_schedule_callback(callback: Callable[[Tasklet, Tasklet], object] | None) -> Any:
    """Call `callback(previous, next)` at every switch from now on; return the callback that it replaces."""
    old, callbacks.on_schedule = callbacks.on_schedule, _callable(callback)
    return old


def get_channel_callback() -> Any:
    """Return the callback that `set_channel_callback` has set."""
    return callbacks.on_channel


def set_channel_callback(callback: Callable[[Channel, Tasklet, int, int], object] | None) -> Any:
    """Call `callback(channel, tasklet, sending, willblock)` at every send and receive; return the old callback."""
    old, callbacks.on_channel = callbacks.on_channel, _callable(callback)
    return old


def _callable(callback: Any) -> Any:
    if callback is not None and not callable(callback):
        raise TypeError("a callback must be callable, or None")
    return callback


class Scheduler:
    """The ring of one thread: the current tasklet, followed by the others that can go on."""

    def __init__(self, main: Tasklet) -> None:
        self.thread_id = get_ident()
        self.ready: deque[Tasklet] = deque()
        self.watchdogs: list[Tasklet] = []  # the tasklets that have called `run`, the innermost last
        self.started: set[Tasklet] = set()
        self.timer: Timer | None = None
        self.trap = 0
        self.main = self.current = main
        main._scheduler, main._unit, main._place = self, greenlet.getcurrent(), IN_RING
        self._nursery = greenlet(_start_units)
        self._nursery.switch(main._unit)

    def switch(self, source: Tasklet, target: Tasklet) -> Any:
        """Switch from `source` to `target`. Returns when `source` is current again, with the value left for it."""
        if self.timer is not None:
            target = self.timer.check(self.ready, source, target)
        if target is not source:
            if callbacks.on_schedule is not None:
                callbacks.call(callbacks.on_schedule, source, target)
            self.current = target
            unit = target._unit
            if unit is None:
                self._nursery.switch(self._make_unit(target))
            else:
                unit.switch()
        value = source.tempval
        if value is not None:
            source.tempval = None
            if value.__class__ is Bomb:
                value.explode()
        return value

    def leave(self, source: Tasklet) -> Any:
        """Switch to the next tasklet in the ring; `source` has left the ring."""
        return self.switch(source, self.ready.popleft() if self.ready else self._last_resort(source))

    def bring(self, target: Tasklet) -> None:
        """Turn the ring until `target` comes first, and take it out of the ring."""
        self.ready.rotate(-self.ready.index(target))
        self.ready.popleft()

    def check_trap(self) -> None:
        """Raise `RuntimeError` while a switch trap is set."""
        if self.trap:
            raise RuntimeError("switch_trap")

    def end(self, dead: Tasklet) -> greenlet | None:
        """Choose the next tasklet after one has ended, and make its greenlet the parent of the ended one.

        greenlet passes the return value to that parent: None, or for the nursery a new greenlet to enter.
        """
        me, bomb = dead._unit, dead.tempval
        assert me is not None
        dead._unit = dead._place = dead.tempval = None
        self.started.discard(dead)
        target = self._next_after(bomb)
        if self.timer is not None:
            target = self.timer.check(self.ready, dead, target)
        if callbacks.on_schedule is not None:
            callbacks.call(callbacks.on_schedule, dead, target)
        self.current = target
        if target._unit is not None:
            me.parent = target._unit
            return None
        me.parent = self._nursery
        return self._make_unit(target)

    def _next_after(self, bomb: Bomb | None) -> Tasklet:
        """Return the next tasklet after one has ended: with an error, it is the one that has to be told."""
        if bomb is None and self.ready:
            return self.ready.popleft()
        target = self._watchdog()
        if bomb is None and target.blocked:
            verb, partner = ("receiving", "sender") if target._place.balance < 0 else ("sending", "receiver")
            bomb = Bomb(RuntimeError(f"the main tasklet is {verb} without a {partner} available."))
        if target._place is IN_RING:
            self.bring(target)
        target._unblock()
        target._place, target.tempval = IN_RING, bomb
        return target

    def _last_resort(self, source: Tasklet) -> Tasklet:
        """Return the next tasklet if the ring is empty: the one that called `run`, or the main tasklet.

        Raises `Deadlock` in `source` if that one waits too.
        """
        target = self._watchdog()
        if target._place is not None:
            source._unblock()
            source._place, source.tempval = IN_RING, None
            raise Deadlock("Deadlock: the last runnable tasklet cannot be blocked.")
        target._place = IN_RING
        return target

    def _watchdog(self) -> Tasklet:
        return self.watchdogs[-1] if self.watchdogs else self.main

    def _make_unit(self, target: Tasklet) -> greenlet:
        unit = target._unit = greenlet(target._work, self.main._unit)
        self.started.add(target)
        return unit


def _start_units(unit: greenlet) -> None:
    """Run the nursery: the greenlet from which all new greenlets are entered for the first time.

    A greenlet uses the C stack, and counts its recursion depth, from the place where it was first entered. If ten
    thousand greenlets were entered in a chain, each from the one before, they would exceed both limits. Entered from
    here, all of them start at the same depth.
    """
    while True:
        unit = unit.switch()

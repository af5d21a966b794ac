"""eventlet: greenlets on an event loop written in Python.

unit          one greenlet per task (`eventlet.spawn_n`)
scheduler     eventlet's hub (epoll), by a heap of timers; cooperative
message       by reference
parallel      no: all greenlets of a thread share it
cancellation  an exception that the hub throws in where the task waits, eventlet's own waits too; swallowed, it is gone

Limitations: eventlet is in maintenance and asks not to be used for new programs (it warns on import; this model keeps
that warning to itself). A greenlet that computes stops all others, and so does a blocking call that is not eventlet's
own; the model patches nothing. A `Timeout` with an exception of the program's own, which strikes in the very turn in
which a partner completes the operation, is raised at the task's next wait even if its block has been left by then. No
deadlock is seen beside a timer, a listener, another thread, a signal handler, or a task that waits for something of
eventlet's own: they might send.
"""

import math
import os
import time
import warnings
from _thread import get_ident

from greenlet import getcurrent

from concmodels.models.deadlocks.hubs import ThrownWatch
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, Stillness, endless_wait, patience, strangers
from concmodels.models.pools.executor import Pool as _Pool
from concmodels.models.pools.run import Pools
from concmodels.models.sharing import share
from concmodels.models.tasks.frames import stack
from concmodels.models.tasks.hub_tasks import (
    Cancelled,
    HubWaiter,
    forget_throws,
    postponed,
    raise_postponed,
    raise_postponed_signal,
    tasks,
)
from concmodels.models.tasks.hub_tasks import Task as _Task
from concmodels.models.tasks.hub_tasks import TaskGroup as _TaskGroup
from concmodels.models.tasks.interrupts import LOOK_UP_S, Guard
from concmodels.models.tasks.nesting import refusal
from concmodels.models.waiting.channel import TIMED_OUT, turns
from concmodels.models.waiting.cooperative import CooperativeChannel, CooperativeUnbounded
from concmodels.models.waiting.select import select_sync
from concmodels.models.waiting.timeouts import must_be_plain, seconds_to_sleep

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import eventlet
    from eventlet import hubs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

    from concmodels.errors import Selected

__all__ = ["Cancelled", "Channel", "Pool", "TaskGroup", "now", "run", "select", "share", "sleep"]

now = time.monotonic


def run[R](main: Callable[..., R], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` in the calling greenlet and return its result; see `concmodels.contract.Model.run`."""
    must_be_plain(main, "eventlet")
    here = getcurrent()
    if here in tasks:
        raise refusal("eventlet", tasks[here].model())
    seconds = patience(deadlock_after)
    task = tasks[here] = Task(main, args, "main")
    task.unit = here
    fresh = not hasattr(hubs._threadlocal, "hub")
    try:
        with (
            _Doorbell(task.interrupt) as doorbell,
            Guard(doorbell.ring, task.unfinished, here) as task.guard,
            _Watch(task, seconds),
            Pools(task) as task.pools,
        ):
            result = main(*args)
            raise_postponed_signal(here)
            return result
    finally:
        del tasks[here]
        forget_throws(here)
        if fresh:
            _end_hub()


def _end_hub() -> None:
    """End the hub that this run began: it would keep its epoll descriptor until the garbage collector comes by."""
    hub = hubs.get_hub()
    if hub.running:
        hub.abort(wait=True)
    del hubs._threadlocal.hub
    close = getattr(getattr(hub, "poll", None), "close", None)  # not every kind of hub has a poll to close
    if close is not None:
        close()


class _Doorbell:
    """Wakes the hub out of its poll from a signal handler, which a timer can't: the poll would go on to its end."""

    def __init__(self, answer: Callable[[], object]) -> None:
        self._answer = answer

    def __enter__(self) -> Self:
        self._reader, self._writer = os.pipe()
        hub = hubs.get_hub()
        self._listener = hub.add(hub.READ, self._reader, self._rung, self._rung, self._rung)
        return self

    def __exit__(self, *_: object) -> None:
        hubs.get_hub().remove(self._listener)
        os.close(self._reader)
        os.close(self._writer)

    def ring(self) -> None:
        """Called in the signal handler."""
        os.write(self._writer, b"!")

    def _rung(self, *_: object) -> None:
        os.read(self._reader, 4096)
        self._answer()


class _Watch(ThrownWatch):
    """A timer of the hub looks whether it has anything else to do: another timer, a listener beside the doorbell.

    It also keeps every poll of the hub short: one of 25 days or more, or for ever, would be an `OverflowError`.
    """

    _timer: Any = None

    def __init__(self, main: _Task, seconds: float | None) -> None:
        super().__init__(main)
        self._hub = hubs.get_hub()
        self._still = None if seconds is None else Stillness(seconds)

    def __enter__(self) -> Self:
        self._begin()
        return self

    def stop(self) -> None:
        """As `Watch.stop`."""
        if self._timer is not None:
            self._timer.cancel()

    def _begin(self) -> None:
        pause = LOOK_UP_S if self._still is None else min(self._still.pause, LOOK_UP_S)
        self._timer = self._hub.schedule_call_global(pause, self._look)

    def _look(self) -> None:
        dead = self._still is not None and self._still.lasts(self._waits())
        self._begin()  # after the look, which must not see it, and before the throw, which leaves for main
        if dead:
            self.main.unit.throw(self.describe())

    def _waits(self) -> dict[_Task, object]:
        """Each task and its wait; nothing if one of them can go on, or if something else could send."""
        if self._hub_is_busy():
            return {}
        waits = {task: endless_wait(stack(task.unit.gr_frame)) for task in self.mates()}
        return {} if None in waits.values() or strangers({get_ident()}) else waits

    def _hub_is_busy(self) -> bool:
        hub = self._hub
        listeners = len(hub.listeners[hub.READ]) + len(hub.listeners[hub.WRITE]) - 1  # one is the doorbell
        return listeners > 0 or any(timer.pending for _, timer in (*hub.timers, *hub.next_timers))


def sleep(seconds: float) -> None:
    """Sleep; the other greenlets run meanwhile. A checkpoint."""
    eventlet.sleep(seconds_to_sleep(seconds))


def _call_soon(callback: Callable[[], object]) -> None:
    hubs.get_hub().schedule_call_global(0, callback)


class Task(_Task):
    """The handle of a greenlet."""

    call_soon = _call_soon
    reschedule = staticmethod(eventlet.sleep)


class _Waiter(HubWaiter):
    """A task waits by switching to the hub, and is woken by a timer of 0 seconds there."""

    __slots__ = ("_hub", "_turn")
    call_soon = _call_soon

    def __init__(self, item: Any = None) -> None:
        self.item = item
        self.outcome = ""
        self._hub = hubs.get_hub()
        self._unit = getcurrent()
        self._turn: Any = None

    def park(self, timeout: float | None) -> bool:
        """Wait until woken, at most `timeout` seconds."""
        if postponed:
            raise_postponed(self._unit)
        timer = None if timeout is None else self._hub.schedule_call_global(float(timeout), self.finish, TIMED_OUT)
        try:
            while self._turn is None:
                self._hub.switch()
        finally:
            if self._turn is not None and not self._turn.called:
                self._turn.cancel()  # thrown out of its wait after it was woken: nobody shall switch here any more
            if timer is not None:
                timer.cancel()
        return True

    def wake(self) -> None:
        self._turn = self._hub.schedule_call_global(0, self._unit.switch)


class TaskGroup(_TaskGroup):
    """Greenlets that end together."""

    waiter_type = _Waiter
    thrown_types = (*_TaskGroup.thrown_types, eventlet.Timeout)
    task_type = Task

    def start(self, task: _Task) -> None:
        """Start the greenlet of a task."""
        task.unit = eventlet.spawn_n(self.work, task)


class Channel(CooperativeChannel):
    """A channel between the greenlets of one thread."""

    _new_waiter = _Waiter
    _turns = turns()
    _visit_scheduler = staticmethod(eventlet.sleep)

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return super().__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]


def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait for the first of several channels; see `concmodels.contract.Model.select`."""
    return select_sync(Channel, cases, timeout, priority)


class Pool(_Pool):
    """Workers that are greenlets; see `concmodels.contract.Pool`."""

    Channel = Channel
    TaskGroup = TaskGroup


class _Unbounded(CooperativeUnbounded, Channel):
    """`Channel(math.inf)`: nobody waits for room."""

"""gevent: greenlets on a compiled event loop.

unit          one `gevent.Greenlet` per task
scheduler     gevent's hub (libev), first come, first served; cooperative
message       by reference
parallel      no: all greenlets of a thread share it; on a free-threaded build gevent switches the GIL back on
cancellation  the hub raises it once, where the task waits, also in gevent's own waits; a task can suppress it
sockets       watchers of the hub's loop, as for gevent's own sockets; each is kept for the next wait

Limitations: a greenlet that computes blocks all others, and so does a blocking call that is not gevent's own. The model
patches nothing: call `gevent.monkey.patch_all()` yourself if calls of the standard library should let other greenlets
run. If a `gevent.Timeout` with an exception of the program's own expires in the same turn in which a partner completes
the operation, the exception is raised at the task's next wait, even if its block has been left by then.
"""

import math
import threading
import time

from greenlet import getcurrent  # before gevent: in a subinterpreter this just fails, and gevent prints a traceback

# isort: split
import gevent
from gevent._hub_local import get_hub_if_exists
from gevent.exceptions import LoopExit

from concmodels.errors import ChannelClosed, Deadlock
from concmodels.models.waiting.channel import NOTHING, SingleThreadChannel
from concmodels.models.waiting.select import select_sync
from concmodels.models.waiting.timeouts import expired, seconds_to_sleep
from concmodels.models.waiting.waiter import DONE, TIMED_OUT, SingleThreadWaiter

# isort: split
# Beside the core: signals, deadlocks, sockets, pools.
from concmodels.models.deadlocks.hubs import HubDetector
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, patience
from concmodels.models.pools.executor import Pool as _Pool
from concmodels.models.pools.run import Pools
from concmodels.models.sharing import share
from concmodels.models.tasks.hubs import Cancelled, UnknownTask, raise_postponed_signal, tasks
from concmodels.models.tasks.hubs import Task as _Task
from concmodels.models.tasks.hubs import TaskGroup as _TaskGroup
from concmodels.models.tasks.nesting import refusal
from concmodels.models.tasks.runs import run_of
from concmodels.models.tasks.signals.frames import raised
from concmodels.models.tasks.signals.guard import LOOK_UP_S, Guard
from concmodels.models.waiting.hub_throws import forget_throws, postpone, postponed, raise_postponed, throws_due
from concmodels.models.waiting.sockets.gevent import notify_closing_in_hub, sockets_here, start_timer, wait_in_hub
from concmodels.models.waiting.sockets.waits import READABLE, WRITABLE
from concmodels.models.waiting.turns import checkpoint, turns_of
from concmodels.models.waiting.unbounded import UnboundedGreenlets
from concmodels.models.waiting.yields import yield_every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Any, Self

    from concmodels.errors import Selected
    from concmodels.models.waiting.sockets.waits import HasFileno
    from concmodels.models.waiting.turns import Turns

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep",
    "wait_readable", "wait_writable",
]  # fmt: skip

now = time.monotonic


def _call_soon(callback: Callable[[], object]) -> None:
    gevent.get_hub().loop.run_callback(callback)


def _turns() -> Turns:
    hub = gevent.get_hub()
    return turns_of(hub, hub.loop.run_callback)


def _call_later(seconds: float, callback: Callable[[], object]) -> Callable[[], object]:
    close: Callable[[], object] = start_timer(gevent.get_hub(), seconds, callback).close
    return close


class _Waiter(SingleThreadWaiter):
    """One wait of one task: it leaves to the hub, or to another task that can go on, until `wake` adds it to those.

    A partner that finds the waiter in the queue of a channel calls `claim(DONE)`, gives or takes the `item`, and calls
    `wake`. A close or a timeout claims it too, and after a cancellation no claim succeeds. Only the first one does
    (`waiting/waiter.py`), so an operation that a partner has claimed is done: a later cancellation is put off.
    """

    __slots__ = ("_task", "unit", "woken")

    def __init__(self, item: Any = None, purpose: Any = None) -> None:
        self.item = item
        self.outcome = ""
        self.purpose = purpose
        self.unit = getcurrent()
        try:
            self._task: _Task | UnknownTask = tasks[self.unit]
        except KeyError:
            self._task = UnknownTask(_turns())
        self.woken = False

    def claim(self, outcome: str) -> bool:
        """As `Waiter.claim`; fails also if the hub is about to throw a cancellation into the task."""
        if self.outcome or (throws_due and self.unit in throws_due):
            return False
        self.outcome = outcome
        return True

    def park(self, timeout: float | None) -> bool:
        """Wait until woken, at most `timeout` seconds. Returns True: the timeout claims and wakes the waiter too."""
        if postponed:
            raise_postponed(self.unit)
        task = self._task
        timer = None if timeout is None else start_timer(task.turns.hub, timeout, self.finish, TIMED_OUT)
        task.waiter = self
        try:
            while not self.woken:  # only `wake` ends the wait: other code may switch here too
                task.turns.leave()
        except LoopExit:
            raise self._deadlock() from None
        finally:
            task.waiter = None
            self.woken = False  # if an exception came after `wake`: do not switch here later
            if timer is not None:
                timer.close()
        return True

    def _deadlock(self) -> Deadlock:
        task = self._task
        return Deadlock() if task.detector is None else task.detector.describe()

    def wake(self) -> None:
        self._task.turns.add(self)

    def finish(self, outcome: str) -> bool:
        """As `Waiter.finish`, written out: every message to a task that waits comes through here."""
        if self.outcome or (throws_due and self.unit in throws_due):
            return False
        self.outcome = outcome
        self._task.turns.add(self)
        return True

    def postpone(self, error: BaseException) -> None:
        """As `Waiter.postpone`."""
        postpone(self.unit, error, _call_soon)


class Channel(SingleThreadChannel):
    """A channel between the greenlets of one thread.

    The verbs that wait are here. The steps that do not are in `waiting/channel.py`: `_offer` hands an item to the first
    waiting receiver or buffers it, `_take` takes the oldest item and lets a waiting sender go on.
    """

    _new_waiter = _Waiter
    _yields = yield_every()
    _let_others_run = staticmethod(gevent.sleep)
    _checkpoint = checkpoint

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return super().__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send, waiting for room; on a rendezvous, until the item is taken.

        `timeout` is in seconds. Raises `ChannelClosed` or `TimeoutError`; then no task has received the item.
        """
        if next(self._yields):
            self._checkpoint()
        buffer = self._buffer
        if len(buffer) < self._room:  # there is room: the fast path (0 while a receiver waits, and once closed)
            buffer.append(item)
        elif not self._offer(item):
            self._wait_for_partner(item, self._senders, timeout)

    def receive(self, timeout: float | None = None) -> Any:
        """Receive the oldest item, waiting for one.

        `timeout` is in seconds. Raises `ChannelClosed` (closed and drained) or `TimeoutError`.
        """
        if next(self._yields):
            self._checkpoint()
        item = self._take()
        return self._wait_for_partner(None, self._receivers, timeout) if item is NOTHING else item

    def __iter__(self) -> Iterator[Any]:
        """Receive until the channel is closed and drained."""
        buffer, senders, popleft = self._buffer, self._senders, self._buffer.popleft
        while True:
            try:
                for others_turn in self._yields:
                    if others_turn:
                        self._checkpoint()
                    if senders:
                        break  # `receive` lets the first of them go on
                    yield popleft()
            except IndexError:
                pass  # empty for now: wait below
            while senders or not buffer:  # in a loop of its own: an IndexError for each wait would be expensive
                try:
                    item = self.receive()
                except ChannelClosed:
                    return
                yield item
                del item  # so that nothing holds it while the next one is waited for

    def _wait_for_partner(self, item: Any, queue: deque[Any], timeout: float | None) -> Any:
        """Wait in this queue for a partner; return the item that it brought."""
        if timeout is not None and expired(timeout):
            raise self._no_waiting(queue)
        waiter = self._new_waiter(item, self)
        self._queue(waiter, queue)
        try:
            waiter.park(timeout)
        except BaseException as error:
            if self._withdraw(waiter, queue):
                raise
            waiter.postpone(error)  # a partner was first, so the operation is done: see `Waiter.postpone`
        self._yields.__setstate__(0)  # it was another's turn: the count begins anew
        if waiter.outcome != DONE:
            self._settle(waiter, queue)  # raises `ChannelClosed` or `TimeoutError`
        return waiter.item


class _Unbounded(UnboundedGreenlets, Channel):
    """`Channel(math.inf)`, which is only faster: see `waiting/unbounded.py`."""


def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait in the queues of several channels, with one waiter; see `concmodels.contract.Model.select`."""
    return select_sync(Channel, cases, timeout, priority)


class Task(_Task):
    """The handle of a greenlet."""

    call_soon = _call_soon
    call_later = _call_later
    reschedule = staticmethod(gevent.sleep)


class TaskGroup(_TaskGroup):
    """Greenlets that end together."""

    waiter_type = _Waiter
    thrown_types = (*_TaskGroup.thrown_types, gevent.Timeout)
    task_type = Task

    def start(self, task: _Task) -> None:
        """Start the greenlet of a task."""
        task.unit, task.turns = gevent.spawn(self.work, task), self._owner.turns

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if (
            isinstance(error, LoopExit) and self._owner.detector is not None
        ):  # main waited for something of gevent's own
            error = self._owner.detector.describe(raised(trace))
        return super().__exit__(kind, error, trace)


class Pool(_Pool):
    """Workers that are greenlets; see `concmodels.contract.Pool`."""

    Channel = Channel
    TaskGroup = TaskGroup


@run_of("gevent")
def run[R](main: Callable[..., R], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` in the calling greenlet and return its result; see `concmodels.contract.Model.run`.

    A deadlock is found at once, unless `deadlock_after` is None.
    """
    here = getcurrent()
    if here in tasks:
        raise refusal("gevent", tasks[here].model())
    seconds = patience(deadlock_after)
    task = tasks[here] = Task(main, args, "main")
    fresh = get_hub_if_exists() is None  # before `get_hub`, which makes one
    task.unit, task.turns = here, _turns()  # now: its first call imports, and a Ctrl-C could interrupt that
    try:
        with (
            Guard(task.interrupt, task.unfinished) as task.guard,
            _detector(task, seconds),
            _LookUp(),
            Pools(task) as task.pools,
        ):
            result = main(*args)
            raise_postponed_signal(here)  # or a signal that came in the turn of main's last operation would be lost
            return result
    finally:
        del tasks[here]
        forget_throws(here)
        if fresh and threading.current_thread() is not threading.main_thread():
            gevent.get_hub().destroy(destroy_loop=True)  # its descriptors would outlive the thread


def _detector(main: _Task, seconds: float | None) -> AbstractContextManager[object]:
    return _KeepLoopAlive() if seconds is None else _Detector(main)


class _Detector(HubDetector):
    """Turns the `LoopExit` that gevent raises in main, when no greenlet can ever go on, into a `Deadlock`."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, LoopExit):
            raise self.find(self.found or self.describe(raised(trace))) from None
        super().__exit__(kind, error, trace)


class _KeepLoopAlive:
    """Keeps the loop waiting even if there is nothing left to wait for."""

    def __enter__(self) -> None:
        self._watcher = gevent.get_hub().loop.async_()
        self._watcher.start(self._watcher.stop)  # nothing will ever trigger it

    def __exit__(self, *_: object) -> None:
        self._watcher.close()


class _LookUp:
    """Wakes the loop now and then, to check for events that do not wake it.

    The loop misses a signal that arrives just before it begins to wait, because Python calls the handlers only while
    Python code runs. It also misses that a socket was closed.
    """

    def __enter__(self) -> None:
        self._timer = gevent.get_hub().loop.timer(LOOK_UP_S, LOOK_UP_S, ref=False)  # it does not keep the loop alive
        self._sockets = sockets_here()
        self._sockets.runs += 1
        self._timer.start(self._sockets.look)

    def __exit__(self, *_: object) -> None:
        self._timer.close()
        self._sockets.run_ended()


def sleep(seconds: float) -> None:
    """Sleep; the other greenlets run meanwhile. A checkpoint."""
    gevent.sleep(seconds_to_sleep(seconds))


def wait_readable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket can be read or accepted from; see `concmodels.contract.Model.wait_readable`."""
    wait_in_hub(socket, READABLE, timeout)


def wait_writable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket accepts bytes; see `concmodels.contract.Model.wait_writable`."""
    wait_in_hub(socket, WRITABLE, timeout)


notify_closing = notify_closing_in_hub

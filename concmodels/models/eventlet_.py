"""eventlet: greenlets on an event loop written in Python.

unit          one greenlet per task (`eventlet.spawn_n`)
scheduler     eventlet's hub (epoll), by a heap of timers; cooperative
message       by reference
parallel      no: all greenlets of a thread share it
cancellation  the hub raises it once, where the task waits, also in eventlet's own waits; a task can suppress it
sockets       listeners of the hub, as for eventlet's own sockets

Limitations: eventlet is not developed further, and its authors advise against new uses (it warns on import; this
model suppresses the warning). A greenlet that computes blocks all others, and so does a blocking call that is not
eventlet's own; the model patches nothing. If an `eventlet.Timeout` with an exception of the program's own expires in
the same turn in which a partner completes the operation, the exception is raised at the task's next wait, even if its
block has been left by then. No deadlock is reported while there is a timer, a listener, another thread, a signal
handler, or a task that waits in a function of eventlet: any of these might still send.
"""

import math
import time
import warnings
from functools import partial

from greenlet import getcurrent

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import eventlet
    from eventlet import hubs, patcher

from concmodels.errors import ChannelClosed
from concmodels.models.waiting.channel import NOTHING, SingleThreadChannel
from concmodels.models.waiting.select import select_sync
from concmodels.models.waiting.timeouts import expired, seconds_to_sleep
from concmodels.models.waiting.waiter import DONE, TIMED_OUT, SingleThreadWaiter

# isort: split
# Beside the core: signals, deadlocks, sockets, pools.
from concmodels.models.deadlocks.hubs import HubDetector
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, NoProgress, endless_waits, patience
from concmodels.models.pools.executor import Pool as _Pool
from concmodels.models.pools.run import Pools
from concmodels.models.sharing import share
from concmodels.models.tasks.hubs import Cancelled, UnknownTask, raise_postponed_signal, tasks
from concmodels.models.tasks.hubs import Task as _Task
from concmodels.models.tasks.hubs import TaskGroup as _TaskGroup
from concmodels.models.tasks.nesting import refusal
from concmodels.models.tasks.runs import run_of
from concmodels.models.tasks.signals.guard import LOOK_UP_S, Guard
from concmodels.models.waiting.hub_throws import forget_throws, postpone, postponed, raise_postponed, throws_due
from concmodels.models.waiting.sockets.eventlet import notify_closing_in_hub, sockets_here, wait_in_hub
from concmodels.models.waiting.sockets.waits import READABLE, WRITABLE
from concmodels.models.waiting.turns import checkpoint, turns_of
from concmodels.models.waiting.unbounded import UnboundedGreenlets
from concmodels.models.waiting.yields import yield_every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterator
    from typing import Any, Self

    from concmodels.errors import Selected
    from concmodels.models.waiting.sockets.waits import HasFileno
    from concmodels.models.waiting.turns import Turns
    from concmodels.models.waiting.waiter import Wait, Waiter

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep",
    "wait_readable", "wait_writable",
]  # fmt: skip

now = time.monotonic


def _call_soon(callback: Callable[[], object]) -> None:
    hubs.get_hub().schedule_call_global(0, callback)


def _turns() -> Turns:
    hub = hubs.get_hub()
    return turns_of(hub, partial(hub.schedule_call_global, 0))


def _call_later(seconds: float, callback: Callable[[], object]) -> Callable[[], object]:
    cancel: Callable[[], object] = hubs.get_hub().schedule_call_global(seconds, callback).cancel
    return cancel


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
        timer = None if timeout is None else task.turns.hub.schedule_call_global(float(timeout), self.finish, TIMED_OUT)
        task.waiter = self
        try:
            while not self.woken:  # only `wake` ends the wait: other code may switch here too
                task.turns.leave()
        finally:
            task.waiter = None
            self.woken = False  # if an exception came after `wake`: do not switch here later
            if timer is not None:
                timer.cancel()
        return True

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
    _let_others_run = staticmethod(eventlet.sleep)
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
    reschedule = staticmethod(eventlet.sleep)


class TaskGroup(_TaskGroup):
    """Greenlets that end together."""

    waiter_type = _Waiter
    thrown_types = (*_TaskGroup.thrown_types, eventlet.Timeout)
    task_type = Task

    def start(self, task: _Task) -> None:
        """Start the greenlet of a task."""
        task.unit, task.turns = eventlet.spawn_n(self.work, task), self._owner.turns


class Pool(_Pool):
    """Workers that are greenlets; see `concmodels.contract.Pool`."""

    Channel = Channel
    TaskGroup = TaskGroup


@run_of("eventlet")
def run[R](main: Callable[..., R], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` in the calling greenlet and return its result; see `concmodels.contract.Model.run`."""
    here = getcurrent()
    if here in tasks:
        raise refusal("eventlet", tasks[here].model())
    seconds = patience(deadlock_after)
    task = tasks[here] = Task(main, args, "main")
    fresh = not hasattr(hubs._threadlocal, "hub")  # before `get_hub`, which makes one
    task.unit, task.turns = here, _turns()
    try:
        with (
            _Wakeup(task.interrupt) as wakeup,
            Guard(wakeup.notify, task.unfinished) as task.guard,
            _Detector(task, seconds),
            Pools(task) as task.pools,
        ):
            result = main(*args)
            raise_postponed_signal(here)  # or a signal that came in the turn of main's last operation would be lost
            return result
    finally:
        del tasks[here]
        forget_throws(here)
        if fresh:
            _end_hub()


def _end_hub() -> None:
    """End the hub that this run started. It would keep its epoll descriptor open until it is garbage-collected."""
    hub = hubs.get_hub()
    if hub.running:
        hub.abort(wait=True)
    del hubs._threadlocal.hub
    close = getattr(getattr(hub, "poll", None), "close", None)  # not every kind of hub has a poll to close
    if close is not None:
        close()


class _Wakeup:
    """Wakes the hub from a signal handler. A timer can't do that: the hub's poll would first run to its timeout.

    It uses a pair of sockets, since Windows polls nothing else: Python's own, which don't use the hub themselves.
    """

    def __init__(self, answer: Callable[[], object]) -> None:
        self._answer = answer

    def __enter__(self) -> Self:
        self._reader, self._writer = patcher.original("socket").socketpair()
        hub = hubs.get_hub()
        self._listener = hub.add(hub.READ, self._reader.fileno(), self._notified, self._notified, self._notified)
        return self

    def __exit__(self, *_: object) -> None:
        hubs.get_hub().remove(self._listener)
        self._reader.close()
        self._writer.close()

    def notify(self) -> None:
        """Wake the hub. Called in the signal handler."""
        self._writer.send(b"!")

    def _notified(self, *_: object) -> None:
        self._reader.recv(4096)
        self._answer()


class _Detector(HubDetector):
    """Checks, on a timer, whether the hub has anything else to do: a timer, or a listener besides that of `_Wakeup`.

    The timer also keeps every poll of the hub short. A poll of 25 days or more would raise an `OverflowError`.
    """

    _timer: Any = None

    def __init__(self, main: _Task, seconds: float | None) -> None:
        super().__init__(main)
        self._hub = hubs.get_hub()
        self._progress = None if seconds is None else NoProgress(seconds)

    def __enter__(self) -> Self:
        self._begin()
        return self

    def stop(self) -> None:
        """As `DeadlockDetector.stop`."""
        if self._timer is not None:
            self._timer.cancel()

    def _begin(self) -> None:
        pause = LOOK_UP_S if self._progress is None else min(self._progress.pause, LOOK_UP_S)
        self._timer = self._hub.schedule_call_global(pause, self._look)

    def _look(self) -> None:
        sockets_here().look()
        dead = self._progress is not None and self._progress.lasts(self._waits())
        self._begin()  # after the look, which must not see the timer, and before the throw, which switches to main
        if dead:
            self.main.unit.throw(self.describe())

    def _waits(self) -> dict[Any, Wait]:
        """Return the wait of each task; an empty dict if one of them can go on, or if something else could send."""
        return {} if self._hub_is_busy() else endless_waits(self.live_tasks(), _waiter_of)

    def _hub_is_busy(self) -> bool:
        hub = self._hub
        listeners = len(hub.listeners[hub.READ]) + len(hub.listeners[hub.WRITE]) - 1  # one is that of `_Wakeup`
        return listeners > 0 or any(timer.pending for _, timer in (*hub.timers, *hub.next_timers))


def _waiter_of(task: _Task) -> Waiter | None:
    waiter = task.waiter
    return waiter if waiter is not None and waiter.waits() else None


def sleep(seconds: float) -> None:
    """Sleep; the other greenlets run meanwhile. A checkpoint."""
    eventlet.sleep(seconds_to_sleep(seconds))


def wait_readable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket can be read or accepted from; see `concmodels.contract.Model.wait_readable`."""
    wait_in_hub(socket, READABLE, timeout)


def wait_writable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket accepts bytes; see `concmodels.contract.Model.wait_writable`."""
    wait_in_hub(socket, WRITABLE, timeout)


notify_closing = notify_closing_in_hub

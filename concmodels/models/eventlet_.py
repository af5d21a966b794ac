"""eventlet: greenlets on an event loop written in Python.

unit          one greenlet per task (`eventlet.spawn_n`)
scheduler     eventlet's hub (epoll), by a heap of timers; cooperative
message       by reference
parallel      no: all greenlets of a thread share it
cancellation  the hub raises it once, where the task waits, also in eventlet's own waits; a task can suppress it
sockets       listeners of the hub, as for eventlet's own sockets

Limitations: eventlet is only maintained, and its authors advise against it for new programs (it warns on import; this
model suppresses the warning). A greenlet that computes blocks all others, and so does a blocking call that is not
eventlet's own; the model patches nothing. If an `eventlet.Timeout` with an exception of the program's own expires in
the same turn in which a partner completes the operation, the exception is raised at the task's next wait, even if its
block has been left by then. No deadlock is reported while there is a timer, a listener, another thread, a signal
handler, or a task that waits in a function of eventlet: any of these might still send.
"""

import math
import os
import time
import warnings
from _thread import _local

from greenlet import getcurrent

from concmodels.errors import ChannelClosed
from concmodels.models.deadlocks.hubs import HubDetector
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, NoProgress, endless_waits, patience
from concmodels.models.pools.executor import Pool as _Pool
from concmodels.models.pools.run import Pools
from concmodels.models.sharing import share
from concmodels.models.tasks.hub_tasks import (
    Cancelled,
    UnknownTask,
    forget_throws,
    postpone,
    postponed,
    raise_postponed,
    raise_postponed_signal,
    tasks,
    throws_due,
)
from concmodels.models.tasks.hub_tasks import Task as _Task
from concmodels.models.tasks.hub_tasks import TaskGroup as _TaskGroup
from concmodels.models.tasks.interrupts import LOOK_UP_S, Guard
from concmodels.models.tasks.nesting import refusal
from concmodels.models.waiting.channel import NOTHING, SingleThreadChannel, UnboundedChannel, yield_every
from concmodels.models.waiting.select import select_sync
from concmodels.models.waiting.sockets import READABLE, WRITABLE, SocketWaits, SocketWaitSteps, descriptor, is_ready
from concmodels.models.waiting.timeouts import expired, must_be_seconds, must_be_sync, seconds_to_sleep
from concmodels.models.waiting.waiter import CANCELLED, CLOSED, DONE, TIMED_OUT, SingleThreadWaiter

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import eventlet
    from eventlet import hubs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterator
    from typing import Any, Self

    from concmodels.errors import Selected
    from concmodels.models.waiting.sockets import HasFileno
    from concmodels.models.waiting.waiter import Wait, Waiter

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep",
    "wait_readable", "wait_writable",
]  # fmt: skip

now = time.monotonic
_here = _local()


def run[R](main: Callable[..., R], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` in the calling greenlet and return its result; see `concmodels.contract.Model.run`."""
    must_be_sync(main, "eventlet")
    here = getcurrent()
    if here in tasks:
        raise refusal("eventlet", tasks[here].model())
    seconds = patience(deadlock_after)
    task = tasks[here] = Task(main, args, "main")
    fresh = not hasattr(hubs._threadlocal, "hub")
    task.unit, task.hub = here, hubs.get_hub()
    try:
        with (
            _Wakeup(task.interrupt) as wakeup,
            Guard(wakeup.notify, task.unfinished, here) as task.guard,
            _Detector(task, seconds),
            Pools(task) as task.pools,
        ):
            result = main(*args)
            raise_postponed_signal(here)  # else a signal that came in the turn of main's last operation would be lost
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
    """Wakes the hub from a signal handler. A timer can't do that: the hub's poll would first go on to its end."""

    def __init__(self, answer: Callable[[], object]) -> None:
        self._answer = answer

    def __enter__(self) -> Self:
        self._reader, self._writer = os.pipe()
        hub = hubs.get_hub()
        self._listener = hub.add(hub.READ, self._reader, self._notified, self._notified, self._notified)
        return self

    def __exit__(self, *_: object) -> None:
        hubs.get_hub().remove(self._listener)
        os.close(self._reader)
        os.close(self._writer)

    def notify(self) -> None:
        """Wake the hub. Called in the signal handler."""
        os.write(self._writer, b"!")

    def _notified(self, *_: object) -> None:
        os.read(self._reader, 4096)
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
        _socket_waits().look()
        dead = self._progress is not None and self._progress.lasts(self._waits())
        self._begin()  # after the look, which must not see it, and before the throw, which leaves for main
        if dead:
            self.main.unit.throw(self.describe())

    def _waits(self) -> dict[Any, Wait]:
        """Return the wait of each task; nothing if one of them can go on, or if something else could send."""
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


def _call_soon(callback: Callable[[], object]) -> None:
    hubs.get_hub().schedule_call_global(0, callback)


class Task(_Task):
    """The handle of a greenlet."""

    call_soon = _call_soon
    reschedule = staticmethod(eventlet.sleep)


class _Waiter(SingleThreadWaiter):
    """One wait of one task: the task switches to the hub, until a timer of 0 seconds, which `wake` adds, switches back.

    A partner that finds the waiter in the queue of a channel calls `claim(DONE)`, gives or takes the `item`, and calls
    `wake`. A close or a timeout claims it too, and after a cancellation no claim succeeds. Only the first one does
    (`waiting/waiter.py`), so an operation that a partner has claimed is done: a later cancellation is put off.
    """

    __slots__ = ("_task", "_turn", "unit")

    def __init__(self, item: Any = None, purpose: Any = None) -> None:
        self.item = item
        self.outcome = ""
        self.purpose = purpose
        self.unit = getcurrent()
        try:
            self._task: _Task | UnknownTask = tasks[self.unit]
        except KeyError:
            self._task = UnknownTask(hubs.get_hub())
        self._turn: Any = None

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
        timer = None if timeout is None else task.hub.schedule_call_global(float(timeout), self.finish, TIMED_OUT)
        task.waiter = self
        try:
            while self._turn is None:  # only `wake` ends the wait: other code may switch here too
                task.hub.switch()
        finally:
            task.waiter = None
            if self._turn is not None and not self._turn.called:
                self._turn.cancel()  # an exception came after `wake`: do not switch here later
            if timer is not None:
                timer.cancel()
        return True

    def wake(self) -> None:
        self._turn = self._task.hub.schedule_call_global(0, self.unit.switch)

    def put_off(self, error: BaseException) -> None:
        """As `Waiter.put_off`."""
        postpone(self.unit, error, _call_soon)


class _SocketWaiter(SocketWaitSteps, _Waiter):
    """One wait of one task for a socket: a listener of the hub claims it when the socket is ready.

    Whatever claims it takes the listener off at once, and not only the task when it goes on: by then the number of a
    closed socket may be that of another one, which another task waits for.
    """

    __slots__ = ("_listener", "direction", "key", "number", "socket")

    outside = True
    purpose = waiter = property(lambda self: self)  # one object is both: it is made for each wait, in a hot path

    def __init__(self, socket: Any, direction: str) -> None:
        self.outcome = ""
        self.unit = getcurrent()
        try:
            self._task = tasks[self.unit]
        except KeyError:
            self._task = UnknownTask(hubs.get_hub())
        self._turn = None
        self._listener: Any = None
        self.socket = socket
        self.number = descriptor(socket)
        self.direction = direction
        self.key = self.number, direction

    def is_over(self) -> bool:
        """As `Waiter.is_over`: after a cancellation, no claim succeeds."""
        return not self.waits() or self.unit in throws_due

    def park(self, timeout: float | None) -> bool:
        """As `_Waiter.park`; the hub polls the socket meanwhile, and switches to the task when it is ready."""
        if postponed:
            raise_postponed(self.unit)
        task = self._task
        hub = task.hub
        kind = hub.READ if self.direction == READABLE else hub.WRITE
        if not self.is_over():  # else the hub may know another task that waits for this socket: it allows only one
            self._listener = hub.add(kind, self.number, self._report, _do_nothing, self._close)
        timer = None if timeout is None else hub.schedule_call_global(timeout, self.finish, TIMED_OUT)
        task.waiter = self
        try:
            while self._turn is None and self.outcome != DONE:
                hub.switch()
        finally:
            self.stop_listening()
            task.waiter = None
            if self._turn is not None and not self._turn.called:
                self._turn.cancel()  # an exception came after `wake`: do not switch here later
            if timer is not None:
                timer.cancel()
        return True

    def wake(self) -> None:
        self.stop_listening()
        super().wake()

    def _report(self, _number: int) -> None:
        """Called by the hub: the socket is ready, so the task goes on at once."""
        if self.is_closed():
            self.finish(CLOSED)
        elif not _socket_waits().is_event_of_closed(self) and self.claim(DONE):
            self.unit.switch()

    def _close(self) -> None:
        """Called when eventlet finds that the number belongs to another file."""
        self.finish(CLOSED)

    def stop_listening(self) -> None:
        """Take the listener off, if it is there."""
        listener, self._listener = self._listener, None
        if listener is not None:
            self._task.hub.remove(listener)


def _do_nothing(_error: BaseException) -> None:
    """Stand in for what throws into a task whose listener was marked as closed: that has claimed its wait."""


class _Sockets(SocketWaits):
    """The waits for sockets of one thread, which has a hub of its own.

    The hub polls, and then reports one event after the other. A task that goes on meanwhile may close a socket whose
    event is still to come, and wait for another one that has got its number.
    """

    def __init__(self) -> None:
        super().__init__()
        self._closed: set[int] = set()

    def begin(self, wait: Any) -> None:
        """As `SocketWaits.begin`, and take off the listener of a wait that is over and whose task has not gone on."""
        before = self._waits.setdefault(wait.key, wait)
        if before is not wait:
            super().begin(wait)
            if self._waits.get(wait.key) is wait:
                before.stop_listening()

    def end(self, wait: Any) -> None:
        """As `SocketWaits.end`."""
        key = wait.key
        if self._waits.get(key) is wait:
            del self._waits[key]

    def end_waits_for(self, number: int) -> None:
        """End the waits for a descriptor that is about to be closed."""
        super().end_waits_for(number)
        self._closed.add(number)

    def is_event_of_closed(self, wait: _SocketWaiter) -> bool:
        """Whether an event that is reported for this wait is that of an earlier socket with this number."""
        return wait.number in self._closed and not is_ready(wait.number, wait.direction)

    def look(self) -> None:
        """Look for closed sockets. A timer calls this, between two polls of the hub."""
        self.find_closed()
        self._closed.clear()


def wait_readable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket can be read or accepted from; see `concmodels.contract.Model.wait_readable`."""
    _wait_for_socket(_SocketWaiter(socket, READABLE), timeout)


def wait_writable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket accepts bytes; see `concmodels.contract.Model.wait_writable`."""
    _wait_for_socket(_SocketWaiter(socket, WRITABLE), timeout)


def _wait_for_socket(waiter: _SocketWaiter, timeout: float | None) -> None:
    if timeout is not None:
        timeout = must_be_seconds(timeout)
    sockets = _socket_waits()
    sockets.begin(waiter)
    try:
        waiter.park(timeout)
    finally:
        waiter.outcome = waiter.outcome or CANCELLED  # unless something else has ended the wait
        sockets.end(waiter)
    if waiter.outcome != DONE:
        waiter.settle()


def notify_closing(socket: HasFileno) -> None:
    """Wake the tasks of this thread that wait for the socket; see `concmodels.contract.Model.notify_closing`."""
    _socket_waits().notify_closing(socket)


def _socket_waits() -> _Sockets:
    """Return the waits of this thread."""
    try:
        waits: _Sockets = _here.socket_waits
    except AttributeError:
        waits = _here.socket_waits = _Sockets()
    return waits


class TaskGroup(_TaskGroup):
    """Greenlets that end together."""

    waiter_type = _Waiter
    thrown_types = (*_TaskGroup.thrown_types, eventlet.Timeout)
    task_type = Task

    def start(self, task: _Task) -> None:
        """Start the greenlet of a task."""
        task.unit, task.hub = eventlet.spawn_n(self.work, task), hubs.get_hub()


class Channel(SingleThreadChannel):
    """A channel between the greenlets of one thread.

    The verbs that wait are here. The steps that do not are in `waiting/channel.py`: `_offer` hands an item to the first
    waiting receiver or buffers it, `_take` takes the oldest item and lets a waiting sender go on.
    """

    _new_waiter = _Waiter
    _yields = yield_every()
    _checkpoint = staticmethod(eventlet.sleep)

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
            waiter.put_off(error)  # a partner was first, so the operation is done: see `Waiter.put_off`
        if waiter.outcome != DONE:
            self._settle(waiter, queue)  # raises `ChannelClosed` or `TimeoutError`
        return waiter.item


def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait in the queues of several channels, with one waiter; see `concmodels.contract.Model.select`."""
    return select_sync(Channel, cases, timeout, priority)


class Pool(_Pool):
    """Workers that are greenlets; see `concmodels.contract.Pool`."""

    Channel = Channel
    TaskGroup = TaskGroup


class _Unbounded(UnboundedChannel, Channel):
    """`Channel(math.inf)`: no sender ever waits, so `send` is one append.

    That is `_put`: the `append` of the buffer, or `_offer` while a receiver waits and once the channel is closed.
    """

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send; there is always room. Raises `ChannelClosed`."""
        if next(self._yields):
            self._checkpoint()
        self._put(item)

    def __iter__(self) -> Iterator[Any]:
        """As `Channel.__iter__`, with no senders to look for."""
        buffer, popleft = self._buffer, self._buffer.popleft
        while True:
            try:
                for others_turn in self._yields:
                    if others_turn:
                        self._checkpoint()
                    yield popleft()
            except IndexError:
                pass  # empty for now: wait below
            while not buffer:
                try:
                    item = self._refuse() if self._closed else self._wait_for_partner(None, self._receivers, None)
                except ChannelClosed:
                    return
                yield item
                del item  # see above

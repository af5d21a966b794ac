"""Bare greenlets, and the small scheduler that they lack.

unit          one greenlet per task: a stack that can be left in the middle of a call and entered again
scheduler     the one below: a queue of the greenlets that can go on, first come, first served; cooperative
message       by reference
parallel      no: all greenlets of a run share one thread
cancellation  the library's own: where a task waits, at the latest after 256 operations that need not wait
sockets       an event loop on epoll (`waiting/sockets/event_loop.py`), made when a task first waits for one

A greenlet knows one thing: `other.switch()` stops here and goes on there. Everything else is bookkeeping. A task that
waits puts itself into some queue and switches to the next greenlet that is ready (`Scheduler.leave`); the task that
wakes it appends it to the queue of the ready. There is no central loop: each greenlet hands on to the next one. Only
when none is ready does the last one to leave sleep in the event loop (`waiting/sockets/event_loop.py`), until a moment
has come or a socket is ready.

Limitations: a greenlet that computes stops all others, and so does a blocking call (a file, `time.sleep`, a socket that
was not waited for): use the model's `sleep` and `wait_readable`. A greenlet can't move to another thread, and another
thread can't use its channels.
"""

import math
import sys
import time
from _thread import _local  # the same class as `threading.local`
from collections import deque
from itertools import cycle, repeat

from greenlet import getcurrent, greenlet

from concmodels.errors import ChannelClosed
from concmodels.models.waiting.channel import NOTHING, SingleThreadChannel
from concmodels.models.waiting.select import select_sync
from concmodels.models.waiting.timeouts import expired, seconds_to_sleep
from concmodels.models.waiting.waiter import CANCELLED, DONE, SingleThreadWaiter, wait

# isort: split
# Beside the core: signals, deadlocks, sockets, pools.
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, deadlock, patience
from concmodels.models.deadlocks.threads import DeadlockDetector
from concmodels.models.pools.executor import Pool as _Pool
from concmodels.models.pools.run import Pools
from concmodels.models.sharing import share
from concmodels.models.tasks.group import TaskGroup as _TaskGroup
from concmodels.models.tasks.nesting import refusal
from concmodels.models.tasks.runs import run_of
from concmodels.models.tasks.signals.frames import stack
from concmodels.models.tasks.signals.guard import LOOK_UP_S, Guard
from concmodels.models.tasks.task import Cancelled, Task
from concmodels.models.waiting.sockets.event_loop import EventLoop, wait_in_event_loop
from concmodels.models.waiting.sockets.waits import READABLE, WRITABLE, SocketWaitSteps, descriptor
from concmodels.models.waiting.unbounded import UnboundedGreenlets
from concmodels.models.waiting.yields import yield_every

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Self

    from concmodels.errors import Deadlock, Selected
    from concmodels.models.waiting.sockets.waits import HasFileno

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep",
    "wait_readable", "wait_writable",
]  # fmt: skip

now = time.monotonic
_here = _local()
_tasks: dict[greenlet, Task] = {}  # the task of each greenlet that runs one


class Waiter(SingleThreadWaiter):  # without an underscore, because the tasklets build on it
    """One wait of one task: the task switches away, until `wake` puts it into the queue of those that can go on.

    A partner that finds the waiter in the queue of a channel calls `claim(DONE)`, gives or takes the `item`, and calls
    `wake`. A close, a timeout or a cancellation claims it too. Only the first claim succeeds (`waiting/waiter.py`):
    a wait ends for one reason, and an operation that a partner has claimed is done, whatever comes next.
    """

    __slots__ = ("task", "unit")

    def __init__(self, item: Any = None, purpose: Any = None) -> None:
        self.item = item
        self.outcome = ""
        self.purpose = purpose
        self.unit = unit = getcurrent()
        self.task = _tasks[unit] if unit in _tasks else self.current()

    @staticmethod
    def current() -> Task:
        """Return the task of this greenlet. Raises `RuntimeError` if it has none, as outside a run."""
        try:
            return _tasks[getcurrent()]
        except KeyError:
            raise RuntimeError("this has to wait, and no run is here: write run(main), not run(main())") from None

    def park(self, timeout: float | None) -> bool:
        """Wait until woken, perhaps by the timeout; return True. Raises `Cancelled`, or a pending Ctrl-C."""
        task = self.task
        task.waiter = self  # first: a signal that comes after the look below finds the wait here and claims it
        try:
            # If a partner was first, the claim fails: the operation is done, and the next wait raises.
            if task.alarmed and task.must_stop() and self.claim(CANCELLED):
                task.stop()
            scheduler = task.scheduler
            if timeout is not None:
                scheduler.loop.wake_at(now() + float(timeout), self)
            ready = scheduler._ready
            if ready and not (scheduler._socket_waits or scheduler._moments):
                ready.popleft().switch()  # `leave`, written out: this line is the price of a hop
            else:
                scheduler.leave()
        finally:
            task.waiter = None
        if self.outcome == CANCELLED:
            task.stop()
        return True

    def wake(self) -> None:
        self.task.scheduler.ready(self.unit)

    def finish(self, outcome: str) -> bool:
        """As `Waiter.finish`, written out: every message to a task that waits comes through here."""
        if self.outcome:
            return False
        self.outcome = outcome
        scheduler = self.task.scheduler
        scheduler._ready.append(self.unit)
        if scheduler.loop.asleep:
            scheduler.loop.wake()
        return True


def _reschedule() -> None:
    scheduler().reschedule()


def scheduler() -> Scheduler:
    """Return the scheduler of the run that this task belongs to. Raises `RuntimeError` outside of a run."""
    current: Scheduler = Waiter.current().scheduler
    return current


class Channel(SingleThreadChannel):
    """A channel between greenlets. `Channel(math.inf)` makes an `_Unbounded`, whose `send` is shorter.

    The verbs that wait are here. The steps that do not are in `waiting/channel.py`: `_offer` hands an item to the first
    waiting receiver or buffers it, `_take` takes the oldest item and lets a waiting sender go on.
    """

    _new_waiter = Waiter
    _yields = yield_every()
    _let_others_run = staticmethod(_reschedule)

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


class TaskGroup(_TaskGroup):
    """Greenlets that end together."""

    waiter_type = Waiter

    def start(self, task: Task) -> None:
        """Make the greenlet of a task."""
        scheduler().start(task)


class Pool(_Pool):
    """Workers that are greenlets; see `concmodels.contract.Pool`."""

    Channel = Channel
    TaskGroup = TaskGroup


class Scheduler:
    """The scheduler of a run: a queue of the greenlets that can go on, and an event loop for when there are none."""

    def __init__(self, task: Task, model: str, patience: float | None) -> None:
        self.model = model
        self.main = getcurrent()
        self.detector = DeadlockDetector()
        self._task = _tasks[self.main] = task
        task.scheduler = self
        self._patience = patience
        self._ready: deque[greenlet] = deque()
        self.loop = EventLoop(self._ready)
        # While tasks wait for either, `_next` looks for them now and then: for moments alone, at every 64th turn.
        self._socket_waits, self._moments = self.loop.waits, self.loop.moments
        self._looks = cycle([*repeat(False, 63), True])
        self._launcher = greenlet(_enter)
        self._launcher.switch(self.main, None)

    def start(self, task: Task) -> None:
        """Make a greenlet for the task; it begins when its turn comes.

        The launcher enters it once, and it comes straight back. A greenlet counts its recursion depth from where it was
        first entered: without the launcher, in a long chain where each starts the next, the last would have none left.
        """
        unit = greenlet(self._work, self.main)
        _tasks[unit] = task
        task.scheduler = self
        self._launcher.switch(unit, getcurrent())
        self.ready(unit)

    def ready(self, unit: greenlet) -> None:
        """Let this greenlet go on when its turn comes. A signal handler may call it."""
        self._ready.append(unit)
        if self.loop.asleep:
            self.loop.wake()

    def leave(self) -> None:
        """Stop here; go on when another greenlet has made this one ready and its turn has come."""
        ready = self._ready
        # With nothing to look for, the next one in the queue goes on.
        look = self._socket_waits or (self._moments and next(self._looks))
        (ready.popleft() if ready and not look else self._next()).switch()

    def reschedule(self) -> None:
        """Let the others run first. A checkpoint."""
        if self.loop.has_waits() and now() >= self.loop.look_at:
            self.loop.look()
        if self._ready:
            self.ready(getcurrent())
            self.leave()
        task = _tasks[getcurrent()]
        if task.must_stop():
            task.stop()

    def _work(self, spawner: greenlet) -> None:
        unit = getcurrent()
        spawner.switch()
        _tasks[unit].run()
        _tasks.pop(unit, None)
        unit.parent = self._next()  # when a greenlet ends, its parent goes on

    def _next(self) -> greenlet:
        """Return the greenlet that goes on; sleep until there is one."""
        if self._ready and now() >= self.loop.look_at:  # busy: sockets must not starve
            self.loop.look()
        while not self._ready:
            self._idle()
        return self._ready.popleft()

    def _idle(self) -> None:
        """Sleep until a moment has come or a socket is ready; if there is neither to wait for, report a deadlock."""
        if self.loop.has_waits() or self._patience is None:
            self.loop.sleep(LOOK_UP_S)  # not longer: a signal that came just before is seen only when it ends
        elif not self._ready:  # a signal handler may have woken a task just now
            error = self.detector.find(self._describe())
            self._task.abort(error)
            if not self._ready:  # main is ending its tasks, which nothing may interrupt: this is one of them
                raise error

    def _describe(self) -> Deadlock:
        here, frame = getcurrent(), sys._getframe()
        return deadlock(
            (task.name, task.waiter, stack(frame if unit is here else unit.gr_frame))
            for unit, task in list(_tasks.items())
            if task.scheduler is self
        )


def _enter(unit: greenlet, spawner: greenlet | None) -> None:
    """Enter the new greenlets, all from the same place: this is the launcher.

    Each `switch` enters `unit`, which at once switches on to `spawner`. It returns when the next one is to be entered.
    """
    while True:
        unit, spawner = unit.switch(spawner)


@run_of("greenlet")
def run[R](main: Callable[..., R], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` in the calling greenlet and return its result; see `concmodels.contract.Model.run`.

    A deadlock is found at once, unless `deadlock_after` is None.
    """
    return run_with(main, args, "greenlet", deadlock_after)


def run_with[R](main: Callable[..., R], args: tuple[Any, ...], model: str, deadlock_after: float | None) -> R:
    """Do what `run` does, for this model and for the tasklets, which share the scheduler."""
    running: Scheduler | None = getattr(_here, "scheduler", None)
    if running is not None:
        raise refusal(model, running.model)
    seconds = patience(deadlock_after)
    task = Task(None, main, args, "main")
    scheduler = _here.scheduler = Scheduler(task, model, seconds)
    try:
        with (
            Guard(task.interrupt, task.unfinished) as task.guard,
            scheduler.detector,
            Pools(task) as task.pools,
        ):
            return main(*args)
    finally:
        _here.scheduler = None
        for unit in [unit for unit, task in _tasks.items() if task.scheduler is scheduler]:
            del _tasks[unit]  # main's, and those of tasks whose group was never left
        scheduler.loop.close()


def sleep(seconds: float) -> None:
    """Sleep; the other greenlets run meanwhile. A checkpoint; `sleep(0)` lets them have their turn."""
    seconds = seconds_to_sleep(seconds)
    if seconds:
        wait(Waiter(), seconds)  # it is in no queue: only the timeout or a cancellation ends it
    else:
        _reschedule()


class _SocketWaiter(SocketWaitSteps, Waiter):
    """One wait of one task for a socket: the event loop claims it when the socket is ready."""

    __slots__ = ("direction", "key", "number", "socket")

    outside = True
    purpose = waiter = property(lambda self: self)  # one object is the wait, its waiter, and what it waits for

    def __init__(self, socket: Any, direction: str) -> None:
        self.outcome = ""
        self.unit, self.task = getcurrent(), self.current()
        self.socket = socket
        self.number = descriptor(socket)
        self.direction = direction
        self.key = self.number, direction

    def is_over(self) -> bool:
        """As `Waiter.is_over`: a task that must stop claims its wait when it parks."""
        return not self.waits() or self.task.must_stop()


def wait_readable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket can be read or accepted from; see `concmodels.contract.Model.wait_readable`."""
    wait_in_event_loop(_SocketWaiter(socket, READABLE), timeout)


def wait_writable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket accepts bytes; see `concmodels.contract.Model.wait_writable`."""
    wait_in_event_loop(_SocketWaiter(socket, WRITABLE), timeout)


def notify_closing(socket: HasFileno) -> None:
    """Wake the tasks of this run that wait for the socket; see `concmodels.contract.Model.notify_closing`."""
    running: Scheduler | None = getattr(_here, "scheduler", None)
    if running is not None:
        running.loop.notify_closing(socket)

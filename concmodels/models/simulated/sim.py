"""Simulated: greenlets whose order a schedule decides, so that a run can be repeated, on a clock of their own.

unit          one greenlet per task
scheduler     a schedule: first come, first served, drawn by a seed, or written down; every operation is a point where
              another task may go on
message       by reference
parallel      no: one task at a time
cancellation  the library's own: at every operation that may wait
sockets       none: a wait for one is refused, because what comes from outside is part of no schedule

Here a program does the same steps in the same order whenever it is run with the same schedule, in every process. So a
run that went wrong can be looked at again and again. That another task comes in between, which is possible but rarely
seen in the threads model, occurs here with many seeds out of a hundred: `run(main, seed=7)`. `concmodels.explore`
runs a program on many schedules, or on all.

Time is virtual: a `sleep` takes no real time, and `now` tells the virtual seconds since the run began.

How the tasks are switched is in `simulated/world.py`. The channels' steps are those of the greenlet model; here each
verb says before what it is about to do (`_checkpoint`), and the strategy picks the task that goes on.

Limitations: as for greenlet. What waits outside of the model (a file, a socket, `time.sleep`) stops all tasks, and
takes real time. Nothing switches between two operations: a `counter += 1` is never torn here.
"""

import math
import sys
from itertools import repeat

from greenlet import getcurrent

from concmodels.errors import ChannelClosed
from concmodels.models.waiting.channel import NOTHING, SingleThreadChannel
from concmodels.models.waiting.select import Selection
from concmodels.models.waiting.timeouts import expired, seconds_to_sleep
from concmodels.models.waiting.waiter import CANCELLED, DONE, TIMED_OUT, Event, SingleThreadWaiter, wait

# isort: split
# Beside the core: signals, deadlocks, sockets, pools.
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, patience
from concmodels.models.pools.executor import Pool as _Pool
from concmodels.models.pools.run import Pools
from concmodels.models.sharing import share
from concmodels.models.simulated import world as _world
from concmodels.models.simulated.pools import SimulatedFuture, SimulatedResults, SimulatedWorkers
from concmodels.models.simulated.schedules import FirstComeFirstServed, RandomWalk, Replay, Schedule
from concmodels.models.simulated.sockets import notify_closing, wait_for_socket
from concmodels.models.simulated.steps import text_of
from concmodels.models.simulated.units import Units
from concmodels.models.simulated.world import World, current, new_key, touch
from concmodels.models.tasks.group import TaskGroup as _TaskGroup
from concmodels.models.tasks.runs import run_of
from concmodels.models.tasks.signals.guard import Guard
from concmodels.models.tasks.task import Cancelled
from concmodels.models.tasks.task import Task as _Task
from concmodels.models.waiting.calls import check_call
from concmodels.models.waiting.unbounded import UnboundedChannel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Generator, Iterator
    from typing import Any, Self

    from concmodels.errors import Selected
    from concmodels.models.simulated.schedules import Strategy
    from concmodels.models.simulated.steps import Key, Runner, Step
    from concmodels.models.simulated.world import Run
    from concmodels.models.waiting.sockets.waits import HasFileno
    from concmodels.models.waiting.waiter import Purpose

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep",
    "wait_readable", "wait_writable",
]  # fmt: skip


def here() -> World:
    """Return the world of the run in this thread. Raises `RuntimeError` outside of a run."""
    world = current()
    if world is None:
        raise RuntimeError("this has to wait, and no run is here: write run(main), not run(main())")
    return world


def checkpoint(kind: str, keys: tuple[tuple[Key, bool], ...] = (), subject: Any = None) -> None:
    """Announce a step; raise the cancellation of the calling task, if any, once it was picked."""
    world = here()
    world.point(kind, keys, subject)
    task = world.running.task
    if task.must_stop():
        task.stop()


def now() -> float:
    """Return the virtual seconds since the run began."""
    world = current()
    return 0.0 if world is None else world.clock


class Waiter(SingleThreadWaiter):
    """One wait of one task: the task parks before the step with which it will go on, until `wake` enables that.

    A partner that finds the waiter in the queue of a channel calls `claim(DONE)`, gives or takes the `item`, and calls
    `wake`. A close, a timeout or a cancellation claims it too. Only the first claim succeeds (`waiting/waiter.py`):
    a wait ends for one reason, and an operation that a partner has claimed is done, whatever comes next.
    """

    __slots__ = ("step", "task", "world")

    step: Step

    def __init__(self, item: Any = None, purpose: Any = None) -> None:
        self.item = item
        self.outcome = ""
        self.purpose = purpose
        self.world = here()
        self.task = self.world.running.task

    @staticmethod
    def current() -> Any:
        """Return the task that runs here."""
        return here().running.task

    def park(self, timeout: float | None) -> bool:
        """Wait until woken, perhaps by the timeout; return True. Raises `Cancelled`, or a pending Ctrl-C."""
        task, world = self.task, self.world
        self.step = world.announce("go on")
        task.waiter = self  # before the look: a signal that comes after it finds the wait here and claims it
        try:
            # If a partner was first, the claim fails: the operation is done, and the next wait raises.
            if task.must_stop() and self.claim(CANCELLED):
                task.stop()
            if timeout is None:
                world.park(self.step)
            else:
                late = world.announce("time out")
                world.enable_at(world.clock + float(timeout), late)
                if world.park(self.step, late) is late:  # no claim came before, for `wake` drops `late`
                    self.claim(TIMED_OUT)
        finally:
            task.waiter = None
        if self.outcome == CANCELLED:
            task.stop()
        return True

    def wake(self) -> None:
        self.world.wake(self.step)


class SimulatedEvent(Event):
    """An event that is part of what steps touch."""

    def __init__(self, new_waiter: Callable[..., Waiter]) -> None:
        super().__init__(new_waiter)
        self._key = new_key("event")

    def look(self) -> bool:
        """Return whether it has happened, and note that the step touches this."""
        touch(self._key, False)
        return self.happened

    def set(self) -> None:
        """As `Event.set`."""
        if not self.happened:
            touch(self._key, True)
        super().set()

    def wait(self, timeout: float | None = None, purpose: Purpose | None = None) -> None:
        """As `Event.wait`."""
        touch(self._key, False)
        super().wait(timeout, purpose)


class _Always(repeat):  # type: ignore[type-arg]  # only for type checkers it takes one
    """A count of operations that says True at each of them."""

    def __setstate__(self, _: int) -> None:
        """Do nothing: there is no count to begin anew."""


class Channel(SingleThreadChannel):
    """A channel between simulated tasks. `Channel(math.inf)` makes an `_Unbounded`, whose `send` is shorter.

    The verbs that wait are here. The steps that do not are in `waiting/channel.py`: `_offer` hands an item to the first
    waiting receiver or buffers it, `_take` takes the oldest item and lets a waiting sender go on.
    """

    _new_waiter = Waiter
    _yields = _Always(True)  # each operation is a step, so that the strategy can have another task go first

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return super().__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        super().__init__(capacity, name)
        self.key = new_key("channel")
        self._keys = ((self.key, True),)

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
        """Receive until the channel is closed and drained. Each item is one step."""
        while True:
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

    def _checkpoint(self) -> None:
        """Announce the verb that has called this; raise the cancellation of the calling task, if any."""
        if current() is not None:
            checkpoint(sys._getframe(1).f_code.co_name, self._keys, self)

    # The verbs that never wait are steps too, but a cancellation is not raised there.

    def send_nowait(self, item: Any) -> None:
        """Send without waiting; raises `WouldBlock` or `ChannelClosed`."""
        self._announce("send_nowait")
        super().send_nowait(item)

    def receive_nowait(self) -> Any:
        """Receive without waiting; raises `WouldBlock` or `ChannelClosed`."""
        self._announce("receive_nowait")
        return super().receive_nowait()

    def close(self) -> None:
        """Close the channel for all tasks. Items that it has accepted can still be received. Never waits."""
        self._announce("close")
        super().close()

    def __len__(self) -> int:
        """Return the number of items held now; a snapshot."""
        touch(self.key, False)
        return super().__len__()

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        touch(self.key, False)
        return self._closed

    def _announce(self, kind: str) -> None:
        world = current()
        if world is not None:
            world.point(kind, self._keys, self)

    def is_ready(self, sending: bool) -> bool:
        """Return whether a case of a select could be done now."""
        if self._closed:
            return True
        if sending:
            return len(self._buffer) < self._capacity or any(_waits(it) for it in self._receivers)
        return bool(self._buffer) or any(_waits(it) for it in self._senders)


class _Unbounded(Channel, UnboundedChannel):
    """`Channel(math.inf)`: no sender ever waits, so `send` is one append.

    That is `_put`: the `append` of the buffer, or `_offer` while a receiver waits and once the channel is closed.

    `Channel` comes first, so that a `close` is announced before anything of it is done.
    """

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send; there is always room. Raises `ChannelClosed`."""
        if next(self._yields):
            self._checkpoint()
        self._put(item)


def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait in the queues of several channels, with one waiter; see `concmodels.contract.Model.select`."""
    return select_of(Channel, cases, timeout, priority)


def select_of(kind: Any, cases: tuple[Any, ...], timeout: float | None, priority: bool) -> Selected:
    """Perform a select, for both kinds of this model. Raises `TimeoutError` after `timeout` virtual seconds."""
    selection = _Selection(kind, cases, priority)
    checkpoint("select", selection.keys, selection)
    done = selection.attempt()
    if done is not None:
        return done
    if expired(timeout):
        raise TimeoutError(f"{selection.describe_wait()} would have to wait")
    waiter: Any = selection.queue()
    try:
        Waiter.park(waiter, timeout)  # of either kind, that of coroutines too
    except BaseException as error:
        if selection.withdraw(waiter):
            raise
        waiter.postpone(error)
    done = selection.settle(waiter)
    assert done is not None  # tasks of one world can't be faster than each other: none looks again
    return done


class _Selection(Selection):
    """Draws lots among the cases that are ready, by the strategy."""

    cases: list[Any]

    def attempt(self) -> Selected | None:
        """As `Selection.attempt`."""
        ready = [case for case in self.cases if case.channel.is_ready(case.sending)]
        if not ready:
            return None
        done: Selected | None = ready[0 if self._priority else here().branch(len(ready))].attempt()
        return done

    @property
    def keys(self) -> tuple[tuple[Key, bool], ...]:
        """The keys that the select touches."""
        return tuple({case.channel.key: True for case in self.cases}.items())

    @property
    def name(self) -> str:
        """The names of its channels."""
        return ", ".join(str(case.channel.name) for case in self.cases)


class Task(_Task):
    """A task whose end, cancellation and result are steps."""

    runner: Runner
    _group: Any
    _ended: Any

    def done(self) -> bool:
        """As in `concmodels.contract.Task`."""
        return self._ended is not None and self._ended.look()

    def result(self, timeout: float | None = None) -> Any:
        """As in `concmodels.contract.Task`."""
        here().point("wait for", () if self._ended is None else ((self._ended._key, False),), self)
        return super().result(timeout)

    def cancel(self) -> None:
        """As in `concmodels.contract.Task`."""
        world = current()
        if world is not None:
            world.point("cancel", ((self.runner.key, True),), self)
        super().cancel()

    def end(self) -> None:
        """As in the other models, and a step: between its last operation and its end others may go on."""
        here().point("end", ((self._group.key, False),), self)
        super().end()


class TaskGroup(_TaskGroup):
    """Greenlets that end together; their ends can come in any order."""

    waiter_type = Waiter
    task_type = Task
    clock = staticmethod(now)

    def __init__(self, timeout: float | None = None) -> None:
        super().__init__(timeout)
        self.key = new_key("group")

    def __enter__(self) -> Self:
        """As in the other models; after this, other tasks can spawn in the group."""
        touch(self.key, True)
        return super().__enter__()

    def new_event(self) -> SimulatedEvent:
        """As in the other models."""
        return SimulatedEvent(self.waiter_type)

    def start(self, task: Any) -> None:
        """Make the greenlet of a task."""
        here().start(task)

    def spawn(self, function: Callable[..., Any], *args: Any, name: str | None = None) -> Any:
        """As in the other models; the new task may go on before its spawner does."""
        world = here()
        if world.running.task is not getattr(self, "_owner", None):
            world.point("spawn in", ((self.key, True),), "a group of another task")
        task: Any = super().spawn(function, *args, name=name or world.name_of_next(function))
        touch(self.key, False)
        world.point("go on after the spawn of", (), task)
        return task

    def cancel(self) -> None:
        """As in the other models, and a step."""
        world = current()
        if world is not None:
            world.point("cancel", self._touched_by_cancel(), "a group")
            for key, changes in self._touched_by_cancel():  # a task may have been started meanwhile
                world.touch(key, changes)
        super().cancel()

    def _touched_by_cancel(self) -> tuple[tuple[Key, bool], ...]:
        tasks: Any = (*self._tasks, self._owner)
        return (self.key, True), *((task.runner.key, True) for task in tasks)

    def _close(self) -> BaseException | None:
        here().point("leave", ((self.key, False),), "a group")
        outer = super()._close()
        touch(self.key, True)  # what has ended in it has happened before what comes next
        return outer


def name_of_pool() -> str:
    """Return the name of the pool that the running task makes: the same one on every schedule."""
    identity = here().new_identity("pool")
    return "pool-" + text_of(identity[1:] if identity[0] == 0 else identity)


class Pool(_Pool):
    """Workers that are simulated tasks; see `concmodels.contract.Pool`."""

    Channel = Channel
    TaskGroup = TaskGroup
    workers_type = SimulatedWorkers
    future_type = SimulatedFuture
    results_type = SimulatedResults
    clock = staticmethod(now)
    new_name = staticmethod(name_of_pool)

    def _take(self, results: Any, supply: Any, until: float | None) -> Generator[Any]:
        """As in the other models; to take the next result is a step."""
        taken = super()._take(results, supply, until)
        try:
            while True:
                yield next(taken)  # a name would hold the result that was handed out
                here().point("take a result of", ((results.key, False),), "a map")
        except StopIteration:
            pass
        finally:
            taken.close()

    def __del__(self) -> None:
        world = current()
        if world is None:
            super().__del__()
            return
        with world.unannounced():  # a finalizer runs in the middle of anything
            super().__del__()


def _waits(waiter: Any) -> bool:
    """Return whether this entry of a channel's queue, a waiter or the case of a select, can still be claimed."""
    return not waiter.outcome


@run_of("sim")
def run[R](
    main: Callable[..., R],
    *args: Any,
    deadlock_after: float | None = DEADLOCK_AFTER,
    schedule: str | Strategy | None = None,
    seed: int | None = None,
) -> R:
    """Run `main(*args)` in the calling greenlet and return its result; see `concmodels.contract.Model.run`.

    `schedule` is a schedule as text, or a strategy; with a `seed`, the order is drawn; with neither, it is first come
    first served. A deadlock is found at once, unless `deadlock_after` is None. Raises `ValueError` for what is no
    schedule.
    """
    return run_with(main, args, "sim", deadlock_after, strategy_of(schedule, seed))


def run_with[R](
    main: Callable[..., R], args: tuple[Any, ...], model: str, deadlock_after: float | None, strategy: Strategy
) -> R:
    """Do what `run` does, for both kinds of this model."""
    task = Task(None, main, args, "main")
    units = Units()
    world = World(task, getcurrent(), strategy, model, units, patience=patience(deadlock_after))
    _world.enter(world)
    try:
        with (
            Guard(task.interrupt, task.unfinished) as task.guard,
            world.detector,
            Pools(task) as task.pools,
        ):
            return main(*args)
    finally:
        world.end()
        units.end()
        _world.leave()


def explored(
    main: Callable[..., Any],
    args: tuple[Any, ...],
    strategy: Strategy,
    *,
    model: str = "sim",
    **options: Any,
) -> Run:
    """Run `main(*args)` under a strategy and return the outcome; the options are those of `world.explored`.

    Signals are not this function's business: a handler that wants to end the run calls `cut_soon` of its world.
    """
    check_call(main, "run", model)
    task = Task(None, main, args, "main")

    def body() -> Any:
        with Pools(task) as task.pools:
            return main(*args)

    return _world.explored(task, body, strategy, model=model, **options)


def strategy_of(schedule: str | Strategy | None, seed: int | None) -> Strategy:
    """Return the strategy that the arguments of `run` mean. Raises `ValueError`."""
    if schedule is not None and seed is not None:
        raise ValueError("give a schedule or a seed, not both: a seed draws a schedule")
    if isinstance(schedule, str):
        return Replay(Schedule.parse(schedule))
    if schedule is not None:
        return schedule
    return FirstComeFirstServed() if seed is None else RandomWalk(seed)


def sleep(seconds: float) -> None:
    """Sleep for so many virtual seconds; the other tasks run meanwhile. A checkpoint."""
    seconds = seconds_to_sleep(seconds)
    if seconds:
        wait(Waiter(), seconds)  # it is in no queue: only the timeout or a cancellation ends it
    else:
        checkpoint("sleep")


def wait_readable(socket: HasFileno, timeout: float | None = None) -> None:
    """Raise `NotImplementedError`: a simulated run has no sockets."""
    wait_for_socket(socket, timeout)


def wait_writable(socket: HasFileno, timeout: float | None = None) -> None:
    """Raise `NotImplementedError`: a simulated run has no sockets."""
    wait_for_socket(socket, timeout)

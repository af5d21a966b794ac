"""Simulated, async: coroutines whose order a schedule decides, on a clock of their own.

unit          one coroutine per task, which a greenlet of the simulated world drives
scheduler     as in `sim`; between two operations no other task runs
message       by reference
parallel      no: one task at a time
cancellation  the library's own: at every operation that may wait
sockets       none, as in `sim`

All that is said of `sim` holds here too: the world is the same, and an operation that is awaited here is the same step
there. A program and its twin with `async` and `await` do the same steps for the same seed.

A coroutine never gets to suspend itself: the operations that it awaits switch to another greenlet, and return when this
task's turn has come again. So whatever else it awaits, a future of asyncio's or a checkpoint of trio's, is refused.

Limitations: as for `sim`, and what is awaited must be of this model.
"""

import math
import sys

from concmodels.catalog import Variant
from concmodels.errors import ChannelClosed
from concmodels.models.waiting.channel import NOTHING, SingleThreadChannel
from concmodels.models.waiting.timeouts import expired
from concmodels.models.waiting.waiter import DONE

# isort: split
# Beside the core: signals, deadlocks, sockets, pools.
from concmodels.models.deadlocks.report import DEADLOCK_AFTER
from concmodels.models.pools.awaited import AsyncPool
from concmodels.models.sharing import share
from concmodels.models.simulated import sim
from concmodels.models.simulated.pools import SimulatedAsyncWorkers, SimulatedHandle, SimulatedResults
from concmodels.models.simulated.sim import here, now
from concmodels.models.simulated.sockets import notify_closing, wait_for_socket
from concmodels.models.simulated.world import current
from concmodels.models.tasks.runs import async_run_of
from concmodels.models.tasks.task import Cancelled
from concmodels.models.waiting.calls import awaitable
from concmodels.models.waiting.unbounded import UnboundedChannel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Coroutine
    from types import TracebackType
    from typing import Any, Self

    from concmodels.errors import Selected
    from concmodels.models.simulated.schedules import Strategy
    from concmodels.models.simulated.world import Run
    from concmodels.models.waiting.sockets.waits import HasFileno

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep", "variant",
    "wait_readable", "wait_writable",
]  # fmt: skip


class _Waiter(sim.Waiter):
    __slots__ = ()

    async def park(self, timeout: float | None) -> bool:  # type: ignore[override]  # awaited
        """As `sim.Waiter.park`."""
        return super().park(timeout)


class Channel(sim.Channel):
    """A channel between simulated coroutines. `Channel(math.inf)` makes an `_Unbounded`, whose `send` is shorter.

    The verbs that wait are here. The steps that do not are in `waiting/channel.py`: `_offer` hands an item to the first
    waiting receiver or buffers it, `_take` takes the oldest item and lets a waiting sender go on.
    """

    _new_waiter = _Waiter

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return object.__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]

    async def send(self, item: Any, timeout: float | None = None) -> None:  # type: ignore[override]  # awaited
        """Send, waiting for room; on a rendezvous, until the item is taken.

        `timeout` is in seconds. Raises `ChannelClosed` or `TimeoutError`; then no task has received the item.
        """
        if next(self._yields):
            await self._checkpoint()
        buffer = self._buffer
        if len(buffer) < self._room:  # there is room: the fast path (0 while a receiver waits, and once closed)
            buffer.append(item)
        elif not self._offer(item):
            await self._wait_for_partner(item, self._senders, timeout)

    async def receive(self, timeout: float | None = None) -> Any:
        """Receive the oldest item, waiting for one.

        `timeout` is in seconds. Raises `ChannelClosed` (closed and drained) or `TimeoutError`.
        """
        if next(self._yields):
            await self._checkpoint()
        item = self._take()
        return await self._wait_for_partner(None, self._receivers, timeout) if item is NOTHING else item

    __iter__ = SingleThreadChannel.__iter__  # which says that only `async for` is meant

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        """Receive until closed and drained. Each item is one step."""
        try:
            return await self.receive()
        except ChannelClosed:
            raise StopAsyncIteration from None

    async def _wait_for_partner(self, item: Any, queue: deque[Any], timeout: float | None) -> Any:
        """Wait in this queue for a partner; return the item that it brought."""
        if timeout is not None and expired(timeout):
            raise self._no_waiting(queue)
        waiter = self._new_waiter(item, self)
        self._queue(waiter, queue)
        try:
            await waiter.park(timeout)
        except BaseException as error:
            if self._withdraw(waiter, queue):
                raise
            waiter.postpone(error)  # a partner was first, so the operation is done: see `Waiter.postpone`
        self._yields.__setstate__(0)  # it was another's turn: the count begins anew
        if waiter.outcome != DONE:
            self._settle(waiter, queue)  # raises `ChannelClosed` or `TimeoutError`
        return waiter.item

    async def _checkpoint(self) -> None:  # type: ignore[override]  # awaited
        if current() is not None:
            sim.checkpoint(sys._getframe(1).f_code.co_name, self._keys, self)


class _Unbounded(Channel, UnboundedChannel):
    """`Channel(math.inf)`: no sender ever waits, so `send` is one append. As in `sim`."""

    async def send(self, item: Any, timeout: float | None = None) -> None:  # type: ignore[override]  # awaited
        """Send; there is always room. Raises `ChannelClosed`."""
        if next(self._yields):
            await self._checkpoint()
        self._put(item)


async def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait in the queues of several channels, with one waiter; see `concmodels.contract.Model.select`."""
    return sim.select_of(Channel, cases, timeout, priority)


class _Task(sim.Task):
    async def result(self, timeout: float | None = None) -> Any:
        """Wait until the task has ended; return its result or raise its exception; see `concmodels.contract.Task`."""
        return super().result(timeout)


class _Tasks(sim.TaskGroup):
    """The group behind a `TaskGroup`, whose tasks have results that are awaited."""

    task_type = _Task


class TaskGroup:
    """Coroutines that end together; their ends can come in any order."""

    def __init__(self, timeout: float | None = None) -> None:
        self._tasks = _Tasks(timeout)

    async def __aenter__(self) -> Self:
        self._tasks.__enter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        return self._tasks.__exit__(kind, error, trace)

    def spawn(self, function: Callable[..., Coroutine[Any, Any, Any]], *args: Any, name: str | None = None) -> Any:
        """Start `function(*args)` as a task. Raises `RuntimeError` if the group is not open (any more)."""
        return self._tasks.spawn(_Driven(awaitable(function, "spawn", "sim:async"), function), *args, name=name)

    def cancel(self) -> None:
        """Cancel all its tasks and the body; the `async with` is then left without an error."""
        self._tasks.cancel()


class Pool(AsyncPool):
    """Workers that are simulated coroutines; see `concmodels.contract.AsyncPool`."""

    Channel = Channel
    TaskGroup = TaskGroup
    workers_type = SimulatedAsyncWorkers
    future_type = SimulatedHandle
    results_type = SimulatedResults
    clock = staticmethod(now)
    new_name = staticmethod(sim.name_of_pool)

    @staticmethod
    def here() -> Any:
        """As in `AsyncPool`."""
        return here().running.task

    @staticmethod
    def cancelled_type() -> type[BaseException]:
        """Return the library's own `Cancelled`."""
        return Cancelled

    @staticmethod
    def is_cancelled() -> bool:
        """Return whether this task itself was cancelled, and not only something that it awaited."""
        return bool(here().running.task.must_stop())


@async_run_of("sim:async")
def run[R](
    main: Callable[..., Coroutine[Any, Any, R]],
    *args: Any,
    deadlock_after: float | None = DEADLOCK_AFTER,
    schedule: str | Strategy | None = None,
    seed: int | None = None,
) -> R:
    """Run `main(*args)` in the calling greenlet and return its result; the arguments are those of `sim.run`."""
    strategy = sim.strategy_of(schedule, seed)
    result: R = sim.run_with(_drive, (main, *args), "sim:async", deadlock_after, strategy)
    return result


def explored(
    main: Callable[..., Coroutine[Any, Any, Any]], args: tuple[Any, ...], strategy: Strategy, **options: Any
) -> Run:
    """Run `main(*args)` under a strategy and return the outcome, as `sim.explored`."""
    return sim.explored(_drive, (awaitable(main, "run", "sim:async"), *args), strategy, model="sim:async", **options)


def _drive[R](function: Callable[..., Coroutine[Any, Any, R]], *args: Any) -> R:
    """Call a coroutine function and run the coroutine to its end; the greenlet may switch meanwhile."""
    coroutine: Any = function(*args)
    steps = coroutine.__await__()
    try:
        awaited = next(steps)
    except StopIteration as end:
        result: R = end.value
        return result
    steps.close()
    raise RuntimeError(
        f"{coroutine.__qualname__} awaits {awaited!r}, which is not of this model: sim:async can wait only for its own "
        "channels, tasks and sleep"
    )


class _Driven:
    """A coroutine function as the plain function of a task."""

    def __init__(self, coroutine_function: Callable[..., Any], function: object) -> None:
        self._function = coroutine_function
        self.__name__ = getattr(function, "__name__", "task")

    def __call__(self, *args: Any) -> Any:
        return _drive(self._function, *args)


async def sleep(seconds: float) -> None:
    """Sleep for so many virtual seconds; the other tasks run meanwhile. A checkpoint."""
    sim.sleep(seconds)


async def wait_readable(socket: HasFileno, timeout: float | None = None) -> None:
    """Raise `NotImplementedError`: a simulated run has no sockets."""
    wait_for_socket(socket, timeout)


async def wait_writable(socket: HasFileno, timeout: float | None = None) -> None:
    """Raise `NotImplementedError`: a simulated run has no sockets."""
    wait_for_socket(socket, timeout)


def variant(_name: str) -> Variant:
    """Return the async kind, `sim:async`."""
    return Variant("sim:async", __name__)

"""The workers of a pool in an async model: as in `workers.py`, awaited.

Here the group surrounds the body of the `async with`. So the workers end with it, whatever happens, and they need know
nothing of other pools of the run.
"""

import math

from concmodels.errors import TaskCancelled, Terminated
from concmodels.models.pools.arguments import CANCELLED_AT_WORK, WAITS_FOR_ITSELF
from concmodels.models.pools.inbox import Inbox
from concmodels.models.pools.worker_waits import WorkerWaits
from concmodels.models.waiting.waiter import AsyncEvent, wait_async

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Any

    from concmodels.models.pools.results import Results
    from concmodels.models.waiting.waiter import Waiter


class AsyncWorkers:
    """The workers of a pool. They do not know the pool.

    `model` is the class of the pool: its model says there what its channel, its group and its cancellation are.
    """

    def __init__(
        self, model: Any, size: int, initializer: Callable[..., Any] | None, initargs: tuple[Any, ...]
    ) -> None:
        self.size = size
        self.cancelled = False  # whether the workers, or the body, were cancelled while the pool was still open
        self.channel = model.Channel(math.inf, model.new_name())
        self.clock = model.clock
        self.inbox = Inbox(self.channel)
        self.here = model.here
        self.new_waiter = self.channel._new_waiter
        self.yields, self.checkpoint = self.channel._yields, self.channel._checkpoint
        self._group = model.TaskGroup()
        self._cancelled_type = model.cancelled_type()
        self._is_cancelled = model.is_cancelled
        self._initializer = initializer
        self._initargs = initargs
        self._waits = WorkerWaits(size)
        self._tasks: list[Any] = []
        self._gone: list[Any] = []  # the workers that have ended
        self._all_ended = AsyncEvent(self.new_waiter)

    async def start(self) -> None:
        """Open the group and start the workers in it."""
        await self._group.__aenter__()
        self._tasks = [
            self._group.spawn(self._at_work, name=f"{self.channel.name}-worker-{worker}")
            for worker in range(1, self.size + 1)
        ]

    # What a worker does.

    async def _at_work(self) -> None:
        self._waits.workers.add(self.here())
        try:
            if await self._is_prepared():
                await self._do_jobs()
        finally:
            self._worker_ended()

    async def _do_jobs(self) -> None:
        async for results, position, args in self.channel:
            if results.begin(position):
                try:
                    value = results.function(*args)
                    if hasattr(type(value), "__await__"):
                        value = await value
                except BaseException as error:  # noqa: BLE001 - it is for the task that asks for the result
                    self._fail(results, position, error)
                else:
                    results.put(position, value)
                    del value
            del results, position, args  # not to be held while the worker waits for the next job

    async def _is_prepared(self) -> bool:
        """Call the initializer; return whether this worker can begin. If not, the whole pool takes nothing more."""
        try:
            await self._initialize()
        except BaseException as error:  # noqa: BLE001 - the pool keeps it, as the reason why it is broken
            self._pass_on(error)
            self.inbox.fail(error)
            return False
        return True

    async def _initialize(self) -> None:
        if self._initializer is not None:
            value = self._initializer(*self._initargs)
            if hasattr(type(value), "__await__"):
                await value

    def _fail(self, results: Results, position: int, error: BaseException) -> None:
        """Note that a task has failed; or that it was cancelled, and perhaps this worker with it."""
        is_cancelled = isinstance(error, self._cancelled_type)
        results.fail(position, TaskCancelled(CANCELLED_AT_WORK) if is_cancelled else error)
        self._pass_on(error)

    def _pass_on(self, error: BaseException) -> None:
        """Raise what is more than the end of one task: Ctrl-C, the end of the loop, the end of this worker."""
        if isinstance(error, self._cancelled_type):
            is_own = self._is_cancelled()
        else:
            is_own = isinstance(error, (KeyboardInterrupt, Terminated, GeneratorExit))
        if is_own:
            raise error

    def _worker_ended(self) -> None:
        self._gone.append(self.here())
        if len(self._gone) == self.size:
            self._cancel_inbox()  # there is nothing in it, unless the workers were cancelled
            self._all_ended.set()

    def _cancel_inbox(self) -> None:
        self.cancelled = self.cancelled or not self.inbox.closed
        self.inbox.cancel()

    async def refusal(self) -> RuntimeError:
        """Return the error that says why the pool takes nothing more, unless the calling task is cancelled.

        What has cancelled the workers may have cancelled the caller too, and then that has to be raised.
        """
        await self.checkpoint()
        return self.inbox.refusal()

    # How a task waits for results.

    async def wait(self, waiter: Waiter, timeout: float | None) -> None:
        """Wait as `waiting.waiter.wait_async`. Raises `Deadlock` in a worker if all others wait already."""
        here = self.here() if timeout is None else None
        if here not in self._waits.workers:
            await wait_async(waiter, timeout)
            return
        self._waits.begin(here, waiter)
        try:
            await wait_async(waiter, None)
        finally:
            self._waits.end(here)

    async def wait_for(self, results: Results, position: int, timeout: float | None) -> None:
        """Wait until one result of a `map` is there. Raises `TimeoutError`."""
        waiter = self.new_waiter(None, results)
        try:
            if results.want(position, waiter, timeout):
                await self.wait(waiter, timeout)
        finally:
            results.want_no_longer(waiter)
        results.must_have(position)

    # How they end.

    async def leave(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait, at the end of the `async with`, until all is done; if its body has failed, cancel all first."""
        if error is None:
            self.inbox.close()
        else:
            self._cancel_inbox()
            for worker in self._tasks:
                worker.cancel()
        try:
            await self._group.__aexit__(kind, error, trace)
        except BaseExceptionGroup as group:
            # If there is nothing but what the body itself has raised, that leaves as it is, and not in a group.
            if error is None or list(_leaves(group)) != list(_leaves(error)):
                raise

    async def join(self) -> None:
        """Wait until the workers have ended. Raises `RuntimeError` in one of them."""
        if self.here() in self._waits.workers:
            raise RuntimeError(WAITS_FOR_ITSELF)
        await self._all_ended.wait()


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """Yield the errors in a group, however deep: the same objects, even where a library makes a new group of them."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error

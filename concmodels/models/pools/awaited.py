"""The pool of the async models: the same channel, the same group, awaited. The picture is in `executor.py`.

Here a pool is always an `async with`: its workers are tasks of a group around the body, as these models want it. So no
pool can be forgotten, and what cancels the body from outside cancels the workers too.

What has the same name here and in the sync files is the same text but for `async` and `await`;
`tests/pools/test_pool_twins.py` checks that, and lists the exceptions.
"""

import time
from functools import partial

from concmodels.errors import ChannelClosed
from concmodels.models.pools.arguments import (
    UNOPENED,
    check_initializer,
    check_map,
    next_name,
    number_of_workers,
    refuse,
)
from concmodels.models.pools.awaited_results import AsyncResults, Handle, cancellation
from concmodels.models.pools.awaited_workers import AsyncWorkers
from concmodels.models.pools.results import Results, Supply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable
    from types import TracebackType
    from typing import Any, ClassVar, Self


class AsyncPool:
    """Workers that do what they are given; see `concmodels.contract.AsyncPool`. A model says what they are built on."""

    Channel: ClassVar[type[Any]]
    TaskGroup: ClassVar[type[Any]]
    workers_type: ClassVar[type[AsyncWorkers]] = AsyncWorkers
    future_type: ClassVar[type[Handle]] = Handle
    results_type: ClassVar[type[Results]] = Results

    @staticmethod
    def clock() -> float:
        """Return the model's `now`."""
        return time.monotonic()

    @staticmethod
    def new_name() -> str:
        """Return the name of the next pool, for messages."""
        return next_name()

    @staticmethod
    def here() -> Any:
        """Return the task that runs here; it can be a key."""
        raise NotImplementedError("a model must say which task is running")

    @staticmethod
    def cancelled_type() -> type[BaseException]:
        """Return the model's cancellation exception."""
        raise NotImplementedError("a model must say what its cancellation looks like")

    @staticmethod
    def is_cancelled() -> bool:
        """Return whether the cancellation that has just been raised here was meant for this very task."""
        return True

    def __init__(
        self,
        workers: int | None = None,
        *,
        initializer: Callable[..., Any] | None = None,
        initargs: Iterable[Any] = (),
    ) -> None:
        """Make a pool of so many workers. The `async with` starts them; each first calls `initializer(*initargs)`.

        If that returns something to await, it is awaited. Raises `ValueError` for less than one worker.
        """
        check_initializer(initializer)
        self._size = number_of_workers(workers)
        self._initializer = initializer
        self._initargs = tuple(initargs)
        self._opened: AsyncWorkers | None = None

    @property
    def workers(self) -> int:
        """The number of workers."""
        return self._size

    @property
    def _workers(self) -> AsyncWorkers:
        """The workers of the open pool. Raises `RuntimeError` if it was never opened."""
        if self._opened is None:
            raise RuntimeError(UNOPENED)
        return self._opened

    def __repr__(self) -> str:
        state = "not open" if self._opened is None else "shut down" if self._opened.inbox.closed else "open"
        return f"<Pool of {self._size} workers, {state}>"

    async def __aenter__(self) -> Self:
        if self._opened is not None:
            raise RuntimeError("a pool can be opened only once: make a new one")
        self._opened = self.workers_type(type(self), self._size, self._initializer, self._initargs)
        await self._opened.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        await self._workers.leave(kind, error, trace)
        return False  # so an error of the body leaves as it is

    async def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Handle:
        """Have one worker call `fn(*args, **kwargs)`. Raises `RuntimeError` unless the pool is open."""
        workers = self._workers
        future = self.future_type(workers, partial(fn, **kwargs) if kwargs else fn)
        try:
            await workers.channel.send((future, 0, args))
        except ChannelClosed:
            refuse(await workers.refusal())
        return future

    def map(
        self,
        fn: Callable[..., Any],
        /,
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
    ) -> AsyncIterator[Any]:
        """Call `fn` with the next item of each iterable; the results in order. See `concmodels.contract.Pool.map`."""
        until = check_map(timeout, chunksize, buffersize, self.clock)
        return self._map(fn, iterables, until, chunksize, buffersize)

    def _map(
        self,
        fn: Callable[..., Any],
        iterables: tuple[Iterable[Any], ...],
        until: float | None,
        _chunksize: int | None,
        buffersize: int | None,
    ) -> AsyncResults:
        workers, inbox = self._workers, self._workers.inbox
        if inbox.closed and not workers.cancelled:  # otherwise the first result raises: see `Handle.result`
            raise inbox.refusal()
        results = self.results_type(fn, cancellation)
        supply = Supply(results, iterables, buffersize, workers.channel.send_nowait, inbox.refusal)
        return AsyncResults(workers, results, supply, until)

    async def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more tasks; with `wait`, wait until all are done. `cancel_futures` cancels those not begun.

        Raises `RuntimeError` if a task of this very pool is to wait.
        """
        workers = self._workers
        if cancel_futures:
            workers.inbox.cancel()
        else:
            workers.inbox.close()
        if wait:
            await workers.join()

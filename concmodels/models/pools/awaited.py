"""The pool of the async models: the same channel, the same group, awaited. The picture is in `executor.py`.

Here a pool is always an `async with`: its workers are tasks of a group around the body, as these models want it. So
nothing can be forgotten, and what cancels the body from outside cancels the workers too.
"""

import math
from functools import partial
from itertools import count

from concmodels.errors import ChannelClosed, Deadlock, Terminated, WouldBlock
from concmodels.models.pools.arguments import (
    LONELY,
    UNOPENED,
    all_wait,
    check_initializer,
    check_map,
    number_of_workers,
    refusal,
    refuse,
)
from concmodels.models.pools.awaited_results import AsyncResults, Handle, ShownResults, cancellation
from concmodels.models.pools.progress import is_to_be_shown
from concmodels.models.pools.results import Results, Supply, length_of
from concmodels.models.waiting.waiter import AsyncEvent, wait_async

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator
    from types import TracebackType
    from typing import Any, ClassVar, Self

    from concmodels.models.waiting.waiter import Waiter

_numbers = count(1)


class AsyncPool:
    """Workers that do what they are given; see `concmodels.contract.AsyncPool`. A model says on what they are built."""

    Channel: ClassVar[type[Any]]
    TaskGroup: ClassVar[type[Any]]

    @staticmethod
    def here() -> Any:
        """The task that runs here; it can be a key."""
        raise NotImplementedError("a model must say which task is running")

    @staticmethod
    def cancelled_type() -> type[BaseException]:
        """The model's cancellation exception."""
        raise NotImplementedError("a model must say what its cancellation looks like")

    @staticmethod
    def is_cancelled() -> bool:
        """Whether the cancellation that has just been raised here was meant for this very task."""
        return True

    def __init__(
        self,
        workers: int | None = None,
        *,
        initializer: Callable[..., Any] | None = None,
        initargs: Iterable[Any] = (),
    ) -> None:
        """`async with` starts so many workers; each first calls `initializer(*initargs)`, and awaits it if need be.

        Raises `ValueError` for less than one worker.
        """
        check_initializer(initializer)
        self._size = number_of_workers(workers)
        self._initializer = initializer
        self._initargs = tuple(initargs)
        self._group: Any = None
        self._inbox: Any = None
        self._broken: BaseException | None = None
        self._workers: list[Any] = []
        self._members: set[Any] = set()
        self._seated: dict[Any, Waiter] = {}
        self._left = 0
        self.new_waiter = self.Channel._new_waiter

    @property
    def workers(self) -> int:
        """How many there are."""
        return self._size

    def __repr__(self) -> str:
        state = "not open" if self._inbox is None else "shut down" if self._inbox.closed else "open"
        return f"<Pool of {self._size} workers, {state}>"

    async def __aenter__(self) -> Self:
        if self._group is not None:
            raise RuntimeError("a pool can be opened only once: make a new one")
        name = f"pool-{next(_numbers)}"
        self._inbox = self.Channel(math.inf, name)
        self.yields, self.checkpoint = self._inbox._yields, self._inbox._checkpoint
        self._ended = AsyncEvent(self.new_waiter)
        self._group = self.TaskGroup()
        await self._group.__aenter__()
        self._workers = [
            self._group.spawn(self._at_work, name=f"{name}-worker-{worker}") for worker in range(1, self._size + 1)
        ]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._close(clear=error is not None)
        if error is not None:
            for worker in self._workers:
                worker.cancel()
        try:
            await self._group.__aexit__(kind, error, trace)
        except BaseExceptionGroup as group:
            if error is None or list(_leaves(group)) != list(_leaves(error)):
                raise
        return False  # so the error of the body leaves as it is

    # What the program asks for.

    async def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Handle:
        """Have one worker call `fn(*args, **kwargs)`. Raises `RuntimeError` unless the pool is open."""
        self._must_be_open()
        handle = Handle(self, partial(fn, **kwargs) if kwargs else fn)
        try:
            await self._inbox.send((handle, 0, args))
        except ChannelClosed:
            refuse(self._refusal())
        return handle

    def map(
        self,
        fn: Callable[..., Any],
        /,
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
        progress: str | None = None,
    ) -> AsyncIterator[Any]:
        """Call `fn` with the next item of each iterable; see `concmodels.contract.Pool.map`."""
        until = check_map(timeout, chunksize, buffersize)
        label = progress if is_to_be_shown(progress) else None
        total = None if label is None else length_of(iterables)
        self._must_be_open()
        results = Results(fn, cancellation)
        supply = Supply(results, iterables, buffersize, self._inbox.send_nowait, self._refusal)
        taken = AsyncResults(self, results, supply, until)
        return taken if label is None else ShownResults(taken, label, total)

    async def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take nothing more; `cancel_futures` cancels what has not begun. Waits for the rest, unless told not to.

        Raises `RuntimeError` if a task of this very pool is to wait.
        """
        if self._inbox is None:
            raise RuntimeError(UNOPENED)
        self._close(clear=cancel_futures)
        if wait:
            if self.here() in self._members:
                raise RuntimeError(LONELY)
            await self._ended.wait()

    def _must_be_open(self) -> None:
        if self._inbox is None:
            raise RuntimeError(UNOPENED)
        if self._inbox.closed:
            raise self._refusal()

    def _refusal(self) -> RuntimeError:
        return refusal(self._broken)

    def _close(self, *, clear: bool) -> None:
        """Take nothing more; if told so, cancel what has not begun."""
        self._inbox.close()
        while clear:
            try:
                results, position, _ = self._inbox.receive_nowait()
            except ChannelClosed, WouldBlock:
                return
            results.drop(position, None if self._broken is None else self._refusal())

    # What a worker does.

    async def _at_work(self) -> None:
        self._members.add(self.here())
        try:
            if await self._is_prepared():
                await self._do_jobs()
        finally:
            self._left += 1
            if self._left == self._size:
                self._close(clear=True)  # there is nothing in it, unless all were cancelled
                self._ended.set()

    async def _do_jobs(self) -> None:
        async for results, position, args in self._inbox:
            if results.begin(position):
                try:
                    value = results.function(*args)
                    if hasattr(type(value), "__await__"):
                        value = await value
                except BaseException as error:  # noqa: BLE001 - it is for whoever asks for the result
                    self._note(results, position, error)
                else:
                    results.put(position, value)
                    del value
            del results, position, args  # nobody is to hold them while the next job is waited for

    async def _is_prepared(self) -> bool:
        if self._initializer is None:
            return True
        try:
            value = self._initializer(*self._initargs)
            if hasattr(type(value), "__await__"):
                await value
        except BaseException as error:
            if self._is_own_end(error):
                raise
            self._broken = self._broken or error
            self._close(clear=True)
            return False
        return True

    def _note(self, results: Results | Handle, position: int, error: BaseException) -> None:
        """A task has failed; or it was cancelled, and perhaps this worker with it."""
        is_cancelled = isinstance(error, self.cancelled_type())
        results.fail(position, cancellation() if is_cancelled else error)
        if self._is_own_end(error):
            raise error

    def _is_own_end(self, error: BaseException) -> bool:
        """Whether this is more than the end of a task: Ctrl-C, the end of the loop, the end of this worker."""
        if isinstance(error, self.cancelled_type()):
            return self.is_cancelled()
        return isinstance(error, (KeyboardInterrupt, Terminated, GeneratorExit))

    # How one waits for results.

    async def wait(self, waiter: Waiter, timeout: float | None) -> None:
        """As `wait_async`. If a worker waits, and it is the last that could go on, that is a `Deadlock`."""
        here = self.here() if timeout is None else None
        if here not in self._members:
            await wait_async(waiter, timeout)
            return
        self._seated[here] = waiter
        try:
            if len(self._seated) == self._size and all(it.waits() for it in self._seated.values()):
                raise Deadlock(all_wait(self._size))
            await wait_async(waiter, None)
        finally:
            del self._seated[here]


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors in a group, however deep; those stay the same where a model makes a new group of them."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error

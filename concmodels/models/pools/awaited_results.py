"""The results of a pool in an async model: a handle for each `submit`, an iterator for each `map`."""

from concmodels.errors import TaskCancelled
from concmodels.models.pools.results import Failure
from concmodels.models.waiting.timeouts import expired, remaining
from concmodels.models.waiting.waiter import CANCELLED, DONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator
    from typing import Any, Self

    from concmodels.models.pools.awaited_workers import AsyncWorkers
    from concmodels.models.pools.results import Results, Supply
    from concmodels.models.waiting.waiter import Waiter


_ENDED = ("finished", "cancelled")


def cancellation() -> TaskCancelled:
    """Return the error of a task that was cancelled before a worker began it."""
    return TaskCancelled("the task was cancelled")


class Handle:
    """The result of one task of a pool, now or later. `.name` is that of its function."""

    def __init__(self, workers: AsyncWorkers, function: Callable[..., Any]) -> None:
        self.function: Any = function
        self.name = getattr(getattr(function, "func", function), "__name__", "task")  # a partial has a `func`
        self._workers = workers
        self._state = "pending"
        self._waiters: list[Waiter] = []
        self._value: Any = None
        self._error: BaseException | None = None

    def __repr__(self) -> str:
        return f"<call {self.name!r} {self._state}>"

    def done(self) -> bool:
        """Return whether the call has ended, however it ended."""
        return self._state in _ENDED

    def cancel(self) -> bool:
        """Cancel the call unless a worker has begun it; return whether it is cancelled."""
        if self._state == "pending":
            self._end("cancelled", error=cancellation())
        return self._state == "cancelled"

    async def result(self, timeout: float | None = None) -> Any:
        """Wait for the result, or raise what the call raised.

        `timeout` is in seconds. Raises `TimeoutError`; `TaskCancelled` if the call was cancelled; `Deadlock` if no
        worker is left to begin it.
        """
        if self._state not in _ENDED:
            await self._wait(timeout)
        if self._error is None:
            return self._value
        # What has cancelled the call may have cancelled the caller too: then that is raised, as in `Task.result`.
        await self._workers.checkpoint()
        try:
            raise self._error
        finally:
            del self  # the error holds this frame, and would keep the handle alive

    def __await__(self) -> Generator[Any, Any, Any]:
        return self.result().__await__()

    async def _wait(self, timeout: float | None) -> None:
        if not expired(timeout):
            waiter = self._workers.new_waiter(None, self)
            self._waiters.append(waiter)
            try:
                await self._workers.wait(waiter, timeout)
            finally:
                waiter.claim(CANCELLED)  # if an exception was thrown into the wait
                if waiter in self._waiters:
                    self._waiters.remove(waiter)
        if self._state not in _ENDED:
            raise TimeoutError(f"{self!r} did not end in time")

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that waits for this result."""
        return f"waits for the result of {self.name}"

    # What a worker does with a handle, as with the results of a `map`; there the position says which one is meant.

    def begin(self, _position: int) -> bool:
        """Note that a worker begins the call; return False if it must not, because the call was cancelled."""
        if self._state != "pending":
            return False
        self._state = "running"
        return True

    def put(self, _position: int, value: Any) -> None:
        """Note what the call has returned."""
        self._end("finished", value)

    def fail(self, _position: int, error: BaseException) -> None:
        """Note what the call has raised."""
        self._end("finished", error=error)

    def drop(self, _position: int, error: BaseException | None) -> None:
        """Note that no worker will begin the call: it is cancelled, or fails with `error`."""
        if self._state == "pending":
            self._end("cancelled" if error is None else "finished", error=error or cancellation())

    def _end(self, state: str, value: Any = None, error: BaseException | None = None) -> None:
        self._state, self._value, self._error = state, value, error
        self.function = None
        while self._waiters:
            self._waiters.pop().finish(DONE)


class AsyncResults:
    """The results of a `map`, in order.

    The workers do not know this object: when the program drops it, what they have not begun is cancelled. (An
    asynchronous generator would be closed some time later, by its loop.)
    """

    def __init__(self, workers: AsyncWorkers, results: Results, supply: Supply, until: float | None) -> None:
        self._workers = workers
        self._results = results
        self._supply = supply
        self._until = until
        self._position = 0
        self._found = results.found
        self._yields = workers.yields
        self._checkpoint = workers.checkpoint

    def __aiter__(self) -> Self:
        return self

    def __anext__(self) -> Coroutine[Any, Any, Any]:
        return self._take()

    async def _take(self) -> Any:
        if next(self._yields):
            await self._checkpoint()
        if self._position not in self._found:
            await self._wait()
        value = self._found.pop(self._position)
        if type(value) is Failure:
            self.end()
            await self._checkpoint()  # as in `Handle.result`
            raise _raisable(value.error)
        self._supply.refill()
        self._position += 1
        return value

    async def _wait(self) -> None:
        if self._results.over or self._position >= self._supply.sent:
            self.end()
            raise StopAsyncIteration
        try:
            await self._workers.wait_for(self._results, self._position, remaining(self._until, self._workers.clock))
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """Cancel the calls that no worker has begun."""
        self._results.end()

    async def aclose(self) -> None:
        """End the iteration, for `contextlib.aclosing`; dropping the iterator does the same."""
        self.end()

    __del__ = end


def _raisable(error: BaseException) -> BaseException:
    """Return the error of a task as it can leave an iterator, where `StopAsyncIteration` would mean the end."""
    if not isinstance(error, StopAsyncIteration):
        return error
    late = RuntimeError("the task raised StopAsyncIteration")
    late.__cause__ = error
    return late

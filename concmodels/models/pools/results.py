"""The results of a `map`, sync or async: found by position, in whatever order the workers bring them.

There is no future for each item: that is what makes small tasks cheap. The iterator takes the results in order. If the
next one is not there, it says that it waits for exactly that one, and only the worker that brings it wakes its task.
"""

from itertools import count, islice, repeat

from concmodels.errors import ChannelClosed
from concmodels.models.waiting.timeouts import expired
from concmodels.models.waiting.waiter import CANCELLED, DONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from concmodels.models.waiting.waiter import Waiter

type Job = tuple[Any, int, tuple[Any, ...]]
"""An item of a pool's inbox: where the result goes (a `Results` or a future), its position there, the arguments."""

LATE = "the results of the map did not all come in time"


class Failure:
    """Takes the place of a result when the call has raised an error instead."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


class Results:
    """The results of one `map`; `over` says that its iterator has ended, and wants no more of them."""

    def __init__(self, function: Callable[..., Any], cancellation: Callable[[], BaseException]) -> None:
        self.function = function
        self.found: dict[int, Any] = {}
        self.over = False
        self._cancellation = cancellation
        self._wanted: tuple[int, Waiter] | None = None

    # What a worker does with the results, as with a future.

    def begin(self, _position: int) -> bool:
        """Return whether a worker is to make the call: not if the iterator has ended."""
        return not self.over

    def put(self, position: int, value: Any) -> None:
        """Note what a call has returned, and wake the task that waits for exactly this result."""
        self.found[position] = value
        wanted = self._wanted
        if wanted is not None and wanted[0] == position:
            wanted[1].finish(DONE)

    def fail(self, position: int, error: BaseException) -> None:
        """Note what a call has raised."""
        self.put(position, Failure(error))

    def drop(self, position: int, error: BaseException | None) -> None:
        """Note that no worker will begin the call: it is cancelled, or fails with `error`."""
        if not self.over:
            self.fail(position, error or self._cancellation())

    # What the iterator does with the results.

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that waits for one of these."""
        return "waits for the next result of a map"

    def want(self, position: int, waiter: Waiter, timeout: float | None) -> bool:
        """Note which result this waiter waits for; return False if it is there. Raises `TimeoutError`.

        This notes the wish and then looks for the result; a worker in another thread stores the result and then looks
        for the wish. So either the result is found here, or the worker sees the wish and ends the wait.
        """
        self._wanted = (position, waiter)
        if position in self.found:
            return False
        if expired(timeout):
            raise TimeoutError(LATE)
        return True

    def want_no_longer(self, waiter: Waiter) -> None:
        """Take note that the wait is over, however it ended."""
        self._wanted = None
        waiter.claim(CANCELLED)  # if an exception was thrown into it

    def must_have(self, position: int) -> None:
        """Raise `TimeoutError` if this result has not come."""
        if position not in self.found:
            raise TimeoutError(LATE)

    def end(self) -> None:
        """Let no further call begin, and drop the results that came: the iterator has ended."""
        self.over = True
        self.found.clear()


class Supply:
    """Puts the jobs of one `map` into the inbox: all of them at once, or with a `buffersize` only so many ahead."""

    def __init__(
        self,
        results: Results,
        iterables: tuple[Iterable[Any], ...],
        size: int | None,
        send: Callable[[Job], object],
        refusal: Callable[[], RuntimeError],
    ) -> None:
        self.sent = 0
        self._send = send
        self._refusal = refusal
        self._results = results
        self._jobs: Iterator[Job] | None = zip(repeat(results), count(), zip(*iterables))  # noqa: B905
        self._fill(size)

    def _fill(self, size: int | None) -> None:
        assert self._jobs is not None
        send, job = self._send, None
        try:
            for job in islice(self._jobs, size):
                try:
                    send(job)
                except ChannelClosed:  # meanwhile, by another task: what was sent before is done
                    self.sent = job[1]
                    self.end_with(self._refusal())
                    return
        except BaseException:
            self._results.end()  # an iterable failed, or the caller was cancelled: no result will be taken
            raise
        self.sent = 0 if job is None else job[1] + 1
        if size is None or self.sent < size:
            self._jobs = None

    def refill(self) -> None:
        """Send one more job, since a result has been taken. If the iterable fails, that is raised when it is due."""
        if self._jobs is None:
            return
        try:
            job = next(self._jobs, None)
        except Exception as error:  # noqa: BLE001 - it is raised after the results that come before it
            self.end_with(error)
            return
        if job is None:
            self._jobs = None
            return
        try:
            self._send(job)
        except ChannelClosed:
            self.end_with(self._refusal())
        else:
            self.sent += 1

    def end_with(self, error: BaseException) -> None:
        """Send no more jobs: after the results of those that were sent comes this error."""
        self._results.fail(self.sent, error)
        self._jobs = None
        self.sent += 1

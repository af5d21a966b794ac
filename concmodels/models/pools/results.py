"""What a `map` of a pool brings home, sync or async: the results by position, in whatever order they come.

There is no future for each item: that is what makes small tasks cheap. Whoever iterates takes the results in order; if
the next one is not there he says that he waits for exactly that one, and only the worker who brings it wakes him.
"""

from itertools import count, islice, repeat
from operator import length_hint

from concmodels.errors import ChannelClosed
from concmodels.models.pools.arguments import refuse
from concmodels.models.waiting.timeouts import expired
from concmodels.models.waiting.waiter import CANCELLED, DONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from concmodels.models.waiting.waiter import Waiter

type Job = tuple[Any, int, tuple[Any, ...]]
"""What lies in a pool's inbox: whose it is (a `Results` or a future), its position there, the arguments."""

LATE = "the results of the map did not all come in time"


class Failure:
    """What stands in the place of a result when there is none."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException) -> None:
        self.error = error


class Results:
    """The results of one `map`; `over` says that nobody wants any more of them."""

    def __init__(self, function: Callable[..., Any], cancellation: Callable[[], BaseException]) -> None:
        self.function = function
        self.found: dict[int, Any] = {}
        self.over = False
        self._cancellation = cancellation
        self._wanted: tuple[int, Waiter] | None = None

    # What a worker does with it, as with a future.

    def begin(self, _position: int) -> bool:
        """Whether a worker is to do it: not if nobody wants it any more."""
        return not self.over

    def put(self, position: int, value: Any) -> None:
        """A call returned this."""
        self.found[position] = value
        wanted = self._wanted
        if wanted is not None and wanted[0] == position:
            wanted[1].finish(DONE)

    def fail(self, position: int, error: BaseException) -> None:
        """A call raised this."""
        self.put(position, Failure(error))

    def drop(self, position: int, error: BaseException | None) -> None:
        """No worker will begin it: it is cancelled, or fails for this reason."""
        if not self.over:
            self.fail(position, error or self._cancellation())

    # What the iterator does with it.

    def describe_wait(self, _waiter: Waiter) -> str:
        """Say what a task waits for that waits for one of these."""
        return "waits for the next result of a map"

    def want(self, position: int, waiter: Waiter, timeout: float | None) -> bool:
        """Say who waits for which one; whether there is anything to wait for. Raises `TimeoutError`."""
        self._wanted = (position, waiter)
        if position in self.found:  # it came at the last moment
            return False
        if expired(timeout):
            raise TimeoutError(LATE)
        return True

    def want_no_longer(self, waiter: Waiter) -> None:
        """The wait is over, somehow."""
        self._wanted = None
        waiter.claim(CANCELLED)  # if an exception was thrown into it

    def must_have(self, position: int) -> None:
        """Raise `TimeoutError` if the wait for it was in vain."""
        if position not in self.found:
            raise TimeoutError(LATE)

    def end(self) -> None:
        """Nobody wants any more: what has not begun will not begin."""
        self.over = True
        self.found.clear()


class Supply:
    """The jobs of one `map`: all are taken at once, or with a `buffersize` so many ahead."""

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
        give, job = self._give, None
        try:
            for job in islice(self._jobs, size):
                give(job)
        except BaseException:
            self._results.end()  # an iterable failed, or this was cancelled: what has been sent is of no use
            raise
        self.sent = 0 if job is None else job[1] + 1
        if size is None or self.sent < size:
            self._jobs = None

    def refill(self) -> None:
        """A result has been taken: send one more. If the iterable fails, that is raised in its turn."""
        if self._jobs is None:
            return
        try:
            job = next(self._jobs, None)
            if job is None:
                self._jobs = None
                return
            self._give(job)
        except Exception as error:  # noqa: BLE001 - whatever it is, it comes after the results before it
            self._results.fail(self.sent, error)
            self._jobs = None
        self.sent += 1

    def _give(self, job: Job) -> None:
        try:
            self._send(job)
        except ChannelClosed:
            refuse(self._refusal())


def length_of(iterables: tuple[Iterable[Any], ...]) -> int | None:
    """How many items there will be; None if nobody knows."""
    hints = [hint for it in iterables if (hint := length_hint(it, -1)) >= 0]
    return min(hints, default=None)

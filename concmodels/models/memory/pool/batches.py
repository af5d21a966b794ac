"""The work queues of a pool of processes or interpreters, out of which batches are made: one for `submit`, and one for
each `map`.

A work queue is a row of items, each with a position. What is given to a worker is a range of positions; it comes back
as results, or untouched (taken back, or its worker has died): then it is the first to be given again.
"""

import math
from collections import deque
from concurrent.futures import CancelledError
from itertools import islice

from concmodels.models.memory.pickling import dumps, dumps_any, pack_call
from concmodels.models.memory.pool.worker_memory import ITEMS, TUPLES
from concmodels.models.pools.results import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from typing import Any

    # futures that are to be told how their calls have ended: with a result, or with an error
    type ToResolve = list[tuple[Future[Any], Any, BaseException | None]]

_TARGET_NS = 1_000_000
"""How long a batch is to take: long enough to be worth its journey, short enough to share out evenly."""

_QUICK_NS = 200_000
_KEPT = 0.3  # of what was known before, when a batch has ended


class WorkQueue:
    """Tasks that wait for workers; what `submit` and `map` have in common."""

    form: int

    def __init__(self, chunk: int | None = None) -> None:
        self.chunk = chunk
        self.next = 0  # the first position that was never given
        self.stop = 0  # the first that is not there yet
        self.again: deque[tuple[int, int]] = deque()  # ranges that came back
        self.alone = 0  # so many are to be sent one by one: something among them could not be packed, or read
        self.task_ns: float | None = None  # how long one takes, by the last few batches
        self._ns = self._tasks = 0.0

    def __len__(self) -> int:
        """Return how many tasks wait to be given."""
        return self.stop - self.next + sum(count for _, count in self.again)

    def took(self, nanoseconds: int, tasks: int) -> None:
        """Note that a batch of so many tasks took so long."""
        self._ns, self._tasks = _KEPT * self._ns + nanoseconds, _KEPT * self._tasks + tasks
        self.task_ns = self._ns / self._tasks

    def is_quick(self) -> bool:
        """Return whether the tasks are known to be so short that a worker may have a second batch behind another."""
        return self.chunk is not None or (self.task_ns is not None and self.task_ns < _TARGET_NS)

    def size(self, workers: int, most: int) -> int:
        """Return how many tasks the next batch is to have."""
        if self.alone:
            self.alone -= 1
            return 1
        if self.chunk is not None:
            return min(self.chunk, most)
        if self.task_ns is None:
            return 1
        share = math.ceil(len(self) / (2 * workers))
        return max(1, min(most, share, int(_TARGET_NS / max(self.task_ns, 1.0))))

    def take(self, most: int) -> tuple[int, int]:
        """Return the next range to be given: its first position, and how many."""
        if self.again:
            first, count = self.again.popleft()
            if count > most:
                self.again.appendleft((first + most, count - most))
            return first, min(count, most)
        first, count = self.next, min(most, self.stop - self.next)
        self.next += count
        return first, count

    def give_back(self, first: int, count: int) -> None:
        """Take tasks back that have not begun: they are the first to be given again."""
        if count:
            self.again.appendleft((first, count))

    def drop(self) -> list[tuple[int, int]]:
        """Give none of the rest any more; return the ranges that it consists of."""
        rest = [*self.again, (self.next, self.stop - self.next)]
        self.again.clear()
        self.next = self.stop
        return [(first, count) for first, count in rest if count]

    # What `Calls` and `MapCall` define.

    @property
    def left(self) -> int:
        """How many tasks have not ended."""
        raise NotImplementedError

    def is_finished(self) -> bool:
        """Return whether nothing is left, and nothing more will come."""
        return False

    def cancel(self) -> None:
        """Cancel the tasks that wait."""
        raise NotImplementedError

    def fail_all(self, error: BaseException, to_resolve: ToResolve) -> None:
        """Fail all tasks that have not ended: nothing of it will be done any more."""
        raise NotImplementedError

    def payload(self, first: int, count: int) -> bytes:
        """Return these items as bytes. Raises what pickle does, or `CannotTravel`."""
        raise NotImplementedError

    def name(self, position: int) -> str:
        """Return the name of the function, for messages."""
        raise NotImplementedError

    def done(self, first: int, results: list[Any], to_resolve: ToResolve) -> None:
        """Note that tasks have ended well, with these results."""
        raise NotImplementedError

    def failed(self, position: int, error: BaseException, to_resolve: ToResolve) -> None:
        """Note that a task has failed."""
        raise NotImplementedError


class MapCall(WorkQueue):
    """The work queue of one `map`. Results lie here until the consumer takes them, in runs, by their first position."""

    def __init__(
        self, function: Callable[..., Any], items: Iterator[Any], star: bool, home: Any, chunk: int | None
    ) -> None:
        super().__init__(chunk)
        self.form = TUPLES if star else ITEMS
        self.error: BaseException | None = None  # why there will be no more results
        self.runs: dict[int, list[Any] | Failure] = {}
        self._name = getattr(function, "__name__", "the task")
        self._function = pack_call(function, (), home)
        self._home = home
        self._iterator = items
        self._items: list[Any] = []
        self._base = 0  # the position of the first of them
        self._over = 0  # how many have ended

    @property
    def left(self) -> int:
        return max(0, self.stop - self._over)

    def fetch(self, most: int) -> list[Any]:
        """Take at most so many items from the iterables. This is the only step that is made without the pool's lock."""
        return list(islice(self._iterator, most))

    def add(self, items: list[Any]) -> None:
        """Add items that are to be done next."""
        self._items += items
        self.stop += len(items)

    def is_worth_handing_out(self, enough: int) -> bool:
        """Return whether to hand out what waits rather than wait for more: a single quick task is not worth a batch."""
        waiting = len(self)
        return waiting > 0 and (self.task_ns is None or waiting >= min(enough, _QUICK_NS / max(self.task_ns, 1.0)))

    def is_finished(self) -> bool:
        return self.error is not None and not self.left

    def is_told(self, position: int) -> bool:
        """Return whether it is known how this task has ended, or that it will not be done."""
        return position in self.runs or self.error is not None

    def pop(self, position: int) -> list[Any] | Failure:
        """Return the results from this position on, as many as there are in one run, or the failure of this task."""
        if position not in self.runs:
            return Failure(self.error or RuntimeError("the pool has lost a result"))
        return self.runs.pop(position)

    def cancel(self) -> None:
        self.error = self.error or CancelledError()
        self._over += sum(count for _, count in self.drop())

    def fail_all(self, error: BaseException, to_resolve: ToResolve) -> None:
        self.error = self.error or error
        self._over = self.stop

    def forget_before(self, position: int) -> None:
        """Forget the items whose results were yielded."""
        if position - self._base > 2048:
            del self._items[: position - self._base]
            self._base = position

    def payload(self, first: int, count: int) -> bytes:
        at = first - self._base
        return dumps((self._function, self._pack(self._items[at : at + count])), 5)

    def _pack(self, items: list[Any]) -> bytes:
        try:
            return dumps_any(items, self._home)
        except Exception:
            if len(items) == 1:  # say which argument it is, and why
                pack_call(_stand_in, items[0] if self.form == TUPLES else (items[0],), self._home)
            raise

    def name(self, position: int) -> str:
        return self._name

    def done(self, first: int, results: list[Any], to_resolve: ToResolve) -> None:
        self._over += len(results)
        self.runs[first] = results

    def failed(self, position: int, error: BaseException, to_resolve: ToResolve) -> None:
        self._over += 1
        self.runs[position] = Failure(error)


def _stand_in() -> None:
    """Stand in for a function that can be pickled."""

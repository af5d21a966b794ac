"""The work that waits in a pool of processes or interpreters: the calls of `submit`, and the items of each `map`.

A batch is cut off the front of it. What comes back of a batch because it has not begun (it was taken back, or the
worker has died) is put in front again. The callers of all methods but `fetch` hold the dispatcher's lock.
"""

import math
from collections import deque
from concurrent.futures import CancelledError
from itertools import islice

from concmodels.models.memory.pickling import dumps_any, pack_call
from concmodels.models.memory.pool.future import TAKEN_BACK, Future
from concmodels.models.memory.pool.payload import LARGE, Payload, quickly_packed
from concmodels.models.memory.pool.worker_memory import MOST
from concmodels.models.pools.results import Failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    type Work = Calls | MapCall

_TARGET_NS = 1_000_000
"""How long a batch is to take: long enough to be worth its journey, short enough to share out evenly."""

_QUICK_NS = 200_000
_KEPT = 0.3  # of what was known before, when a batch has ended


class Waiting:
    """Tasks that wait for workers; what `submit` and `map` have in common."""

    error: BaseException | None = None  # why there will be no more results of a `map`

    def __init__(self, chunk: int | None = None) -> None:
        self.left = 0  # the number that have not ended
        self.stop = 0  # the position behind the last one
        self.alone = 0  # the number to be sent one by one: something among them could not be packed, or read
        self.task_ns: float | None = None  # how long one takes, by the last few batches
        self._chunk = chunk
        self._count = 0  # the number that wait ...
        self._runs: deque[tuple[int, list[Any]]] = deque()  # ... in runs; with the position of the first of each
        self._ns = self._tasks = 0.0

    def __len__(self) -> int:
        return self._count

    def add(self, tasks: list[Any]) -> None:
        """Add tasks behind the others."""
        if self._runs and (run := self._runs[-1])[0] + len(run[1]) == self.stop and len(run[1]) < MOST:
            run[1].extend(tasks)
        else:
            self._runs.append((self.stop, tasks))
        self.stop, self.left, self._count = self.stop + len(tasks), self.left + len(tasks), self._count + len(tasks)

    def take(self, workers: int) -> tuple[int, list[Any]]:
        """Return the next tasks, as many as a batch is to have, and the position of the first."""
        first, tasks = self._runs.popleft()
        most = self._size(workers)
        if most < len(tasks):
            self._runs.appendleft((first + most, tasks[most:]))
            tasks = tasks[:most]
        self._count -= len(tasks)
        return first, tasks

    def give_back(self, first: int, tasks: list[Any]) -> None:
        """Take tasks back that have not begun: they are the first to be given again."""
        if tasks:
            self._runs.appendleft((first, tasks))
            self._count += len(tasks)

    def drop(self) -> list[Any]:
        """Take out all tasks that wait, and return them."""
        rest = [task for _, run in self._runs for task in run]
        self._runs.clear()
        self._count = 0
        return rest

    def took(self, nanoseconds: int, tasks: int) -> None:
        """Note that a batch of so many tasks took so long."""
        self._ns, self._tasks = _KEPT * self._ns + nanoseconds, _KEPT * self._tasks + tasks
        self.task_ns = self._ns / self._tasks

    def is_quick(self) -> bool:
        """Return whether the tasks are known to be so short that a worker may have a second batch behind another."""
        return self._chunk is not None or (self.task_ns is not None and self.task_ns < _TARGET_NS)

    def _size(self, workers: int) -> int:
        if self.alone:
            self.alone -= 1
            return 1
        if self._chunk is not None:
            return min(self._chunk, MOST)
        if self.task_ns is None:
            return 1
        return max(1, min(MOST, math.ceil(len(self) / (2 * workers)), int(_TARGET_NS / max(self.task_ns, 1.0))))


class Calls(Waiting):
    """The submitted tasks: each is a future, which has the function and the arguments."""

    def __init__(self) -> None:
        super().__init__()
        self.ended: list[tuple[Future, Any]] = []  # and how: they are told without the lock

    def note_given(self) -> None:
        """Count a call that has not waited, since a worker got it at once."""
        self.stop, self.left = self.stop + 1, self.left + 1

    def take(self, workers: int) -> tuple[int, list[Any]]:
        """Return what `Waiting.take` does, but no call that was cancelled."""
        first, calls = super().take(workers)
        cancelled = [call for call in calls if call.cancelled()]
        self.put(0, cancelled, [TAKEN_BACK] * len(cancelled))
        return first, [call for call in calls if call not in cancelled] if cancelled else calls

    def payload(self, calls: list[Any]) -> tuple[Payload, Any]:
        """Return the payload of these calls, and what represents them in it."""
        payload = Payload(len(calls), b"", False)
        return payload, [payload.place(call.data) for call in calls]

    def name(self, call: Any) -> str:
        """Return the name of the function, for messages."""
        return str(call.name)

    def put(self, _first: int, calls: list[Any], results: list[Any]) -> None:
        """Note that calls have ended with these results; a `Failure` stands for an exception."""
        self.left -= len(calls)
        for call, result in zip(calls, results, strict=True):
            call.has_ended = True
            self.ended.append((call, result))

    def end(self, error: BaseException | None) -> None:
        """Fail the calls that wait, or cancel them if there is no error."""
        calls = self.drop()
        self.put(0, calls, [TAKEN_BACK if error is None else Failure(error)] * len(calls))


class MapCall(Waiting):
    """The items of one `map`. Results lie here until the consumer takes them, in runs, by their first position."""

    def __init__(
        self, function: Callable[..., Any], items: Iterator[Any], star: bool, home: Any, chunk: int | None
    ) -> None:
        super().__init__(chunk)
        self.runs: dict[int, list[Any] | Failure] = {}
        self._name = getattr(function, "__name__", "the task")
        self._function = pack_call(function, (), home)
        self._star = star
        self._home = home
        self._iterator = items
        self._is_large = False  # whether the last batch was, and the next may be so too

    def fetch(self, most: int) -> list[Any]:
        """Take at most so many items from the iterables."""
        return list(islice(self._iterator, most))

    def is_worth_handing_out(self, tasks: int, enough: int) -> bool:
        """Return whether so many tasks are worth a batch, or must be `enough`: a single quick task is not."""
        return self.task_ns is None or tasks >= min(enough, _QUICK_NS / max(self.task_ns, 1.0))

    def is_known(self, position: int) -> bool:
        """Return whether it is known how this task has ended, or that it will not be done."""
        return position in self.runs or self.error is not None

    def pop(self, position: int) -> list[Any]:
        """Return the results from this position on, as many as there are in one run. Raises the failure of the task."""
        run = self.runs.pop(position, None) or Failure(self.error or RuntimeError("the pool has lost a result"))
        if isinstance(run, Failure):
            raise run.error
        return run

    def payload(self, items: list[Any]) -> tuple[Payload, Any]:
        """Return the payload of these items, and what represents them in it. Raises what pickle does, or
        `CannotTravel`.
        """
        payload = Payload(len(items), self._function, self._star)
        packed = quickly_packed(items) if self._is_large else None
        if packed is None:
            packed = self._packed(items)
        self._is_large = not isinstance(packed, bytes) or len(packed) > LARGE
        return payload, payload.place(packed)

    def _packed(self, items: list[Any]) -> bytes:
        try:
            return dumps_any(items, self._home)
        except Exception:
            if len(items) == 1:  # say which argument it is, and why
                pack_call(_stand_in, items[0] if self._star else (items[0],), self._home)
            raise

    def name(self, _item: Any) -> str:
        """Return the name of the function, for messages."""
        return self._name

    def put(self, first: int, items: list[Any], results: list[Any]) -> None:
        """Note that tasks have ended with these results; the `Failure` of a task comes alone."""
        self.left -= len(items)
        self.runs[first] = results[0] if type(results[0]) is Failure else results

    def end(self, error: BaseException | None) -> None:
        """Drop the items that wait; if there is no error, they were cancelled."""
        self.error = self.error or error or CancelledError()
        self.left -= len(self.drop())


def _stand_in() -> None:
    """Stand in for a function that can be pickled."""

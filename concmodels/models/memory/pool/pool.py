"""The pool of the models with memory boundaries: workers in processes or interpreters, each at a desk of its own.

                         ┌─ desk ─ worker 1         a worker takes what lies on its desk, one batch after the other,
    submit ─┐            │                          and puts each result there before it begins the next task
            ├─► sources ─┼─ desk ─ worker 2
    map ────┘            │                          a batch: as many tasks as take about a millisecond; the first
                         └─ desk ─ worker 3         of a kind alone, for nobody knows yet how long it takes

What is on a desk belongs to the pool again until the worker begins it: an idle worker gets half of what lies before a
busy one. When a worker dies, its desk tells exactly what it had done, what it was in, and what it had not begun.

Who minds the pool (reads the desks, hands out) is whoever waits for it: mostly the caller, in `result` or in `map`. So
no thread has to be woken in between. When nobody waits, a thread does it, the foreman (`manager.py`).
"""

import math
import os
from concurrent.futures import Executor
from functools import partial

from concmodels.errors import TaskCancelled, Terminated
from concmodels.models.memory.participant import current
from concmodels.models.memory.pickling import pack_call
from concmodels.models.memory.pool.batches import Mapping
from concmodels.models.memory.pool.dispatcher import CLOSED, STOPPED, Floor
from concmodels.models.memory.pool.future import Future
from concmodels.models.memory.pool.manager import Foreman
from concmodels.models.memory.pool.remote import pool_for
from concmodels.models.pools.arguments import at_least_one, check_initializer, check_map
from concmodels.models.pools.progress import is_to_be_shown, shown
from concmodels.models.pools.results import Failure, length_of
from concmodels.models.waiting.timeouts import must_be_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from types import TracebackType
    from typing import Any, ClassVar

    from concmodels.models.memory.pool.remote_calls import Clerk


class Pool(Executor):
    """Workers in processes or interpreters; see `concmodels.contract.Pool`."""

    kind: ClassVar[str]

    def __init__(
        self,
        workers: int | None = None,
        *,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
    ) -> None:
        self._workers = (os.process_cpu_count() or 1) if workers is None else at_least_one("workers", workers)
        check_initializer(initializer)
        self.home = unit = current(self.kind)
        if initializer is not None:
            must_be_sync(initializer, self.kind)
            pack_call(initializer, tuple(initargs), unit)  # raises, before anything is started
        self.floor = Floor(unit, self._workers, (initializer, tuple(initargs)))
        self._foreman = Foreman(self.floor, unit, self._gone)
        for _ in range(self._workers):
            self.floor.hire()
        unit.closers.append(self._abandon)
        unit.pools[self._foreman.crew.at] = self
        self._clerk: Clerk | None = None
        self._foreman.start()

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """A pool travels as the way to its counter; there its tasks give it more, see `remote.py`."""
        with self.floor.lock:
            self.floor.check_open()
            if self._clerk is None:
                from concmodels.models.memory.pool.remote_calls import Clerk

                self._clerk = Clerk(self, self.home)
                self.floor.calls_under_way = self._clerk.is_behind
        return pool_for, (self.home.run, self._foreman.crew.at, self._clerk.counter)

    @property
    def workers(self) -> int:
        """How many there are."""
        return self._workers

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Have one worker call `fn(*args, **kwargs)`; see `concmodels.contract.Pool`.

        Raises `CannotTravel` for what can't cross the boundary, and `RuntimeError` once the pool is shut down.
        """
        must_be_sync(fn, self.kind)
        data = pack_call(fn, args, self.home, kwargs)
        self.home.look_around()  # else who only submits could never be stopped
        return self.submit_packed(data, getattr(fn, "__name__", "the task"))

    def submit_packed(self, data: bytes, name: str, of_task: bool = False) -> Future:
        """The same, once the call is pickled."""
        future = Future(self, name)
        with self.floor.lock:
            self.floor.check_open(of_task)
            future.position = self.floor.calls.add(future, data, name)
        self._foreman.step()
        return future

    def map(
        self,
        fn: Callable[..., Any],
        /,
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
        progress: str | None = None,
    ) -> Iterator[Any]:
        """Call `fn` with the items of the iterables, and yield the results in their order.

        See `concmodels.contract.Pool.map`.
        """
        must_be_sync(fn, self.kind)
        until = check_map(timeout, chunksize, buffersize)
        label = progress if is_to_be_shown(progress) else None
        total = None if label is None else length_of(iterables)
        items = iter(iterables[0]) if len(iterables) == 1 else zip(*iterables)  # noqa: B905 - as Executor.map does
        mapping = Mapping(fn, items, len(iterables) != 1, self.home, chunksize)
        self.floor.add(mapping)
        results = self._results(mapping, until, buffersize)
        next(results)
        self._feed_first(mapping, buffersize)
        return results if label is None else shown(results, label, total)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take nothing more. Waits until everything is done, unless told not to; a second call does no harm."""
        with self.floor.lock:
            self.floor.stage = max(self.floor.stage, CLOSED)
            if cancel_futures:
                self.floor.cancel_waiting()
        self._foreman.ring()
        if wait:
            self.wait_until(self._is_gone, None)
            self._foreman.join()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._stop(error)
            return
        try:
            self.shutdown()
            self.home.look_around()  # leaving is a checkpoint, also if there is nothing to wait for
        except BaseException as stopped:
            self._stop(stopped)
            raise

    # Waiting.

    def wait_until(self, done: Callable[[], bool], until: float | None) -> None:
        """Wait, and mind the pool meanwhile. Raises `TimeoutError`."""
        if not self._foreman.help_until(done, until):
            raise TimeoutError("the pool has not done it in time")

    def ring(self) -> None:
        """There is something to see."""
        self._foreman.ring()

    def _gone(self) -> None:
        """All workers have left; called by the foreman, who leaves too."""
        if self._clerk is not None:
            self._clerk.close()
        del self.home.pools[self._foreman.crew.at]
        self.home.closers.remove(self._abandon)

    def _is_gone(self) -> bool:
        return self._foreman.gone

    def _results(self, mapping: Mapping, until: float | None, buffersize: int | None) -> Generator[Any]:
        """The results in order. It has begun when it is handed out, so its end comes even if it is only dropped."""
        try:
            yield
            yield from self._in_order(mapping, until, buffersize)
        finally:
            self.floor.forget(mapping)

    def _in_order(self, mapping: Mapping, until: float | None, buffersize: int | None) -> Iterator[Any]:
        position = 0
        while position < mapping.stop:
            if position not in mapping.runs:
                self.wait_until(partial(mapping.is_told, position), until)
            self.home.look_around()  # also for who never has to wait; and as in Future.result
            run = mapping.pop(position)
            if isinstance(run, Failure):
                raise run.error
            position += len(run)
            run.reverse()
            if buffersize is None:
                while run:
                    yield run.pop()  # nothing is to hold a result that was handed out
            else:
                yield from self._refilling(mapping, run, buffersize)
            mapping.forget_before(position)

    def _refilling(self, mapping: Mapping, backwards: list[Any], buffersize: int) -> Iterator[Any]:
        """The same, and for each of them one more item is taken; quick ones are handed out by the batch."""
        enough = buffersize // (4 * self._workers)
        while backwards:
            self._take_in(mapping, 1)
            if mapping.is_worth_handing_out(enough):
                self.home.look_around()
                self._foreman.step()
            yield backwards.pop()

    def _feed_first(self, mapping: Mapping, buffersize: int | None) -> None:
        """Take the first items from the iterables: few at a time at first, so that the workers can begin."""
        most, size = math.inf if buffersize is None else buffersize, 1
        while most and self._feed(mapping, int(min(size, most))):
            most, size = most - min(size, most), min(4 * size, 4096)

    def _feed(self, mapping: Mapping, most: int) -> bool:
        """False if there were no more."""
        self.home.look_around()
        count = self._take_in(mapping, most)
        if count:
            self._foreman.step()
        return count == most

    def _take_in(self, mapping: Mapping, most: int) -> int:
        """Take so many items from the iterables; returns how many there were."""
        items = mapping.fetch(most)
        if items:
            with self.floor.lock:
                mapping.add(items)
        return len(items)

    def _stop(self, error: BaseException) -> None:
        """The body has failed: nothing more is begun, and what waits is cancelled; wait for the end, whatever comes."""
        unit = self.home
        with self.floor.lock:
            self.floor.stage = STOPPED
            self.floor.cancel_waiting()
        if isinstance(error, (KeyboardInterrupt, Terminated)):
            unit.hurry()
        self._foreman.cancel()
        parker = unit.parker()
        before, parker.shielded = parker.shielded, True
        unit.clean_up(True)
        try:
            self._foreman.help_until(self._is_gone)
        finally:
            parker.shielded = before
            unit.clean_up(before)
        self._foreman.join()

    def _abandon(self) -> None:
        """The run has failed, and the pool ends with it."""
        self._stop(TaskCancelled("the run has ended"))


class ProcessPool(Pool):
    """Processes that do what they are given."""

    kind = "processes"


class InterpreterPool(Pool):
    """Interpreters that do what they are given."""

    kind = "subinterp"

"""The pool of the models with memory boundaries: workers in processes or interpreters, each with a memory of its own
(`worker_memory.py`) through which it gets work and gives results.

                      ┌─ memory ─ worker 1     a worker takes one batch after the other out of its memory, and publishes
    submit ─┐         │                        each result before it begins the next task
            ├─► work ─┼─ memory ─ worker 2
    map ────┘         │                        a batch: as many tasks as take about a millisecond; the first of a kind
                      └─ memory ─ worker 3     alone, as nothing is known yet of how long it takes

The pool may take back what a worker has not begun: an idle worker gets half of what waits for a busy one. When a worker
dies, its memory tells exactly what it had done, what it was in, and what it had not begun.

The dispatcher (`dispatcher.py`) collects results and hands out work, in rounds, under one lock. A thread beside the
program, the collector (`collector.py`), does so whenever a worker has notified it, and wakes the tasks that wait.

A call to a worker that has nothing to do takes none of this: it is given at once. While the task waits for its result,
it looks into the worker's memory itself, for a moment, if that has been the cheaper way lately.

Workers that iterate over a channel were tried: 40 lines, and `submit(...).result()` took a third of the time that it
took then. But a `map` of ints took 38 to 55 times as long, one of 10 kB four to six times; and a worker that is killed
in the middle of a receive or a send has a lock of the run: 51 of 60 runs with two such deaths each could not go on.
"""

import math
import os
from concurrent.futures import Executor
from functools import partial
from types import BuiltinFunctionType, FunctionType, ModuleType

from concmodels.errors import TaskCancelled, Terminated
from concmodels.models.memory.participant import current
from concmodels.models.memory.pickling import call_pieces, dumps, pack_call
from concmodels.models.memory.pool.collector import Collector
from concmodels.models.memory.pool.dispatcher import CLOSED, STOPPED, Dispatcher
from concmodels.models.memory.pool.future import Future
from concmodels.models.memory.pool.payload import packed
from concmodels.models.memory.pool.remote import Requests, pool_for
from concmodels.models.memory.pool.work import MapCall
from concmodels.models.memory.pool.worker_group import WorkerGroup
from concmodels.models.pools.arguments import at_least_one, check_initializer, check_map
from concmodels.models.waiting.calls import check_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from types import TracebackType
    from typing import Any, ClassVar

    from concmodels.models.memory.pool.payload import Packed

_NUMBERS = frozenset({int, float, bool})
_SMALL = 1 << 14  # bytes: copying them once more takes less time than pickling without that copy


def _is_plain(function: Any) -> bool:
    """Return whether a function is pickled as its name, and nothing else."""
    kind = type(function)
    return kind is FunctionType or (kind is BuiltinFunctionType and type(function.__self__) is ModuleType)


def _is_small(value: object) -> bool:
    """Return whether pickle's quick way is as good for this argument as the careful one."""
    kind = type(value)
    return kind in _NUMBERS or value is None or (kind in (str, bytes) and len(value) <= _SMALL)  # type: ignore[arg-type]


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
        self._checked: Any = None  # the function that was pickled last, carefully; with small arguments again, quickly
        self._workers = (os.process_cpu_count() or 1) if workers is None else at_least_one("workers", workers)
        check_initializer(initializer)
        self.home = participant = current(self.kind)
        if initializer is not None:
            check_call(initializer, "initializer", self.kind)
            pack_call(initializer, tuple(initargs), participant)  # raises, before anything is started
        group = WorkerGroup(participant=participant)
        self.dispatcher = Dispatcher(participant, group, self._workers, (initializer, tuple(initargs)))
        self._collector = Collector(self.dispatcher, group, participant, self._forget)
        self._worker_group = group.at
        for _ in range(self._workers):
            self.dispatcher.start_worker()
        participant.closers.append(self._abandon)
        participant.pools[self._worker_group] = self
        self._collector.start()

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Pickle the pool as the record of its workers and a channel for requests; see `remote.py`."""
        with self.dispatcher.lock:
            self.dispatcher.check_open()
            if self._collector.requests is None:
                self._collector.requests = Requests(self, self.home)
            return pool_for, (self.home.run, self._worker_group, self._collector.requests.channel)

    @property
    def workers(self) -> int:
        """The number of workers."""
        return self._workers

    @property
    def _max_workers(self) -> int:
        """As in `pools.mapping.MappingExecutor`."""
        return self._workers

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Have one worker call `fn(*args, **kwargs)`; see `concmodels.contract.Pool`.

        Raises `CannotTravel` for what can't cross the boundary, and `RuntimeError` once the pool is shut down.
        """
        check_call(fn, "submit", self.kind)
        data: Packed
        if fn is self._checked and not kwargs and all(map(_is_small, args)):
            data = dumps((fn, args, kwargs), 5)
        else:
            data = packed(call_pieces(fn, args, self.home, kwargs))
            self._checked = fn if _is_plain(fn) else None
        self.home.checkpoint()  # otherwise a task that only submits could never be stopped
        return self.submit_packed(data, getattr(fn, "__name__", "the task"))

    def submit_packed(self, data: Packed, name: str, of_task: bool = False) -> Future:
        """Do what `submit` does, once the call is pickled. `of_task` is for a call that comes from another task."""
        call = Future(self, name, data)
        if self.dispatcher.submit(call, of_task):
            self._collector.step()
        return call

    def map(
        self,
        fn: Callable[..., Any],
        /,
        *iterables: Iterable[Any],
        timeout: float | None = None,
        chunksize: int | None = None,
        buffersize: int | None = None,
    ) -> Iterator[Any]:
        """Call `fn` with the items of the iterables, and yield the results in their order.

        See `concmodels.contract.Pool.map`.
        """
        check_call(fn, "map", self.kind)
        until = check_map(timeout, chunksize, buffersize)
        items = iter(iterables[0]) if len(iterables) == 1 else zip(*iterables)  # noqa: B905 - as Executor.map does
        map_call = MapCall(fn, items, len(iterables) != 1, self.home, chunksize)
        self.dispatcher.add(map_call)
        results = self._results(map_call, until, buffersize)
        next(results)
        rest, size = math.inf if buffersize is None else buffersize, 1  # few at first, so that the workers can begin
        while rest and self._feed(map_call, int(min(size, rest))):
            rest, size = rest - min(size, rest), min(4 * size, 4096)
        return results

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more tasks, and wait until all are done, unless told not to. A second call does no harm."""
        with self.dispatcher.lock:
            self.dispatcher.stage = max(self.dispatcher.stage, CLOSED)
            if cancel_futures:
                self.dispatcher.cancel_waiting()
        self._collector.notify()
        if wait:
            self.wait_until(self._collector.is_gone, None)
            self._collector.join()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._stop(error)
            return
        try:
            self.shutdown()
            self.home.checkpoint()  # leaving is a checkpoint, also if there is nothing to wait for
        except BaseException as stopped:
            self._stop(stopped)
            raise

    # What futures ask for, and how the program waits.

    def wait_for(self, call: Future, timeout: float | None) -> None:
        """Wait until a call has ended. A checkpoint. Raises `TimeoutError`."""
        if not call.done():
            self._collector.wait_for(call, timeout)
        self.home.checkpoint()  # if the caller is cancelled too, that is raised instead

    def cancel_call(self, call: Future) -> bool:
        """Take a call back, if no worker has begun it; return whether it is cancelled."""
        cancelled = self.dispatcher.cancel(call)
        self._collector.step()
        return cancelled

    def has_begun(self, call: Future) -> bool:
        """Return whether a worker has begun a call."""
        return self.dispatcher.has_begun(call)

    def wait_until(self, done: Callable[[], bool], until: float | None) -> None:
        """Wait until `done`. Raises `TimeoutError`."""
        self._collector.waiters.wait_until(done, until)

    def _forget(self) -> None:
        """Forget the pool, whose workers have all ended. The collector calls this last."""
        del self.home.pools[self._worker_group]
        self.home.closers.remove(self._abandon)

    def _results(self, map_call: MapCall, until: float | None, buffersize: int | None) -> Generator[Any]:
        """Yield the results in order.

        The caller starts this generator before it is handed out: so its `finally` is run even if it is only dropped.
        """
        try:
            yield
            yield from self._in_order(map_call, until, buffersize)
        finally:
            self.dispatcher.forget(map_call)

    def _in_order(self, map_call: MapCall, until: float | None, buffersize: int | None) -> Iterator[Any]:
        position = owed = 0  # with a buffersize, one more item is owed to the workers for each result
        enough = 0 if buffersize is None else buffersize // (4 * self._workers)
        while self._feed(map_call, owed) or position < map_call.stop:
            owed = 0
            if position not in map_call.runs:
                self.wait_until(partial(map_call.is_known, position), until)
            self.home.checkpoint()  # also for a task that never has to wait; and as in Future.result
            run = map_call.pop(position)
            position += len(run)
            run.reverse()
            while run:
                if buffersize is not None:
                    owed += 1
                    if map_call.is_worth_handing_out(owed, enough):
                        self._feed(map_call, owed)
                        owed = 0
                yield run.pop()  # a name would hold the result that was handed out

    def _feed(self, map_call: MapCall, most: int) -> bool:
        """Take so many items from the iterables, and hand them out; return whether there were so many."""
        if not most:
            return False
        self.home.checkpoint()
        items = map_call.fetch(most)
        were_all = len(items) == most
        if items:
            with self.dispatcher.lock:
                map_call.add(items)  # from here on the list is the dispatcher's
            self._collector.step()
        return were_all

    def _stop(self, error: BaseException) -> None:
        """End the pool, because the body has failed: nothing more is begun, and what waits is cancelled.

        This waits for the workers to end, whatever comes.
        """
        participant = self.home
        with self.dispatcher.lock:
            self.dispatcher.stage = STOPPED
            self.dispatcher.cancel_waiting()
        if isinstance(error, (KeyboardInterrupt, Terminated)):
            participant.shorten_grace(error)
        self._collector.cancel()
        slot = participant.wait_slot()
        before, slot.shielded = slot.shielded, True
        participant.clean_up(True)
        try:
            self.wait_until(self._collector.is_gone, None)
        finally:
            slot.shielded = before
            participant.clean_up(before)
        self._collector.join()

    def _abandon(self) -> None:
        """End the pool, because the run has failed."""
        self._stop(TaskCancelled("the run has ended"))


class ProcessPool(Pool):
    """A pool of processes; see `concmodels.contract.Pool`."""

    kind = "processes"


class InterpreterPool(Pool):
    """A pool of interpreters; see `concmodels.contract.Pool`."""

    kind = "subinterp"

"""The pool of the models with memory boundaries: workers in processes or interpreters, each with a memory of its own
(`worker_memory.py`) through which it gets work and gives results.

                               ┌─ memory ─ worker 1     a worker takes one batch after the other out of its memory, and
    submit ─┐                  │                        publishes each result before it begins the next task
            ├─► work queues ───┼─ memory ─ worker 2
    map ────┘                  │                        a batch: as many tasks as take about a millisecond; the first
                               └─ memory ─ worker 3     of a kind alone, as nothing is known yet of how long it takes

The pool may take back what a worker has not begun: an idle worker gets half of what waits for a busy one. When a worker
dies, its memory tells exactly what it had done, what it was in, and what it had not begun.

The dispatcher (`dispatcher.py`) collects results and hands out work, in rounds. The thread that waits for the pool runs
them, mostly the caller in `result` or in `map`: so no thread has to be woken in between. While no task waits, a thread
of the pool's own does it (`manager.py`).
"""

import math
import os
from concurrent.futures import Executor
from functools import partial

from concmodels.errors import TaskCancelled, Terminated
from concmodels.models.memory.participant import current
from concmodels.models.memory.pickling import pack_call
from concmodels.models.memory.pool.batches import MapCall
from concmodels.models.memory.pool.dispatcher import CLOSED, STOPPED, Dispatcher
from concmodels.models.memory.pool.future import Future
from concmodels.models.memory.pool.manager import Manager
from concmodels.models.memory.pool.remote import pool_for
from concmodels.models.pools.arguments import at_least_one, check_initializer, check_map
from concmodels.models.pools.results import Failure
from concmodels.models.waiting.timeouts import must_be_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from types import TracebackType
    from typing import Any, ClassVar

    from concmodels.models.memory.pool.remote_calls import RequestServer


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
        self.home = participant = current(self.kind)
        if initializer is not None:
            must_be_sync(initializer, self.kind)
            pack_call(initializer, tuple(initargs), participant)  # raises, before anything is started
        self.dispatcher = Dispatcher(participant, self._workers, (initializer, tuple(initargs)))
        self._manager = Manager(self.dispatcher, participant, self._gone)
        for _ in range(self._workers):
            self.dispatcher.start_worker()
        participant.closers.append(self._abandon)
        participant.pools[self._manager.worker_group.at] = self
        self._request_server: RequestServer | None = None
        self._manager.start()

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """A pool is pickled as its request channel, by which its tasks give it more work; see `remote.py`."""
        with self.dispatcher.lock:
            self.dispatcher.check_open()
            if self._request_server is None:
                from concmodels.models.memory.pool.remote_calls import RequestServer

                self._request_server = RequestServer(self, self.home)
                self.dispatcher.calls_under_way = self._request_server.is_behind
        return pool_for, (self.home.run, self._manager.worker_group.at, self._request_server.requests)

    @property
    def workers(self) -> int:
        """How many workers the pool has."""
        return self._workers

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Have one worker call `fn(*args, **kwargs)`; see `concmodels.contract.Pool`.

        Raises `CannotTravel` for what can't cross the boundary, and `RuntimeError` once the pool is shut down.
        """
        must_be_sync(fn, self.kind)
        data = pack_call(fn, args, self.home, kwargs)
        self.home.checkpoint()  # else a task that only submits could never be stopped
        return self.submit_packed(data, getattr(fn, "__name__", "the task"))

    def submit_packed(self, data: bytes, name: str, of_task: bool = False) -> Future:
        """Do what `submit` does, once the call is pickled. `of_task` is for a call that comes from another task."""
        future = Future(self, name)
        with self.dispatcher.lock:
            self.dispatcher.check_open(of_task)
            future.position = self.dispatcher.calls.add(future, data, name)
        self._manager.step()
        return future

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
        must_be_sync(fn, self.kind)
        until = check_map(timeout, chunksize, buffersize)
        items = iter(iterables[0]) if len(iterables) == 1 else zip(*iterables)  # noqa: B905 - as Executor.map does
        map_call = MapCall(fn, items, len(iterables) != 1, self.home, chunksize)
        self.dispatcher.add(map_call)
        results = self._results(map_call, until, buffersize)
        next(results)
        self._feed_first(map_call, buffersize)
        return results

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take nothing more, and wait until everything is done, unless told not to. A second call does no harm."""
        with self.dispatcher.lock:
            self.dispatcher.stage = max(self.dispatcher.stage, CLOSED)
            if cancel_futures:
                self.dispatcher.cancel_waiting()
        self._manager.notify()
        if wait:
            self.wait_until(self._is_gone, None)
            self._manager.join()

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

    # Waiting.

    def wait_until(self, done: Callable[[], bool], until: float | None) -> None:
        """Wait until `done`, and run the pool meanwhile. Raises `TimeoutError`."""
        if not self._manager.help_until(done, until):
            raise TimeoutError("the pool has not done it in time")

    def notify(self) -> None:
        """Wake all that wait for the pool: there is something to see."""
        self._manager.notify()

    def _gone(self) -> None:
        """Forget the pool, whose workers have all ended. The manager's thread calls this last."""
        if self._request_server is not None:
            self._request_server.close()
        del self.home.pools[self._manager.worker_group.at]
        self.home.closers.remove(self._abandon)

    def _is_gone(self) -> bool:
        return self._manager.gone

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
        position = 0
        while position < map_call.stop:
            if position not in map_call.runs:
                self.wait_until(partial(map_call.is_told, position), until)
            self.home.checkpoint()  # also for a task that never has to wait; and as in Future.result
            run = map_call.pop(position)
            if isinstance(run, Failure):
                raise run.error
            position += len(run)
            run.reverse()
            if buffersize is None:
                while run:
                    yield run.pop()  # nothing is to hold a result that was handed out
            else:
                yield from self._refilling(map_call, run, buffersize)
            map_call.forget_before(position)

    def _refilling(self, map_call: MapCall, backwards: list[Any], buffersize: int) -> Iterator[Any]:
        """Yield these results, and take one more item in for each of them; quick tasks are handed out by the batch."""
        enough = buffersize // (4 * self._workers)
        while backwards:
            self._take_in(map_call, 1)
            if map_call.is_worth_handing_out(enough):
                self.home.checkpoint()
                self._manager.step()
            yield backwards.pop()

    def _feed_first(self, map_call: MapCall, buffersize: int | None) -> None:
        """Take the first items from the iterables: few at a time at first, so that the workers can begin."""
        most, size = math.inf if buffersize is None else buffersize, 1
        while most and self._feed(map_call, int(min(size, most))):
            most, size = most - min(size, most), min(4 * size, 4096)

    def _feed(self, map_call: MapCall, most: int) -> bool:
        """Take so many items from the iterables, and hand them out; return False if there were no more."""
        self.home.checkpoint()
        count = self._take_in(map_call, most)
        if count:
            self._manager.step()
        return count == most

    def _take_in(self, map_call: MapCall, most: int) -> int:
        """Take so many items from the iterables; return how many there were."""
        items = map_call.fetch(most)
        if items:
            with self.dispatcher.lock:
                map_call.add(items)
        return len(items)

    def _stop(self, error: BaseException) -> None:
        """End the pool, because the body has failed: nothing more is begun, and what waits is cancelled.

        This waits for the workers to end, whatever comes.
        """
        participant = self.home
        with self.dispatcher.lock:
            self.dispatcher.stage = STOPPED
            self.dispatcher.cancel_waiting()
        if isinstance(error, (KeyboardInterrupt, Terminated)):
            participant.shorten_grace()
        self._manager.cancel()
        slot = participant.wait_slot()
        before, slot.shielded = slot.shielded, True
        participant.clean_up(True)
        try:
            self._manager.help_until(self._is_gone)
        finally:
            slot.shielded = before
            participant.clean_up(before)
        self._manager.join()

    def _abandon(self) -> None:
        """End the pool, because the run has failed."""
        self._stop(TaskCancelled("the run has ended"))


class ProcessPool(Pool):
    """A pool of processes; see `concmodels.contract.Pool`."""

    kind = "processes"


class InterpreterPool(Pool):
    """A pool of interpreters; see `concmodels.contract.Pool`."""

    kind = "subinterp"

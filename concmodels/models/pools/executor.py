"""A pool is a channel and a group: workers that receive jobs from an inbox.

                                        ┌─ worker 1 ─┐          group = TaskGroup()
    submit ──┐                          │            │          inbox = Channel(math.inf)
             ├──►  | job | job | job |  ┼─ worker 2 ─┼─►  future.set_result, or results[position]
    map ─────┘           inbox          │            │          for each worker: group.spawn(work, inbox)
                                        └─ worker 3 ─┘          work: for job in inbox: do it

That is nearly all. `shutdown` closes the inbox: jobs that were accepted can still be received, so the workers do them
and then their loops end. The rest is about ends that are not so smooth: a body that fails, a pool that is forgotten,
workers that all wait for each other.

    Pool     what the program holds. Its workers do not know it: when the program drops it, it can close the inbox.
    Workers  the tasks that do the jobs (`workers.py`)
    Inbox    the jobs that no worker has begun (`inbox.py`)
    Pools    the pools of a run, which are shut down at its end (`run.py`)

A model names its channel and its group. The same for async models is in `awaited.py` and `awaited_workers.py`.
"""

import math
from concurrent.futures import CancelledError
from functools import partial

from concmodels.errors import ChannelClosed
from concmodels.models.pools.arguments import check_initializer, next_name, number_of_workers, refuse
from concmodels.models.pools.future import Future
from concmodels.models.pools.mapping import MappingExecutor
from concmodels.models.pools.results import Failure, Results, Supply
from concmodels.models.pools.workers import Workers
from concmodels.models.waiting.calls import check_call
from concmodels.models.waiting.timeouts import remaining

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from types import TracebackType
    from typing import Any, ClassVar


class Pool(MappingExecutor):
    """Workers that do what they are given; see `concmodels.contract.Pool`. A model says what they are built on."""

    Channel: ClassVar[type[Any]]
    TaskGroup: ClassVar[type[Any]]
    workers_type: ClassVar[type[Workers]] = Workers
    future_type: ClassVar[type[Future]] = Future
    results_type: ClassVar[type[Results]] = Results

    @staticmethod
    def new_name() -> str:
        """Return the name of the next pool, for messages."""
        return next_name()

    def __init__(
        self,
        workers: int | None = None,
        *,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
    ) -> None:
        """Start so many workers; each first calls `initializer(*initargs)`. Raises `ValueError` for less than one."""
        check_initializer(initializer)
        self.model = type(self).__module__.rpartition(".")[2].strip("_")
        if initializer is not None:
            check_call(initializer, "initializer", self.model)
        size = number_of_workers(workers)
        inbox = self.Channel(math.inf, self.new_name())
        started = self.workers_type(inbox, self.TaskGroup(), size, initializer, tuple(initargs))
        started.start()
        self._workers = started  # only now: a pool whose workers could not be started has nothing to close

    @property
    def workers(self) -> int:
        """The number of workers."""
        return self._workers.size

    def __repr__(self) -> str:
        return f"<Pool of {self.workers} workers, {'shut down' if self._workers.inbox.closed else 'open'}>"

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Have one worker call `fn(*args, **kwargs)`. Raises `RuntimeError` once the pool is shut down."""
        check_call(fn, "submit", self.model)
        workers = self._workers
        future = self.future_type(workers, partial(fn, **kwargs) if kwargs else fn)
        try:
            workers.channel.send((future, 0, args))
        except ChannelClosed:
            refuse(workers.refusal())
        return future

    def _map(
        self,
        fn: Callable[..., Any],
        iterables: tuple[Iterable[Any], ...],
        until: float | None,
        _chunksize: int | None,
        buffersize: int | None,
    ) -> Generator[Any]:
        workers = self._workers
        if workers.inbox.closed:
            refuse(workers.refusal())
        results = self.results_type(fn, CancelledError)
        supply = Supply(results, iterables, buffersize, workers.channel.send, workers.inbox.refusal)
        taken = self._take(results, supply, until)
        next(taken)
        return taken

    def _take(self, results: Results, supply: Supply, until: float | None) -> Generator[Any]:
        """Yield the results in order, after one empty step that begins the generator.

        A deadlock report knows a task that waits for the next result by the name of this function.
        """
        found, position = results.found, 0
        try:
            yield
            while position < supply.sent:
                if position not in found:
                    self._workers.wait_for(results, position, remaining(until, self.clock))
                if type(found[position]) is Failure:
                    self._workers.checkpoint()
                    raise self._workers.deliver(found.pop(position).error)
                supply.refill()
                position += 1
                yield found.pop(position - 1)  # a name would hold the result that was handed out
        finally:
            results.end()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more tasks; with `wait`, wait until all are done. `cancel_futures` cancels those not begun.

        Raises `RuntimeError` if a task of this very pool is to wait.
        """
        workers = self._workers
        if cancel_futures:
            workers.inbox.cancel()
        else:
            workers.inbox.close()
        if wait:
            workers.join()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._workers.leave(kind, error, trace)

    def __del__(self) -> None:
        workers = self.__dict__.get("_workers")  # none if `__init__` has failed
        if workers is not None:
            workers.forget()

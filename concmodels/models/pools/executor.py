"""A pool is a channel and a group: workers that receive jobs from an inbox.

                                        ┌─ worker 1 ─┐          group = TaskGroup()
    submit ──┐                          │            │          inbox = Channel(math.inf)
             ├──►  | job | job | job |  ┼─ worker 2 ─┼─►  future.set_result, or results[position]
    map ─────┘           inbox          │            │          for each worker: group.spawn(work, inbox)
                                        └─ worker 3 ─┘          work: for job in inbox: do it

That is nearly all. `shutdown` closes the inbox: what was accepted stays receivable, so the workers do it and then their
loops end. The rest is about ends that are not so smooth: a body that fails, a pool that is forgotten, workers that all
wait for each other.

    Pool    what the program holds. Workers do not know it: so a pool that nobody holds any more can close its inbox.
    Staff   the group of the workers and their inbox (`workers.py`).
    Pools   the pools of a run, which are shut down at its end.

A model adds its channel and its group. In an async model: `awaited.py`.
"""

from concurrent.futures import CancelledError, Executor
from functools import partial

from concmodels.models.pools.arguments import check_initializer, check_map, number_of_workers
from concmodels.models.pools.future import Future
from concmodels.models.pools.progress import is_to_be_shown, shown
from concmodels.models.pools.results import Failure, Results, Supply, length_of
from concmodels.models.waiting.timeouts import must_be_sync, remaining

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from types import TracebackType
    from typing import Any, ClassVar

    from concmodels.models.pools.workers import Staff


class Pool(Executor):
    """Workers that do what they are given; see `concmodels.contract.Pool`."""

    Staff: ClassVar[type[Staff]]

    def __init__(
        self,
        workers: int | None = None,
        *,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
    ) -> None:
        """Start so many workers; each first calls `initializer(*initargs)`. Raises `ValueError` for less than one."""
        check_initializer(initializer)
        self._model = type(self).__module__.rpartition(".")[2].strip("_")
        if initializer is not None:
            must_be_sync(initializer, self._model)
        staff = self.Staff(number_of_workers(workers), initializer, tuple(initargs))
        staff.hire()
        self._staff = staff

    @property
    def workers(self) -> int:
        """How many there are."""
        return self._staff.size

    def __repr__(self) -> str:
        return f"<Pool of {self.workers} workers, {'shut down' if self._staff.inbox.closed else 'open'}>"

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Have one worker call `fn(*args, **kwargs)`. Raises `RuntimeError` once the pool is shut down."""
        must_be_sync(fn, self._model)
        future = Future(self._staff, partial(fn, **kwargs) if kwargs else fn)
        self._staff.give((future, 0, args))
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
        """Call `fn` with the next item of each iterable; the results in order. See `concmodels.contract.Pool.map`."""
        must_be_sync(fn, self._model)
        until = check_map(timeout, chunksize, buffersize)
        label = progress if is_to_be_shown(progress) else None
        total = None if label is None else length_of(iterables)
        results = Results(fn, CancelledError)
        supply = Supply(results, iterables, buffersize, self._staff.inbox.send, self._staff.refusal)
        taken = self._take(results, supply, until)
        next(taken)
        return taken if label is None else shown(taken, label, total)

    def _take(self, results: Results, supply: Supply, until: float | None) -> Generator[Any]:
        """The results in order. It is handed out begun, so that its end comes even if it is only dropped."""
        found, position = results.found, 0
        try:
            yield
            while position < supply.sent:
                if position not in found:
                    self._staff.wait_for(results, position, remaining(until))
                if type(found[position]) is Failure:
                    raise self._staff.deliver(found.pop(position).error)
                supply.refill()
                position += 1
                yield found.pop(position - 1)  # no name is to hold a result that was handed out
        finally:
            results.end()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take nothing more; `cancel_futures` cancels what has not begun. Waits for the rest, unless told not to.

        Raises `RuntimeError` if a task of this very pool is to wait.
        """
        self._staff.close(clear=cancel_futures)
        if wait:
            self._staff.end()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._staff.leave(kind, error, trace)

    def __del__(self) -> None:
        staff = self.__dict__.get("_staff")
        if staff is not None:
            staff.forget()

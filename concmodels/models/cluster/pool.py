"""A pool: what the program holds of it. Its workers, and what they are to do, are known to the board (`workers.py`)."""

from collections import deque
from contextlib import contextmanager
from itertools import batched, islice

from distributed import secede

from concmodels.models.cluster.future import Future
from concmodels.models.cluster.link import BOARD, Handle, current, new_number, running_in
from concmodels.models.cluster.pickling import pack_call
from concmodels.models.memory.pickling import pack_error, unpack_error
from concmodels.models.pools.arguments import WAITS_FOR_ITSELF, at_least_one, check_initializer, refusal
from concmodels.models.pools.mapping import MappingExecutor
from concmodels.models.waiting.calls import check_call
from concmodels.models.waiting.timeouts import remaining

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from types import TracebackType
    from typing import Any

    from concmodels.models.cluster.link import Running


def each(fn: Callable[..., Any], chunk: tuple[tuple[Any, ...], ...]) -> tuple[list[Any], bytes]:
    """Return the results of one chunk of a map up to the first failure, and that failure pickled."""
    values: list[Any] = []
    for args in chunk:
        try:
            values.append(fn(*args))
        except Exception as error:  # noqa: BLE001 - it is raised where the results are taken
            return values, pack_error(error, _name_of(fn))
    return values, b""


def _name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", "task")


class Pool(Handle, MappingExecutor):
    """Workers that are threads of a cluster; see `concmodels.contract.Pool`."""

    model = "dask"

    def __init__(
        self,
        workers: int | None = None,
        *,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
    ) -> None:
        """Make a pool, by default with a worker for each thread of the cluster. Raises `ValueError`."""
        check_initializer(initializer)
        size = None if workers is None else at_least_one("workers", workers)
        start = b"" if initializer is None else pack_call(initializer, tuple(initargs))
        running, number = current(), new_number()
        self._attach(running.link, number, running.ask(BOARD, "make_pool", number, size, start))

    @property
    def workers(self) -> int:
        """The number of workers."""
        workers: int = self._about[0]
        return workers

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Have one worker call `fn(*args, **kwargs)`. Raises `RuntimeError` once the pool is shut down."""
        check_call(fn, "submit", "dask")
        return self._give(_name_of(fn), pack_call(fn, args, kwargs))

    def _give(self, name: str, call: bytes) -> Future:
        running = running_in(self.link)
        if running.pool == self.number and not running.seceded:
            secede()  # it makes room for what it gives
            running.seceded = True
        refused = running.ask(self.number, "accepts")
        if refused is not None:
            _, data = refused
            raise refusal(unpack_error(data) if data else None)
        future = Future(self.link, name)
        running.start(future.end, self.number, "submit", future.number, name, call)
        return future

    def _map(
        self,
        fn: Callable[..., Any],
        iterables: tuple[Iterable[Any], ...],
        until: float | None,
        chunksize: int | None,
        buffersize: int | None,
    ) -> Generator[Any]:
        """Start the calls; every item is a task of its own, unless `chunksize` says otherwise."""
        size = min(chunksize or 1, buffersize or chunksize or 1)
        chunks = batched(zip(*iterables, strict=False), size, strict=False)
        calls = (self._give(_name_of(fn), pack_call(each, (fn, chunk))) for chunk in chunks)
        taken = self._take(calls, None if buffersize is None else buffersize // size, until)
        next(taken)
        return taken

    @staticmethod
    def _take(calls: Iterator[Future], most: int | None, until: float | None) -> Generator[Any]:
        """Yield the results in order, after one empty step in which the first calls, or all, are given to the pool."""
        futures: deque[Future] = deque()
        try:
            futures.extend(islice(calls, most))
            yield
            while futures:
                values, failure = futures[0].result(remaining(until))
                futures.popleft()
                values.reverse()
                while values:
                    if len(values) == 1 and not failure:
                        futures.extend(islice(calls, 1))
                    yield values.pop()  # a name would hold the result that was handed out
                if failure:
                    raise unpack_error(failure)
        finally:
            for future in futures:
                future.cancel()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accept no more tasks; with `wait`, wait until all are done. `cancel_futures` cancels those not begun.

        Raises `RuntimeError` if a task of this very pool is to wait.
        """
        if self.link.over:
            return
        running = running_in(self.link)
        running.ask(self.number, "shut", cancel_futures)
        if wait and running.pool == self.number:
            raise RuntimeError(WAITS_FOR_ITSELF)
        if wait:
            _wait(running, self.number)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.shutdown()
        elif not self.link.over:
            _stop(running_in(self.link), self.number)

    def __repr__(self) -> str:
        return f"<dask Pool of {self.workers} workers>"


def _wait(running: Running, pool: str) -> None:
    """Wait until a pool has done what it has; if that wait fails, cancel it."""
    try:
        running.ask(pool, "idle")
    except BaseException:
        _stop(running, pool)
        raise


def _stop(running: Running, pool: str) -> None:
    """Cancel all tasks of a pool, begun or not, and wait until they have ended."""
    with running.cleaning_up():
        running.ask(pool, "stop")


@contextmanager
def ending_pools(running: Running) -> Iterator[None]:
    """End the pools of a run at the end of this block, wherever they were made."""
    try:
        yield
        for pool in running.ask(BOARD, "pools"):
            running.ask(pool, "shut", False)
            _wait(running, pool)
    except BaseException:
        for pool in running.ask(BOARD, "pools"):
            _stop(running, pool)
        raise

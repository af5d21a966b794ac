"""A pool: what the program holds of it. Its workers, and what they are to do, are known to the board (`workers.py`)."""

from collections import deque
from concurrent.futures import Future as _Future
from contextlib import ExitStack, contextmanager
from itertools import islice

from distributed import secede

from concmodels.errors import CannotTravel, TaskCancelled, WorkerDied
from concmodels.models.cluster.link import BOARD, current, link_of, new_number, running_in
from concmodels.models.cluster.pickling import dumps_call, unpack_arrived
from concmodels.models.cluster.work import DIED, DONE, FAILED, NOT_PREPARED, REFUSED, TAKEN_BACK
from concmodels.models.memory.pickling import pack_error, unpack_error
from concmodels.models.pools.arguments import WAITS_FOR_ITSELF, at_least_one, check_initializer, refusal
from concmodels.models.pools.mapping import MappingExecutor
from concmodels.models.waiting.timeouts import must_be_seconds, must_be_sync, remaining

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from types import TracebackType
    from typing import Any

    from concmodels.models.cluster.board import Board
    from concmodels.models.cluster.link import Link


class Future(_Future):  # type: ignore[type-arg] # its result is whatever the function returns
    """The standard library's future; a task that waits for its result can be cancelled there."""

    def __init__(self, link: Link, pool: str, name: str) -> None:
        super().__init__()
        self.name = name
        self.number = new_number()
        self._link, self._pool = link, pool
        link.handles[self.number] = self

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the result, or raise what the task raised; see `concurrent.futures.Future.result`."""
        self._wait(timeout)
        try:
            return super().result(timeout=0)
        except TaskCancelled:
            if not self._link.over:
                # If the caller was cancelled too, it must learn of that, and not of the other task's end.
                running_in(self._link).ask(BOARD, "check")
            raise
        finally:
            del self  # the exception holds this frame, and would keep the future alive

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait for the end; return what the task raised, if anything."""
        self._wait(timeout)
        return super().exception(timeout=0)

    def _wait(self, timeout: float | None) -> None:
        if not self.done():
            seconds = None if timeout is None else must_be_seconds(timeout)
            running_in(self._link).ask(self.number, "wait", seconds)

    def running(self) -> bool:
        """Whether the task has begun and not ended."""
        return not self.done() and not running_in(self._link).ask(self._pool, "is_waiting", self.number)

    def cancel(self) -> bool:
        """Cancel the task if it has not begun; return whether it was cancelled."""
        if not self.done():
            running_in(self._link).ask(self._pool, "take_back", self.number)  # and then it has ended, or has begun
        return self.cancelled()

    def end(self, outcome: Any, error: BaseException | None) -> None:
        """Set the outcome of the task. Called in the event loop."""
        data: Any
        state, data = outcome if error is None else (DIED, ("", str(error)))
        if state == TAKEN_BACK:
            super().cancel()
            self.set_running_or_notify_cancel()
        elif state == DONE:
            try:
                self.set_result(unpack_arrived(data, f"the result of task {self.name!r}"))
            except CannotTravel as error:
                self.set_exception(error)
        elif state == FAILED:
            self.set_exception(unpack_error(data))
        elif state in (NOT_PREPARED, REFUSED):
            self.set_exception(refusal(unpack_error(data) if data else None))
        elif state == DIED:
            worker, sentence = data
            told = f"worker {worker} died in task {self.name!r}" if worker else f"{sentence} (task {self.name!r})"
            self.set_exception(WorkerDied(told, worker or None))
        else:
            self.set_exception(TaskCancelled(f"task {self.name!r} was cancelled"))

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        """Pickle a future as its number. It is known only in the process where it was made."""
        return revive_future, (self._link.run, self.number)


def revive_future(run: str, number: str) -> Any:
    """Unpickle a future. Raises `RuntimeError` in another process than its own."""
    found = link_of(run).handles.get(number)
    if found is None:
        raise RuntimeError("this future is not here: it belongs to another process, or nobody holds it any more")
    return found


class _MapCall:
    """The calls of one `map`, in chunks. `ahead` counts the items whose results were not yielded yet."""

    def __init__(
        self, give: Callable[[str, bytes], Future], fn: Callable[..., Any], items: Any, chunk: int, most: int | None
    ) -> None:
        self.futures: deque[Future] = deque()
        self.ahead = 0
        self._give, self._fn, self._items = give, fn, items
        self._chunk, self._most = min(chunk, most or chunk), most

    def refill(self) -> None:
        """Give the pool as many chunks as may be ahead: all of them, if there is no `buffersize`."""
        while self._most is None or self.ahead + self._chunk <= self._most:
            chunk = tuple(islice(self._items, self._chunk))
            if not chunk:
                return
            self.futures.append(self._give(_name_of(self._fn), dumps_call(each, (self._fn, chunk))))
            self.ahead += len(chunk)


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


class Pool(MappingExecutor):
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
        start = b"" if initializer is None else dumps_call(initializer, tuple(initargs))
        running = current()
        number = new_number()
        self._attach(running.link, number, running.ask(BOARD, "make_pool", number, size, start))

    def _attach(self, link: Link, number: str, workers: int) -> None:
        self._link, self._number, self._workers = link, number, workers
        link.handles[number] = self

    @property
    def workers(self) -> int:
        """The number of workers."""
        return self._workers

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Have one worker call `fn(*args, **kwargs)`. Raises `RuntimeError` once the pool is shut down."""
        must_be_sync(fn, "dask")
        return self._give(_name_of(fn), dumps_call(fn, args, kwargs))

    def _give(self, name: str, call: bytes) -> Future:
        running = running_in(self._link)
        if running.pool == self._number and not running.seceded:
            secede()  # it makes room for what it gives
            running.seceded = True
        refused = running.ask(self._number, "accepts")
        if refused is not None:
            _, data = refused
            raise refusal(unpack_error(data) if data else None)
        future = Future(self._link, self._number, name)
        running.start(future.end, self._number, "submit", future.number, name, call)
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
        calls = zip(*iterables, strict=False)
        taken = self._take(_MapCall(self._give, fn, calls, chunksize or 1, buffersize), until)
        next(taken)
        return taken

    @staticmethod
    def _take(mapped: _MapCall, until: float | None) -> Generator[Any]:
        """Yield the results in order, after one empty step in which the first calls are given to the pool."""
        try:
            mapped.refill()
            yield
            while mapped.futures:
                values, failure = mapped.futures[0].result(remaining(until))
                mapped.futures.popleft()
                values.reverse()
                while values:
                    mapped.ahead -= 1
                    mapped.refill()
                    yield values.pop()  # a name would hold the result that was handed out
                if failure:
                    raise unpack_error(failure)
        finally:
            for future in mapped.futures:
                future.cancel()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take nothing more; `cancel_futures` cancels what has not begun. Waits for the rest, unless told not to.

        Raises `RuntimeError` if a task of this very pool is to wait.
        """
        if self._link.over:
            return
        running = running_in(self._link)
        running.ask(self._number, "shut", cancel_futures)
        if wait and running.pool == self._number:
            raise RuntimeError(WAITS_FOR_ITSELF)
        if wait:
            try:
                running.ask(self._number, "idle")
            except BaseException:
                self._stop()
                raise

    def _stop(self) -> None:
        """Cancel what has begun and what has not, and wait for the end of it."""
        running = running_in(self._link)
        with running.cleaning_up():
            running.ask(self._number, "stop")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.shutdown()
        elif not self._link.over:
            self._stop()

    def __reduce__(self) -> tuple[Callable[..., Pool], tuple[Any, ...]]:
        """Pickle a pool as its number: in another process it is the same pool."""
        return revive_pool, (self._link.run, self._number, self._workers)

    def __repr__(self) -> str:
        return f"<dask Pool of {self._workers} workers>"


def revive_pool(run: str, number: str, workers: int) -> Pool:
    """Unpickle a pool."""
    link = link_of(run)
    pool: Pool | None = link.handles.get(number)
    if pool is None:
        pool = Pool.__new__(Pool)
        pool._attach(link, number, workers)
    return pool


@contextmanager
def ending_pools(board: Board) -> Iterator[None]:
    """End the pools of a run at the end of this block, wherever they were made."""
    with ExitStack() as ends:
        ends.push(lambda *failure: _end_all(board, *failure))
        yield


def _end_all(board: Board, *failure: Any) -> None:
    with ExitStack() as ends:
        for pool in [revive_pool(board.run, *about) for about in board.pools()]:
            ends.push(lambda *_, pool=pool: pool.__exit__(*failure))

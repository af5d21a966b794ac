"""A pool on a Dask client.

What the pool is given waits here; at most as many tasks as it has workers are with the cluster at a time. So a task
that is there has as good as begun. When a worker is killed, only the tasks that it was doing fail with `WorkerDied`,
and the rest goes to others.

A worker of the pool is no process and no thread of its own, only the right to one of the cluster's. The initializer is
called once for each, spread over Dask's workers; and in a process that is added later, before its first task.

A task that gives the pool further tasks makes room for them (`secede`). So tasks may wait for tasks, however deep:
there are then more of them at once than the pool has workers, and no deadlock.
"""

import asyncio
import threading
import uuid
from collections import deque
from contextlib import ExitStack, contextmanager
from itertools import islice

from distributed import secede

from concmodels.models.cluster.group import outcome_of
from concmodels.models.cluster.pool_job import NOT_PREPARED, Future, each, job, name_of, prepare
from concmodels.models.cluster.run import RunningTask, Wait, World, current, dumps_call, here, running_in
from concmodels.models.memory.pickling import unpack_error
from concmodels.models.pools.arguments import WAITS_FOR_ITSELF, at_least_one, check_initializer, refusal
from concmodels.models.pools.mapping import MappingExecutor
from concmodels.models.waiting.timeouts import must_be_sync, remaining

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from types import TracebackType
    from typing import Any


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
            self.futures.append(self._give(name_of(self._fn), dumps_call(each, (self._fn, chunk))))
            self.ahead += len(chunk)


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
        start = b"" if initializer is None else dumps_call(initializer, tuple(initargs))
        running = current()
        threads = running.world.ask(_threads(running.world))
        size = threads if workers is None else at_least_one("workers", workers)
        self._attach(running.world, uuid.uuid4().hex, running.scopes, size, size > threads, start)
        if start:
            self._starting = True
            self._idle.clear()
            running.world.loop.call_soon_threadsafe(running.world.begin, self._start_workers())

    def _attach(self, world: World, number: str, scopes: list[str], workers: float, spare: bool, start: bytes) -> None:
        self._world, self._number, self._scopes = world, number, [*scopes, number]
        self._workers, self._spare, self._start = workers, spare, start
        self._waiting: deque[tuple[Future, bytes]] = deque()
        self._busy = 0  # how many tasks are with the cluster
        self._left: set[str] = set()  # those of them that have made room for others
        self._starting = self._shut = False
        self._broken: BaseException | None = None
        self._lock = threading.Lock()
        self._idle = asyncio.Event()
        self._idle.set()
        world.pools[number] = self

    @property
    def workers(self) -> int:
        """The number of workers."""
        return int(self._workers)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Have one worker call `fn(*args, **kwargs)`. Raises `RuntimeError` once the pool is shut down."""
        must_be_sync(fn, "dask")
        return self._give(name_of(fn), dumps_call(fn, args, kwargs))

    def _give(self, name: str, call: bytes) -> Future:
        self._make_room()
        future = Future(self._world, name)
        with self._lock:
            if self._shut or self._broken is not None:
                raise refusal(self._broken)
            self._waiting.append((future, call))
        self._world.loop.call_soon_threadsafe(self._feed)
        return future

    def _make_room(self) -> None:
        """If the caller is a task of this pool, let it make room for what it gives."""
        running = here.running
        if running is None or running.pool != self._number:
            return
        if not running.seceded:
            secede()
            running.seceded = True
        self._left.add(running.task)

    # In the event loop.

    async def _start_workers(self) -> None:
        """Have the initializer called once for every worker; then begin."""
        client, parts = self._world.client, (self._world.run, self._number, self._scopes, self._start)
        places = _spread(await client.nthreads())
        tasks = [
            client.submit(prepare, *parts, workers=[places[number % len(places)]], allow_other_workers=True, pure=False)
            for number in range(self.workers)
        ]
        for task in tasks:
            state, data = await outcome_of(task, self._world)
            if state == NOT_PREPARED:
                self._break(unpack_error(data))
        self._starting = False
        self._feed()

    def _feed(self) -> None:
        """Give the cluster as many tasks as there are workers for."""
        self._idle.clear()
        while self._waiting and not self._starting and self._busy - len(self._left) < self._workers:
            future, call = self._waiting.popleft()
            if future.set_running_or_notify_cancel():
                self._busy += 1
                self._world.begin(self._do(future, call))
        if not (self._busy or self._waiting or self._starting):
            self._idle.set()

    async def _do(self, future: Future, call: bytes) -> None:
        key = f"{future.name}-{uuid.uuid4().hex}"
        place = (self._world.run, self._number, key, self._scopes)
        task = self._world.client.submit(job, *place, future.name, self._start, self._spare, call, key=key, pure=False)
        state, data = await outcome_of(task, self._world)
        if state == NOT_PREPARED:
            self._break(unpack_error(data))
            future.set_exception(refusal(self._broken))
        else:
            future.end(state, data)
        self._busy -= 1
        self._left.discard(key)
        self._feed()

    def _break(self, reason: BaseException) -> None:
        """Fail what is waiting, and take nothing more: the initializer has raised `reason`."""
        with self._lock:
            self._broken = self._broken or reason
            rest = list(self._waiting)
            self._waiting.clear()
        for future, _ in rest:
            future.drop(refusal(self._broken))

    # Maps.

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

    # The end.

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take nothing more; `cancel_futures` cancels what has not begun. Waits for the rest, unless told not to.

        Raises `RuntimeError` if a task of this very pool is to wait.
        """
        with self._lock:
            self._shut = True
            rest = list(self._waiting) if cancel_futures else []
        for future, _ in rest:
            future.cancel()
        if wait and not self._world.over:
            self._wait()

    def _wait(self) -> None:
        running = running_in(self._world)
        if running.pool == self._number:
            raise RuntimeError(WAITS_FOR_ITSELF)
        try:
            self._world.ask(self._all_done(running), running)
        except BaseException:
            self._stop(running)
            raise

    async def _all_done(self, running: RunningTask) -> None:
        await Wait(running, None).event(self._idle)
        await running.check()  # leaving is a checkpoint, also when the tasks were cancelled first

    def _stop(self, running: RunningTask) -> None:
        """Cancel what has begun and what has not, and wait for the end of it."""
        self.shutdown(wait=False, cancel_futures=True)
        self._world.ask(self._world.cancel(self._number))
        with running.cleaning_up():
            self._world.ask(Wait(running, None).event(self._idle))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.shutdown()
        elif not self._world.over:
            self._stop(running_in(self._world))

    def __reduce__(self) -> tuple[Callable[..., Pool], tuple[Any, ...]]:
        """Pickle a pool as its number; what a task in another process gives it goes straight to the cluster."""
        return revive, (self._world.run, self._number, self._scopes[:-1], self._start)

    def __repr__(self) -> str:
        return f"<dask Pool of {self._workers} workers, {'shut down' if self._shut else 'open'}>"


def revive(run: str, number: str, scopes: list[str], start: bytes) -> Pool:
    """Unpickle a pool.

    It has no bound in a process that did not make it: there it is used by its own tasks, which make room for others.
    """
    world = World.here(run)
    pool = world.pools.get(number)
    if pool is None:
        pool = Pool.__new__(Pool)
        pool._attach(world, number, scopes, float("inf"), True, start)
    found: Pool = pool
    return found


@contextmanager
def ending_pools(world: World) -> Iterator[None]:
    """End the pools of a run at the end of this block."""
    with ExitStack() as ends:
        ends.push(lambda *failure: _end_all(world, *failure))
        yield


def _end_all(world: World, *failure: Any) -> None:
    with ExitStack() as ends:
        for pool in list(world.pools.values()):
            ends.push(lambda *_, pool=pool: pool.__exit__(*failure))


async def _threads(world: World) -> int:
    """How many threads the cluster has."""
    return sum((await world.client.nthreads()).values())


def _spread(threads: dict[str, int]) -> list[str]:
    """The addresses of Dask's workers, each as often as it has threads, in turn."""
    return [address for turn in range(max(threads.values())) for address, count in threads.items() if turn < count]

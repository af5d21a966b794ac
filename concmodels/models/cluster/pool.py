"""A pool on a Dask client.

What it is given waits here, and at most as many tasks as it has workers are with the cluster at a time. So a task that
is there has as good as begun: when a worker is killed, only the tasks that it was in fail with `WorkerDied`, and the
rest goes to others.

A worker of the pool is no process and no thread of its own, only the right to one of the cluster's. The initializer is
called as often as there are workers, spread over Dask's; and in a process that comes later, before its first task.

A task that gives the pool further tasks leaves its place to them (`secede`). So tasks may wait for tasks, however deep:
there are then more of them at once than the pool has workers, and no deadlock.
"""

import asyncio
import threading
import uuid
from collections import deque
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from itertools import islice

from distributed import secede

from concmodels.models.cluster.group import outcome_of
from concmodels.models.cluster.pool_job import UNFIT, Future, each, job, name_of, prepare
from concmodels.models.cluster.run import Unit, Wait, World, current, dumps_call, here, unit_in
from concmodels.models.memory.pickling import unpack_error
from concmodels.models.pools.arguments import LONELY, at_least_one, check_initializer, check_map, refusal
from concmodels.models.pools.progress import is_to_be_shown, shown
from concmodels.models.pools.results import length_of
from concmodels.models.waiting.timeouts import must_be_sync, remaining

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from types import TracebackType
    from typing import Any


class _Flight:
    """The chunks of one map that are under way. `ahead` counts the items whose results were not yielded yet."""

    def __init__(
        self, give: Callable[[str, bytes], Future], fn: Callable[..., Any], items: Any, chunk: int, most: int | None
    ) -> None:
        self.futures: deque[Future] = deque()
        self.ahead = 0
        self._give, self._fn, self._items = give, fn, items
        self._chunk, self._most = min(chunk, most or chunk), most

    def refill(self) -> None:
        """Give the pool as many chunks as may be ahead: all, without a limit."""
        while self._most is None or self.ahead + self._chunk <= self._most:
            chunk = tuple(islice(self._items, self._chunk))
            if not chunk:
                return
            self.futures.append(self._give(name_of(self._fn), dumps_call(each, (self._fn, chunk))))
            self.ahead += len(chunk)


class Pool(Executor):
    """Workers that are threads of a cluster; see `concmodels.contract.Pool`."""

    def __init__(
        self,
        workers: int | None = None,
        *,
        initializer: Callable[..., object] | None = None,
        initargs: Iterable[Any] = (),
    ) -> None:
        """By default as many workers as the cluster has threads. Raises `ValueError` for less than one."""
        check_initializer(initializer)
        start = b"" if initializer is None else dumps_call(initializer, tuple(initargs))
        unit = current()
        threads = unit.world.ask(_threads(unit.world))
        size = threads if workers is None else at_least_one("workers", workers)
        self._attach(unit.world, uuid.uuid4().hex, unit.scopes, size, size > threads, start)
        if start:
            self._starting = True
            self._idle.clear()
            unit.world.loop.call_soon_threadsafe(unit.world.begin, self._hire())

    def _attach(self, world: World, number: str, scopes: list[str], workers: float, spare: bool, start: bytes) -> None:
        self._world, self._number, self._scopes = world, number, [*scopes, number]
        self._workers, self._spare, self._start = workers, spare, start
        self._waiting: deque[tuple[Future, bytes]] = deque()
        self._busy = 0  # how many tasks are with the cluster
        self._left: set[str] = set()  # those of them that left their place to others
        self._starting = self._shut = False
        self._broken: BaseException | None = None
        self._lock = threading.Lock()
        self._idle = asyncio.Event()
        self._idle.set()
        world.pools[number] = self

    @property
    def workers(self) -> int:
        """How many there are."""
        return int(self._workers)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future:
        """Have one worker call `fn(*args, **kwargs)`. Raises `RuntimeError` once the pool is shut down."""
        must_be_sync(fn, "dask")
        return self._give(name_of(fn), dumps_call(fn, args, kwargs))

    def _give(self, name: str, call: bytes) -> Future:
        self._leave_its_place()
        future = Future(self._world, name)
        with self._lock:
            if self._shut or self._broken is not None:
                raise refusal(self._broken)
            self._waiting.append((future, call))
        self._world.loop.call_soon_threadsafe(self._feed)
        return future

    def _leave_its_place(self) -> None:
        """If this is a task of this pool, it makes room for what it gives."""
        unit = here.unit
        if unit is None or unit.pool != self._number:
            return
        if not unit.seceded:
            secede()
            unit.seceded = True
        self._left.add(unit.task)

    # In the event loop.

    async def _hire(self) -> None:
        """Have the initializer called by every worker; then begin."""
        client, parts = self._world.client, (self._world.run, self._number, self._scopes, self._start)
        places = _spread(await client.nthreads())
        tasks = [
            client.submit(prepare, *parts, workers=[places[number % len(places)]], allow_other_workers=True, pure=False)
            for number in range(self.workers)
        ]
        for task in tasks:
            state, data = await outcome_of(task, self._world)
            if state == UNFIT:
                self._break(unpack_error(data))
        self._starting = False
        self._feed()

    def _feed(self) -> None:
        """Give the cluster as much as there are workers for."""
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
        if state == UNFIT:
            self._break(unpack_error(data))
            future.set_exception(refusal(self._broken))
        else:
            future.end(state, data)
        self._busy -= 1
        self._left.discard(key)
        self._feed()

    def _break(self, reason: BaseException) -> None:
        """The initializer has failed: nothing will be done any more."""
        with self._lock:
            self._broken = self._broken or reason
            rest = list(self._waiting)
            self._waiting.clear()
        for future, _ in rest:
            future.drop(refusal(self._broken))

    # Maps.

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
        """As `concmodels.contract.Pool.map`; only that every task travels alone, unless `chunksize` says otherwise."""
        must_be_sync(fn, "dask")
        until = check_map(timeout, chunksize, buffersize)
        items = zip(*iterables, strict=False)
        results = self._map(_Flight(self._give, fn, items, chunksize or 1, buffersize), until)
        next(results)
        return shown(results, progress or "", length_of(iterables)) if is_to_be_shown(progress) else results

    @staticmethod
    def _map(flight: _Flight, until: float | None) -> Generator[Any]:
        """The results in order. It is begun when it is handed out, so that it also ends if it is only dropped."""
        try:
            flight.refill()
            yield
            while flight.futures:
                values, failure = flight.futures[0].result(remaining(until))
                flight.futures.popleft()
                values.reverse()
                while values:
                    flight.ahead -= 1
                    flight.refill()
                    yield values.pop()  # nothing is to hold a result that was handed out
                if failure:
                    raise unpack_error(failure)
        finally:
            for future in flight.futures:
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
        unit = unit_in(self._world)
        if unit.pool == self._number:
            raise RuntimeError(LONELY)
        try:
            self._world.ask(self._all_done(unit), unit)
        except BaseException:
            self._stop(unit)
            raise

    async def _all_done(self, unit: Unit) -> None:
        await Wait(unit, None).event(self._idle)
        await unit.check()  # leaving is a checkpoint, also when the tasks were cancelled first

    def _stop(self, unit: Unit) -> None:
        """Cancel what has begun and what has not, and wait for the end of it."""
        self.shutdown(wait=False, cancel_futures=True)
        self._world.ask(self._world.cancel(self._number))
        with unit.cleaning_up():
            self._world.ask(Wait(unit, None).event(self._idle))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.shutdown()
        elif not self._world.over:
            self._stop(unit_in(self._world))

    def __reduce__(self) -> tuple[Callable[..., Pool], tuple[Any, ...]]:
        """A pool travels as its number; what a task in another process gives it goes straight to the cluster."""
        return revive, (self._world.run, self._number, self._scopes[:-1], self._start)

    def __repr__(self) -> str:
        return f"<dask Pool of {self._workers} workers, {'shut down' if self._shut else 'open'}>"


def revive(run: str, number: str, scopes: list[str], start: bytes) -> Pool:
    """A pool that arrives: here it is without bound, for its tasks are beyond the first ones'."""
    world = World.here(run)
    pool = world.pools.get(number)
    if pool is None:
        pool = Pool.__new__(Pool)
        pool._attach(world, number, scopes, float("inf"), True, start)
    found: Pool = pool
    return found


@contextmanager
def ending_pools(world: World) -> Iterator[None]:
    """The end of the run is the end of its pools."""
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

"""Empty tasks done by a model's pool and by what it is held against; and tasks that compute, without any pool.

A lap takes the number of tasks and the number of workers, makes its pool, warms it up, and returns the seconds that the
counted `map` took, with all its results in a list.
"""

import asyncio
import multiprocessing
import statistics
import time
import warnings
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import batched
from typing import Any

from concmodels import catalog
from concmodels.work import Work, load
from concmodels.work.nothing import async_nothing, nothing

ENOUGH = 0.5
"""Seconds that a lap takes at least; then the median of its repetitions counts."""
WARM_UP = 2000
"""Empty tasks that are not counted."""
CHUNKS = (1, 1000)

type Lap = Callable[[int, int], float]


def timed(run: Callable[[], Iterable[Any]], expected: Iterable[Any]) -> float:
    """Return the seconds until all results are there; what takes little time is repeated. The results are
    checked later."""
    due, times = list(expected), [0.0]
    while sum(times) < ENOUGH:
        begin = time.perf_counter()
        results = list(run())
        times.append(time.perf_counter() - begin)
        check(results, due)
    return statistics.median(times[1:])


async def async_timed(run: Callable[[], Awaitable[list[Any]]], expected: Iterable[Any]) -> float:
    """The async form of `timed`."""
    due, times = list(expected), [0.0]
    while sum(times) < ENOUGH:
        begin = time.perf_counter()
        results = await run()
        times.append(time.perf_counter() - begin)
        check(results, due)
    return statistics.median(times[1:])


def check(results: list[Any], due: list[Any]) -> None:
    """Raise `RuntimeError` unless all results are right and in order."""
    if results != due:
        raise RuntimeError("the pool returned other results than it should")


def wake(pool: Any, workers: int) -> None:
    """Let every worker of a pool of processes or threads begin one task, then many."""
    list(pool.map(time.sleep, [0.1] * workers))
    list(pool.map(nothing, range(WARM_UP)))


def process_pool(chunksize: int) -> Lap:
    """Return a lap of `ProcessPoolExecutor` with chunks of this size."""

    def lap(tasks: int, workers: int) -> float:
        with ProcessPoolExecutor(workers) as pool:
            wake(pool, workers)
            return timed(lambda: pool.map(nothing, range(tasks), chunksize=chunksize), range(tasks))

    return lap


def gevent_pool(tasks: int, workers: int) -> float:
    """Time `gevent.pool.Pool.map`."""
    from gevent.pool import Pool

    pool = Pool(workers)
    pool.map(nothing, range(WARM_UP))
    return timed(lambda: pool.map(nothing, range(tasks)), range(tasks))


def eventlet_pool(tasks: int, workers: int) -> float:
    """Time `eventlet.GreenPool.imap`."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import eventlet

    pool = eventlet.GreenPool(workers)
    list(pool.imap(nothing, range(WARM_UP)))
    return timed(lambda: pool.imap(nothing, range(tasks)), range(tasks))


def gather(size: int) -> Lap:
    """Return a lap of `asyncio.gather` over slices of this size: one task for each call, and no workers."""

    async def run(tasks: int) -> list[int]:
        results: list[int] = []
        for numbers in batched(range(tasks), size, strict=False):
            results += await asyncio.gather(*map(async_nothing, numbers))
        return results

    async def main(tasks: int) -> float:
        await run(WARM_UP)
        return await async_timed(lambda: run(tasks), range(tasks))

    return lambda tasks, workers: asyncio.run(main(tasks))


def trio_nursery(tasks: int, workers: int) -> float:
    """Time one task for each call in a trio nursery, with a `trio.CapacityLimiter`."""
    import trio

    async def run(tasks: int) -> list[int]:
        limiter, results = trio.CapacityLimiter(workers), [-1] * tasks

        async def one(number: int) -> None:
            async with limiter:
                results[number] = await async_nothing(number)

        async with trio.open_nursery() as nursery:
            for number in range(tasks):
                nursery.start_soon(one, number)
        return results

    async def main() -> float:
        await run(WARM_UP)
        return await async_timed(lambda: run(tasks), range(tasks))

    return trio.run(main)


def bare_processes(tasks: int, workers: int) -> float:
    """Time the `cpu` work in bare processes: each has its share from the start, and is only told to begin."""
    work = load("cpu")("processes", tasks, workers)
    items = list(work.items())
    context = multiprocessing.get_context("fork")
    barrier = context.Barrier(workers + 1)
    shares = [(work.function, items[first::workers], barrier) for first in range(workers)]
    units = [context.Process(target=bare, args=it) for it in shares]
    for unit in units:
        unit.start()
    barrier.wait()
    begin = time.perf_counter()
    barrier.wait()
    took = time.perf_counter() - begin
    for unit in units:
        unit.join()
    return took


def bare(function: Callable[[Any], object], items: list[Any], barrier: Any) -> None:
    """Do the share of one bare process, after a warm-up."""
    function(items[0])
    barrier.wait()
    for item in items:
        function(item)
    barrier.wait()


def ours(model: str) -> Lap:
    """Return a lap of empty tasks in the pool of a model."""

    def lap(tasks: int, workers: int) -> float:
        loaded: Any = catalog.load(model)
        work = load("nothing")(model, tasks, workers)
        took: float = loaded.run(async_lap if work.facts.is_async else plain_lap, loaded, work)
        return took

    return lap


def plain_lap(model: Any, work: Work) -> float:
    """Time `map` in the pool of a sync model."""
    with work.prepared(model), model.Pool(work.workers) as pool:
        if work.facts.parallel == "always":
            wake(pool, work.workers)
        list(pool.map(work.function, range(WARM_UP)))
        return timed(lambda: pool.map(work.function, work.items()), work.expected())


async def async_lap(model: Any, work: Work) -> float:
    """The async form of `plain_lap`."""

    async def run(items: Iterable[Any]) -> list[Any]:
        return [result async for result in pool.map(work.function, items)]

    async with work.prepared(model), model.Pool(work.workers) as pool:
        await run(range(WARM_UP))
        return await async_timed(lambda: run(work.items()), work.expected())


LAPS: dict[str, Lap] = {
    "gevent.pool.Pool.map": gevent_pool,
    "eventlet.GreenPool.imap": eventlet_pool,
    "trio nursery, CapacityLimiter": trio_nursery,
    "asyncio.gather, slices of 100": gather(100),
    "two bare processes": bare_processes,
}
LAPS |= {f"ProcessPoolExecutor, chunks of {size}": process_pool(size) for size in CHUNKS}
LAPS |= {f"nothing in {model}": ours(model) for model in catalog.names()}

"""The rows of the article on subinterpreters: the whole life of a pool, its start and its end inside the clock.

What the tasks need (a server, a buffer) is there before, and the world of a model has been started.
"""

import time
from typing import Any

from concmodels.work import Work, load


def ours(model: str, tasks: int, workers: int, work: str, **options: Any) -> float:
    """Run the work in the pool of a model, in a run of its own."""
    from benchmarks.calls import not_without
    from concmodels import catalog

    not_without(model)
    loaded: Any = catalog.load(model)
    job = load(work)(model, tasks, workers, **options)
    took: float = loaded.run(async_life if job.facts.is_async else life, loaded, job)
    return took


def life(model: Any, work: Work) -> float:
    """Make a pool, use it and end it, in a sync model; return the seconds."""
    with work.prepared(model):
        items, begin = list(work.items()), time.perf_counter()
        with model.Pool(work.workers) as pool:
            results = list(pool.map(work.function, items))
        took = time.perf_counter() - begin
        check(results, work)
    return took


async def async_life(model: Any, work: Work) -> float:
    """The async form of `life`."""
    async with work.prepared(model):
        items, begin = list(work.items()), time.perf_counter()
        async with model.Pool(work.workers) as pool:
            results = [result async for result in pool.map(work.function, items)]
        took = time.perf_counter() - begin
        check(results, work)
    return took


def check(results: list[Any], work: Work) -> None:
    """Raise `RuntimeError` unless all results are right."""
    if results != list(work.expected()):
        raise RuntimeError("the pool returned other results than it should")


def executor(executor: str, tasks: int, workers: int, size: int) -> float:
    """Compute the slices of the factorial in an executor of the standard library, or one after the other."""
    import concurrent.futures

    work = load("cpu")("threads", tasks, workers, kind="factorial", size=size)
    items, begin = list(work.items()), time.perf_counter()
    if executor == "a plain loop":
        results = [work.function(item) for item in items]
    else:
        with getattr(concurrent.futures, executor)(workers) as pool:
            results = list(pool.map(work.function, items))
    took = time.perf_counter() - begin
    check(results, work)
    return took

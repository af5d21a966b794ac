"""Pools that one might pick instead of ours, with tasks of any length: a Fibonacci number each, or nothing (size 0)."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from benchmarks.cell import NotHere
from concmodels.work.cpu import fibonacci
from concmodels.work.nothing import nothing

CHUNK = 100
"""Tasks that travel together where the library wants to be told: a good size for short ones."""
WARM_UP = 100

type Map = Callable[[Callable[[int], int], list[int], int], Iterable[int]]
"""A function, its arguments, and how many travel together."""


def run(peer: str, tasks: int, workers: int, size: int) -> float:
    """Return the seconds of one `map`; the pool is made and warmed up before."""
    function = fibonacci if size else nothing
    items = [size] * tasks if size else list(range(tasks))
    chunk = max(1, min(CHUNK, tasks // (4 * workers)))
    with PEERS[peer](workers) as map_:
        list(map_(function, items[:WARM_UP], 1))
        begin = time.perf_counter()
        results = list(map_(function, items, chunk))
        took = time.perf_counter() - begin
    if results != [function(item) for item in items]:
        raise RuntimeError(f"{peer} returned other results than it should")
    return took


def executor(name: str) -> Callable[[int], AbstractContextManager[Map]]:
    """Use an executor of the standard library."""

    @contextmanager
    def opened(workers: int) -> Iterator[Map]:
        import concurrent.futures

        kind = getattr(concurrent.futures, name, None)
        if kind is None:
            raise NotHere(f"concurrent.futures has no {name} in this Python")
        with kind(workers) as pool:
            yield lambda function, items, chunk: pool.map(function, items, chunksize=chunk)

    return opened


@contextmanager
def multiprocessing_pool(workers: int) -> Iterator[Map]:
    """Use `multiprocessing.Pool`."""
    import multiprocessing

    with multiprocessing.Pool(workers) as pool:
        yield lambda function, items, chunk: pool.map(function, items, chunk)


@contextmanager
def joblib(workers: int) -> Iterator[Map]:
    """Use joblib with its own processes; joblib chooses how many tasks it sends together."""
    library: Any = imported("joblib")
    with library.Parallel(n_jobs=workers) as parallel:
        yield lambda function, items, chunk: parallel(library.delayed(function)(item) for item in items)


@contextmanager
def mpire(workers: int) -> Iterator[Map]:
    """Use mpire's WorkerPool."""
    library: Any = imported("mpire")
    with library.WorkerPool(workers, keep_alive=True) as pool:
        yield lambda function, items, chunk: pool.map(function, items, chunk_size=chunk)


def imported(library: str) -> Any:
    """Import a library that may be missing."""
    from importlib import import_module

    try:
        return import_module(library)
    except ImportError as error:
        raise NotHere(f"not installed; pip install {library} ({error})") from None


PEERS: dict[str, Callable[[int], AbstractContextManager[Map]]] = {
    "ThreadPoolExecutor": executor("ThreadPoolExecutor"),
    "ProcessPoolExecutor": executor("ProcessPoolExecutor"),
    "InterpreterPoolExecutor": executor("InterpreterPoolExecutor"),
    "multiprocessing.Pool": multiprocessing_pool,
    "joblib": joblib,
    "mpire": mpire,
}

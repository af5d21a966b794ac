"""A call in a pool of one worker, the next one when its result has come: `submit(len, item).result()`."""

from collections.abc import Callable
from typing import Any

from benchmarks.calls import Took
from benchmarks.shapes.clock import Clock
from benchmarks.shapes.items import ITEMS

WARM_UP = 20


def ours(model: str, item: str, calls: int) -> Took:
    """Use the pool of a model."""
    from benchmarks.calls import not_without
    from concmodels import catalog

    not_without(model)
    loaded: Any = catalog.load(model)
    took: Took = loaded.run(in_pool, loaded, item, calls)
    return took


def in_pool(model: Any, item: str, calls: int) -> Took:
    """Make the pool in a run of the model."""
    with model.Pool(1) as pool:
        return called(lambda argument: pool.submit(len, argument).result(), item, calls)


def peer(peer: str, item: str, calls: int) -> Took:
    """Use a pool of the standard library."""
    import concurrent.futures
    import multiprocessing

    from benchmarks.cell import NotHere

    if peer == "multiprocessing.Pool":
        with multiprocessing.Pool(1) as workers:
            return called(lambda argument: workers.apply(len, (argument,)), item, calls)
    kind = getattr(concurrent.futures, peer, None)
    if kind is None:
        raise NotHere(f"concurrent.futures has no {peer} in this Python")
    with kind(1) as executor:
        return called(lambda argument: executor.submit(len, argument).result(), item, calls)


def called(call: Callable[[Any], int], item: str, calls: int) -> Took:
    """Return what so many calls take, after a few that do not count. Raises `RuntimeError` for a wrong result."""
    argument = ITEMS[item]()
    for _ in range(WARM_UP):
        call(argument)
    with Clock() as clock:
        lengths = {call(argument) for _ in range(calls)}
    if lengths != {len(argument)}:
        raise RuntimeError("the pool returned other results than it should")
    return clock.took(calls)

"""The pool at work: TASKS tasks on N workers, and every result is checked.

    the caller  --- the next item of each task --->  the pool: worker 1 ... worker N
        '<------- the results, in their order --------'

What a task does is the work (`concmodels.work`): computing, waiting for a server, reading one big buffer, nothing. The
same work is first done, or a sample of it, in a plain loop: what the pool gains on it is the `speedup`.

Three phases, reported apart: the set-up ends when every worker has done a task that does not count, and to be sure of
that each of them is kept until all have come (`attend`, `meet`). Then come the tasks that count, with the pool's `map`.

The program stands here twice, once sync and once async, equal up to `async` and `await`. Run it with
`python -m concmodels.pool 1000 --work cpu --model processes`, or from Python with `pool("processes", tasks=1000,
work="cpu")`.

Workers in processes and subinterpreters import this module, so it imports nothing before it must.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from concmodels.contract import AsyncChannel, AsyncPool, Channel, Pool
    from concmodels.pool.plan import PoolPhase
    from concmodels.programs.usage import Usage

__all__ = ["WrongResult", "async_attend", "async_crowd", "attend", "crowd"]

UNBOUNDED = float("inf")
PATIENCE_S = 1.0


class WrongResult(Exception):
    """A task returned another value than it should have, or the results are not as many as the tasks."""


def attend(function: Callable[[Any], Any], item: Any, come: Channel[int], go: Channel[None]) -> tuple[int, Usage]:
    """A task that is not counted: do it, say so, and wait until all have; return who did it, and what that one used."""
    try:
        function(item)
    finally:
        come.send(1)
    go.receive()
    return used()


def meet(model: Any, pool: Pool, function: Any, items: list[Any]) -> list[tuple[int, Usage]]:
    """Have each worker do one of these tasks."""
    come, go = model.Channel(UNBOUNDED, "come"), model.Channel(UNBOUNDED, "go")
    here = [pool.submit(attend, function, item, come, go) for item in items]
    awaited = len(here)
    while awaited:
        try:
            awaited -= come.receive(timeout=PATIENCE_S)
        except TimeoutError:
            if any(task.done() for task in here):  # before it was told to go: it has failed
                break
    for _ in here:
        go.send(None)
    return [task.result() for task in here]


def do(pool: Pool, function: Any, phase: PoolPhase) -> None:
    """Have the tasks of one phase done."""
    took = phase.took
    for result in pool.map(function, phase.items, buffersize=phase.buffersize):
        took(result)


def crowd(model: Any, timer: Any) -> list[Any]:
    """Run one pool, from its making to its end; return what its workers used, where they are processes."""
    timer.pause()  # what prepares the work, and the plain loop, belong to no phase
    with timer.work.prepared(model) as work:
        timer.loop()
        timer.resume()
        with model.Pool(timer.plan.workers) as pool:
            for phase in timer.phases():
                if phase is None:
                    timer.before = meet(model, pool, work.function, list(work.warm_up()))
                else:
                    do(pool, work.function, phase)
            timer.pause()
            if timer.separate:
                timer.after = meet(model, pool, timer.idle, list(range(timer.plan.workers)))
            timer.check()
            timer.resume()
        timer.pause()
    timer.resume()
    uses: list[Any] = timer.uses()
    return uses


async def async_attend(
    function: Callable[[Any], Any], item: Any, come: AsyncChannel[int], go: AsyncChannel[None]
) -> tuple[int, Usage]:
    """As `attend`."""
    try:
        await function(item)
    finally:
        await come.send(1)
    await go.receive()
    return used()


async def async_meet(model: Any, pool: AsyncPool, function: Any, items: list[Any]) -> list[tuple[int, Usage]]:
    """As `meet`."""
    come, go = model.Channel(UNBOUNDED, "come"), model.Channel(UNBOUNDED, "go")
    here = [await pool.submit(async_attend, function, item, come, go) for item in items]
    awaited = len(here)
    while awaited:
        try:
            awaited -= await come.receive(timeout=PATIENCE_S)
        except TimeoutError:
            if any(task.done() for task in here):  # before it was told to go: it has failed
                break
    for _ in here:
        await go.send(None)
    return [await task.result() for task in here]


async def async_do(pool: AsyncPool, function: Any, phase: PoolPhase) -> None:
    """As `do`."""
    took = phase.took
    async for result in pool.map(function, phase.items, buffersize=phase.buffersize):
        took(result)


async def async_crowd(model: Any, timer: Any) -> list[Any]:
    """As `crowd`."""
    timer.pause()  # what prepares the work, and the plain loop, belong to no phase
    async with timer.work.prepared(model) as work:
        timer.loop()
        timer.resume()
        async with model.Pool(timer.plan.workers) as pool:
            for phase in timer.phases():
                if phase is None:
                    timer.before = await async_meet(model, pool, work.function, list(work.warm_up()))
                else:
                    await async_do(pool, work.function, phase)
            timer.pause()
            if timer.separate:
                timer.after = await async_meet(model, pool, timer.idle, list(range(timer.plan.workers)))
            timer.check()
            timer.resume()
        timer.pause()
    timer.resume()
    uses: list[Any] = timer.uses()
    return uses


def used() -> tuple[int, Usage]:
    """Return the number of this process, and what it has used up to now."""
    import os

    from concmodels.programs.usage import usage

    return os.getpid(), usage()

"""The pool at work: TASKS tasks on N workers, and every result is checked.

    the caller  ---- the items of the tasks ---->  the pool: worker 1 ... worker N
        '<------- the results, in order --------------'

What a task does is called the work (`concmodels.work`): to compute, to wait for a server, to read one big buffer, or
nothing. The same work, or a sample of it, is first done in a plain loop; how many times as fast the pool does it is the
`speedup`.

The set-up ends when every worker has done one task that does not count. To make sure that no worker does two of these
tasks while another does none, each of them holds its worker until all workers have one (`attend`, `meet`). The counted
tasks follow, by the pool's `map`.

The program is written twice, once sync and once async; the two differ only in `async` and `await`. Run it with
`python -m concmodels.pool 1000 --work cpu --model processes`, or from Python with `pool("processes", tasks=1000,
work="cpu")`.

Workers in processes and subinterpreters import this module, so at its top it imports nothing at all.
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
    """A task returned a wrong value, or there are not as many results as tasks."""


def attend(function: Callable[[Any], Any], item: Any, come: Channel[int], go: Channel[None]) -> tuple[int, Usage]:
    """Do a task that is not counted, report that, and wait for the other workers.

    Returns the id of the worker's process, and the resources that the process has used up to now.
    """
    try:
        function(item)
    finally:
        come.send(1)
    go.receive()
    return used()


def meet(model: Any, pool: Pool, function: Any, items: list[Any]) -> list[tuple[int, Usage]]:
    """Have each worker do exactly one of these tasks, of which there are as many as workers."""
    come, go = model.Channel(UNBOUNDED, "come"), model.Channel(UNBOUNDED, "go")
    here = [pool.submit(attend, function, item, come, go) for item in items]
    awaited = len(here)
    while awaited:
        try:
            awaited -= come.receive(timeout=PATIENCE_S)
        except TimeoutError:
            if any(task.done() for task in here):  # none was told to go, so this one has failed
                break
    for _ in here:
        go.send(None)
    return [task.result() for task in here]


def do(pool: Pool, function: Any, phase: PoolPhase) -> None:
    """Have the pool do the tasks of one phase; pass on each result."""
    took = phase.took
    for result in pool.map(function, phase.items, buffersize=phase.buffersize):
        took(result)


def crowd(model: Any, timer: Any) -> list[Any]:
    """Prepare the work, run it in a plain loop and then in a pool; return what each worker used, if it is a process.

    `timer` measures. While it is paused, the time belongs to no phase.
    """
    timer.pause()  # neither preparing the work nor the plain loop is part of the set-up
    with timer.work.prepared(model) as work:
        timer.loop()
        timer.resume()
        with model.Pool(timer.plan.workers) as pool:
            for phase in timer.phases():
                if phase is None:  # a warm-up
                    timer.before = meet(model, pool, work.function, list(work.warm_up()))
                else:
                    do(pool, work.function, phase)
            timer.pause()
            if timer.separate:
                timer.after = meet(model, pool, idle, list(range(timer.plan.workers)))
            timer.check()
            timer.resume()
        timer.pause()
    timer.resume()
    uses: list[Any] = timer.uses()
    return uses


async def async_attend(
    function: Callable[[Any], Any], item: Any, come: AsyncChannel[int], go: AsyncChannel[None]
) -> tuple[int, Usage]:
    """The async form of `attend`."""
    try:
        await function(item)
    finally:
        await come.send(1)
    await go.receive()
    return used()


async def async_meet(model: Any, pool: AsyncPool, function: Any, items: list[Any]) -> list[tuple[int, Usage]]:
    """The async form of `meet`."""
    come, go = model.Channel(UNBOUNDED, "come"), model.Channel(UNBOUNDED, "go")
    here = [await pool.submit(async_attend, function, item, come, go) for item in items]
    awaited = len(here)
    while awaited:
        try:
            awaited -= await come.receive(timeout=PATIENCE_S)
        except TimeoutError:
            if any(task.done() for task in here):  # none was told to go, so this one has failed
                break
    for _ in here:
        await go.send(None)
    return [await task.result() for task in here]


async def async_do(pool: AsyncPool, function: Any, phase: PoolPhase) -> None:
    """The async form of `do`."""
    took = phase.took
    async for result in pool.map(function, phase.items, buffersize=phase.buffersize):
        took(result)


async def async_crowd(model: Any, timer: Any) -> list[Any]:
    """The async form of `crowd`."""
    timer.pause()  # neither preparing the work nor the plain loop is part of the set-up
    async with timer.work.prepared(model) as work:
        timer.loop()
        timer.resume()
        async with model.Pool(timer.plan.workers) as pool:
            for phase in timer.phases():
                if phase is None:  # a warm-up
                    timer.before = await async_meet(model, pool, work.function, list(work.warm_up()))
                else:
                    await async_do(pool, work.function, phase)
            timer.pause()
            if timer.separate:
                timer.after = await async_meet(model, pool, idle, list(range(timer.plan.workers)))
            timer.check()
            timer.resume()
        timer.pause()
    timer.resume()
    uses: list[Any] = timer.uses()
    return uses


def idle(_item: int) -> None:
    """Do nothing: the task of a worker that only has to report what it has used."""


def used() -> tuple[int, Usage]:
    """Return the id of this process, and the resources that it has used up to now."""
    import os

    from concmodels.programs.usage import usage

    return os.getpid(), usage()

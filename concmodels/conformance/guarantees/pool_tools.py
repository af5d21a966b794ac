"""The tools with which the chapters on pools and shared memory are written, in addition to `tools.py`."""

from .tools import INF, PATIENCE, Attempts, answer, pause


def plain(facts):
    """The models in which nothing is awaited."""
    return not facts.is_async


def awaited(facts):
    """The models in which operations that wait are awaited."""
    return facts.is_async


def of_separate_memory(facts):
    """The models whose tasks have memory of their own."""
    return facts.family == "boundary"


def of_one_memory(facts):
    """The models whose tasks see the same objects."""
    return not of_separate_memory(facts)


def of_processes(facts):
    """The models whose tasks are processes of their own."""
    return facts.separate


class Numbers:
    """The numbers 0, 1, 2 ...; `taken` is how many of them have been asked for."""

    def __init__(self, end=INF):
        self.end, self.taken = end, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.taken >= self.end:
            raise StopIteration
        self.taken += 1
        return self.taken - 1


class Uncollected:
    """`with Uncollected():` keeps reference cycles alive, because it stops the garbage collector."""

    def __enter__(self):
        import gc

        gc.collect()
        gc.disable()

    def __exit__(self, *_):
        import gc

        gc.enable()


def frees_late():
    """Return whether an object may outlive its last reference: without the GIL, the thread that has made it frees it.

    CPython counts the references of that thread apart (biased reference counting, PEP 703). If another thread drops the
    last reference, the object goes when its own thread runs next, and a worker that waits for work does not run.
    """
    import sys

    return not getattr(sys, "_is_gil_enabled", lambda: True)()


async def be_freed(model, pool, *references):
    """Wait until these weak references are dead; where they may die late, give the workers something to run."""
    for _ in Attempts(model):
        if all(reference() is None for reference in references):
            return
        if frees_late():
            for _ in range(pool.workers):
                await pool.submit(answer, None)
        await model.sleep(0.001)


async def all_of(results):
    """Return the items that an iterator still yields."""
    return [result async for result in results]


async def next_of(results):
    """Return the next item of an iterator."""
    async for result in results:
        return result
    raise AssertionError("the iterator has nothing more to yield")


async def outcome_of(call):
    """Return the result of a call, or the class of the exception that it raised."""
    try:
        return await call.result(PATIENCE)
    except Exception as error:  # noqa: BLE001 - it is what is asked for
        return type(error)


def of_the_cancelled():
    """Return what the result of a cancelled call may raise: our exception, or that of the standard library's
    futures."""
    from concurrent.futures import CancelledError

    from concmodels.errors import TaskCancelled

    return TaskCancelled, CancelledError


# Tasks.


async def double(number):
    """Return twice the number."""
    return 2 * number


async def mark(marks, item):
    """Leave a mark."""
    marks.send_nowait(item)
    return item


async def mark_late(model, marks, item):
    """Leave a mark after a moment."""
    await pause(model)
    return await mark(marks, item)


async def hold(begun, gate, value):
    """Report that this has begun, wait until the gate is closed, and return the value."""
    begun.send_nowait(value)
    async for _ in gate:
        pass
    return value


async def meet(mine, others):
    """Report to another task, and wait until that has reported too."""
    mine.send_nowait("here")
    return await others.receive(PATIENCE)

"""What the chapters on the pool and on shared memory are written with, beside `tools.py`."""

from .tools import INF, PATIENCE, pause


def plain(facts):
    """The models in which nothing is awaited."""
    return not facts.is_async


def awaited(facts):
    """The models in which what waits is awaited."""
    return facts.is_async


def bordered(facts):
    """The models whose tasks have memory of their own."""
    return facts.file in ("processes", "subinterp")


def of_one_memory(facts):
    """The models whose tasks see the same objects."""
    return not bordered(facts)


def of_processes(facts):
    """The models whose tasks are processes of their own."""
    return facts.separate


class Numbers:
    """0, 1, 2 ...; `taken` is how many were asked for."""

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
    """`with Uncollected():` what is in a circle stays, for the garbage collector does not come by."""

    def __enter__(self):
        import gc

        gc.collect()
        gc.disable()

    def __exit__(self, *_):
        import gc

        gc.enable()


async def all_of(results):
    """What an iterator still yields."""
    return [result async for result in results]


async def next_of(results):
    """What an iterator yields next."""
    async for result in results:
        return result
    raise AssertionError("the iterator has nothing more to yield")


async def outcome_of(call):
    """What a call returned, or the class of what it raised."""
    try:
        return await call.result(PATIENCE)
    except Exception as error:  # noqa: BLE001 - it is what is asked for
        return type(error)


def of_the_cancelled():
    """What the result of a cancelled call may raise: our own, and that of the standard library's futures."""
    from concurrent.futures import CancelledError

    from concmodels.errors import TaskCancelled

    return TaskCancelled, CancelledError


# Tasks.


async def double(number):
    """Twice the number."""
    return 2 * number


async def mark(marks, item):
    """Leave a mark."""
    marks.send_nowait(item)
    return item


async def mark_late(model, marks, item):
    """Leave a mark, but not at once."""
    await pause(model)
    return await mark(marks, item)


async def hold(begun, gate, value):
    """Say that this has begun, wait until the gate is closed, and return the value."""
    begun.send_nowait(value)
    async for _ in gate:
        pass
    return value


async def meet(mine, others):
    """Tell another task that one is here, and wait for it to say the same."""
    mine.send_nowait("here")
    return await others.receive(PATIENCE)

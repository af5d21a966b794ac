"""The pool: objects that can't cross a memory boundary, or that are large."""

import itertools

from concmodels.errors import CannotTravel, RemoteError

from .pool_tools import all_of, double, of_separate_memory
from .tools import PATIENCE, Trouble, answer, guarantee, raises

NEEDS = ("Pool",)


def a_lock():
    """Return an object that can't cross a memory boundary."""
    from _thread import allocate_lock

    return allocate_lock()


@guarantee(by=of_separate_memory)
async def a_call_that_cant_travel_is_refused(model):
    """A function or an argument that can't cross a memory boundary is refused with `CannotTravel`; the pool goes on."""
    async with model.Pool(1) as pool:
        for function, argument in ((lambda it: it, 1), (answer, a_lock())):
            with raises(CannotTravel):
                call = await pool.submit(function, argument)
                await call.result(PATIENCE)
        call = await pool.submit(answer, "goes on")
        assert await call.result(PATIENCE) == "goes on"


@guarantee(by=of_separate_memory, chunksize=(None, 3))
async def an_item_that_cant_travel_is_refused(model, chunksize):
    """An item of `map` that can't cross a memory boundary is refused with `CannotTravel`; the pool goes on."""
    async with model.Pool(2) as pool:
        for items in ([a_lock(), 1, 2, 3], [*range(10), a_lock(), *range(10)]):
            with raises(CannotTravel):
                await all_of(pool.map(answer, items, chunksize=chunksize))
        with raises(CannotTravel):
            await all_of(pool.map(lambda it: it, range(5), chunksize=chunksize))
        assert await all_of(pool.map(double, range(5), chunksize=chunksize)) == [0, 2, 4, 6, 8]


async def make_a_lock(number):
    """Return an object that can't cross a memory boundary, if this is the right number."""
    return a_lock() if number == 3 else number


@guarantee(by=of_separate_memory, chunksize=(None, 5))
async def a_result_that_cant_travel_is_an_error(model, chunksize):
    """A task whose result can't cross a memory boundary fails with `CannotTravel`; other tasks of its batch do not."""
    seen = []
    async with model.Pool(2) as pool:
        with raises(CannotTravel):
            async for number in pool.map(make_a_lock, range(10), chunksize=chunksize):
                seen.append(number)
        assert seen == [0, 1, 2]
        calls = [await pool.submit(make_a_lock, number) for number in (3, 4)]
        with raises(CannotTravel):
            await calls[0].result(PATIENCE)
        assert await calls[1].result(PATIENCE) == 4


class Stubborn(Trouble):
    """An exception that can be pickled, but not unpickled."""

    def __init__(self, one, other):
        super().__init__(one + other)


async def be_stubborn():
    """Raise an exception that can't be unpickled."""
    raise Stubborn("can't ", "travel")


@guarantee(by=of_separate_memory)
async def an_error_that_cant_travel_is_told(model):
    """An exception across a memory boundary keeps its type or arrives as `RemoteError`, with the text of its
    traceback."""
    async with model.Pool(1) as pool:
        call = await pool.submit(be_stubborn)
        with raises(RemoteError) as caught:
            await call.result(PATIENCE)
        assert "can't travel" in caught.error.traceback and "be_stubborn" in caught.error.traceback
        call = await pool.submit(answer, "goes on")
        assert await call.result(PATIENCE) == "goes on"


async def enlarge(text, times):
    """Return the text, repeated so many times."""
    return text * times


@guarantee(chunksize=(None, 4))
async def large_values_do_not_get_stuck(model, chunksize):
    """Arguments and results may be larger than the memory between the two sides, which then don't wait for each other
    for ever.
    """
    async with model.Pool(2) as pool:
        large = bytes(range(250)) * 2_000
        assert await all_of(pool.map(len, itertools.repeat(large, 16), chunksize=chunksize)) == [len(large)] * 16
        results = pool.map(enlarge, itertools.repeat(b"0123456789"), [50_000] * 16, chunksize=chunksize)
        assert [len(result) async for result in results] == [500_000] * 16
        results = pool.map(enlarge, itertools.repeat(large, 8), itertools.repeat(2), chunksize=chunksize)
        assert await all_of(results) == [2 * large] * 8

"""The pool: `map`, which yields the results in the order of the items."""

import itertools
from weakref import ref

from .pool_tools import Numbers, Uncollected, all_of, be_freed, double, hold, mark, next_of
from .tools import INF, PATIENCE, Trouble, answer, drain, guarantee, raises

NEEDS = ("Pool",)


async def answer_later(model, number):
    """Return the number after a pause, so that the results do not come in order."""
    await model.sleep((3 - number % 4) / 1000)
    return number


@guarantee(chunksize=(None, 1, 5), buffersize=(None, 1, 7))
async def map_keeps_the_order(model, chunksize, buffersize):
    """`map` yields the results in the order of the items, however long each call takes."""
    models = itertools.repeat(model)
    async with model.Pool(3) as pool:
        results = pool.map(answer_later, models, range(20), chunksize=chunksize, buffersize=buffersize)
        assert await all_of(results) == list(range(20))
        assert await all_of(results) == []


@guarantee(chunksize=(None, 1, 5))
async def map_begins_each_task_once(model, effort, chunksize):
    """`map` begins each task only once, even if many tasks are sent together."""
    marks, count = model.Channel(INF), 10 * effort.items
    async with model.Pool(2) as pool:
        results = pool.map(mark, itertools.repeat(marks), range(count), chunksize=chunksize)
        assert await all_of(results) == list(range(count))
    assert sorted(drain(marks)) == list(range(count))


async def join(*args):
    """Return the arguments as one text."""
    return "".join(args)


@guarantee()
async def map_takes_several_iterables(model):
    """`map` calls the function with the next item of each iterable, until the shortest has ended."""
    async with model.Pool(2) as pool:
        assert await all_of(pool.map(join, "abc", ["1", "2", "3"], itertools.repeat("!"))) == ["a1!", "b2!", "c3!"]
        assert await all_of(pool.map(join, "abc", iter("12"))) == ["a1", "b2"]


@guarantee(buffersize=(None, 2))
async def map_of_nothing_yields_nothing(model, buffersize):
    """`map` yields one result for each item, and none if there are no items."""
    async with model.Pool(2) as pool:
        assert await all_of(pool.map(double, [], buffersize=buffersize)) == []
        assert await all_of(pool.map(join, "abc", [], buffersize=buffersize)) == []


@guarantee()
async def map_takes_the_items_at_once(model):
    """`map` takes all items from its iterables when it is called."""
    numbers = Numbers(30)
    async with model.Pool(2) as pool:
        results = pool.map(double, numbers)
        assert numbers.taken == 30
        assert await all_of(results) == list(range(0, 60, 2))


@guarantee(buffersize=(1, 4), chunksize=(None, 3))
async def map_takes_no_more_than_the_buffer_holds(model, buffersize, chunksize):
    """With `buffersize`, `map` takes at most that many items ahead of the results yielded, so an iterable may be
    endless."""
    numbers, seen = Numbers(), 0
    async with model.Pool(2) as pool:
        results = pool.map(double, numbers, chunksize=chunksize, buffersize=buffersize)
        assert numbers.taken <= buffersize
        async for result in results:
            assert result == 2 * seen
            seen += 1
            assert numbers.taken <= seen + buffersize
            if seen == 30:
                break
        results = None
    assert numbers.taken <= 30 + buffersize


@guarantee()
async def map_is_at_work_before_it_is_asked(model):
    """The tasks of `map` are begun before their results are asked for."""
    marks = model.Channel(INF)
    async with model.Pool(2) as pool:
        results = pool.map(mark, itertools.repeat(marks), range(10))
        assert sorted([await marks.receive(PATIENCE) for _ in range(10)]) == list(range(10))
        assert await all_of(results) == list(range(10))


@guarantee()
async def several_maps_at_once(model):
    """Several calls of `map` share the workers, and each keeps its own order."""
    async with model.Pool(2) as pool:
        same, twice = pool.map(answer, range(20)), pool.map(double, range(20), buffersize=3)
        pairs = [(await next_of(same), await next_of(twice)) for _ in range(20)]
        assert pairs == [(number, 2 * number) for number in range(20)]


async def hold_one(begun, gate, slow, number):
    """Return at once, but hold if this is the slow one."""
    if number == slow:
        await hold(begun, gate, number)
    begun.send_nowait(number)
    return number


@guarantee(slow=(0, 150), buffersize=(None, 200))
async def nobody_waits_for_a_slow_neighbour(model, slow, buffersize):
    """A task that was sent together with a slow one does not wait for it, as long as a worker is free."""
    done, gate, numbers = model.Channel(INF), model.Channel(0), range(200)
    async with model.Pool(2) as pool:
        given = itertools.repeat(done), itertools.repeat(gate), itertools.repeat(slow)
        results = pool.map(hold_one, *given, numbers, buffersize=buffersize)
        assert sorted([await done.receive(PATIENCE) for _ in numbers]) == list(numbers)
        gate.close()
        assert await all_of(results) == list(numbers)
    assert drain(done) == [slow]


async def make_set(number):
    """Return a set of one number: an object that can be referred to weakly."""
    return {number}


@guarantee(chunksize=(None, 1, 4), buffersize=(None, 3))
async def map_keeps_no_result_that_it_has_yielded(model, chunksize, buffersize):
    """`map` keeps no result that it has yielded: the result lives as long as the caller holds it."""
    with Uncollected():
        async with model.Pool(2) as pool:
            async for result in pool.map(make_set, range(10), chunksize=chunksize, buffersize=buffersize):
                kept = ref(result)
                del result
                await be_freed(model, pool, kept)


# How it ends early.


@guarantee(buffersize=(None, 1, 10))
async def an_error_is_raised_in_its_turn(model, buffersize):
    """The exception of a call is raised in place of its result, and ends the iteration."""
    seen = []
    async with model.Pool(2) as pool:
        results = pool.map(int, ["0", "1", "none", "3"], buffersize=buffersize)
        with raises(ValueError):
            async for result in results:
                seen.append(result)
        assert seen == [0, 1]
        assert await all_of(results) == []


async def fail_or_hold(begun, gate, number):
    """Fail if this is the first one, otherwise hold."""
    if number == 0:
        raise Trouble("first")
    return await hold(begun, gate, number)


@guarantee()
async def an_error_cancels_what_has_not_begun(model):
    """The exception of a call ends the iteration and cancels the tasks that have not begun."""
    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(1) as pool:
        results = pool.map(fail_or_hold, itertools.repeat(begun), itertools.repeat(gate), range(10))
        assert await begun.receive(PATIENCE) == 1
        with raises(Trouble) as caught:
            await next_of(results)
        assert caught.error.args == ("first",)
        gate.close()
    assert drain(begun) == []


@guarantee(buffersize=(None, 5), seen=(0, 1))
async def dropping_the_iterator_cancels_what_has_not_begun(model, buffersize, seen):
    """Dropping the iterator of `map` cancels the tasks that have not begun."""
    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(1) as pool:
        given = itertools.repeat(begun), itertools.repeat(gate)
        results = pool.map(hold_from, *given, itertools.repeat(seen), range(10), buffersize=buffersize)
        assert await begun.receive(PATIENCE) == seen
        for number in range(seen):
            assert await next_of(results) == number
        results = None
        gate.close()
    assert drain(begun) == []


async def hold_from(begun, gate, first, number):
    """Return the number, but hold from the first one on."""
    return number if number < first else await hold(begun, gate, number)


@guarantee(timeout=(0, -1, 0.02))
async def map_may_time_out(model, timeout):
    """The iteration of `map` raises `TimeoutError` `timeout` seconds after the call; tasks that have not begun are then
    cancelled.
    """
    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(1) as pool:
        results = pool.map(hold, itertools.repeat(begun), itertools.repeat(gate), range(10), timeout=timeout)
        assert await begun.receive(PATIENCE) == 0
        with raises(TimeoutError):
            await next_of(results)
        assert await all_of(results) == []
        gate.close()
    assert drain(begun) == []


@guarantee()
async def a_timeout_need_not_strike(model):
    """Results that come within `timeout` seconds are yielded as usual."""
    async with model.Pool(2) as pool:
        assert await all_of(pool.map(double, range(10), timeout=PATIENCE)) == list(range(0, 20, 2))


def numbers_and_trouble(count):
    """Yield so many numbers, and then raise an exception."""
    yield from range(count)
    raise Trouble("of the iterable")


@guarantee(buffersize=(None, 2))
async def an_error_of_the_iterable_is_raised(model, buffersize):
    """An exception of an iterable is raised by `map`, or by the iteration if that takes the item; the pool goes on."""
    async with model.Pool(2) as pool:
        with raises(Trouble):
            await all_of(pool.map(double, numbers_and_trouble(5), buffersize=buffersize))
        assert await all_of(pool.map(double, range(3))) == [0, 2, 4]


@guarantee(size=(0, -1))
async def a_bad_size_is_refused(model, size):
    """`chunksize` and `buffersize` are at least 1; a smaller value raises `ValueError`."""
    async with model.Pool(1) as pool:
        for sizes in ({"chunksize": size}, {"buffersize": size}):
            with raises(ValueError):
                await all_of(pool.map(double, [1], **sizes))

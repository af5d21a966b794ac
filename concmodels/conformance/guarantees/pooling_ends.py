"""The pool: how pools begin and end, and how tasks that have not begun are cancelled."""

import itertools

from .pool_tools import all_of, double, hold, mark, mark_late, of_the_cancelled
from .tools import INF, PATIENCE, Attempts, Trouble, answer, drain, fail, guarantee, raises

NEEDS = ("Pool",)

# Workers begin with the initializer.


@guarantee()
async def every_worker_calls_the_initializer(model):
    """Every worker calls `initializer(*initargs)` once, even if it is never given a task."""
    marks = model.Channel(INF)
    async with model.Pool(3, initializer=mark, initargs=(marks, "ready")):
        assert [await marks.receive(PATIENCE) for _ in range(3)] == ["ready"] * 3
    assert drain(marks) == []


@guarantee()
async def the_initializer_goes_first(model):
    """Every worker calls `initializer(*initargs)` before its first task."""
    marks = model.Channel(INF)
    async with model.Pool(1, initializer=mark_late, initargs=(model, marks, "ready")) as pool:
        assert await all_of(pool.map(mark, itertools.repeat(marks), "abc")) == ["a", "b", "c"]
    assert drain(marks) == ["ready", "a", "b", "c"]


_known = None


async def know(value):
    """Store the value in this module."""
    global _known
    _known = value


async def recall():
    """Return the value that `know` has stored."""
    return _known


@guarantee()
async def what_the_initializer_sets_tasks_find(model):
    """Every task of a worker finds what the initializer has stored in its module."""
    async with model.Pool(2, initializer=know, initargs=("the value",)) as pool:
        calls = [await pool.submit(recall) for _ in range(10)]
        assert [await call.result(PATIENCE) for call in calls] == ["the value"] * 10
        await know(None)


@guarantee(workers=(1, 3))
async def a_failed_initializer_breaks_the_pool(model, workers):
    """If the initializer fails, the pool is broken: `BrokenExecutor` is raised, and its `__cause__` is the reason."""
    from concurrent.futures import BrokenExecutor

    async with model.Pool(workers, initializer=fail, initargs=(Trouble, "at first")) as pool:
        for _ in range(3):
            with raises(BrokenExecutor) as caught:
                call = await pool.submit(answer, "never")
                await call.result(PATIENCE)
            assert type(caught.error.__cause__) is Trouble and caught.error.__cause__.args == ("at first",)
        with raises(BrokenExecutor):
            await all_of(pool.map(double, range(5)))


async def fail_when_closed(model, gate, kind, *args):
    """Raise this exception when the gate is closed."""
    async for _ in gate:
        pass
    raise kind(*args)


@guarantee()
async def a_broken_pool_gives_nobody_up(model):
    """If the initializer fails, tasks that the pool was given before fail with `BrokenExecutor` too."""
    from concurrent.futures import BrokenExecutor

    gate = model.Channel(0)
    async with model.Pool(2, initializer=fail_when_closed, initargs=(model, gate, Trouble, "late")) as pool:
        calls = [await pool.submit(answer, number) for number in range(5)]
        results = pool.map(double, range(5))
        gate.close()
        for call in calls:
            with raises(BrokenExecutor) as caught:
                await call.result(PATIENCE)
            assert type(caught.error.__cause__) is Trouble
        with raises(BrokenExecutor):
            await all_of(results)


@guarantee(how=("submit", "map"))
async def a_pool_that_breaks_while_it_is_used_says_why(model, how):
    """If the initializer fails, `submit` and `map` raise `BrokenExecutor` with the reason as its `__cause__`, even if
    it fails while one of them is running."""
    from concurrent.futures import BrokenExecutor

    gate = model.Channel(0)
    async with model.Pool(1, initializer=fail_when_closed, initargs=(model, gate, Trouble, "late")) as pool:
        gate.close()
        with raises(BrokenExecutor) as caught:
            for _ in Attempts(model):
                if how == "submit":
                    await pool.submit(answer, "never")
                else:
                    pool.map(answer, range(1000))
                    await model.sleep(0)
    assert type(caught.error.__cause__) is Trouble and caught.error.__cause__.args == ("late",)


# The end.


@guarantee()
async def leaving_waits_until_everything_is_done(model):
    """Leaving the `with` waits until all tasks are done, even if nobody asks for their results."""
    marks = model.Channel(INF)
    async with model.Pool(2) as pool:
        calls = [await pool.submit(mark_late, model, marks, number) for number in range(5)]
    assert [call.done() for call in calls] == [True] * 5
    assert sorted(drain(marks)) == [0, 1, 2, 3, 4]


@guarantee()
async def an_idle_pool_is_left_at_once(model):
    """Leaving the `with` of a pool without tasks does not wait."""
    async with model.Pool(2):
        pass


@guarantee()
async def after_shutdown_nothing_is_taken(model):
    """After `shutdown`, `submit` and `map` raise `RuntimeError`; a second `shutdown` does no harm."""
    async with model.Pool(2) as pool:
        call = await pool.submit(answer, "before")
        await pool.shutdown()
        assert call.done()
        await pool.shutdown()
        with raises(RuntimeError):
            await pool.submit(answer, "after")
    assert await call.result() == "before"
    for _ in range(2):
        with raises(RuntimeError):
            await pool.submit(answer, "after")
        with raises(RuntimeError):
            await all_of(pool.map(answer, [1]))


@guarantee()
async def shutdown_need_not_wait(model):
    """`shutdown(wait=False)` does not wait; the tasks that the pool was given are still done."""
    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(1) as pool:
        calls = [await pool.submit(hold, begun, gate, number) for number in range(3)]
        assert await begun.receive(PATIENCE) == 0
        await pool.shutdown(wait=False)
        with raises(RuntimeError):
            await pool.submit(answer, "after")
        assert not calls[0].done()
        gate.close()
        assert [await call.result(PATIENCE) for call in calls] == [0, 1, 2]


@guarantee()
async def shutdown_may_cancel(model):
    """`shutdown(cancel_futures=True)` cancels tasks that have not begun; tasks that have begun are done."""
    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(1) as pool:
        first, *others = [await pool.submit(hold, begun, gate, number) for number in range(4)]
        assert await begun.receive(PATIENCE) == 0
        await pool.shutdown(wait=False, cancel_futures=True)
        for call in others:
            with raises(*of_the_cancelled()):
                await call.result(PATIENCE)
        gate.close()
        assert await first.result(PATIENCE) == 0
    assert drain(begun) == []


@guarantee()
async def what_has_not_begun_can_be_taken_back(model):
    """`cancel()` cancels a call if no worker has begun it, and returns whether it did."""
    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(1) as pool:
        first, second, third = [await pool.submit(hold, begun, gate, name) for name in "abc"]
        assert await begun.receive(PATIENCE) == "a"
        assert (first.cancel(), second.cancel()) == (False, True)
        assert second.done() and not first.done() and not third.done()
        gate.close()
        assert (await first.result(PATIENCE), await third.result(PATIENCE)) == ("a", "c")
        with raises(*of_the_cancelled()):
            await second.result(PATIENCE)
        assert not third.cancel()
    assert drain(begun) == ["c"]


# The end of a pool whose users are cancelled too.


async def use_for_ever(model, pool, verb, told):
    """Give a pool work again and again; report what ends that, unless it is the cancellation of this task."""
    try:
        while True:
            if verb == "map":
                await all_of(pool.map(double, range(3)))
            else:
                call = await pool.submit(double, 1)
                await call.result()
    except Exception as error:
        told.send_nowait(repr(error))
        raise


async def own_a_pool(model, verb, pools, told):
    """Open a pool, hand it out, and use it."""
    async with model.Pool(2) as pool:
        pools.send_nowait(pool)
        await use_for_ever(model, pool, verb, told)


@guarantee(verb=("submit", "map"))
async def who_is_cancelled_with_the_pool_hears_of_that(model, effort, verb):
    """If a group with a pool in it is cancelled, each task that uses the pool gets its own cancellation, and no error
    of a pool that has ended."""
    told = model.Channel(INF)
    for number in range(2 * effort.rounds):
        pools = model.Channel(1)
        async with model.TaskGroup() as group:
            group.spawn(own_a_pool, model, verb, pools, told)
            pool = await pools.receive(PATIENCE)
            for _ in range(10):
                group.spawn(use_for_ever, model, pool, verb, told)
            # At once in every second round: then most tasks are waiting for the pool, and not for a result.
            for _ in range(number // 2 % 10 if number % 2 else 0):
                await model.sleep(0)
            group.cancel()
    assert drain(told) == []

"""The pool: what only a sync model guarantees, and what only an async model guarantees."""

from .pool_tools import awaited, hold, mark, mark_late, outcome_of, plain
from .tools import INF, PATIENCE, Trouble, answer, drain, fail, guarantee, raises

NEEDS = ("Pool",)


@guarantee(by=plain)
async def a_pool_is_an_executor(model):
    """In a sync model a pool is a `concurrent.futures.Executor`, and `submit` returns a `Future`."""
    from concurrent.futures import Executor, Future

    async with model.Pool(1) as pool:
        call = await pool.submit(answer, 1)
        assert isinstance(pool, Executor) and isinstance(call, Future)
        assert call.result(PATIENCE) == 1 and call.exception(PATIENCE) is None
        assert call.done() and not call.running() and not call.cancelled()


@guarantee(by=plain)
async def the_standard_library_can_wait(model):
    """In a sync model the standard library's `wait` and `as_completed` accept what `submit` returns."""
    from concurrent.futures import FIRST_COMPLETED, as_completed, wait

    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(2) as pool:
        slow, quick = await pool.submit(hold, begun, gate, "slow"), await pool.submit(answer, "quick")
        assert wait([slow, quick], PATIENCE, FIRST_COMPLETED) == ({quick}, {slow})
        ended = as_completed([slow, quick], PATIENCE)
        assert next(ended) is quick
        gate.close()
        assert next(ended) is slow
        assert wait([slow, quick], PATIENCE) == ({slow, quick}, set())


@guarantee(by=plain)
async def the_end_is_told(model):
    """In a sync model `add_done_callback` calls its function when the call ends, or at once if it has already ended."""
    begun, gate, told = model.Channel(INF), model.Channel(0), []
    async with model.Pool(1) as pool:
        call = await pool.submit(hold, begun, gate, "value")
        call.add_done_callback(told.append)
        assert await begun.receive(PATIENCE) == "value" and told == []
        gate.close()
    assert told == [call]
    call.add_done_callback(told.append)
    assert told == [call, call]


@guarantee(by=plain)
async def a_future_has_the_error(model):
    """In a sync model `exception()` returns what the call raised."""
    async with model.Pool(1) as pool:
        error = pool.submit(fail, Trouble, "own", 7).exception(PATIENCE)
    assert type(error) is Trouble and error.args == ("own", 7)


@guarantee(by=plain)
async def a_pool_needs_no_with(model):
    """In a sync model a pool works without `with`; `shutdown` then waits until everything is done."""
    marks = model.Channel(INF)
    pool = model.Pool(2)
    calls = [pool.submit(mark_late, model, marks, number) for number in range(4)]
    pool.shutdown()
    assert [call.result(0) for call in calls] == sorted(drain(marks)) == [0, 1, 2, 3]


async def forget_a_pool(model, marks):
    """Make a pool and give it work, without a `with` and without a `shutdown`."""
    pool = model.Pool(2)
    pool.submit(mark, marks, "done")
    return pool


async def wait_for_a_forgotten_pool(model):
    """Wait until the pool is gone and its tasks are done."""
    marks = model.Channel(INF)
    forget_a_pool(model, marks)
    return await marks.receive(PATIENCE)


@guarantee(by=plain)
def a_forgotten_pool_does_its_work(model):
    """A pool that is never shut down, and to which no reference is left, does all its tasks and leaves nothing
    behind."""
    assert model.run(wait_for_a_forgotten_pool, model) == "done"


@guarantee(by=plain)
def a_pool_belongs_to_its_run(model):
    """A pool belongs to the run in which it was made: it ends with the run, and then accepts no more tasks."""
    pool = model.run(make_a_pool, model)
    with raises(RuntimeError):
        pool.submit(answer, "after the run")


async def make_a_pool(model):
    """Return a pool that is not shut down."""
    pool = model.Pool(2)
    assert pool.submit(answer, "in the run").result(PATIENCE) == "in the run"
    return pool


@guarantee(by=awaited)
async def a_handle_can_be_awaited(model):
    """In an async model `await handle` returns the result of the call or raises its exception, any number of times."""
    async with model.Pool(2) as pool:
        call = await pool.submit(answer, "value")
        assert (await call, await call, await outcome_of(call)) == ("value", "value", "value")
        call = await pool.submit(len, 7)
        for _ in range(2):
            with raises(TypeError):
                await call


@guarantee(by=awaited)
async def a_plain_function_may_be_given(model):
    """In an async model a plain function may be given too: it is called in the event loop."""
    async with model.Pool(2) as pool:
        call = await pool.submit(len, "four")
        assert await call.result(PATIENCE) == 4
        assert [size async for size in pool.map(len, ["", "a", "ab"])] == [0, 1, 2]

"""The pool: a task fails, the body fails, or all workers wait for each other."""

from concmodels.errors import Deadlock

from .failures import ERRORS
from .pool_tools import all_of, hold, of_one_memory, of_the_cancelled, outcome_of
from .tools import (
    INF,
    PATIENCE,
    WAITS,
    Trouble,
    answer,
    drain,
    fail,
    guarantee,
    pause,
    raises,
    tell_of_cancellation,
    wait_in,
)

NEEDS = ("Pool",)


@guarantee(error=ERRORS)
async def an_error_keeps_its_type(model, error):
    """`result` raises what the call raised, with its own type, any number of times."""
    kind, *args = error
    async with model.Pool(1) as pool:
        call = await pool.submit(fail, *error)
        for _ in range(2):
            with raises(kind) as caught:
                await call.result(PATIENCE)
            assert type(caught.error) is type(kind(*args)) and caught.error.args == kind(*args).args
        assert call.done()


@guarantee(kind=(Trouble, SystemExit))
async def a_failed_task_cancels_nothing(model, kind):
    """A failed task affects nothing else: other tasks, the body, and the worker that ran it go on."""
    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(2) as pool:
        other = await pool.submit(hold, begun, gate, "undisturbed")
        for _ in range(3):
            failed = await pool.submit(fail, kind, "alone")
            with raises(kind):
                await failed.result(PATIENCE)
        await model.sleep(0.001)
        last = await pool.submit(answer, "last")
        assert await last.result(PATIENCE) == "last"
        gate.close()
        assert await other.result(PATIENCE) == "undisturbed"


@guarantee()
async def an_error_that_nobody_asks_for_is_no_failure(model):
    """Leaving the `with` raises no exception of a task: only asking for its result does."""
    async with model.Pool(2) as pool:
        calls = [await pool.submit(fail, Trouble, number) for number in range(3)]
    for call in calls:
        with raises(Trouble):
            await call.result()


# The body.


@guarantee(where=WAITS)
async def when_the_body_fails_tasks_are_cancelled(model, where):
    """If the body fails, tasks that have begun are cancelled where they wait; the exception leaves the `with`
    unchanged.
    """
    report = model.Channel(INF)
    with raises(Trouble) as caught:
        async with model.Pool(2) as pool:
            call = await pool.submit(tell_of_cancellation, model, where, report)
            assert await report.receive(PATIENCE) == "waits"
            await pause(model)
            raise Trouble("of the body")
    assert type(caught.error) is Trouble and caught.error.args == ("of the body",)
    assert drain(report) == ["cancelled"]
    with raises(*of_the_cancelled()):
        await call.result(PATIENCE)


@guarantee()
async def when_the_body_fails_the_rest_is_not_begun(model):
    """If the body fails, tasks of `submit` and of `map` that have not begun are cancelled."""
    begun, gate = model.Channel(INF), model.Channel(0)
    with raises(Trouble):
        async with model.Pool(1) as pool:
            first = await pool.submit(hold, begun, gate, "first")
            calls = [await pool.submit(hold, begun, gate, number) for number in range(3)]
            results = pool.map(hold, [begun] * 3, [gate] * 3, range(3))
            assert await begun.receive(PATIENCE) == "first"
            raise Trouble
    assert drain(begun) == []
    for call in (first, *calls):
        with raises(*of_the_cancelled()):
            await call.result(PATIENCE)
    with raises(*of_the_cancelled()):
        await all_of(results)


async def wait_for_the_pool(model, where, report):
    """Let a task of a pool wait for ever, and wait for its result."""
    async with model.Pool(2) as pool:
        call = await pool.submit(wait_in, model, "receive")
        report.send_nowait("waits")
        if where == "result":
            await call.result()
        elif where == "map":
            await all_of(pool.map(wait_in, [model] * 3, ["receive"] * 3))
        elif where == "shutdown":
            await pool.shutdown()


@guarantee(where=("result", "map", "shutdown", "leave"))
async def a_task_that_waits_for_a_pool_can_be_cancelled(model, where):
    """A task can be cancelled where it waits for its pool; that cancels the tasks of the pool."""
    report = model.Channel(INF)
    async with model.TaskGroup() as group:
        task = group.spawn(wait_for_the_pool, model, where, report)
        assert await report.receive(PATIENCE) == "waits"
        await pause(model)
        task.cancel()
        assert await outcome_of(task) in of_the_cancelled()


async def wait_for(call):
    """Wait for the result of this call of a pool."""
    return await call.result()


@guarantee(by=of_one_memory)
async def cancelling_a_task_that_waits_leaves_the_call_alone(model):
    """Cancelling a task that waits for a result does not cancel the call: it goes on, and other tasks get its
    result."""
    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(1) as pool, model.TaskGroup() as group:
        call = await pool.submit(hold, begun, gate, "value")
        first, second = group.spawn(wait_for, call), group.spawn(wait_for, call)
        await pause(model)
        first.cancel()
        assert await outcome_of(first) in of_the_cancelled()
        gate.close()
        assert await second.result(PATIENCE) == "value"


# Deadlocks in the pool.


async def rely_on_the_pool(pool, begun, gate, how):
    """When all tasks have begun, give the pool one more task and wait for it."""
    await hold(begun, gate, "begun")
    if how == "map":
        return await all_of(pool.map(answer, ["done"]))
    call = await pool.submit(answer, "done")
    return [await call.result()]


@guarantee(workers=(1, 2, 3), how=("submit", "map"))
async def a_deadlock_of_the_workers_is_raised(model, workers, how):
    """When all workers wait for tasks that no worker is left to begin, the last of these waits raises `Deadlock`; the
    others go on.
    """
    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(workers) as pool:
        calls = [await pool.submit(rely_on_the_pool, pool, begun, gate, how) for _ in range(workers)]
        for _ in calls:
            assert await begun.receive(PATIENCE) == "begun"
        gate.close()
        outcomes = [await outcome_of(call) for call in calls]
        assert outcomes.count(Deadlock) == 1 and outcomes.count(["done"]) == workers - 1
        after = await pool.submit(answer, "goes on")
        assert await after.result(PATIENCE) == "goes on"


@guarantee()
async def one_free_worker_is_no_deadlock(model):
    """As long as one worker can still begin what the others wait for, there is no deadlock: they wait."""
    begun, gate, done = model.Channel(INF), model.Channel(0), model.Channel(INF)
    async with model.Pool(3) as pool:
        calls = [await pool.submit(rely_on_the_pool, pool, begun, gate, "submit") for _ in range(2)]
        busy = await pool.submit(hold, begun, done, "busy")
        assert sorted([await begun.receive(PATIENCE) for _ in range(3)]) == ["begun", "begun", "busy"]
        gate.close()
        await pause(model)
        done.close()
        assert [await call.result(PATIENCE) for call in (*calls, busy)] == [["done"], ["done"], "busy"]


async def wait_for_one_at_work(pool, begun, gate):
    """Wait for a task that waits for something else."""
    call = await pool.submit(hold, begun, gate, "held")
    return await call.result()


@guarantee()
async def a_wait_for_what_is_at_work_is_no_deadlock(model):
    """Waiting for a task that a worker has begun is not a deadlock, whatever that task waits for."""
    begun, gate = model.Channel(INF), model.Channel(0)
    async with model.Pool(2) as pool:
        call = await pool.submit(wait_for_one_at_work, pool, begun, gate)
        assert await begun.receive(PATIENCE) == "held"
        waiting = await pool.submit(answer, "waits for a worker")
        await pause(model)
        assert not call.done() and not waiting.done()
        gate.close()
        assert (await call.result(PATIENCE), await waiting.result(PATIENCE)) == ("held", "waits for a worker")


async def descend(pool, depth):
    """Wait for a task that waits for a task, and so on, to this depth."""
    if depth == 0:
        return 0
    call = await pool.submit(descend, pool, depth - 1)
    return 1 + await call.result()


@guarantee()
async def tasks_wait_as_deep_as_there_are_workers(model, effort):
    """A chain of tasks in which each waits for the next can be as long as there are workers; one more task is a
    `Deadlock`.
    """
    async with model.Pool(3) as pool:
        for _ in range(effort.rounds):
            enough = await pool.submit(descend, pool, 2)
            assert await outcome_of(enough) == 2
            too_deep = await pool.submit(descend, pool, 3)
            assert await outcome_of(too_deep) is Deadlock

"""The pools of the async models: what their models' own cancellation makes special."""

import asyncio
import gc
import itertools
import signal
import weakref

import pytest
from pool_models import ASYNC, Thing, runs
from stuck import SOON, be_alone, model_of

from concmodels.errors import Deadlock, TaskCancelled

ON_ASYNCIO = [name for name in ASYNC if name in ("asyncio", "anyio")]
ON_TRIO = [name for name in ASYNC if name in ("trio", "anyio:trio")]


async def later(model, value=None, pause=0.01):
    await model.sleep(pause)
    return value


async def begin(begun, model):
    begun.send_nowait(1)
    await model.sleep(60)


async def outcome(call):
    try:
        return await call
    except Exception as error:  # noqa: BLE001 - it is what is asked for
        return type(error)


# The body and those around it.


@runs(ASYNC)
async def test_the_error_of_the_body_leaves_bare(model):
    begun = model.Channel(1)
    with pytest.raises(LookupError) as caught:
        async with model.Pool(1) as pool:
            calls = [await pool.submit(begin, begun, model) for _ in range(3)]
            await begun.receive()
            raise LookupError("of the body")
    assert caught.value.args == ("of the body",)
    assert [await outcome(call) for call in calls] == [TaskCancelled] * 3


@runs(ASYNC)
async def test_a_group_of_the_body_leaves_as_it_is(model):
    with pytest.raises(ExceptionGroup) as caught:
        async with model.Pool(1):
            raise ExceptionGroup("of the body", [LookupError()])
    assert caught.value.message == "of the body"


@runs(ASYNC)
async def test_an_error_of_a_task_is_no_error_of_the_body(model):
    async with model.Pool(2) as pool:
        calls = [await pool.submit(divmod, 1, 0) for _ in range(5)]
    assert [await outcome(call) for call in calls] == [ZeroDivisionError] * 5


@runs(ON_ASYNCIO)
async def test_a_timeout_of_asyncio_around_a_pool(model):
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(60) as limit, model.Pool(2) as pool:
            call = await pool.submit(later, model, pause=60)
            limit.reschedule(asyncio.get_running_loop().time())
            await call
    assert call.done() and asyncio.current_task().cancelling() == 0
    async with asyncio.timeout(50), model.Pool(2) as pool:
        assert await (await pool.submit(later, model, "fine")) == "fine"


@runs(["asyncio"])
async def test_a_cancelled_owner_stays_cancelled(model):
    async def owner():
        async with model.Pool(2) as pool:
            calls.append(await pool.submit(later, model, pause=60))

    calls = []
    task = asyncio.create_task(owner())
    while not calls:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled() and task.cancelling() == 1 and calls[0].done()


@runs(ON_ASYNCIO)
async def test_a_task_that_awaits_something_cancelled_is_cancelled_alone(model):
    async def await_it():
        future = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    async with model.Pool(1) as pool:
        for _ in range(3):
            assert await outcome(await pool.submit(await_it)) is TaskCancelled
        assert await (await pool.submit(later, model, "goes on")) == "goes on"


@runs(ON_TRIO)
async def test_a_scope_of_trio_around_a_pool(model):
    import trio

    with trio.CancelScope() as scope:
        async with model.Pool(2) as pool:
            call = await pool.submit(later, model, pause=60)
            scope.deadline = trio.current_time()
            await call
    assert scope.cancelled_caught and call.done()


@runs(ON_TRIO)
async def test_a_scope_of_trio_in_a_task(model):
    import trio

    async def sleepy():
        with trio.move_on_after(0.01):
            await trio.sleep(60)
        return "woken"

    async with model.Pool(1) as pool:
        assert [result async for result in pool.map(lambda _: sleepy(), range(3))] == ["woken"] * 3


@runs(ASYNC)
async def test_the_error_of_the_body_outlives_a_cancellation(model):
    in_the_body = model.Channel(1)

    async def owner():
        async with model.Pool(1) as pool:
            await pool.submit(later, model, pause=60)
            try:
                await in_the_body.send("it is")
                await model.sleep(60)
            finally:
                raise LookupError("of the clean-up")

    with pytest.raises(ExceptionGroup) as caught:
        async with model.TaskGroup() as group:
            group.spawn(owner)
            await in_the_body.receive()
            group.cancel()
    assert [type(error) for error in caught.value.exceptions] == [LookupError]


# How it is opened.


@runs(ASYNC)
async def test_a_pool_must_be_opened(model):
    pool = model.Pool(1)
    assert repr(pool) == "<Pool of 1 workers, not open>"
    for use in (lambda: pool.submit(abs, 1), pool.shutdown):
        with pytest.raises(RuntimeError, match="async with"):
            await use()
    with pytest.raises(RuntimeError, match="async with"):
        pool.map(abs, [1])
    async with pool:
        with pytest.raises(RuntimeError, match="only once"):
            await pool.__aenter__()
    with pytest.raises(RuntimeError, match="shut down"):
        await pool.submit(abs, 1)
    with pytest.raises(RuntimeError, match="only once"):
        await pool.__aenter__()


@runs(ASYNC)
async def test_bad_arguments_are_refused_with_a_sentence(model):
    for bad, error in ((0, ValueError), ("two", TypeError)):
        with pytest.raises(error, match="workers is a whole number from 1"):
            model.Pool(bad)
    async with model.Pool(1) as pool:
        with pytest.raises(TypeError, match="seconds"):
            await (await pool.submit(later, model)).result("soon")


@runs(ASYNC)
async def test_a_task_can_not_wait_for_the_end_of_its_own_pool(model):
    async with model.Pool(1) as pool:
        assert await outcome(await pool.submit(pool.shutdown)) is RuntimeError


# Handles.


@runs(ASYNC)
async def test_a_handle_can_be_cancelled_only_before_it_begins(model):
    begun, gate = model.Channel(1), model.Channel()

    async def meet(value):
        await begun.send(value)
        return await gate.receive()

    async with model.Pool(1) as pool:
        first, second = await pool.submit(meet, 1), await pool.submit(meet, 2)
        assert await begun.receive() == 1
        assert second.cancel() and second.cancel() and second.done() and not first.cancel()
        await gate.send("through")
        assert [await outcome(first), await outcome(second)] == ["through", TaskCancelled]
    assert (repr(first), repr(second)) == ("<call 'meet' finished>", "<call 'meet' cancelled>")


@runs(ASYNC)
async def test_an_exit_belongs_to_the_handle(model):
    async with model.Pool(1) as pool:
        call = await pool.submit(exit, 7)
        with pytest.raises(SystemExit):
            await call
        assert await (await pool.submit(abs, -1)) == 1


@runs(ASYNC)
async def test_nothing_keeps_a_result_but_its_handle(model):
    async with model.Pool(1) as pool:
        argument = Thing()
        call = await pool.submit(lambda thing: Thing(), argument)
        argument, result = weakref.ref(argument), weakref.ref(await call)
        del call
        await model.sleep(0.01)
        gc.collect()
        assert (argument(), result()) == (None, None)


# Maps.


@runs(ASYNC)
async def test_a_map_that_nobody_starts_is_taken_back(model):
    seen = []
    async with model.Pool(1) as pool:
        pool.map(seen.append, range(10))
    assert seen == []


@runs(ASYNC)
async def test_a_map_can_be_closed(model):
    import contextlib

    seen = []
    async with model.Pool(1) as pool:
        async with contextlib.aclosing(pool.map(seen.append, itertools.count(), buffersize=2)) as results:
            async for _ in results:
                break
        assert [it async for it in results] == []
    assert len(seen) < 5


@runs(ASYNC)
async def test_who_maps_lets_others_run(model):
    async def tick():
        while not over:
            ticks.append(1)
            await model.sleep(0)

    over, ticks = [], []
    async with model.Pool(2) as pool, model.TaskGroup() as group:
        group.spawn(tick)
        async for _ in pool.map(abs, range(5000)):
            pass
        over.append(True)
    assert len(ticks) > 5


@runs(ASYNC)
async def test_a_stop_iteration_of_a_task_is_no_end(model):
    def stop(kind):
        raise kind

    async with model.Pool(1) as pool:
        for kind in (StopIteration, StopAsyncIteration):
            with pytest.raises(RuntimeError):
                [it async for it in pool.map(stop, [kind])]


# Deadlocks and Ctrl-C.


@pytest.fixture
def by_ourselves():
    be_alone()


@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", ASYNC)
@pytest.mark.parametrize("where", ["result", "await", "map", "leave", "shutdown"])
@pytest.mark.usefixtures("by_ourselves")
def test_a_run_whose_pool_waits_for_ever_is_in_a_deadlock(name, where):
    model = model_of(name)

    async def main():
        channel = model.Channel(0, "nobody")
        async with model.Pool(2) as pool:
            call = await pool.submit(channel.receive)
            if where == "result":
                await call.result()
            elif where == "await":
                await call
            elif where == "map":
                async for _ in pool.map(lambda _: channel.receive(), [1]):
                    pass
            elif where == "shutdown":
                await pool.shutdown()

    with pytest.raises(Deadlock) as caught:
        model.run(main, deadlock_after=SOON)
    assert any("channel 'nobody'" in line for line in caught.value.waits), caught.value.waits


def strike():
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("name", ASYNC)
@pytest.mark.parametrize("where", ["sleep", "await", "leave"])
def test_ctrl_c_in_a_task_leaves_bare(name, where):
    model, calls = model_of(name), []

    async def main():
        async with model.Pool(2) as pool:
            calls.append(await pool.submit(strike))
            calls.append(await pool.submit(model.sleep, 60))
            if where == "sleep":
                await model.sleep(60)
            elif where == "await":
                await calls[1]

    with pytest.raises(KeyboardInterrupt):
        model.run(main)
    assert all(call.done() for call in calls)

"""The futures and maps of the sync pools in one process. What all pools guarantee is in the suite."""

import concurrent.futures
import sys
import time
import weakref
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    InvalidStateError,
    ThreadPoolExecutor,
    as_completed,
    wait,
)

import pytest
from pool_models import SYNC, THREADED, Thing, outcome, runs, soon, until, until_freed

# Futures.


@runs(SYNC)
def test_a_future_wakes_all_who_wait(model):
    with model.Pool(1) as pool, model.TaskGroup() as group:
        future = pool.submit(soon, model, "value")
        tasks = [group.spawn(future.result) for _ in range(3)]
        assert [task.result() for task in tasks] == ["value"] * 3


@runs(SYNC)
def test_a_future_has_what_the_standard_library_gives_it(model):
    """`Future.__init__` of a pool stands in for that of `concurrent.futures`: what that sets, it must set too."""
    with model.Pool(1) as pool:
        gate = model.Channel()
        first, future = pool.submit(gate.receive), pool.submit(pow, 2, 5)
        theirs = vars(concurrent.futures.Future())
        assert {name: vars(future)[name] for name in theirs.keys() - {"_condition"}} == {
            name: value for name, value in theirs.items() if name != "_condition"
        }
        shared = [name for name in theirs if vars(first)[name] is vars(future)[name] is not theirs[name]]
        assert shared == []
        gate.send(1)


@runs(SYNC)
def test_a_future_can_be_cancelled_only_before_it_begins(model):
    gate = model.Channel()
    with model.Pool(1) as pool:
        first, second = pool.submit(gate.receive), pool.submit(soon, model, 2)
        until(model, first.running)
        assert second.cancel() and second.cancel() and second.cancelled() and second.done()
        assert not first.cancel()
        gate.send(1)
        assert first.result() == 1 and not first.cancelled()
        with pytest.raises(CancelledError):
            second.result()
        with pytest.raises(CancelledError):
            second.exception()
    assert repr(first) == "<future 'receive' finished>" and repr(second) == "<future 'soon' cancelled>"


@runs(SYNC)
def test_who_waits_for_a_future_hears_of_its_cancellation(model):
    gate = model.Channel()
    with model.Pool(1) as pool, model.TaskGroup() as group:
        pool.submit(gate.receive)
        future = pool.submit(soon, model)
        task = group.spawn(outcome, future.result)
        group.spawn(future.cancel)
        assert task.result() is CancelledError
        gate.send("through")


@runs(SYNC)
def test_all_ways_to_wait_for_many(model):
    gate = model.Channel()
    with model.Pool(2) as pool:
        slow, quick = pool.submit(gate.receive), pool.submit(pow, 2, 5)
        assert wait([slow, quick], return_when=FIRST_COMPLETED) == ({quick}, {slow})
        assert wait([slow, quick], timeout=0) == ({quick}, {slow})
        with pytest.raises(TimeoutError):
            list(as_completed([slow, quick], timeout=0.01))
        ended = as_completed([slow, quick, quick])
        assert next(ended) is quick
        gate.send("through")
        assert list(ended) == [slow]
        taken_back = [pool.submit(gate.receive) for _ in range(5)]
        assert taken_back[-1].cancel()
        gate.close()
        assert wait(taken_back).done == set(taken_back)


@runs(THREADED)
def test_futures_of_several_pools_in_one_wait(model):
    with model.Pool(1) as ours, ThreadPoolExecutor(1) as theirs:
        futures = [pool.submit(time.sleep, pause) for pool in (ours, theirs) for pause in (0.001, 0.02)]
        assert set(as_completed(futures)) == set(futures)
        assert wait(futures).not_done == set()


@runs(SYNC)
def test_a_callback_that_fails_harms_nobody(model):
    told = []

    def callback(error):
        def fail(future):
            told.append(future)
            raise error

        return fail

    with model.Pool(1) as pool:
        pool.submit(soon, model)
        future = pool.submit(soon, model, "value")
        for error in (ValueError("of a callback"), SystemExit("of a callback")):
            future.add_done_callback(callback(error))
        assert future.result() == "value"
        assert pool.submit(pow, 2, 5).result() == 32
    assert told[:1] == [future]


@runs(SYNC)
def test_only_workers_set_results(model):
    with model.Pool(1) as pool:
        future = pool.submit(pow, 2, 5)
        assert future.result() == 32
        with pytest.raises(InvalidStateError):
            future.set_result(33)
        assert future.result() == 32


@runs(SYNC)
def test_an_exit_belongs_to_the_future(model):
    with model.Pool(1) as pool:
        future = pool.submit(exit, 7)
        with pytest.raises(SystemExit) as caught:
            future.result()
        assert caught.value.code == 7
        assert pool.submit(pow, 2, 5).result() == 32


@runs(SYNC)
def test_the_traceback_leads_to_the_task(model):
    def fail():
        raise LookupError("in the task")

    with model.Pool(1) as pool:
        error = pool.submit(fail).exception()
        assert [entry.name for entry in iter_trace(error)][-1] == "fail"
        with pytest.raises(LookupError) as caught:
            next(pool.map(lambda _: fail(), [1]))
        assert caught.traceback[-1].name == "fail"


def iter_trace(error):
    import traceback

    return traceback.extract_tb(error.__traceback__)


@runs(SYNC)
def test_nothing_keeps_a_result_but_its_future(model):
    with model.Pool(1) as pool:
        argument = Thing()
        future = pool.submit(lambda thing: Thing(), argument)
        argument, result = weakref.ref(argument), weakref.ref(future.result())
        assert result() is not None
        future = None
        until(model, lambda: argument() is None)
        assert result() is None or not sys._is_gil_enabled()
        until_freed(model, pool, result)


@runs(SYNC)
def test_nothing_keeps_the_results_of_a_map(model):
    with model.Pool(2) as pool:
        results = pool.map(lambda _: Thing(), range(3))
        seen = [weakref.ref(next(results)) for _ in range(3)]
        until_freed(model, pool, *seen)
        results.close()


@runs(SYNC)
def test_a_coroutine_function_is_refused(model):
    async def sleepy():
        pass

    with model.Pool(1) as pool:
        for call in (lambda: pool.submit(sleepy), lambda: pool.map(sleepy, []), lambda: model.Pool(initializer=sleepy)):
            with pytest.raises(TypeError, match="async def"):
                call()


# asyncio in a run of threads.


@runs(THREADED)
def test_an_event_loop_may_use_the_pool(model):
    import asyncio

    gate = model.Channel(1)

    async def main(pool):
        loop = asyncio.get_running_loop()
        there = [loop.run_in_executor(pool, soon, model, number) for number in range(5)]
        assert await asyncio.gather(*there) == [0, 1, 2, 3, 4]
        with pytest.raises(ZeroDivisionError):
            await asyncio.wrap_future(pool.submit(divmod, 1, 0))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.wrap_future(pool.submit(gate.receive)), 0.001)

    with model.Pool(2) as pool:
        asyncio.run(main(pool))
        gate.send(None)

"""How the sync pools in one process end: well, forgotten, in a deadlock, by Ctrl-C."""

import gc
import itertools
import signal
import sys
import threading
import time
from concurrent.futures import CancelledError, as_completed, wait

import pytest
from pool_models import COOPERATIVE, SYNC, THREADED, Thing, hold, outcome, runs, soon, until
from stuck import SOON, be_alone, model_of

from concmodels.errors import Deadlock, TaskCancelled

# Pools that nobody shuts down.


@runs(THREADED)
def test_a_dropped_pool_ends_in_the_run(model):
    before = len(model_threads())
    pool = model.Pool(3)
    future = pool.submit(soon, model, "done")
    until(model, lambda: len(model_threads()) == before + 3)
    del pool
    until(model, lambda: len(model_threads()) == before)
    assert future.result() == "done"
    model.Pool(1)  # takes note of those that have gone


def model_threads():
    """What runs; `threading` does not know of raw threads."""
    return sys._current_frames()


@pytest.mark.parametrize("name", SYNC)
def test_a_pool_in_a_circle_ends_with_the_run(name):
    model = model_of(name)

    def main():
        circle = Thing()
        circle.pool = model.Pool(2)
        circle.self = circle
        circle.pool.submit(hold_less, model, done)
        del circle
        gc.collect()

    done = []
    model.run(main)
    assert done == ["done"]


def hold_less(model, done):
    model.sleep(0.02)
    done.append("done")


@pytest.mark.parametrize("name", SYNC)
def test_an_error_cancels_what_a_forgotten_pool_does(name):
    model, begun = model_of(name), []

    def main():
        pool = model.Pool(1)
        begun.append(pool.submit(hold, model))
        begun.append(pool.submit(hold, model))
        until(model, begun[0].running)
        raise LookupError("of main")

    start = time.monotonic()
    with pytest.raises(LookupError):
        model.run(main)
    assert time.monotonic() - start < 50  # `hold` takes a minute
    assert [outcome(future.result) for future in begun] == [TaskCancelled, CancelledError]


@pytest.mark.parametrize("name", SYNC)
def test_there_is_no_pool_outside_a_run(name):
    with pytest.raises(RuntimeError):
        model_of(name).Pool(1)


@runs(SYNC)
def test_a_task_may_make_a_pool_and_leave_it_to_others(model):
    with model.TaskGroup() as group:
        pool = group.spawn(model.Pool, 1).result()
    assert pool.submit(pow, 2, 5).result() == 32
    pool.shutdown(wait=False)
    pool.shutdown()
    with pytest.raises(RuntimeError, match="shut down"):
        pool.map(abs, [1])


@runs(SYNC)
def test_a_task_can_not_wait_for_the_end_of_its_own_pool(model):
    with model.Pool(1) as pool, pytest.raises(RuntimeError, match="wait=False"):
        pool.submit(pool.shutdown).result()
    with pytest.raises(RuntimeError, match="shut down"):
        pool.submit(pow, 2, 5)


@runs(SYNC)
def test_two_wait_for_the_end(model):
    with model.TaskGroup() as group, model.Pool(1) as pool:
        future = pool.submit(soon, model)
        group.spawn(pool.shutdown)
        model.sleep(0)
        pool.shutdown()
        assert future.done()


@runs(SYNC)
def test_bad_arguments_are_refused_with_a_sentence(model):
    for bad, error in ((0, ValueError), (-3, ValueError), ("two", TypeError), (1.5, TypeError)):
        with pytest.raises(error, match="workers is a whole number from 1"):
            model.Pool(bad)
    with pytest.raises(TypeError, match="initializer"):
        model.Pool(1, initializer="nothing")
    with model.Pool(1) as pool:
        with pytest.raises(TypeError, match="buffersize"):
            pool.map(abs, [1], buffersize="many")
        with pytest.raises(ValueError, match="chunksize"):
            pool.map(abs, [1], chunksize=0)
        with pytest.raises(TypeError, match="seconds"):
            pool.map(abs, [1], timeout="soon")
        with pytest.raises(TypeError):
            pool.map(abs, 7)
        with pytest.raises(TypeError):
            pool.submit(soon, model).result("soon")  # which has to wait: else no timeout is needed


# What only looks like results.


@runs(SYNC)
def test_a_stop_iteration_of_a_task_is_no_end(model):
    with model.Pool(1) as pool:
        for _ in range(2):
            results = pool.map(next, [iter("a"), iter(""), iter("b")])
            with pytest.raises(RuntimeError) as caught:
                list(results)
            assert isinstance(caught.value.__cause__, StopIteration)


@runs(SYNC)
def test_a_pool_that_is_shut_down_tells_who_still_pulls(model):
    with model.Pool(1) as pool:
        results = pool.map(abs, itertools.count(), buffersize=2)
    assert [next(results), next(results)] == [0, 1]
    with pytest.raises(RuntimeError, match="shut down"):
        next(results)
    assert list(results) == []


@runs(SYNC)
def test_the_iterator_keeps_its_pool(model):
    assert list(itertools.islice(model.Pool(2).map(abs, itertools.count(), buffersize=3), 10)) == [*range(10)]
    assert list(model.Pool(2).map(abs, [-1, -2])) == [1, 2]


# Deadlocks and Ctrl-C.


@pytest.fixture
def by_ourselves():
    be_alone()


@pytest.mark.timeout(0)
@pytest.mark.parametrize("name", SYNC)
@pytest.mark.parametrize("where", ["result", "map", "leave", "wait", "run"])
@pytest.mark.usefixtures("by_ourselves")
def test_a_run_whose_pool_waits_for_ever_is_in_a_deadlock(name, where):
    model = model_of(name)

    def main():
        pool, channel = model.Pool(2), model.Channel(0, "nobody")
        if where == "run":
            pool.submit(channel.receive)
            return
        with pool:
            future = pool.submit(channel.receive)
            if where == "result":
                future.result()
            elif where == "map":
                list(pool.map(channel.send, "ab"))
                pool.submit(channel.receive).result()
                next(pool.map(lambda _: channel.receive(), [1]))
            elif where == "wait":
                wait([future])

    with pytest.raises(Deadlock) as caught:
        model.run(main, deadlock_after=SOON)
    assert any("channel 'nobody'" in line for line in caught.value.waits), caught.value.waits


def strike():
    signal.raise_signal(signal.SIGINT)


@pytest.mark.parametrize("name", COOPERATIVE)
@pytest.mark.parametrize("main_does", ["sleep", "result", "nothing"])
def test_ctrl_c_in_a_task_is_mains(name, main_does):
    model, futures = model_of(name), []

    def main():
        with model.Pool(2) as pool:
            futures.append(pool.submit(strike))
            futures.append(pool.submit(hold, model))
            if main_does == "sleep":
                hold(model)
            elif main_does == "result":
                futures[1].result()

    with pytest.raises(KeyboardInterrupt):
        model.run(main)
    assert type(futures[0].exception()) is KeyboardInterrupt
    for future in futures[1:]:  # submit is a checkpoint now and then: main may have been struck there
        assert outcome(future.result) in (TaskCancelled, CancelledError)


def finish(model, main):
    """Run this to its end. An interrupt that gets out is a failure of this test; bare, it would end them all."""
    try:
        return model.run(main)
    except KeyboardInterrupt as error:
        raise AssertionError("main was interrupted once too often") from error


def results_of_a_struck_task(pool, how):
    """Have a task strike itself with Ctrl-C, and ask for its result."""
    if how == "result":
        pool.submit(strike).result()
    elif how == "await another":
        pool.submit(strike)
        pool.submit(pow, 2, 5).result()
    elif how == "map":
        next(pool.map(lambda _: strike(), [1]))
    else:
        wait([pool.submit(strike)])
        time.sleep(0)


@pytest.mark.parametrize("name", COOPERATIVE)
@pytest.mark.parametrize("how", ["result", "await another", "map", "wait"])
def test_one_ctrl_c_interrupts_main_once(name, how):
    model, seen = model_of(name), []

    def main():
        with model.Pool(1) as pool:
            try:
                results_of_a_struck_task(pool, how)
                model.sleep(1)
            except KeyboardInterrupt:
                seen.append("once")
                model.sleep(0.001)
                seen.append(pool.submit(pow, 2, 5).result())
            model.sleep(0.001)
            seen.append(list(pool.map(abs, range(300)))[-1])
        return "to the end"

    assert finish(model, main) == "to the end"
    assert seen == ["once", 32, 299]


@pytest.mark.parametrize("name", SYNC)
def test_a_keyboard_interrupt_of_a_task_is_its_futures(name):
    model = model_of(name)

    def interrupt():
        raise KeyboardInterrupt("of the program")

    def main():
        with model.Pool(2) as pool:
            future = pool.submit(interrupt)
            assert pool.submit(pow, 2, 5).result() == 32
            model.sleep(0.001)
            assert list(pool.map(abs, range(300)))[-1] == 299
            for _ in range(2):
                with pytest.raises(KeyboardInterrupt, match="of the program"):
                    future.result()
            with pytest.raises(KeyboardInterrupt, match="of the program"):
                next(pool.map(lambda _: interrupt(), [1]))
            model.sleep(0.001)
        return "to the end"

    assert finish(model, main) == "to the end"


@pytest.mark.parametrize("name", SYNC)
def test_a_keyboard_interrupt_of_a_callback_is_nobodys(name):
    model = model_of(name)

    def interrupt(_):
        raise KeyboardInterrupt("of a callback")

    def main():
        with model.Pool(1) as pool:
            future = pool.submit(soon, model, "value")
            future.add_done_callback(interrupt)
            assert future.result() == "value"
            model.sleep(0.001)
            return pool.submit(pow, 2, 5).result()

    assert finish(model, main) == 32


@pytest.mark.parametrize("name", THREADED)
def test_ctrl_c_finds_no_lock_that_a_worker_needs(name):
    model = model_of(name)

    def main():
        with model.Pool(2) as pool:
            futures = [pool.submit(abs, 1) for _ in range(200)]
            futures += [pool.submit(time.sleep, 0.001) for _ in range(4)]
            threading.Timer(0.001, signal.pthread_kill, (threading.get_ident(), signal.SIGINT)).start()
            while True:
                wait(futures, 0)
                list(as_completed(futures))

    for _ in range(20):
        with pytest.raises(KeyboardInterrupt):
            model.run(main)

"""The pools of processes and interpreters: what is theirs alone. What all pools guarantee is in the conformance
suite."""

import collections
import os
import random
import signal
import threading
import time
from concurrent.futures import BrokenExecutor
from contextlib import suppress
from pathlib import Path

import pool_tasks as tasks
import pytest
from boundaries import BOTH, EACH_CARRIER, FORK, SPAWN, in_turn

from concmodels.errors import CannotTravel, Deadlock, RemoteError, TaskDied, WorkerDied
from concmodels.models import processes, subinterp
from concmodels.models.memory.pool.worker_handle import WorkerHandle

pytestmark = pytest.mark.usefixtures("nothing_left_behind")
PROCESSES = [processes, pytest.param(SPAWN, id="spawn"), pytest.param(FORK, id="fork")]


@pytest.mark.parametrize("model", EACH_CARRIER)
def test_many_tasks_of_uneven_length(model):
    def main():
        with model.Pool(3) as pool:
            assert list(pool.map(tasks.uneven, range(10_000))) == list(range(10_000))

    model.run(main)


@pytest.mark.parametrize("model", BOTH)
def test_no_result_is_anothers(model, thorough):
    """Several threads of the parent give one pool work, and take results: without the GIL all of them at once."""
    wrong = []

    def mapped(pool, first, buffersize):
        numbers = range(first, first + 20_000)
        for number, result in zip(numbers, pool.map(tasks.same, numbers, buffersize=buffersize), strict=True):
            if result != number:
                wrong.append((number, result))

    def submitted(pool, first):
        numbers = range(first, first + 2_000)
        calls = [pool.submit(tasks.text_of, number) for number in numbers]
        wrong.extend(
            (number, call.result())
            for number, call in zip(numbers, calls, strict=True)
            if call.result() != tasks.text_of(number)
        )

    def main():
        with model.Pool(2) as pool:
            given = [(mapped, pool, 0, None), (mapped, pool, 10**6, 3_000), (submitted, pool, 10**9)]
            threads = [threading.Thread(target=target, args=args) for target, *args in given]
            for thread in threads:
                thread.start()
            for number, result in enumerate(pool.map(tasks.text_of, range(10_000), buffersize=2_000)):
                assert result == tasks.text_of(number)
            for thread in threads:
                thread.join()

    for _ in range(2 if thorough else 1):
        model.run(main)
    assert not wrong


@pytest.mark.parametrize(("model", "size"), in_turn([processes, subinterp], [0, 1, 5_000, 70_000, 3_000_000]))
def test_results_of_any_size(model, size):
    """A worker's ring has 64 KiB here: what does not fit passes through piece by piece."""

    def main():
        with model.Pool(2) as pool:
            assert [len(data) for data in pool.map(tasks.as_bytes, [size] * 20)] == [size] * 20
            assert list(pool.map(tasks.length, [b"x" * size] * 20)) == [size] * 20

    model.run(main, channel_bytes=1 << 16)


@pytest.mark.parametrize("model", BOTH)
def test_large_results_leave_no_memory_behind(model, thorough):
    """What was read goes back to the system: a hundred results of 4 MB are never there together."""

    def main():
        pool = model.Pool(2)
        with pool:
            for _ in pool.map(tasks.as_bytes, [4_000_000] * (200 if thorough else 100)):
                blocks = os.fstat(pool.home.arena.fd).st_blocks * 512
                assert blocks < 150_000_000

    model.run(main)


@pytest.mark.parametrize("model", BOTH)
def test_what_cannot_travel_is_refused(model):
    def main():
        with model.Pool(2) as pool:
            with pytest.raises(CannotTravel, match="lambda"):
                pool.submit(lambda: 1)
            with pytest.raises(CannotTravel, match="argument 2"):
                pool.submit(max, 1, threading.Lock())
            with pytest.raises(CannotTravel, match="lambda"):
                pool.map(lambda x: x, [1])
            results = pool.map(tasks.same, [1, 2, threading.Lock(), 4], chunksize=4)
            assert [next(results), next(results)] == [1, 2]
            with pytest.raises(CannotTravel, match="argument 1"):
                next(results)
            with pytest.raises(CannotTravel, match="unpickled.*ValueError: it can't be read"):
                pool.submit(tasks.unreadable_on_arrival).result()
            with pytest.raises(CannotTravel, match="unpickled.*ValueError: it can't be read"):
                pool.submit(tasks.same, tasks.Unreadable()).result()
            results = pool.map(tasks.same, [1, tasks.Unreadable(), 3], chunksize=3)
            assert next(results) == 1
            with pytest.raises(CannotTravel, match="unpickled.*ValueError: it can't be read"):
                next(results)
            assert pool.submit(tasks.same, 5).result() == 5

    model.run(main)
    with pytest.raises(RuntimeError, match=r"inside run\(main\)"):
        model.Pool(1)


@pytest.mark.parametrize("model", BOTH)
def test_a_batch_that_cannot_be_read_has_others_behind_it(model):
    """The worker leaves it, and goes on with the next: the pool must not take that one's results for its own."""

    def main():
        with model.Pool(1) as pool:
            list(pool.map(tasks.same, range(3000)))
            for round in range(40):
                items = [f"{round}, {number}" for number in range(30)]
                items[13] = tasks.Unreadable()
                results, arrived = pool.map(tasks.same, items, chunksize=3), []
                with pytest.raises(CannotTravel, match="unpickled.*ValueError: it can't be read"):
                    for result in results:
                        arrived.append(result)
                assert arrived == items[:13]

    model.run(main)


@pytest.mark.parametrize("model", BOTH)
def test_an_initializer_that_cannot_travel_starts_nothing(model):
    def main():
        with pytest.raises(CannotTravel):
            model.Pool(2, initializer=lambda: None)

    model.run(main)


@pytest.mark.parametrize("model", BOTH)
def test_an_initializer_that_fails_between_two_looks(model, monkeypatch):
    """The worker ends just after the pool has read what the worker had published so far."""
    collect = WorkerHandle.collect

    def collect_early(handle):
        collect(handle)
        while not handle.has_ended():
            time.sleep(0.001)

    monkeypatch.setattr(WorkerHandle, "collect", collect_early)

    def main():
        with model.Pool(1, initializer=int, initargs=("no number",)) as pool:
            with pytest.raises(BrokenExecutor) as caught:
                pool.submit(tasks.same, 1).result()
            assert type(caught.value.__cause__) is ValueError

    model.run(main)


@pytest.mark.parametrize("model", BOTH)
def test_a_pool_in_the_hands_of_its_tasks(model):
    def main():
        with model.Pool(2) as pool:
            assert pool.submit(tasks.done_away, pool, range(5)).result() == (5, 0, [0, 1, 2, 3, 4], [0, 1, 2, 3, 4])
            assert list(pool.map(tasks.same, [pool, 1])) == [pool, 1]
            with pytest.raises(RuntimeError, match="where it was made"):
                pool.submit(tasks.shut_down, pool).result()
            gate = model.Channel(0)
            taken = pool.submit(tasks.taken_back, pool, gate)
            assert taken.result() == (True, True, "go on", False)
        with model.Pool(2) as pool, pytest.raises(Deadlock, match="all 2 workers"):
            pool.submit(tasks.fibonacci, pool, 5).result()
        with model.Pool(9) as pool:
            assert pool.submit(tasks.fibonacci, pool, 5).result() == 5

    model.run(main)


@pytest.mark.parametrize("model", BOTH)
def test_a_pool_in_a_task(model):
    def main():
        with model.TaskGroup() as group:
            many = [group.spawn(tasks.pool_of_its_own, model, range(100)) for _ in range(2)]
            left_open = group.spawn(tasks.leave_a_pool_open, model)
        assert [task.result() for task in many] == [list(range(100))] * 2
        assert left_open.result() == 5

    model.run(main)


@pytest.mark.parametrize("model", BOTH)
def test_a_pool_ends_with_its_run(model):
    """Forgotten or closed without waiting: the run ends when everything is done that the pools were given."""

    def main():
        pool, other = model.Pool(1), model.Pool(1)
        given = [pool.submit(tasks.slow, 0.05) for _ in range(3)]
        given.append(other.submit(tasks.slow, 0.05))
        other.shutdown(wait=False)
        return given

    assert [future.result(0) for future in model.run(main)] == [0.05] * 4


@pytest.mark.parametrize("model", BOTH)
def test_a_task_does_not_end_before_the_pool_that_it_left_open(model):
    def main():
        report = model.Channel(10)
        with model.TaskGroup() as group:
            group.spawn(tasks.leave_work_open, model, report)
        return report.receive(0)

    assert model.run(main) == "done"


@pytest.mark.parametrize("model", BOTH)
def test_an_error_of_main_cancels_what_a_pool_does(model):
    """The program leaves while all workers compute: the run ends, and nothing is left."""
    waiting = []

    def main():
        report = model.Channel(10)
        pool = model.Pool(2)
        waiting.extend(pool.submit(tasks.report_and_wait, report, model) for _ in range(3))
        report.receive()
        report.receive()
        raise LookupError("of main")

    with pytest.raises(LookupError):
        model.run(main)
    assert all(future.done() for future in waiting)
    assert waiting[2].cancelled()


@pytest.mark.parametrize("model", BOTH)
def test_a_pool_outside_its_run(model):
    pool = model.run(model.Pool)
    with pytest.raises(RuntimeError):
        pool.submit(tasks.same, 1)
    with pytest.raises(RuntimeError):
        pool.map(tasks.same, [1])


@pytest.mark.parametrize(("model", "verb"), in_turn([processes, subinterp], ["submit", "map"]))
def test_who_was_cancelled_with_a_pool_that_is_gone_hears_of_that(model, verb):
    heard = []

    def main():
        with model.TaskGroup() as group:
            pool = model.Pool(1)
            group.cancel()
            while not pool._collector.is_gone():
                time.sleep(0.001)
            try:
                getattr(pool, verb)(tasks.same, [1])
            except BaseException as error:
                heard.append(type(error))
                raise

    model.run(main)
    assert heard == [model.Cancelled]


# Deaths.


@pytest.mark.parametrize(("model", "how"), in_turn([processes, SPAWN, FORK], [(tasks.killed,), (tasks.exited, 3)]))
def test_a_worker_that_dies_in_a_task(model, how):
    def main():
        with model.Pool(2) as pool:
            for _ in range(3):
                with pytest.raises(
                    WorkerDied, match=r"worker \d .*(SIGKILL|status 3).* in the middle of \w+"
                ) as caught:
                    pool.submit(*how).result()
                assert isinstance(caught.value, TaskDied)
                assert caught.value.worker in str(caught.value)
            assert list(pool.map(tasks.same, range(1000))) == list(range(1000))

    model.run(main)


@pytest.mark.parametrize("model", PROCESSES)
def test_an_idle_worker_is_killed(model):
    def main():
        with model.Pool(2) as pool:
            pids = set(pool.map(tasks.own_pid, range(50)))
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            deadline = time.monotonic() + 50
            while pids & (now := set(pool.map(tasks.own_pid, range(50)))):
                assert time.monotonic() < deadline
            assert now

    model.run(main)


def test_workers_that_die_before_they_begin():
    def main():
        with (
            processes.Pool(2, initializer=tasks.killed) as pool,
            pytest.raises(BrokenExecutor, match="in a row") as caught,
        ):
            pool.submit(tasks.same, 1).result()
        assert isinstance(caught.value.__cause__, WorkerDied)

    processes.run(main)


def killing(pool, times, seed):
    """Return a thread that kills so many of the pool's workers, at any moment."""
    choose = random.Random(seed)

    def kill():
        for _ in range(times):
            time.sleep(0.06 * choose.random())
            with pool.dispatcher.lock:
                fit = [handle for handle in pool.dispatcher._handles if handle.is_fit()]
            for pid in _pids_of(fit[:1]):
                with suppress(ProcessLookupError):  # it has been killed before, and the pool is about to hear of it
                    os.kill(pid, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def _pids_of(handles):
    """Return the processes of these workers: only the supervisor knows."""
    records = {handle.task.at for handle in handles}
    return [child.popen.pid for child in list(_supervisors[-1]._children.values()) if child.at in records]


_supervisors = []


@pytest.fixture
def supervisor_known(monkeypatch):
    """The supervisor of the newest run: it alone knows which process is which task."""
    from concmodels.models.memory.lives import processes

    start = processes.ProcessSupervisor.__init__

    def init(self, *args):
        _supervisors.append(self)
        start(self, *args)

    monkeypatch.setattr(processes.ProcessSupervisor, "__init__", init)
    yield
    _supervisors.clear()


def ledger_of(model, path, seed, count=4000):
    """Kill workers in the middle of maps and submits; return how often each task was begun, and which have failed."""

    def main():
        failed, position = set(), 0
        with model.Pool(3) as pool:
            thread = killing(pool, 3, seed)
            calls = [pool.submit(tasks.noted, path, -number) for number in range(1, 200)]
            while position < count:
                try:
                    for result in pool.map(tasks.noted_in, ((path, number) for number in range(position, count))):
                        assert result == position
                        position += 1
                except WorkerDied:
                    failed.add(position)
                    position += 1
            for number, call in enumerate(calls, 1):
                try:
                    assert call.result() == -number
                except WorkerDied:
                    failed.add(-number)
            thread.join()
        return failed

    failed = model.run(main)
    return ledger(path), failed


def ledger(path):
    """Return how often each number was noted."""
    return collections.Counter(map(int, Path(path).read_text().split()))


@pytest.mark.usefixtures("supervisor_known")
@pytest.mark.parametrize("model", PROCESSES)
def test_no_call_is_done_twice_when_workers_die(model, tmp_path):
    begun, failed = ledger_of(model, str(tmp_path / "ledger"), 1)
    _check(begun, failed)


@pytest.mark.stress
@pytest.mark.usefixtures("supervisor_known")
@pytest.mark.parametrize("model", PROCESSES)
def test_a_hundred_deaths(model, tmp_path):
    for seed in range(35):
        _check(*ledger_of(model, str(tmp_path / f"ledger {seed}"), seed))


def _check(begun, failed):
    """Each call that was submitted was begun once, or its worker died before it could write that down."""
    calls = range(-199, 0)
    assert {begun[call] for call in calls if call not in failed} == {1}
    assert {begun[call] for call in failed if call < 0} <= {0, 1}


@pytest.mark.parametrize("model", BOTH)
def test_maps_that_were_left_early_are_forgotten(model):
    def main():
        with model.Pool(2) as pool:
            for _ in range(20):
                results = pool.map(tasks.uneven, range(500))
                assert next(results) == 0
                results.close()
            assert pool.submit(tasks.same, 1).result() == 1
            pool.wait_until(lambda: len(pool.dispatcher._queues) == 1, time.monotonic() + 50)

    model.run(main)


# Taking back.


@pytest.mark.parametrize("model", BOTH)
def test_no_task_is_done_twice_when_work_is_taken_back(model, tmp_path):
    """A busy worker's batch is halved again and again, while it goes on beginning one task after the other."""
    path = str(tmp_path / "ledger")

    def main():
        with model.Pool(3) as pool:
            for _ in range(5):
                calls = [(path, number) for number in range(2000)]
                assert list(pool.map(tasks.noted_in, calls, chunksize=700)) == list(range(2000))

    model.run(main)
    assert ledger(path) == dict.fromkeys(range(2000), 5)


# Deadlocks, where a run looks for them.


@pytest.mark.timeout(0)  # its thread would be one that the run did not start, and might send
@pytest.mark.parametrize("model", BOTH)
def test_a_deadlock_names_the_workers(model):
    def main():
        never = model.Channel(0, "never")
        with model.Pool(2) as pool:
            assert pool.submit(tasks.same, 1).result() == 1
            pool.submit(tasks.receive, never).result()

    with pytest.raises(Deadlock) as caught:
        model.run(main, deadlock_after=0.3)
    main, *workers = caught.value.waits
    assert main.startswith("main: waits for the result of receive at")
    assert sorted(line.partition(": ")[2].partition(" at ")[0] for line in workers) == [
        "receive on channel 'never'",
        "waits for work",
    ]


@pytest.mark.timeout(0)
@pytest.mark.parametrize("model", BOTH)
def test_a_pool_at_work_is_no_deadlock(model):
    def main():
        with model.Pool(2) as pool:
            return list(pool.map(tasks.slow, [0.5, 0.6, 0.4]))

    assert model.run(main, deadlock_after=0.1) == [0.5, 0.6, 0.4]


@pytest.mark.parametrize("model", BOTH)
def test_a_pool_that_is_gone_has_no_hand_in_what_comes_after(model, thorough):
    """Its record is another group's by then: leaving its `with` with an error must not cancel that one."""

    def main():
        before, pools = len(os.listdir("/proc/self/fd")), 20 if thorough else 8
        for _ in range(pools):
            with pytest.raises(ZeroDivisionError), model.Pool(1) as pool:
                assert pool.submit(tasks.same, 1).result() == 1
                pool.shutdown()
                with model.TaskGroup() as group, pytest.raises(ZeroDivisionError):
                    task = group.spawn(tasks.slow, 0.01)
                    pool.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
                    raise ZeroDivisionError
                assert task.result() == 0.01
                raise ZeroDivisionError
        assert len(os.listdir("/proc/self/fd")) < before + pools

    model.run(main)


def fail_deep(kind):
    """Raise an exception of this kind, from a cause if there is one."""
    if kind is KeyError:
        raise KeyError("away") from ValueError("why")
    raise kind("away")


def causes_of(pool, kind):
    """The kind of the cause of what the pool raises, and whether it shows where that was raised."""
    cause = pool.submit(fail_deep, kind).exception().__cause__
    return type(cause).__name__, "in fail_deep" in str(cause)


def main_causes(model):
    with model.Pool(1) as pool:
        here = causes_of(pool, OSError)
        with pytest.raises(OSError, match="away") as caught:
            list(pool.map(fail_deep, [OSError]))
        assert type(caught.value.__cause__) is RemoteError
        with model.TaskGroup() as group:
            elsewhere = group.spawn(causes_of, pool, OSError).result()
        return here, elsewhere, causes_of(pool, KeyError)[0]


@pytest.mark.parametrize("model", BOTH)
def test_the_cause_of_an_error_of_a_worker_is_its_traceback_there(model):
    """As in the executors of the standard library; an error that has a cause keeps it."""
    assert model.run(main_causes, model) == (("RemoteError", True), ("RemoteError", True), "ValueError")

"""The model beyond one machine: on its embedded cluster, and on one of separate processes, of which some are killed."""

import math
import operator
import os
import signal
import sys
import time
from concurrent.futures import as_completed
from pathlib import Path

import pytest
from dask_cluster import Cluster, attempts
from in_process import called
from interruptible import popen
from undisturbed import undisturbed

from concmodels import catalog
from concmodels.conformance.census import NothingLeft
from concmodels.conformance.suite import SOCKETS, Model, guarantees
from concmodels.errors import CannotTravel, Deadlock, ModelUnavailable, TaskCancelled, TaskDied, WorkerDied
from concmodels.ring import ring

pytestmark = pytest.mark.skipif(catalog.why_not("dask") is not None, reason=str(catalog.why_not("dask")))

ROOT = Path(__file__).parents[2]
NEEDLESS = {
    "pooling_failures.a_deadlock_of_the_workers_is_raised",
    "pooling_failures.a_wait_for_what_is_at_work_is_no_deadlock",
    "pooling_failures.tasks_wait_as_deep_as_there_are_workers",
}
"""What can't happen here: a task that gives its pool others has left its place to them, so no pool has too few."""


@pytest.fixture(scope="module")
def embedded(quiet_corner):
    found = catalog.load("dask")
    for _ in range(2):  # what Dask starts once and keeps is not what a run leaves behind
        found.run(warm_up, found)
    return found


@pytest.fixture(scope="module")
def some_cluster(quiet_corner, tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


@pytest.fixture
def cluster(some_cluster):
    some_cluster.complete(failures=3)
    return some_cluster


@pytest.fixture
def strict_cluster(some_cluster):
    some_cluster.complete(failures=0)
    return some_cluster


@pytest.fixture
def far(cluster):
    return catalog.load(f"dask:{cluster.address}")


def warm_up(model):
    with model.TaskGroup() as group, model.Pool(1) as pool:
        assert group.spawn(abs, -1).result() == pool.submit(abs, -1).result() == 1


# Tasks, which workers in other processes import from here.


def fail(number):
    raise KeyError(number)


def forward(inbox, outbox):
    for item in inbox:
        outbox.send(item * 2)
    outbox.close()


def fibonacci(pool, number):
    if number < 2:
        return number
    parts = [pool.submit(fibonacci, pool, number - back) for back in (1, 2)]
    return sum(part.result() for part in parts)


def slow_square(number):
    time.sleep(0.02)
    return number * number


def slow_square_into(channel, number):
    time.sleep(0.2)
    channel.send(number * number)


def late_pid(_):
    time.sleep(0.05)
    return os.getpid()


def die_at(victim, number):
    if number == victim:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def wait_for_ever(model):
    model.Channel().receive()


def tell_and_echo(here, inbox, outbox):
    here.send(os.getpid())
    for item in inbox:
        outbox.send((os.getpid(), item))


def tell_and_offer(here, outbox):
    here.send(os.getpid())
    outbox.send(os.getpid())


def tell_and_choose(model, here, inbox, outbox):
    """Wait for an item, or for somebody to take one."""
    here.send(os.getpid())
    done = model.select(inbox, (outbox, os.getpid()))
    return done.sent, done.item


def pass_on(inbox, outbox):
    outbox.send(inbox.receive())


LINES = [
    "main: waits for the end of its group",
    "left: receive on channel 'a'",
    "right: receive on channel 'b'",
]


def wait_for_each_other(model):
    a, b = model.Channel(0, "a"), model.Channel(0, "b")
    with model.TaskGroup() as group:
        group.spawn(pass_on, a, b, name="left")
        group.spawn(pass_on, b, a, name="right")


def write(shared):
    shared.view()[0] = 7


# The embedded cluster.


def test_a_ring(embedded):
    result = ring("dask", nodes=5, messages=100)
    assert result.verified, result.error
    assert ring("dask", nodes=3, messages=5, capacity=0).verified


def test_there_may_be_more_tasks_than_threads(embedded):
    assert ring("dask", nodes=40, messages=2).verified


def test_a_run_leaves_nothing_behind(embedded):
    with NothingLeft():
        embedded.run(warm_up, embedded)


def test_lambdas_travel_and_locks_do_not(embedded):
    def main():
        with embedded.TaskGroup() as group:
            assert group.spawn(lambda: 5).result() == 5
            with pytest.raises(CannotTravel, match="argument 1 "):
                group.spawn(id, __import__("threading").Lock())

    embedded.run(main)


def test_tasks_of_a_pool_that_wait_for_others_never_deadlock(embedded):
    def main():
        with embedded.Pool(1) as pool:
            return pool.submit(fibonacci, pool, 6).result()

    assert embedded.run(main) == 8


def test_chunks_travel_together(embedded):
    def main():
        with embedded.Pool(2) as pool:
            assert list(pool.map(abs, range(-50, 0), chunksize=20)) == list(range(50, 0, -1))
            results = pool.map(operator.truediv, [1, 2, 3, 4], [1, 2, 0, 1], chunksize=4)
            assert [next(results), next(results)] == [1, 1]
            with pytest.raises(ZeroDivisionError):
                next(results)

    embedded.run(main)


def test_the_embedded_cluster_shares_memory(embedded):
    source = bytearray(3)

    def main():
        with embedded.share(source) as shared, embedded.Pool(1) as pool:
            pool.submit(write, shared).result()

    embedded.run(main)
    assert source == b"\7\0\0"


def test_a_deadlock_is_found_if_the_run_is_asked_to_look(embedded):
    with pytest.raises(Deadlock) as caught:
        embedded.run(wait_for_each_other, embedded, deadlock_after=0.1)
    assert [line.partition(" at ")[0] for line in caught.value.waits] == LINES


def test_where_a_task_can_go_on_there_is_no_deadlock(embedded):
    def main():
        result = embedded.Channel(0)
        with embedded.TaskGroup() as group:
            group.spawn(slow_square_into, result, 3)
            return result.receive()

    assert embedded.run(main, deadlock_after=0.01) == 9


def test_a_channel_ends_with_its_run(embedded):
    channel = embedded.run(embedded.Channel, math.inf)
    with pytest.raises(RuntimeError, match="over"):
        channel.send(1)
    with pytest.raises(RuntimeError, match="inside"):
        embedded.Channel()


PROGRAM = """
from concmodels import load
model = load("dask")
def receive():
    model.Channel().receive()
def sleep():
    model.sleep(60)
def leave():
    pass
def compute():
    while True:
        pass
def main(wait):
    with model.TaskGroup() as group:
        group.spawn(model.sleep, 60)
        print("ready", flush=True)
        wait()
if __name__ == "__main__":
    for wait in (receive, sleep, leave, compute):
        try:
            model.run(main, wait)
        except BaseException as error:
            print(f"{wait.__name__} was left by {error!r}", flush=True)
"""


def test_ctrl_c_ends_a_run(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    with popen([sys.executable, "program.py"], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}) as process:
        for wait in ("receive", "sleep", "leave", "compute"):
            assert process.stdout.readline() == "ready\n", process.communicate()[1]
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == f"{wait} was left by KeyboardInterrupt()\n"


# A cluster of other processes.


def test_a_ring_on_a_cluster(cluster):
    result = ring(f"dask:{cluster.address}", nodes=3, messages=10)
    assert result.verified, result.error


def test_channels_and_groups_on_a_cluster(far):
    def main():
        inbox, outbox = far.Channel(2), far.Channel(math.inf)
        with far.TaskGroup() as group:
            group.spawn(forward, inbox, outbox)
            for number in range(5):
                inbox.send(number)
            inbox.close()
            assert list(outbox) == [0, 2, 4, 6, 8]

    far.run(main)


def test_failures_on_a_cluster_keep_their_type_and_cancel_the_others(far):
    def main():
        with far.TaskGroup() as group:
            waiting = group.spawn(wait_for_ever, far)
            group.spawn(fail, 5)
        with pytest.raises(TaskCancelled):
            waiting.result()

    with pytest.raises(ExceptionGroup) as caught:
        far.run(main)
    (error,) = caught.value.exceptions
    assert type(error) is KeyError and error.args == (5,)


def test_a_pool_uses_all_workers_of_a_cluster(far, cluster):
    def main():
        with far.Pool() as pool:
            assert pool.workers == 4
            assert set(pool.map(late_pid, range(16))) == set(cluster.workers)
            assert pool.submit(fibonacci, pool, 5).result() == 5
            assert sorted(it.result() for it in as_completed([pool.submit(abs, -1), pool.submit(abs, -2)])) == [1, 2]
            with pytest.raises(KeyError):
                pool.submit(fail, 1).result()

    far.run(main)


@pytest.mark.parametrize("capacity", [0, 2])
def test_what_a_killed_worker_was_waiting_for_goes_to_the_others(far, cluster, capacity):
    """Dask has its tasks begun again on the worker that is left: when they have told so, the dead ones get nothing."""

    def main():
        here, inbox, outbox = far.Channel(math.inf), far.Channel(capacity), far.Channel(math.inf)
        with far.TaskGroup() as group:
            for _ in range(6):
                group.spawn(tell_and_echo, here, inbox, outbox)
            victim = kill_one(cluster, [here.receive() for _ in range(6)])
            again = [here.receive() for _ in range(victim[1])]
            assert victim[0] not in again
            for number in range(50):
                inbox.send(number)
            inbox.close()
        outbox.close()
        came = list(outbox)
        assert sorted(item for _, item in came) == list(range(50))
        assert {pid for pid, _ in came} == set(cluster.workers) - {victim[0]}

    far.run(main)


def kill_one(cluster, pids):
    """Kill a worker that has tasks, and wait until it is gone; return its id and how many of these tasks it had."""
    victim = pids[0]
    os.kill(victim, signal.SIGKILL)
    cluster.workers[victim].join()
    return victim, pids.count(victim)


def test_what_a_killed_worker_was_sending_reaches_nobody(far, cluster):
    def main():
        here, inbox = far.Channel(math.inf), far.Channel(0)
        with far.TaskGroup() as group:
            for _ in range(4):
                group.spawn(tell_and_offer, here, inbox)
            victim, count = kill_one(cluster, [here.receive() for _ in range(4)])
            for _ in range(count):
                here.receive()
            assert victim not in [inbox.receive() for _ in range(4)]
            with pytest.raises(TimeoutError):
                inbox.receive(0.05)

    far.run(main)


def test_where_dask_tries_nothing_twice_the_channels_outlive_a_killed_worker(strict_cluster):
    far = catalog.load(f"dask:{strict_cluster.address}")

    def main():
        here, inbox, outbox = far.Channel(math.inf), far.Channel(0), far.Channel(math.inf)
        with pytest.raises(ExceptionGroup) as caught, far.TaskGroup() as group:
            for _ in range(4):
                group.spawn(tell_and_echo, here, inbox, outbox)
            kill_one(strict_cluster, [here.receive() for _ in range(4)])
        assert caught.group_contains(TaskDied, depth=1)
        with far.TaskGroup() as group:
            group.spawn(tell_and_echo, here, inbox, outbox)
            inbox.send("to the living")
            assert outbox.receive()[1] == "to the living"
            inbox.close()

    far.run(main)


def test_selects_of_two_workers_meet(far):
    """Each receives or sends, on the same two rendezvous: both end, one of them by sending."""

    def main():
        here, there, ready = far.Channel(0), far.Channel(0), far.Channel(math.inf)
        with far.TaskGroup() as group:
            one = group.spawn(tell_and_choose, far, ready, here, there)
            other = group.spawn(tell_and_choose, far, ready, there, here)
            pids = {ready.receive(), ready.receive()}
        assert {one.result()[0], other.result()[0]} == {True, False}
        assert one.result()[1] == other.result()[1] and one.result()[1] in pids

    far.run(main)


def test_a_deadlock_of_two_workers_is_found(far):
    with pytest.raises(Deadlock) as caught:
        far.run(wait_for_each_other, far, deadlock_after=0.3)
    assert [line.partition(" at ")[0] for line in caught.value.waits] == LINES


KILLED = """
import sys
from pathlib import Path
from concmodels import load
model = load(sys.argv[1])
def wait(ready, file):
    try:
        ready.send("waits")
        model.Channel().receive()
    except ConnectionError as error:
        Path(file + ".part").write_text(str(error))
        Path(file + ".part").rename(file)
def main():
    ready = model.Channel(1)
    with model.TaskGroup() as group:
        group.spawn(wait, ready, sys.argv[2])
        print(ready.receive(), flush=True)
if __name__ == "__main__":
    model.run(main)
"""


def test_when_main_is_killed_its_tasks_are_told(cluster, tmp_path):
    (tmp_path / "program.py").write_text(KILLED)
    told = tmp_path / "told"
    command = [sys.executable, "program.py", f"dask:{cluster.address}", str(told)]
    with popen(command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}) as process:
        assert process.stdout.readline() == "waits\n", process.communicate()[1]
        process.kill()
    for _ in attempts("the task was not told"):
        if told.exists():
            break
    assert told.read_text() == "the connection to the process of main is lost"


def test_a_worker_that_cannot_reach_main_says_so(far, monkeypatch):
    monkeypatch.setattr("concmodels.models.cluster.host.reachable_at", lambda _listener: "tcp://127.0.0.1:9")
    with pytest.raises(ExceptionGroup) as caught:
        far.run(spawn, far, die)
    (error,) = caught.value.exceptions
    assert type(error) is TaskDied and "can't reach the process of main at tcp://127.0.0.1:9" in str(error)


def test_a_cluster_has_no_memory_in_common(far):
    with pytest.raises(NotImplementedError, match="no memory in common"):
        far.run(far.share, b"bytes")


def test_a_map_survives_the_death_of_a_worker(far, cluster):
    def main():
        with far.Pool() as pool:
            results = pool.map(slow_square, range(60))
            first = [next(results) for _ in range(5)]
            os.kill(min(cluster.workers), signal.SIGKILL)
            assert first + list(results) == [number * number for number in range(60)]

    far.run(main)


def test_where_dask_tries_nothing_twice_only_the_task_of_a_dead_worker_fails(strict_cluster):
    far = catalog.load(f"dask:{strict_cluster.address}")

    def main():
        with far.Pool(2) as pool:
            calls = [pool.submit(die_at, 9, number) for number in range(40)]
            errors = {number: call.exception() for number, call in enumerate(calls) if call.exception() is not None}
            assert 9 in errors and len(errors) <= 2  # the other worker of the pool may have been in the same process
            assert {type(error) for error in errors.values()} == {WorkerDied}
            assert errors[9].worker.startswith("tcp://127.0.0.1:") and "die_at" in str(errors[9])
            assert [call.result() for call in calls if call.exception() is None] == sorted({*range(40)} - {*errors})

    far.run(main)


def test_where_dask_tries_nothing_twice_a_task_that_dies_fails(strict_cluster):
    far = catalog.load(f"dask:{strict_cluster.address}")
    with pytest.raises(ExceptionGroup) as caught:
        far.run(spawn, far, die)
    assert caught.group_contains(TaskDied, depth=1)


def spawn(model, function):
    with model.TaskGroup() as group:
        group.spawn(function)


# Addresses.


def test_a_bad_address_is_told_at_once():
    began = undisturbed()
    with pytest.raises(ModelUnavailable, match="no scheduler answers at tcp://127.0.0.1:9 "):
        catalog.load("dask:tcp://127.0.0.1:9")
    assert undisturbed() - began < 10


def test_the_program_takes_a_bad_address_for_bad_input():
    status, _, told = called(3, 5, "--model", "dask:tcp://127.0.0.1:9")
    assert status == 2
    assert len(told.splitlines()) == 1 and "no scheduler answers" in told


# Guarantees: the embedded cluster is held to those of the suite that it can keep.

SUITE = [it for it in guarantees() if it.by(catalog.facts("dask")) and not set(it.needs) & set(SOCKETS)]
CHAPTERS = ("waiting", "closing", "selecting")
FIRST = list({it.full_name: it for it in reversed(SUITE) if it.chapter in CHAPTERS}.values())


def hold(model, guarantee):
    subject = Model("dask", model, catalog.facts("dask"))
    subject.hold(guarantee)


@pytest.mark.parametrize(
    "guarantee",
    [pytest.param(it, marks=[pytest.mark.thorough] * (place % 2)) for place, it in enumerate(FIRST)],
    ids=str,
)
def test_guarantee(embedded, guarantee):
    hold(embedded, guarantee)


@pytest.mark.stress
@pytest.mark.parametrize("guarantee", [it for it in SUITE if it.full_name not in NEEDLESS], ids=str)
def test_every_guarantee(embedded, guarantee):
    hold(embedded, guarantee)

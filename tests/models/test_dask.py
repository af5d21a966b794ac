"""The model beyond one machine: on its embedded cluster, and on one of separate processes, of which some are killed."""

import math
import operator
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import as_completed
from pathlib import Path

import pytest
from dask_cluster import Cluster
from interruptible import popen

from concmodels import catalog
from concmodels.conformance.census import NothingLeft
from concmodels.conformance.suite import Model, NotGuaranteed, guarantees
from concmodels.errors import CannotTravel, ModelUnavailable, TaskCancelled, TaskDied, WorkerDied
from concmodels.ring import ring

pytestmark = pytest.mark.skipif(catalog.why_not("dask") is not None, reason=str(catalog.why_not("dask")))

ROOT = Path(__file__).parents[2]
NO_RENDEZVOUS = "on dask a select can't send on a rendezvous"
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
    with Cluster(tmp_path_factory.mktemp("cluster"), failures=3) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def strict_cluster(quiet_corner, tmp_path_factory):
    with Cluster(tmp_path_factory.mktemp("strict"), failures=0) as cluster:
        yield cluster


@pytest.fixture
def cluster(some_cluster):
    some_cluster.complete()
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


def test_what_is_not_guaranteed_says_so(embedded):
    with pytest.raises(NotImplementedError, match="deadlock"):
        embedded.run(warm_up, embedded, deadlock_after=1.0)

    def main():
        embedded.select((embedded.Channel(), "item"), timeout=0)

    with pytest.raises(NotImplementedError, match=NO_RENDEZVOUS):
        embedded.run(main)


def test_a_channel_ends_with_its_run(embedded):
    channel = embedded.run(embedded.Channel, math.inf)
    with pytest.raises(RuntimeError, match="over"):
        channel.send(1)
    with pytest.raises(RuntimeError, match="inside"):
        embedded.Channel()


PROGRAM = """
import sys
from concmodels import load
model = load("dask")
def main():
    with model.TaskGroup() as group:
        group.spawn(model.sleep, 60)
        print("ready", flush=True)
        {wait}
if __name__ == "__main__":
    try:
        model.run(main)
    except BaseException as error:
        sys.exit(f"left by {{error!r}}")
"""


@pytest.mark.parametrize("wait", ["model.Channel().receive()", "model.sleep(60)", "pass", "while True: pass"])
def test_ctrl_c_ends_a_run(wait, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM.format(wait=wait))
    with popen([sys.executable, "program.py"], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}) as process:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20)[1] == "left by KeyboardInterrupt()\n"


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
    strict_cluster.complete()
    with pytest.raises(ExceptionGroup) as caught:
        far.run(spawn, far, die)
    assert caught.group_contains(TaskDied, depth=1)


def spawn(model, function):
    with model.TaskGroup() as group:
        group.spawn(function)


# Addresses.


def test_a_bad_address_is_told_at_once():
    began = time.monotonic()
    with pytest.raises(ModelUnavailable, match="nobody answers at tcp://127.0.0.1:9 "):
        catalog.load("dask:tcp://127.0.0.1:9")
    assert time.monotonic() - began < 10


def test_the_program_takes_a_bad_address_for_bad_input():
    command = [sys.executable, "-m", "concmodels.ring", "3", "5", "--model", "dask:tcp://127.0.0.1:9"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1 and "nobody answers" in done.stderr


# Guarantees: the embedded cluster is held to those of the suite.

CHAPTERS = ("waiting", "closing")
FIRST = list({it.full_name: it for it in reversed(list(guarantees())) if it.chapter in CHAPTERS}.values())


def hold(model, guarantee):
    subject = Model("dask", model, catalog.facts("dask"))
    subject.partial = True
    subject.hold(guarantee)


@pytest.mark.parametrize("guarantee", FIRST, ids=str)
def test_guarantee(embedded, guarantee):
    if guarantee.by(catalog.facts("dask")):
        hold(embedded, guarantee)


@pytest.mark.stress
@pytest.mark.parametrize("guarantee", [it for it in guarantees() if it.full_name not in NEEDLESS], ids=str)
def test_every_guarantee(embedded, guarantee):
    if not guarantee.by(catalog.facts("dask")):
        return
    try:
        hold(embedded, guarantee)
    except NotGuaranteed as why:
        assert NO_RENDEZVOUS in str(why)

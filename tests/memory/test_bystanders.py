"""Processes that are forked beside the workers of a run, and outlive them. They have copies of what was open then, and
no copy may hide that a worker has ended, or that the parent has.

Here one is forked in the middle of each start of a worker, where any thread of the program may fork at any time.
"""

import math
import os
import signal
import threading
import warnings
from multiprocessing import reduction, util

import pytest
from boundaries import FORK, HERE, SPAWN, gone, start_script
from boundary_tasks import fork_below, identity, wait_for_ever
from commands import until
from platforms import linux_files

from concmodels.errors import TaskDied, WorkerDied
from concmodels.models import processes

pytestmark = [linux_files, pytest.mark.usefixtures("nothing_left_behind")]

HANGS_S = 40
EACH = pytest.mark.parametrize(
    ("model", "place"),
    [
        pytest.param(processes, (reduction, "sendfds"), id="forkserver"),
        pytest.param(SPAWN, (util, "spawnv_passfds"), id="spawn"),
        pytest.param(FORK, (os, "fork"), id="fork"),
    ],
)


@pytest.fixture
def bystanders(place, monkeypatch):
    """The numbers of the processes that were forked beside workers; each of them waits until it is killed."""
    module, name = place
    pids, start, fork = [], getattr(module, name), os.fork

    def start_beside_another(*args):
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            pid = fork()
        if pid == 0:
            signal.pause()
            os._exit(0)
        pids.append(pid)
        return start(*args)

    monkeypatch.setattr(module, name, start_beside_another)
    return pids


def run_beside(bystanders, model, main, *args):
    """Run this; return what it returned, or raised. Kill the bystanders once it is over, or hangs."""
    outcomes = []

    def run():
        try:
            outcomes.append(model.run(main, model, *args))
        except ExceptionGroup as group:
            outcomes.append(group.exceptions[0])

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(HANGS_S)
    hung = thread.is_alive()
    killed = []
    while len(killed) < len(bystanders) or thread.is_alive():  # what goes on then may start workers again
        for pid in bystanders[len(killed) :]:
            end(pid)
            killed.append(pid)
        thread.join(0.1)
    assert bystanders
    assert not hung, "it was over only when the bystanders were gone"
    return outcomes[0]


def end(pid):
    os.kill(pid, signal.SIGKILL)
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:  # another one's child
        assert until(lambda: gone(pid) or None)


def group_of_three(model):
    with model.TaskGroup() as group:
        tasks = [group.spawn(identity, number) for number in range(3)]
    return [task.result() for task in tasks]


@EACH
def test_a_group_ends(model, bystanders):
    assert run_beside(bystanders, model, group_of_three) == [0, 1, 2]


def pool_of_two(model):
    with model.Pool(2) as pool:
        return list(pool.map(identity, range(5)))


@EACH
def test_a_pool_ends(model, bystanders):
    assert run_beside(bystanders, model, pool_of_two) == [0, 1, 2, 3, 4]


def kill_a_task(model):
    ready = model.Channel(math.inf)
    with model.TaskGroup() as group:
        group.spawn(wait_for_ever, model, ready, name="victim")
        os.kill(ready.receive(), signal.SIGKILL)


@EACH
def test_a_killed_task_is_noticed(model, bystanders):
    error = run_beside(bystanders, model, kill_a_task)
    assert type(error) is TaskDied and "'victim'" in str(error) and "SIGKILL" in str(error)


def kill_a_worker(model):
    ready = model.Channel(math.inf)
    with model.Pool(1) as pool:
        call = pool.submit(wait_for_ever, model, ready)
        os.kill(ready.receive(), signal.SIGKILL)
        return call.exception(), pool.submit(identity, "from its successor").result()


@EACH
def test_a_killed_worker_is_replaced(model, bystanders):
    error, result = run_beside(bystanders, model, kill_a_worker)
    assert type(error) is WorkerDied and result == "from its successor"


def kill_a_task_with_a_child(model, bystanders):
    ready = model.Channel(math.inf)
    with model.TaskGroup() as group:
        group.spawn(fork_below, model, ready, name="victim")
        bystanders.append(ready.receive())
        os.kill(ready.receive(), signal.SIGKILL)


@pytest.mark.parametrize("model", [processes, SPAWN, FORK], ids=["forkserver", "spawn", "fork"])
def test_a_killed_task_is_noticed_while_a_child_of_its_own_lives(model):
    bystanders = []
    error = run_beside(bystanders, model, kill_a_task_with_a_child, bystanders)
    assert type(error) is TaskDied and "'victim'" in str(error)


FORKS_AND_WAITS = """
    import math, os, signal, sys
    sys.path.insert(0, {here!r})
    from concmodels.models import processes
    import boundary_tasks as t

    def main(model):
        ready = model.Channel(math.inf)
        with model.TaskGroup() as group:
            group.spawn(t.wait_for_ever, model, ready)
            group.spawn(t.compute_for_ever, ready)
            group.spawn(t.nest, model, ready)
            workers = [ready.receive() for _ in range(3)]
            bystander = os.fork()
            if not bystander:
                signal.pause()
            print(bystander, *workers, flush=True)
            model.sleep(3600)

    if __name__ == "__main__":
        model = processes.variant({method!r})
        model.run(main, model)
"""


@pytest.mark.parametrize("method", ["forkserver", "spawn", "fork"])
def test_workers_end_with_their_parent(tmp_path, method):
    with start_script(tmp_path, FORKS_AND_WAITS.format(here=HERE, method=method)) as parent:
        bystander, *workers = map(int, parent.stdout.readline().split())
        parent.kill()
        left = until(lambda: all(map(gone, workers)) or None, HANGS_S) is None
        os.kill(bystander, signal.SIGKILL)
        assert until(lambda: all(map(gone, workers)) or None)
        assert not left, "they ended only when the bystander was gone"

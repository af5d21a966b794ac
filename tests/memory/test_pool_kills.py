"""A worker of a pool of processes that is killed, at whichever instruction, costs the task that it was in, and nothing
else."""

import collections
import functools
import os
import random
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

import deadly
import pytest
from boundaries import FORK

from concmodels.errors import WorkerDied
from concmodels.models import processes
from concmodels.models.memory.lives.processes import ProcessSupervisor
from concmodels.models.memory.pool.dispatcher import Dispatcher

pytestmark = pytest.mark.usefixtures("nothing_left_behind")
CHANNEL_BYTES = 1 << 16
TASKS = 400
MOST = 60
"""Kills from outside: where workers take longer to start than to be killed, the tasks would never come to an end."""


class Killer:
    """Kills workers from outside, at random moments, in a thread of its own."""

    def __init__(self, pool, supervisor, seed):
        self.pool, self.supervisor, self.choose = pool, supervisor, random.Random(seed)
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        for _ in range(MOST):
            if self.over.wait(0.2 * self.choose.random()):
                break
            with self.pool.dispatcher.lock:
                fit = {handle.task.at for handle in self.pool.dispatcher._handles if handle.is_fit()}
            children = [child for child in list(self.supervisor._children.values()) if child.at in fit]
            if children:
                with suppress(ProcessLookupError):  # it was killed before, and the pool is about to hear of it
                    os.kill(self.choose.choice(children).popen.pid, signal.SIGKILL)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


def check_outcome(number, outcome, deaths):
    """Check that a task has ended as it must, or with the death of a worker that no other task has died with."""
    expected = deadly.result_of(number)
    if isinstance(outcome, WorkerDied):
        assert outcome.worker in str(outcome) and "in the middle of noted" in str(outcome)
        assert outcome.worker not in {death.worker for death in deaths.values()}
        deaths[number] = outcome
    elif isinstance(expected, Exception):
        assert (type(outcome), outcome.args) == (type(expected), expected.args)
    else:
        assert (type(outcome), outcome) == (type(expected), expected)


def outcome_of(call):
    try:
        return call.result()
    except (WorkerDied, ArithmeticError) as error:
        return error


def check_ledger(path, deaths, numbers):
    """Each task was begun once; one whose worker has died once, or never if that came just before it."""
    begun = collections.Counter(map(int, Path(path).read_text().split()))
    assert {begun[number] for number in numbers if number not in deaths} <= {1}
    assert {begun[number] for number in deaths} <= {0, 1}


def submits(pool, path, numbers):
    """Submit these tasks; return the deaths, by task."""
    deaths = {}
    calls = [pool.submit(deadly.noted, path, number) for number in numbers]
    for number, call in zip(numbers, calls, strict=True):
        check_outcome(number, outcome_of(call), deaths)
    check_ledger(path, deaths, numbers)
    return deaths


def maps(pool, path, numbers):
    """Do these tasks with `map`, again and again from behind one that fails on; return the deaths, by task.

    With the first failure the others are cancelled, and some have been done by then: each map has a ledger of its own.
    """
    deaths, done = {}, 0
    while done < len(numbers):
        ledger = f"{path}-{done}"
        results = pool.map(deadly.noted_in, [(ledger, number) for number in numbers[done:]])
        begun = numbers[done:]
        try:
            for result in results:
                check_outcome(numbers[done], result, deaths)
                done += 1
        except (WorkerDied, ArithmeticError) as error:
            check_outcome(numbers[done], error, deaths)
            done += 1
        if Path(ledger).exists():
            times = collections.Counter(map(int, Path(ledger).read_text().split()))
            assert set(times.values()) <= {1} and times.keys() <= set(begun)
    return deaths


def rounds(model, how, tmp_path, kills, *, from_outside, monkeypatch):
    """Make pools, one after the other, and have their workers killed until so many have been."""
    supervisors, died = [], []
    start, replace = ProcessSupervisor.__init__, Dispatcher._replace

    def init(self, *args):
        supervisors.append(self)
        start(self, *args)

    def count(self, handle, what):
        died.append(what)
        replace(self, handle, what)

    monkeypatch.setattr(ProcessSupervisor, "__init__", init)
    monkeypatch.setattr(Dispatcher, "_replace", count)

    def main(seed):
        initializer = None if from_outside else functools.partial(deadly.doom, seed, 40_000)
        with model.Pool(3, initializer=initializer) as pool:
            numbers = list(range(seed * TASKS, (seed + 1) * TASKS))
            path = str(tmp_path / f"ledger-{how.__name__}-{seed}")
            if not from_outside:
                return len(how(pool, path, numbers))
            with Killer(pool, supervisors[-1], seed):
                return len(how(pool, path, numbers))

    cost = seed = 0
    deadline = time.monotonic() + 800
    while len(died) < kills:
        assert time.monotonic() < deadline
        cost += model.run(main, seed, channel_bytes=CHANNEL_BYTES)
        seed += 1
    assert cost <= len(died)
    print(f"{len(died)} deaths have cost {cost} tasks of {seed * TASKS}")


WAYS = pytest.mark.parametrize("how", [submits, maps])
FROM = pytest.mark.parametrize("from_outside", [False, True], ids=["at an instruction", "from outside"])


@WAYS
@FROM
def test_a_killed_worker_costs_its_task_alone(how, from_outside, tmp_path, monkeypatch, thorough):
    rounds(processes, how, tmp_path, 8 if thorough else 4, from_outside=from_outside, monkeypatch=monkeypatch)


@pytest.mark.stress
@WAYS
@FROM
@pytest.mark.parametrize("model", [processes, pytest.param(FORK, id="fork")])
def test_a_thousand_kills(model, how, from_outside, tmp_path, monkeypatch):
    rounds(model, how, tmp_path, 125, from_outside=from_outside, monkeypatch=monkeypatch)

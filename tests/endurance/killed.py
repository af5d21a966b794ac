"""Runs of processes at every kind of work, of which one is killed at any moment.

Started as `python -m endurance.killed MODEL KILLS`. The last line of its output is JSON: who was killed how often, and
how long the runs took to end, on the clock of `undisturbed`. It writes nothing to standard error; what stands there
comes from a child that ended in disorder.
"""

import faulthandler
import json
import math
import os
import random
import signal
import sys
import threading
import time
from collections import Counter

from undisturbed import undisturbed

from concmodels import catalog
from concmodels.conformance import census
from concmodels.errors import TaskDied

FOR_EVER = 3600
HANGS_S = 60
LONGEST_S = {"processes:spawn": 0.6}
"""A kill comes at most so long after the start (else 0.3): in the middle of the start as well as after it."""


def send_for_ever(ready, channel, item):
    """One that sends, and waits for room."""
    ready.send((os.getpid(), "sender"))
    while True:
        channel.send(item)


def receive_for_ever(ready, channel, name):
    """One that receives, and waits for items."""
    ready.send((os.getpid(), name))
    for _ in channel:
        pass


def sleep_for_ever(ready, model):
    """One that sleeps."""
    ready.send((os.getpid(), "sleeper"))
    model.sleep(FOR_EVER)


def compute_for_ever(ready):
    """One that never waits."""
    ready.send((os.getpid(), "computer"))
    while True:
        pass


def wait_for_a_result(ready, model):
    """One that waits for a task of its own."""
    ready.send((os.getpid(), "parent"))
    with model.TaskGroup() as group:
        group.spawn(sleep_for_ever, ready, model, name="sleeper").result()


def spawn_for_ever(ready, model):
    """One that starts a task after the other, and leaves group after group."""
    ready.send((os.getpid(), "spawner"))
    while True:
        with model.TaskGroup() as group:
            group.spawn(int, name="short")


class Killer:
    """A thread that kills one of those who have told who they are, at a random moment."""

    def __init__(self, longest):
        self.known = {}
        self.victim, self.killed = "", 0.0
        self._longest = longest
        self._thread = threading.Thread(target=self._kill)

    def _kill(self):
        time.sleep(random.uniform(0, self._longest))
        while not self.known:
            time.sleep(0.0005)
        pid, self.victim = random.choice(list(self.known.items()))
        self.killed = undisturbed()
        os.kill(pid, signal.SIGKILL)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._thread.join()


def work(model, killer):
    """Start them all; never ends by itself."""
    ready, there, big = model.Channel(math.inf), model.Channel(random.choice((0, 1, 64))), model.Channel(8)
    with model.TaskGroup() as group:
        group.spawn(send_for_ever, ready, there, 1, name="sender")
        group.spawn(receive_for_ever, ready, there, "receiver", name="receiver")
        group.spawn(send_for_ever, ready, big, b"x" * 100_000, name="sender")
        group.spawn(receive_for_ever, ready, big, "receiver", name="receiver")
        group.spawn(receive_for_ever, ready, model.Channel(0), "waiter", name="waiter")
        group.spawn(sleep_for_ever, ready, model, name="sleeper")
        group.spawn(compute_for_ever, ready, name="computer")
        group.spawn(wait_for_a_result, ready, model, name="parent")
        group.spawn(spawn_for_ever, ready, model, name="spawner")
        for pid, name in ready:
            killer.known[pid] = name


def one_kill(model, longest):
    """One run of which one process is killed; returns who it was, and how long it took the run to end."""
    with Killer(longest) as killer:
        try:
            model.run(work, model, killer)
        except ExceptionGroup as group:
            took, errors = undisturbed() - killer.killed, group.exceptions
        else:
            raise AssertionError("the run ended as if nothing had happened")
    assert [type(error) for error in errors] == [TaskDied], f"{killer.victim} was killed: {errors!r}"
    assert repr(killer.victim) in str(errors[0]), f"{killer.victim} was killed: {errors[0]}"
    return killer.victim, took


def main(name, kills):
    """Do it, and print what was seen."""
    census.know_own_semaphores()
    model, victims, times = catalog.load(name), Counter(), []
    one_kill(model, 0)  # the servers of multiprocessing stay, once they are there
    for _ in range(int(kills)):  # each of them is also the run after the one before
        faulthandler.dump_traceback_later(HANGS_S, exit=True)
        with census.NothingLeft():
            victim, took = one_kill(model, LONGEST_S.get(name, 0.3))
        victims[victim] += 1
        times.append(took)
    print(json.dumps({"killed": victims, "seconds": sorted(times)}))


if __name__ == "__main__":
    main(*sys.argv[1:])

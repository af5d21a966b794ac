"""Without the GIL two tasks are in the library at once, and often: what is only right one at a time would show.

Each of two threads counts its operations, none of which waits, and looks in how many of them the other thread has
ended one of its own. With the GIL that happens only when a thread loses its turn in the middle. `pytest -s` prints how
often it was.
"""

import math
import os
import sys
import time

import pytest

from concmodels import load

OPERATIONS = 20_000
"""Of each task, in one round."""
PATIENCE_S = 100
"""On a machine with much else to do, the two threads rarely have a processor each."""
OFTEN = 100
"""In a fifth to a half of the operations, where each thread has a processor; with the GIL in one of ten thousand."""
GIL = sys._is_gil_enabled()


class Meetings:
    """How many operations each of two tasks has done, and in how many of them the other one went on too."""

    def __init__(self):
        self.here = [False, False]
        self.met = [0, 0]
        self.done = [0, 0]

    def begin(self, me):
        """Begin together: a thread is started later than another one, and might find that alone."""
        self.here[me] = True
        while not self.here[not me]:
            time.sleep(0)

    def do(self, me, operation, *args):
        """Do one operation, and count it."""
        before = self.done[not me]
        result = operation(*args)
        self.met[me] += self.done[not me] > before
        self.done[me] += 1
        return result


def share_a_channel(meetings, me, channel):
    """Send an item through the channel of both, and receive one: there always is one."""
    meetings.begin(me)
    for number in range(OPERATIONS // 2):
        meetings.do(me, channel.send_nowait, number)
        meetings.do(me, channel.receive_nowait)


def share_a_pool(meetings, me, pool):
    """Give the pool of both some work."""
    meetings.begin(me)
    futures = [meetings.do(me, pool.submit, abs, -number) for number in range(OPERATIONS // 2)]
    assert [future.result() for future in futures] == list(range(OPERATIONS // 2))


def side_by_side(model, meetings, program, shared):
    with model.TaskGroup() as group:
        group.spawn(program, meetings, 0, shared)
        group.spawn(program, meetings, 1, shared)


def with_a_narrow_channel(model, meetings):
    side_by_side(model, meetings, share_a_channel, model.Channel(8))


def with_a_wide_channel(model, meetings):
    side_by_side(model, meetings, share_a_channel, model.Channel(math.inf))


def with_a_pool(model, meetings):
    with model.Pool(2) as pool:
        side_by_side(model, meetings, share_a_pool, pool)


@pytest.mark.timeout(150)
@pytest.mark.skipif(os.process_cpu_count() < 2, reason="one processor: no two threads run at a time")
@pytest.mark.parametrize("main", [with_a_narrow_channel, with_a_wide_channel, with_a_pool], ids=lambda it: it.__name__)
@pytest.mark.parametrize("name", ["threads", "rawthreads"])
def test_two_tasks_are_in_the_library_at_once(name, main):
    model, end, most = load(name), time.monotonic() + PATIENCE_S, 0
    while most < OFTEN and time.monotonic() < end:
        meetings = Meetings()
        model.run(main, model, meetings)
        most = max(most, sum(meetings.met))
        print(f"{name} {main.__name__}: the other task went on in {sum(meetings.met):,} of {sum(meetings.done):,}")
        if GIL:
            break
    assert (most < OFTEN) is GIL

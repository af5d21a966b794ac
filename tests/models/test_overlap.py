"""Without the GIL two tasks are in the library at once, and often: what is only right one at a time would show.

`pytest -s` prints how often it was; the benchmarks measure it (`python -m benchmarks run gil/at-once`).
"""

import os
import sys
import time

import pytest

from benchmarks import meetings
from concmodels import load

OPERATIONS = 20_000
"""Of each task, in one round."""
PATIENCE_S = 100
"""On a machine with much else to do, the two threads rarely have a processor each."""
OFTEN = 100
"""In a fifth to a half of the operations, where each thread has a processor; with the GIL in one of ten thousand."""
GIL = sys._is_gil_enabled()


@pytest.mark.timeout(150)
@pytest.mark.skipif(os.process_cpu_count() < 2, reason="one processor: no two threads run at a time")
@pytest.mark.parametrize("shared", meetings.SHARED)
@pytest.mark.parametrize("name", ["threads", "rawthreads"])
def test_two_tasks_are_in_the_library_at_once(name, shared):
    model, end, most = load(name), time.monotonic() + PATIENCE_S, 0
    while most < OFTEN and time.monotonic() < end:
        _, counts = model.run(meetings.main, model, shared, OPERATIONS)
        most = max(most, sum(counts.met))
        print(f"{name}, {shared}: the other task went on in {sum(counts.met):,} of {sum(counts.done):,}")
        if GIL:
            break
    assert (most < OFTEN) is GIL

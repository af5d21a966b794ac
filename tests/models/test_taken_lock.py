"""What a thread sleeps on: on a free-threaded build it must sleep at once, and not yield its processor first."""

import sys
import time
from _thread import allocate_lock
from threading import Thread

import pytest

from concmodels.models.waiting.taken_lock import taken_lock

ROUNDS = 200


def test_it_is_taken_until_it_is_released():
    lock = taken_lock()
    assert not lock.acquire(timeout=0)
    assert not lock.acquire(timeout=0.001)
    lock.release()
    assert lock.acquire()


def test_a_timeout_is_waited_for():
    before = time.monotonic()
    assert not taken_lock().acquire(timeout=0.05)
    assert time.monotonic() - before >= 0.05


@pytest.mark.parametrize("timeout", [-1, 60, 60.5])
def test_another_thread_wakes_the_one_that_sleeps(timeout):
    lock = taken_lock()
    thread = Thread(target=lock.release)
    thread.start()
    assert lock.acquire(timeout=timeout)
    thread.join()


@pytest.mark.skipif(sys._is_gil_enabled(), reason="under the GIL nothing yields before it sleeps")
def test_a_thread_that_waits_does_not_yield_first():
    """With a plain lock there are 40 system calls before each sleep, and most of the time is spent on them.

    Should this fail because CPython's locks do so no longer, `_Latch` is needed no longer.
    """
    assert _time_of_handing_over(taken_lock) < _time_of_handing_over(_plain_lock) / 2


def _plain_lock():
    lock = allocate_lock()
    lock.acquire()
    return lock


def _time_of_handing_over(new_lock):
    """Hand over between two threads; return the processor time in seconds that it took both."""
    there, back = ([new_lock() for _ in range(ROUNDS)] for _ in range(2))

    def echo():
        for go, come in zip(there, back, strict=True):
            go.acquire()
            come.release()

    thread = Thread(target=echo)
    thread.start()
    before = time.process_time()
    for go, come in zip(there, back, strict=True):
        go.release()
        come.acquire()
    spent = time.process_time() - before
    thread.join()
    return spent

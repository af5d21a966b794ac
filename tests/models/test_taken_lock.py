"""What a thread sleeps on, a plain lock or the event of a thread's end: both behave alike."""

import time
from threading import Thread

import pytest

from concmodels.models.waiting.taken_lock import taken_lock


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

"""The example `examples/shared_iterator.py`: the race that it shows is real, and what it recommends helps."""

import runpy
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "shared_iterator.py"
NUMBERS = 3000

survives = pytest.mark.skipif(
    not sys._is_gil_enabled() and sys.version_info < (3, 15),
    reason="a generator that several threads are in at once may crash a free-threaded CPython 3.14: cpython#120321, "
    "mended for 3.15; cpython#156351 says why not for 3.14",
)
"""For the tests that share a generator without a lock."""


@pytest.fixture(scope="module")
def example():
    """What the script defines, by name."""
    return runpy.run_path(str(SCRIPT))


@pytest.fixture
def many_switches():
    """Threads change places as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def shared_out(example, what):
    """The numbers that four threads took, and how many of these failed."""

    def main():
        for name, source, fed_from in example["forms"](NUMBERS):
            if name == what:
                return example["share_out"](source, 4, fed_from)
        raise LookupError(what)

    return example["model"].run(main)


@pytest.mark.parametrize("what", ["that class, locked", "that generator, locked", "that class, behind a channel"])
def test_safe_forms_hand_out_every_number_once(example, many_switches, what):
    taken, failed, _ = shared_out(example, what)
    assert sorted(taken) == list(range(1, NUMBERS + 1))
    assert failed == 0


@pytest.mark.skipif(not hasattr(threading, "serialize_iterator"), reason="new in Python 3.15")
def test_the_standard_librarys_lock_is_as_good(example, many_switches):
    taken, failed, _ = shared_out(example, "that class, serialized")
    assert (sorted(taken), failed) == (list(range(1, NUMBERS + 1)), 0)


def test_a_thread_in_between_takes_one_number_and_doubles_the_other(example):
    numbers = example["Chatty"](10)
    numbers.between = threading.Barrier(2).wait  # both have counted before either hands out
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(next, [numbers, numbers], timeout=30)) == [2, 2]


def test_a_lock_keeps_the_others_out_in_between(example):
    entered, leave = threading.Semaphore(0), threading.Semaphore(0)

    def between():
        entered.release()
        assert leave.acquire(timeout=30)

    numbers = example["Chatty"](10)
    numbers.between = between
    locked = example["Locked"](numbers)
    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(next, locked) for _ in range(2)]
        assert entered.acquire(timeout=30)
        assert not entered.acquire(timeout=0.05)  # the second one is not inside
        leave.release(2)
        assert {it.result(30) for it in both} == {1, 2}


def test_a_generator_notices_that_somebody_is_in_it(example):
    entered, leave = threading.Event(), threading.Event()

    def between():
        entered.set()
        assert leave.wait(30)

    numbers = example["generated"](10, between)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(next, numbers)
        assert entered.wait(30)
        with pytest.raises(ValueError, match="generator already executing"):
            next(numbers)
        leave.set()
        assert first.result(30) == 1


@pytest.mark.skipif(not sys._is_gil_enabled(), reason="without the GIL there is no such luck")
@pytest.mark.parametrize("what", ["iterator written in C", "class, nothing in between"])
def test_with_the_gil_the_race_does_not_show_in_these(example, many_switches, what):
    taken, failed, _ = shared_out(example, what)
    assert (sorted(taken), failed) == (list(range(1, NUMBERS + 1)), 0)


@survives
def test_a_threads_own_failure_does_not_end_the_others(example):
    taken, failed, why = shared_out(example, "generator")
    assert sorted(taken) == list(range(1, NUMBERS + 1))  # the one that is inside hands out all
    assert failed == 0 or "already executing" in why


@survives
def test_the_script_prints_its_table():
    command = [sys.executable, str(SCRIPT), "--threads", "3", "--numbers", "500"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 threads take 500 numbers" in done.stdout
    assert "behind a" in done.stdout


@pytest.mark.parametrize("option", ["--threads", "--numbers"])
def test_the_script_refuses_what_makes_no_race(option):
    done = subprocess.run([sys.executable, str(SCRIPT), option, "0"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "at least one" in done.stderr

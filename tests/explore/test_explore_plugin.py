"""The fixture `explore` and its marker, as a course has them that has installed concmodels."""

import re

import pytest
from suites import Suite

pytestmark = pytest.mark.timeout(250)  # other tests start pytest beside these
TESTS = """
import pytest
from concmodels import load

sim = load("sim")

def deadlocks():
    sim.Channel().receive()

def holds():
    sim.sleep(0)

@pytest.mark.explore(search="pos", schedules=7)
def test_the_marker_sets_options(explore):
    assert explore(holds).schedules == 7

def test_broken(explore):
    explore(deadlocks).must_hold()

def test_refused(explore):
    explore(holds, seconds=-1)
"""
ASYNC = """
import asyncio
import unittest

import anyio
import pytest
import sniffio
import trio

pytestmark = pytest.mark.explore

async def two_lose_an_update(sleep, group, start):
    n = 0

    async def add():
        nonlocal n
        seen = n
        await sleep(0)
        n = seen + 1

    async with group as tasks:
        getattr(tasks, start)(add)
        getattr(tasks, start)(add)
    return n

@pytest.mark.anyio
async def test_anyio(anyio_backend):
    assert sniffio.current_async_library() == anyio_backend
    assert await two_lose_an_update(anyio.sleep, anyio.create_task_group(), "start_soon") == 1

@pytest.mark.trio
async def test_trio():
    assert await two_lose_an_update(trio.sleep, trio.open_nursery(), "start_soon") == 2

@pytest.mark.asyncio
@pytest.mark.parametrize("n", [2])
async def test_asyncio(n):
    assert n == len(await asyncio.gather(asyncio.sleep(0.01), asyncio.sleep(0.01)))

async def test_without_a_plugin():
    await asyncio.gather(asyncio.sleep(0.01), asyncio.sleep(0.01))

async def test_alone():
    await asyncio.sleep(0)

@pytest.fixture
async def client():
    return 7

@pytest.mark.anyio
async def test_async_fixture(client, anyio_backend_name):
    pass

async def test_takes_explore(explore):
    explore(test_alone)

class TestAsync(unittest.IsolatedAsyncioTestCase):
    async def test_method(self):
        pass
"""
OTHERS = """
import asyncio
import inspect
import pytest

def pytest_configure(config):
    for name in ("asyncio", "trio"):
        config.addinivalue_line("markers", name)

@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    if inspect.iscoroutinefunction(pyfuncitem.obj):
        return True  # as if it had been run

@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    if item.get_closest_marker("trio"):
        item.obj = lambda: None
    return (yield)
"""
"""Plugins that run coroutine functions in their own way: as pytest-asyncio does, and as pytest-trio."""
OUTCOMES = """
import logging
import threading
import pytest
from hypothesis import given, strategies

from .helpers import apart

pytestmark = pytest.mark.explore

def test_skips():
    pytest.skip("not here")

def test_fails_as_expected():
    pytest.xfail("not yet")

@pytest.mark.xfail
def test_passes_unexpectedly():
    apart(len, ())

@pytest.mark.xfail
def test_broken():
    apart(lambda: 1 / 0)

@pytest.mark.xfail(raises=ZeroDivisionError)
def test_raises():
    apart(lambda: 1 / 0)

def test_logs():
    apart(log)

def log():
    logging.getLogger("course").warning("working")

@given(strategies.integers())
def test_given(n):
    apart(len, ())

@pytest.mark.explore(second=3)
def test_option():
    apart(len, ())

@pytest.mark.explore(3)
def test_argument():
    apart(len, ())
"""
HELPERS = """
import threading

def apart(function, *args):
    threads = [threading.Thread(target=function, args=args) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
"""
TWICE = """
import signal
import pytest
from _pytest.runner import runtestprotocol

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    if "again" in item.name:
        runtestprotocol(item, nextitem=nextitem, log=False)
        item._initrequest()

@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("timeout"))
    signal.setitimer(signal.ITIMER_REAL, 3 if "timed" in item.name else 0)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
"""
"""Plugins that run a test again, as pytest-rerunfailures does, or end it by an alarm, as pytest-timeout does."""
THREADS = """
import threading

counter = 0

def count():
    global counter
    counter += 1

def main():
    threads = [threading.Thread(target=count) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter == 2

def test_threads(explore):
    explore(main).must_hold()
"""


@pytest.fixture
def run(tmp_path):
    """Run a course's tests beside what an installation leaves; return pytest's output."""
    suite = Suite(tmp_path)

    def run(text):
        out = suite(text, "-p", "no:cacheprovider")
        assert not (suite.folder / ".pytest_cache").exists()
        return out

    return run


def test_a_course_has_the_fixture_and_the_marker(run):
    out = run(TESTS)
    assert "1 passed" in out and "2 failed" in out, out
    assert "Deadlock: all tasks are waiting" in out and "test_course.py:8" in out
    assert "seconds must be a number above 0, not -1" in out


def test_a_test_file_may_use_threads_itself(run):
    out = run(THREADS)
    assert "1 failed" in out and "data race: counter" in out and "test_course.py:8" in out, out


def test_a_fixture_of_that_name_hides_it(run):
    out = run("import pytest\n@pytest.fixture\ndef explore(): return 7\ndef test_own(explore): assert explore == 7\n")
    assert "1 passed" in out, out


def test_async_tests_run_on_the_event_loop_of_their_plugin(tmp_path):
    suite = Suite(tmp_path)
    (suite.folder / "conftest.py").write_text(OTHERS)
    out = suite(ASYNC, "--explore", "-p", "anyio")
    for test in ("test_anyio[asyncio]", "test_anyio[trio]", "test_asyncio[2]", "test_without_a_plugin"):
        assert re.search(rf"held in .*schedules? +test_course.py::{re.escape(test)}$", out, re.M), out
    assert re.search(r"broken, on schedule 1 +test_course.py::test_trio: AssertionError at test_course.py:33", out), out
    assert re.search(r"not explored +test_course.py::test_alone: no task was started", out)
    refused = re.findall(r"refused +test_course.py::(\S+): (the fixture client is made once|a test in a class)", out)
    assert [name for name, _ in refused] == [
        *("test_async_fixture[asyncio]", "test_async_fixture[trio]"),
        "TestAsync::test_method",
    ]
    assert re.search(r"refused +test_course.py::test_takes_explore: an async def test can't take the fixture", out)


def test_what_else_may_come_of_a_test(tmp_path):
    """It lies in a package, and imports what is beside it from there."""
    suite = Suite(tmp_path)
    (suite.folder / "__init__.py").touch()
    (suite.folder / "helpers.py").write_text(HELPERS)
    out = suite(OUTCOMES, "--explore", "-rsxX")
    assert "test_course.py sxXxx.FFF" in out, out
    assert "not here" in out and "not yet" in out and "broken again" not in out
    assert re.search(r"held in .*schedules? +test_course.py::test_logs$", out, re.M), out
    assert "explored: 2 held in all, 2 broken, 3 refused" in out, out
    assert "test_given: a test with @given can't be explored, because Hypothesis would draw other inputs" in out
    assert "test_option: explore has no option second; pytest --markers shows which it has" in out
    assert "test_argument: the marker explore takes options only, as in explore(schedules=500)" in out
    assert "During handling" not in out, "each of them in one sentence"


def test_subtests_are_counted_as_pytest_does(tmp_path):
    subtests = """
def test_subtests(explore, subtests):
    for n in range(3):
        with subtests.test(n=n):
            explore(apart, len, ()).must_hold()
            assert n != 1
"""
    out = Suite(tmp_path)(HELPERS + subtests)
    assert "test_course.py uF" in out and "explored: 3 held in all" in out, out
    assert "2 failed" in out and " passed" not in out, out


def test_a_test_may_be_run_again_and_have_a_timeout(tmp_path):
    suite = Suite(tmp_path)
    (suite.folder / "conftest.py").write_text(TWICE)
    many = "def many():\n    items = []\n    apart(lambda: [apart(items.append, number) for number in range(9)])\n"
    names = "def test_again(explore): explore(main, schedules=5)\ndef test_timed(explore): explore(many)\n"
    out = suite(HELPERS + many + THREADS.partition("def test_threads")[0] + names, "--junitxml=out.xml")
    assert re.search(r"1\.\d s were too short for all schedules$", out, re.M) and "2 passed" in out, out
    assert out.count("test_course.py::test_again") == 1
    assert (suite.folder / "out.xml").read_text().count("explore_verdict") == 2

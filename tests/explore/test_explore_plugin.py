"""The fixture `explore` and its marker, as a course has them that has installed concmodels."""

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

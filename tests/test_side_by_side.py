"""How tests are handed out to the workers of `pytest -n 2`: one that has grown large or has crashed is replaced."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from platforms import linux_files

CONFTEST = """
import side_by_side

side_by_side.LARGE = {large}


def pytest_xdist_make_scheduler(config, log):
    return side_by_side.Scheduler(config, log)


def pytest_runtest_teardown(item):
    side_by_side.note_memory(item)
"""
TESTS = """
import os
import time
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent


def ended(worker):
    try:
        return Path(f"/proc/{worker}/statm").read_text().startswith("0 ")  # it has no memory any more
    except OSError:
        return True


def note(test):
    with open(FOLDER / test, "a") as file:
        print(os.getpid(), file=file)


@pytest.mark.parametrize("number", range(4))
def test_first(number):
    note("first")


@pytest.mark.parametrize("number", range(4))
def test_second(number):
    for worker in set((FOLDER / "first").read_text().split()) - {str(os.getpid())}:
        while not ended(worker):
            time.sleep(0.01)
    note("second")
"""


CRASHING = """
import os
import time
from pathlib import Path

FOLDER = Path(__file__).parent


def crash_once(name):
    if not (FOLDER / name).exists():
        (FOLDER / name).touch()
        os._exit(1)
"""
WHILE_ONE_COLLECTS = """
def pytest_collection_modifyitems():
    if os.environ.get("PYTEST_XDIST_WORKER") == "gw2":  # that of the first worker that has crashed
        (FOLDER / "collecting").touch()
        while not (FOLDER / "heard of test_second").exists():
            time.sleep(0.01)


def pytest_handlecrashitem(crashitem):
    # xdist calls this when it has heard of a crash
    (FOLDER / f"heard of {crashitem.rpartition('::')[2]}").touch()
"""
CRASHES = """
import time

from conftest import FOLDER, crash_once


def test_first():
    crash_once("crashed first")


def test_second():
    while not (FOLDER / "collecting").exists():
        time.sleep(0.01)
    crash_once("crashed")


def test_third(): pass


def test_fourth(): pass
"""


CRASH = """
from conftest import crash_once


def test_first():
    crash_once("crashed")


def test_second(): pass


def test_third(): pass


def test_fourth(): pass
"""


def run(folder, workers, conftest, tests):
    """Run these tests on so many workers, and return what pytest prints."""
    (folder / "conftest.py").write_text(conftest)
    (folder / "test_these.py").write_text(tests)
    (folder / "pytest.toml").write_text("[pytest]\n")
    helpers = str(Path(__file__).parent)
    options = ["-q", "-p", "xdist", "-n", str(workers), "-o", f"pythonpath={helpers}"]
    command = [sys.executable, "-m", "pytest", *options, str(folder)]
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # each worker would import what the others need
    done = subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, timeout=50)
    return done.stdout + done.stderr


@linux_files
@pytest.mark.parametrize(("large", "workers"), [(0, 2), (2**50, 1)])
def test_a_large_worker_is_replaced_and_ends(tmp_path, large, workers):
    output = run(tmp_path, 1, CONFTEST.format(large=large), TESTS)
    assert "8 passed" in output, output
    first, second = (set((tmp_path / test).read_text().split()) for test in ("first", "second"))
    assert len(first) == len(second) == 1
    assert len(first | second) == workers


def test_a_worker_may_crash_while_the_one_for_another_still_collects(tmp_path):
    output = run(tmp_path, 2, CONFTEST.format(large=2**50) + CRASHING + WHILE_ONE_COLLECTS, CRASHES)
    assert "crashed while running 'test_these.py::test_first'" in output, output
    assert "crashed while running 'test_these.py::test_second'" in output
    assert "2 failed, 4 passed" in output  # what crashed is tried once more


def test_a_worker_may_crash_when_all_tests_have_been_handed_out(tmp_path):
    output = run(tmp_path, 2, CONFTEST.format(large=2**50) + CRASHING, CRASH)
    assert "1 failed, 4 passed" in output, output  # the new worker begins the first when it knows which is the next

"""How tests are handed out to the workers of `pytest -n 2`: a worker that has grown large is replaced."""

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


@linux_files
@pytest.mark.parametrize(("large", "workers"), [(0, 2), (2**50, 1)])
def test_a_large_worker_is_replaced_and_ends(tmp_path, large, workers):
    (tmp_path / "conftest.py").write_text(CONFTEST.format(large=large))
    (tmp_path / "test_both.py").write_text(TESTS)
    (tmp_path / "pytest.toml").write_text("[pytest]\n")
    helpers = str(Path(__file__).parent)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "1", "-o", f"pythonpath={helpers}", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=50)
    assert "8 passed" in done.stdout, done.stdout + done.stderr
    first, second = (set((tmp_path / test).read_text().split()) for test in ("first", "second"))
    assert len(first) == len(second) == 1
    assert len(first | second) == workers

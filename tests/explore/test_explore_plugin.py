"""The fixture `explore` and its marker, as a course has them that has installed concmodels."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import concmodels

ROOT = Path(concmodels.__file__).parent.parent
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
    installed = tmp_path / "installed" / "concmodels-0.dist-info"
    installed.mkdir(parents=True)
    points = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: concmodels\nVersion: 0\n")
    lines = "".join(f"{name} = {where}\n" for name, where in points.items())
    (installed / "entry_points.txt").write_text(f"[pytest11]\n{lines}")
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\naddopts = --strict-markers\n")

    def run(text):
        (repository / "test_course.py").write_text(text)
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path / "installed"), str(ROOT)])}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
        done = subprocess.run(
            command, cwd=repository, env=environment, capture_output=True, text=True, timeout=50, check=False
        )
        return done.stdout + done.stderr

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

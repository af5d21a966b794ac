"""One test for many values tells apart those with which it fails; where something is made anew, each has a test."""

import os
from pathlib import Path

import others_plugins
import preloaded
import pytest

TESTS = """
import time

import pytest

CALLED = []


@pytest.fixture
def made_anew():
    return []


@pytest.mark.parametrize("number", range(5))
def test_numbers(number):
    CALLED.append(number)
    assert number % 3
    if number == 2:
        pytest.skip("even")


@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.xfail), 3])
def test_a_mark_of_its_own(number):
    assert number != 2


@pytest.mark.parametrize("number", range(2))
def test_something_new(number, made_anew):
    made_anew.append(number)
    assert made_anew == [number]


@pytest.mark.timeout(2)
@pytest.mark.parametrize("number", range(3))
def test_together_longer_than_one_may_take(number):
    time.sleep(1.1)


def test_each_was_called():
    assert CALLED == [0, 1, 2, 3, 4]
"""
SETTINGS = """
[pytest]
timeout = "60"
xfail_strict = true
markers = ["thorough", "values"]
"""


def outcome(folder, *options):
    """The last line of pytest's output for these tests, with our `conftest.py`, and all of it."""
    (folder / "test_these.py").write_text(TESTS)
    (folder / "pytest.toml").write_text(SETTINGS)
    tests = Path(__file__).parent
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(tests), str(tests.parent)])}
    options = ["-p", "conftest", *others_plugins.WITHOUT, "-rA", "-q", *options]
    _, output = preloaded.run("pytest", *options, "test_these.py", cwd=folder, env=env)
    return output.splitlines()[-1], output


def test_values_that_one_function_is_called_with_are_one_test(tmp_path):
    last, output = outcome(tmp_path)
    assert "SUBFAILED[0] test_these.py::test_numbers[0 and 4 more]" in output
    assert "SUBFAILED[3] test_these.py::test_numbers[0 and 4 more]" in output
    assert "SUBSKIPPED[2]" in output
    assert "PASSED test_these.py::test_a_mark_of_its_own[1 and 1 more]" in output
    assert "PASSED test_these.py::test_something_new[1]" in output
    assert last.startswith("3 failed, 5 passed, 1 skipped, 1 xfailed"), output


@pytest.mark.parametrize("options", [["--thorough"], ["-k", "number or new or mark"]])
def test_each_has_a_test_if_some_may_be_meant(tmp_path, options):
    last, output = outcome(tmp_path, *options)
    assert "FAILED test_these.py::test_numbers[3]" in output
    assert "PASSED test_these.py::test_numbers[4]" in output
    assert last.startswith("2 failed"), output

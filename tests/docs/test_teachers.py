"""The exercises' programs: the mended ones are right, and those that are to be mended go wrong as the page says."""

import sys
from pathlib import Path

import interruptible
import pytest

from concmodels.conformance import grade

pytestmark = pytest.mark.docs

EXAMPLES = Path(__file__).parents[2] / "examples"
TEACHERS = EXAMPLES / "teachers"
WHISTLES = ["whistle 1", "whistle 2", "whistle 3", "whistle 4"]
PRINTED = {
    "pipeline": ["sum of squares: 30"],
    "first_answer": ["first: quick"],
    "blocking": [WHISTLES[0], "the report is begun", "the report is done", *WHISTLES[1:]],
    "blocking_mended": [WHISTLES[0], "the report is begun", *WHISTLES[1:], "the report is done"],
    "philosophers_mended": ["all have eaten"],
    "withdraw_locked": ["balance: 20"],
    "letters": ["{'e': 60000, 'o': 80000, 'z': 20000}"],
}


def printed(name, *arguments):
    command = [sys.executable, TEACHERS / f"{name}.py", *arguments]
    done = interruptible.run(command, cwd=EXAMPLES.parent, timeout=50)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.mark.parametrize("name", PRINTED)
def test_it_prints(name):
    assert printed(name) == PRINTED[name]


def test_the_philosophers_wait_in_a_circle():
    first, main, *philosophers = printed("philosophers")
    assert "nobody is left who could go on" in first and "main: waits for the end of its group" in main
    waiting = [line.split("'")[1] for line in philosophers]
    assert waiting == ["fork 1", "fork 2", "fork 0"]


def test_the_rendezvous_keeps_all_it_guarantees():
    report = grade(TEACHERS / "rendezvous.py", only="nowait")
    assert report.kept
    assert [line.guarantee for line in report.broken] == []


def test_the_gradebook_goes_on_after_a_file_that_has_nothing():
    lines = printed("gradebook", "with_closes", TEACHERS / "pipeline.py", EXAMPLES / "my_first_model.py")
    assert "pipeline.py has no Channel" in lines[0]
    assert lines[1:] == ["my_first_model.py: 1 of 1 guarantee kept; closing 1/1"]

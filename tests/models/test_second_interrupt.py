"""Ctrl-C, and once more: what is in the way of the end is named, and the status is 130; and once more much later."""

import signal
import sys
import time
from pathlib import Path

import pytest
from commands import skip_unless_here
from interruptible import popen, until_its_main_thread_waits
from kinds import HALVES, in_turn, one_of_each_kind
from pool_models import COOPERATIVE

from concmodels import catalog

PROGRAM = """
import sys
from concmodels import load


def compute(ready):
    ready.send(1)
    while True:
        pass


def in_a_group(model):
    ready = model.Channel(1)
    with model.TaskGroup() as group:
        group.spawn(compute, ready, name="stubborn")
        tell(ready)
        model.sleep(3600)


def in_a_pool(model):
    ready = model.Channel(1)
    with model.Pool(1) as pool:
        call = pool.submit(compute, ready)
        tell(ready)
        call.result()


def tell(ready):
    ready.receive()
    print("ready", flush=True)


if __name__ == "__main__":
    model = load(sys.argv[1])
    model.run(globals()[sys.argv[2]], model)
"""

STUBBORN = ["threads", "rawthreads", "subinterp"]


@pytest.mark.parametrize(("name", "where"), in_turn(STUBBORN, ["in_a_group", "in_a_pool"]))
def test_the_second_one_gives_up(tmp_path, name, where):
    file = tmp_path / "stubborn.py"
    file.write_text(PROGRAM)
    root = str(Path(__file__).parents[2])
    with popen([sys.executable, file, name, where], env={"PYTHONPATH": root}, cwd=tmp_path) as program:
        assert program.stdout.readline() == "ready\n"
        program.send_signal(signal.SIGINT)
        until_its_main_thread_waits(program)  # for the task
        time.sleep(1)
        assert program.poll() is None
        program.send_signal(signal.SIGINT)
        _, err = program.communicate(timeout=50)
    assert program.returncode == 130
    assert "interrupted again during the clean-up; still running: " in err
    assert ("stubborn" if where == "in_a_group" else "worker") in err


# On every model, in the library's clean-up and in main's own.

PROGRAMS = Path(__file__).parents[1] / "scripts" / "interrupted_twice.py"
MODELS = [*catalog.names(), "anyio:trio"]
KILLED = ["processes"]
"""Where nobody is stubborn: a process that does not end is killed."""

# Of the situations below, each half of the kinds meets every second one.
CLEANING_UP = ["cleans_up_in_a_group", "cleans_up_in_a_pool"]
GOING_ON = ["goes_on", "goes_on_in_a_group"]

LATEST_S = 50


class Interrupted:
    """One of `scripts/interrupted_twice.py`: reads what it says, and interrupts it."""

    def __init__(self, tmp_path, name, main, task):
        skip_unless_here(name)
        text = PROGRAMS.read_text()
        if not catalog.facts(name).is_async:
            text = text.replace("async ", "").replace("await ", "")
        file = tmp_path / "interrupted_twice.py"
        file.write_text(text)
        root = str(Path(__file__).parents[2])
        command = [sys.executable, file, name, main, task]
        self._program = popen(command, env={"PYTHONPATH": root}, cwd=tmp_path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._program.kill()
        self._program.communicate()

    def says(self):
        """The next line that it writes."""
        return self._program.stdout.readline().rstrip("\n")

    def press(self, *, at=None):
        """Press Ctrl-C, once it has said this."""
        assert at is None or self.says() == at
        self._program.send_signal(signal.SIGINT)

    def goes_on(self):
        """Whether it has not ended."""
        return self._program.poll() is None

    def end(self):
        """Its exit status, and what else it has written."""
        out, err = self._program.communicate(timeout=LATEST_S)
        return self._program.returncode, out, err


def must_have_given_up(name, status, err):
    """The second Ctrl-C was enough; where nobody can be stubborn, the first."""
    if name in KILLED and status == -signal.SIGINT:
        assert err.endswith("KeyboardInterrupt\n")
        return
    assert status == 130
    assert "interrupted again during the clean-up; still running: " in err


@pytest.mark.parametrize(("name", "main"), in_turn(MODELS, ["leaves_a_group", "waits_for_a_pool"]))
def test_the_second_in_the_clean_up_of_the_library(tmp_path, name, main):
    with Interrupted(tmp_path, name, main, "refuse_to_end") as program:
        program.press(at="ready")
        program.press(at="refused")
        status, _, err = program.end()
    must_have_given_up(name, status, err)


@pytest.mark.parametrize("name", one_of_each_kind(MODELS, first=2, of=HALVES[0]))
def test_the_second_after_one_that_has_struck_another_task(tmp_path, name):
    with Interrupted(tmp_path, name, "leaves_a_computing_task", "refuse_to_end") as program:
        program.press(at="computing")
        assert program.says() == "refused"
        time.sleep(0.5)  # then main, which was told to end at the same time, waits for that task
        program.press()
        status, _, err = program.end()
    if name not in KILLED:
        must_have_given_up(name, status, err)


@pytest.mark.parametrize("name", one_of_each_kind(MODELS, of=HALVES[1]))
def test_the_first_after_one_that_was_handled_does_not_give_up(tmp_path, name):
    with Interrupted(tmp_path, name, "fails_after_an_interrupt", "refuse_to_end") as program:
        program.press(at="ready")
        assert program.says() == "handled"
        program.press(at="refused")
        time.sleep(0.5)
        assert name in KILLED or program.goes_on()
        program.press()
        status, _, err = program.end()
    if name not in KILLED:
        must_have_given_up(name, status, err)


@pytest.mark.parametrize("name", COOPERATIVE)
def test_one_that_strikes_a_task_of_a_pool_does_not_come_again_in_mains_clean_up(tmp_path, name):
    with Interrupted(tmp_path, name, "cleans_up_shortly", "compute") as program:
        program.press(at="computing")
        status, out, err = program.end()
    assert (status, out) == (-signal.SIGINT, "cleaned up\n"), err
    assert err.endswith("KeyboardInterrupt\n")


@pytest.mark.parametrize("name", one_of_each_kind(MODELS, first=1, of=HALVES[0]))
def test_the_second_after_a_failure(tmp_path, name):
    with Interrupted(tmp_path, name, "fails_in_a_group", "refuse_to_end") as program:
        program.press(at="refused")
        time.sleep(0.5)  # it has landed, or waits for the end of the clean-up
        program.press()
        status, _, err = program.end()
    if name not in KILLED:  # where the failure has killed the task, there was not much to interrupt
        must_have_given_up(name, status, err)


@pytest.mark.parametrize(("name", "main"), in_turn(MODELS, CLEANING_UP, first=1, of=HALVES[1]))
def test_after_the_second_in_a_clean_up_of_mains_own_the_third_gives_up(tmp_path, name, main):
    with Interrupted(tmp_path, name, main, "refuse_to_end") as program:
        program.press(at="ready")
        program.press(at="cleaning up")
        assert program.says() == "refused"  # the second was raised there, and the group or pool has told its tasks
        time.sleep(1.2)
        assert name in KILLED or program.goes_on()
        program.press()
        status, _, err = program.end()
    must_have_given_up(name, status, err)


@pytest.mark.parametrize(("name", "main"), in_turn(MODELS, CLEANING_UP, first=2, of=HALVES[0]))
def test_the_second_in_a_clean_up_of_mains_own_is_raised_there(tmp_path, name, main):
    with Interrupted(tmp_path, name, main, "sleep_long") as program:
        program.press(at="ready")
        program.press(at="cleaning up")
        status, out, err = program.end()
    assert (status, out) == (-signal.SIGINT, "left\n"), err
    assert err.endswith("KeyboardInterrupt\n") and "interrupted again" not in err


@pytest.mark.parametrize(("name", "main"), in_turn(MODELS, GOING_ON, first=3, of=HALVES[1]))
def test_after_one_that_was_handled_the_next_is_a_first(tmp_path, name, main):
    with Interrupted(tmp_path, name, main, "sleep_long") as program:
        for _ in range(2):
            program.press(at="ready")
            assert program.says() == "handled"
        program.press(at="ready")
        assert program.end() == (0, "handled\nto the end\n", "")

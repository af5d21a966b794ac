"""Ctrl-C by the hundred, in the middle of channel loops and in every wait: nothing lost, nothing held, nothing left.

Each test is one program that interrupts itself again and again (`endurance/interrupted.py`), so that a run costs
milliseconds; `test_cli.py` does it to programs from outside.
"""

import json

import pytest
from endurance.programs import seen_by

pytestmark = [pytest.mark.stress, pytest.mark.timeout(600)]

LOOPS, WAITS = 320, 100
WAYS = ("receive", "send", "select", "sleep", "result", "leave")
SOON_S, AT_ALL_S = 0.5, 3
"""All but one of a hundred end within the first; within the second all, on a machine with other things to do."""


def check_and_tell(seen, capsys):
    """It must have been soon enough; print what was seen."""
    late = seen.pop("late")
    with capsys.disabled():
        print(f" {json.dumps(seen)}", end=" ")
    assert late[-1] < AT_ALL_S
    assert late[int(len(late) * 0.99)] < SOON_S, late[-10:]


@pytest.mark.parametrize("switch", ["0", "1e-6"], ids=["", "quick"])
def test_interrupted_channel_loops(model, switch, capsys):
    if model.facts.family == "boundary":
        pytest.skip("its channels end with the run, so there is nothing to look into afterwards")
    check_and_tell(seen_by("interrupted", model.name, "loops", LOOPS, switch), capsys)


@pytest.mark.parametrize("where", WAYS)
def test_interrupted_waits(model, where, capsys):
    check_and_tell(seen_by("interrupted", model.name, where, WAITS), capsys)


@pytest.mark.parametrize("signum", ["SIGTERM", "SIGHUP"])
def test_loops_ended_by_another_signal(model, signum, capsys):
    what = "receive" if model.facts.family == "boundary" else "loops"
    check_and_tell(seen_by("interrupted", model.name, what, LOOPS, 0, signum), capsys)

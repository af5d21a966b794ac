"""Ctrl-C while a pool is at work: a bare KeyboardInterrupt, and nothing left behind.

Each test is one program that interrupts itself again and again (`endurance/interrupted_pools.py`): while the main task
waits for a result, in a `map`, in `shutdown` and at the end of the `with`; and in the middle of loops that give a pool
work or make one after the other. After each run it counts threads, descriptors and processes.
"""

import json

import pytest
from endurance.programs import seen_by
from kinds import KINDS

FEW, MANY = 3, 60
SOON_S, AT_ALL_S = 0.5, 3
"""All but one of a hundred end within the first; within the second all, on a machine with other things to do."""


@pytest.mark.thorough(when=lambda params: params["model"] not in KINDS)
def test_interrupted_pools(model, thorough):
    runs = FEW if thorough or model.facts.family != "boundary" else 1
    assert seen_by("interrupted_pools", model.name, runs)["latest"] < AT_ALL_S


@pytest.mark.stress
@pytest.mark.timeout(600)
def test_interrupted_pools_again_and_again(model, capsys):
    seen = seen_by("interrupted_pools", model.name, MANY)
    late = seen.pop("late")
    with capsys.disabled():
        print(f" {json.dumps(seen)}", end=" ")
    assert late[-1] < AT_ALL_S
    assert late[int(len(late) * 0.99)] < SOON_S, late[-10:]

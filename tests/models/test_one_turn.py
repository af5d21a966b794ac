"""A partner and several requests to cancel the task, all in one turn of the loop: all orders, and random programs.

`test_same_turn.py` has a partner and one cancellation. `one_turn.py` says what is right of several, and why.
"""

import asyncio
from random import Random

import one_turn
import one_turn_plain
import pytest
import random_requests
from one_turn import CANCEL, HANDLE, LATER, PARTNER, Run, Schedule

from concmodels import load

MODELS = ("asyncio", "anyio")


def wrong(model, schedules):
    """The schedules of which something comes that is not right, each with what came and what may."""

    async def main():
        found = []
        for schedule in schedules:
            got, right = await Run(schedule).run(), await one_turn.allowed(schedule)
            if got not in right:
                found.append((schedule, got, right))
        return found

    return load(model).run(main)


@pytest.mark.parametrize("acts", [(PARTNER, CANCEL, 0), (PARTNER, 0, CANCEL)], ids=["before", "after"])
@pytest.mark.parametrize("name", MODELS)
def test_a_time_limit_takes_no_cancellation_with_it(name, acts):
    """The limit withdraws its own request, and leaves that of somebody else, which ends a wait without a limit."""
    assert wrong(name, [Schedule(name, ("timeout",), acts, 0, operation) for operation in one_turn.OPERATIONS]) == []


def test_a_time_limit_that_was_left_cancels_nothing_later():
    """anyio's request is not taken for that of the limit, which was as high in number, and has anyio's message."""
    schedules = [
        Schedule("anyio", ("timeout",), acts, 0, operation, next_wait="turns")
        for acts in [(PARTNER, 0, HANDLE), (PARTNER, HANDLE, 0), (PARTNER, 0, LATER, HANDLE)]
        for operation in one_turn.OPERATIONS
    ]
    assert wrong("anyio", schedules) == []


@pytest.mark.parametrize("operation", one_turn.OPERATIONS)
@pytest.mark.parametrize("before", one_turn.PASTS)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.thorough(when=lambda parameters: parameters["operation"] != "receive")
def test_all_orders(name, before, operation, thorough):
    """In up to one block, and with `--thorough` on asyncio in up to two."""
    depths = (0, 1, 2) if thorough and name == "asyncio" else (0, 1)
    next_waits = one_turn.NEXT_WAITS if thorough else ("a future", "receive")
    if name == "anyio" and not thorough:  # it has five to ten times as many orders
        next_waits = [next_waits[one_turn.PASTS.index(before) % 2]]
    assert wrong(name, one_turn.schedules(name, depths, [before], [operation], next_waits)) == []


@pytest.mark.parametrize("part", range(5))
@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.thorough(when=lambda parameters: parameters["part"] > 0)
def test_some_orders_in_several_blocks(name, depth, part, thorough):
    dice = Random(f"{name} {depth} {part}")
    schedules = [one_turn.any_schedule(dice, name, depth) for _ in range(2000 if thorough else 200)]
    assert wrong(name, schedules) == []


@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.thorough(when=lambda parameters: parameters["part"] > 0)
def test_random_programs(name, part, thorough):
    rounds = 300 if thorough else 20
    for seed in range(part * rounds, (part + 1) * rounds):
        random_requests.perform(name, seed)


@pytest.mark.parametrize("name", one_turn_plain.GREEN + one_turn_plain.SCOPED)
def test_all_orders_where_nothing_is_counted(name):
    kind = one_turn_plain.GreenRun if name in one_turn_plain.GREEN else one_turn_plain.ScopedRun
    for depth, acts, around, next_wait in one_turn_plain.schedules():
        run = kind(name, depth, acts, around, next_wait)
        one_turn_plain.check(run.model.run(run.main), depth, acts, around)


def test_the_comparison_finds_a_mistake(monkeypatch):
    """With requests that are forgotten, or raised though they were withdrawn, the schedules above are wrong."""
    from concmodels.models.waiting import postponed

    cases = [Schedule("asyncio", ("timeout",), acts, 0) for acts in [(PARTNER, CANCEL), (PARTNER, 0)]]
    with monkeypatch.context() as broken:
        broken.setattr("concmodels.models.asyncio_.postpone", lambda error: None)
        assert [schedule for schedule, *_ in wrong("asyncio", cases)] == cases[:1]
    with monkeypatch.context() as broken:
        broken.setattr(postponed._Postponed, "_uncancel", lambda self: asyncio.Task.uncancel(self._task))
        assert [schedule for schedule, *_ in wrong("asyncio", cases)] == cases[1:]

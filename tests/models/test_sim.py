"""The simulated model: its schedules, its clock, and that both kinds of it do the same."""

import os
import subprocess
import sys
from itertools import pairwise
from math import inf

import pytest
from every_schedule import KINDS, outcomes, runs

from concmodels import catalog, load
from concmodels.errors import ChannelClosed, Deadlock
from concmodels.models.simulated import sim, sim_async
from concmodels.models.simulated.schedules import Decisions, RandomWalk, Recorder, Replay, Schedule
from concmodels.models.simulated.steps import dependent

SEEDS, FEW_SEEDS = range(100), range(30)


def crowd(model):
    """Something of everything: senders, a select, a timeout, a cancellation, a close."""
    one, two, log = model.Channel(0, "one"), model.Channel(2, "two"), model.Channel(inf)
    with model.TaskGroup() as group:
        senders = [group.spawn(send, channel, number) for number, channel in enumerate((one, two, two))]
        chooser = group.spawn(choose, model, one, two, log)
        late = group.spawn(wait_in_vain, model, log)
        log.send(senders[0].result())
        late.cancel()
        chooser.cancel()
        two.close()
    log.close()
    return list(log)


def send(channel, number):
    channel.send(number)
    return number


def choose(model, one, two, log):
    for _ in range(3):
        done = model.select(one, two, timeout=0.5)
        log.send((done.channel.name, done.item, done.closed))
        model.sleep(0.25)


def wait_in_vain(model, log):
    try:
        model.Channel(0).receive(timeout=0.7)
    except TimeoutError:
        log.send("late")


async def async_crowd(model):
    one, two, log = model.Channel(0, "one"), model.Channel(2, "two"), model.Channel(inf)
    async with model.TaskGroup() as group:
        senders = [group.spawn(async_send, channel, number) for number, channel in enumerate((one, two, two))]
        chooser = group.spawn(async_choose, model, one, two, log)
        late = group.spawn(async_wait_in_vain, model, log)
        await log.send(await senders[0].result())
        late.cancel()
        chooser.cancel()
        two.close()
    log.close()
    return [item async for item in log]


async def async_send(channel, number):
    await channel.send(number)
    return number


async def async_choose(model, one, two, log):
    for _ in range(3):
        done = await model.select(one, two, timeout=0.5)
        await log.send((done.channel.name, done.item, done.closed))
        await model.sleep(0.25)


async def async_wait_in_vain(model, log):
    try:
        await model.Channel(0).receive(timeout=0.7)
    except TimeoutError:
        await log.send("late")


def traced(kind, strategy, **options):
    """The run of a crowd, and its steps as text."""
    program = crowd if kind == "sim" else async_crowd
    run = KINDS[kind].explored(program, (load(kind),), strategy, **options)
    steps = [f"{step.identity} {step} {sorted(step.footprint.items())}" for step in run.steps]
    return run, [step.replace("async_", "") for step in steps]  # of the names of tasks, which are those of functions


def drawn(program):
    """What comes of the program on a hundred schedules."""
    return [sim.explored(program, (sim,), RandomWalk(seed)) for seed in SEEDS]


def test_it_is_found_by_name_and_is_none_of_all():
    assert "sim" not in catalog.names(variants=True, distributed=True)
    assert [name for name in catalog.names(variants=True, simulated=True) if name.startswith("sim")] == list(KINDS)
    assert [catalog.facts(name).is_async for name in KINDS] == [False, True]
    assert all(catalog.is_simulated(catalog.facts(name)) for name in KINDS)
    assert not any(catalog.is_beyond(catalog.facts(name)) for name in KINDS)
    assert not catalog.is_simulated(catalog.facts("greenlet"))
    assert load("sim") is sim and repr(load("sim:async")) == "<model sim:async>"


# Schedules.


@pytest.fixture
def seeds(thorough):
    return SEEDS if thorough else FEW_SEEDS


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_is_the_same_run(kind, seeds):
    different = set()
    for seed in seeds:
        first, steps = traced(kind, RandomWalk(seed))
        again, same = traced(kind, RandomWalk(seed))
        assert (steps, first.value, type(first.error)) == (same, again.value, type(again.error))
        different.add("\n".join(steps))
    assert len(different) > 0.9 * len(seeds)


def test_both_kinds_do_the_same_steps(seeds):
    for seed in seeds:
        plain, steps = traced("sim", RandomWalk(seed))
        awaited, same = traced("sim:async", RandomWalk(seed))
        assert (steps, plain.value, plain.seconds) == (same, awaited.value, awaited.seconds)


@pytest.mark.parametrize("kind", KINDS)
def test_a_schedule_that_was_written_down_is_the_same_run(kind, seeds):
    for seed in seeds:
        recorder = Recorder(RandomWalk(seed))
        run, steps = traced(kind, recorder)
        replay = Replay(Schedule.parse(str(recorder.schedule)))
        again, same = traced(kind, replay, record=True)
        assert (steps, run.decisions, replay.strayed) == (same, again.decisions, 0)
        assert traced(kind, Decisions(run.decisions))[1] == steps


def test_a_run_takes_a_schedule_or_a_seed():
    values = {tuple(sim.run(crowd, sim, seed=seed)) for seed in range(30)}
    assert len(values) > 5
    assert sim.run(crowd, sim, seed=7) == sim.run(crowd, sim, schedule=RandomWalk(7))
    assert sim.run(crowd, sim) == sim.run(crowd, sim)
    model, recorder = load("sim:async"), Recorder(RandomWalk(7))
    assert model.run(async_crowd, model, seed=7) == sim.run(crowd, sim, schedule=recorder)
    assert model.run(async_crowd, model, schedule=str(recorder.schedule)) == sim.run(crowd, sim, seed=7)


@pytest.mark.parametrize("text", ["6@2,9@1.1/01", "-", "3@1:1", "-/012", "-/0.12", "0@2.1.1"])
def test_a_schedule_is_a_text(text):
    assert str(Schedule.parse(text)) == text


@pytest.mark.parametrize("text", ["6", "6@", "x@1", "6@1,", "6@1/x", "6@1:"[:-1] + ":y"])
def test_what_is_no_schedule_is_refused(text):
    with pytest.raises(ValueError, match="is no schedule: one looks like 6@2"):
        sim.run(print, schedule=text)


def test_a_schedule_and_a_seed_are_refused():
    with pytest.raises(ValueError, match="give a schedule or a seed, not both"):
        sim.run(print, schedule="-", seed=1)


def test_a_schedule_of_another_program_says_so():
    replay = Replay(Schedule.parse("1@7,2@1/9"))
    traced("sim", replay)
    assert replay.strayed >= 2


def test_hash_seeds_and_processes_make_no_difference():
    program = (
        "import sys; sys.path.insert(0, 'tests/models'); from test_sim import *; "
        "print(*(traced(kind, RandomWalk(seed), record=True)[1] for kind in KINDS for seed in range(5)))"
    )
    told = set()
    for seed in ("0", "1"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        told.add(subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, check=True).stdout)
    (text,) = told
    assert len(text) > 10_000


# Time.


def test_time_is_virtual():
    def main(model):
        before = model.now()
        model.sleep(3600)
        with pytest.raises(TimeoutError):
            model.Channel(0).receive(timeout=60)
        return model.now() - before

    assert 3660 <= sim.run(main, sim) < 3661
    assert {run.value for run in runs(main)} == {3660}


def test_who_sleeps_shorter_wakes_first():
    def main(model, log):
        with model.TaskGroup() as group:
            for seconds in (3, 1, 2):
                group.spawn(nap, model, seconds, log)

    def nap(model, seconds, log):
        model.sleep(seconds)
        log.append(seconds)

    for seed in range(20):
        sim.run(main, sim, log := [], seed=seed)
        assert log == [1, 2, 3]


def test_those_who_wake_at_one_moment_come_in_any_order():
    def main(model):
        log = []
        with model.TaskGroup() as group:
            for name in "abc":
                group.spawn(nap, model, name, log)
        return "".join(log)

    def nap(model, name, log):
        model.sleep(1)
        log.append(name)

    assert {sim.run(main, sim, seed=seed) for seed in range(100)} == {"abc", "acb", "bac", "bca", "cab", "cba"}


def test_a_timeout_and_a_partner_of_the_same_moment_race():
    def receive(channel):
        try:
            return channel.receive(timeout=1)
        except TimeoutError:
            return "late"

    def main(model):
        channel = model.Channel(1)
        with model.TaskGroup() as group:
            receiver = group.spawn(receive, channel)
            model.sleep(1)
            channel.send("in time")
            return receiver.result()

    assert outcomes(main) == {"in time", "late"}


def test_for_ever_is_no_moment():
    def main(model):
        with model.TaskGroup() as group:
            task = group.spawn(model.Channel(0).receive, inf)
            group.spawn(model.sleep, inf)
            model.sleep(1)
            with pytest.raises(TimeoutError):
                task.result(timeout=1)
            group.cancel()
        return model.now()

    assert 2 <= sim.run(main, sim) < 3
    with pytest.raises(Deadlock):
        sim.run(sim.sleep, inf)


def test_a_task_that_polls_comes_to_an_end():
    def main(model):
        done = model.Channel(0, "done")
        with model.TaskGroup() as group:
            group.spawn(close_later, model, done)
            while not done.closed:
                model.sleep(0)
        return "seen"

    def close_later(model, done):
        model.sleep(0.01)
        done.close()

    assert {sim.run(main, sim, seed=seed) for seed in range(10)} == {"seen"}


def test_a_map_has_a_virtual_timeout():
    def main(model):
        with model.Pool(1) as pool:
            results = pool.map(model.sleep, [2, 2, 2], timeout=5)
            return [next(results), next(results), type(pytest.raises(TimeoutError, next, results).value)]

    assert sim.run(main, sim) == [None, None, TimeoutError]


# What a schedule may do. Each of these has once been wrong, here or in a model like this one.


def test_a_send_that_races_a_close_has_one_of_two_outcomes():
    def main(model, capacity):
        channel = model.Channel(capacity)
        with model.TaskGroup() as group:
            sender = group.spawn(attempt, channel)
            channel.close()
        return sender.result(), list(channel)

    def attempt(channel):
        try:
            channel.send("item")
        except ChannelClosed:
            return "refused"
        return "accepted"

    for capacity in (1, inf):
        assert {repr(run.value) for run in runs(main, capacity)} == {
            "('refused', [])",
            "('accepted', ['item'])",
        }


def test_a_task_may_be_received_from_before_it_has_ended():
    def main(model):
        channel = model.Channel(1)
        with model.TaskGroup() as group:
            task = group.spawn(channel.send, "item")
            channel.receive()
            return task.done()

    assert outcomes(main) == {True, False}


def test_a_task_may_run_before_its_spawner_has_its_handle():
    def main(model):
        handles, seen = [], []
        with model.TaskGroup() as group:
            handles.append(group.spawn(lambda: seen.append(len(handles))))
        return seen[0]

    assert outcomes(main) == {0, 1}


def test_the_ends_of_tasks_can_be_exchanged():
    """Or the schedules of a group would multiply by all orders in which its tasks can end."""

    def main(model):
        with model.TaskGroup() as group:
            for _ in range(3):
                group.spawn(int)

    for run in drawn(main):
        ends = [step for step in run.steps if step.kind == "end"]
        assert len(ends) == 3
        for one, other in pairwise(ends):
            assert not dependent(one.keys, other.keys)
        leaves = next(step for step in run.steps if step.kind == "leave")
        for end in ends:  # the owner goes on when all have ended, in either order
            assert not dependent(end.keys, leaves.keys)


def test_a_cancellation_may_come_at_any_time():
    def main(model):
        channel = model.Channel(3)
        with model.TaskGroup() as group:
            group.spawn(fill, channel).cancel()
        return len(channel)

    def fill(channel):
        for item in range(3):
            channel.send(item)

    assert outcomes(main) == {0, 1, 2, 3}


def test_a_cancelled_task_does_not_get_the_result_that_is_there():
    def main(model):
        with model.TaskGroup() as group:
            done = group.spawn(int)
            task = group.spawn(wait_for, done, log := [])
            task.cancel()
        return log[0] if log else "never begun"

    def wait_for(done, log):
        try:
            log.append(done.result())
        except sim.Cancelled:
            log.append("cancelled")
            raise

    assert outcomes(main) == {0, "cancelled"}


def test_a_cancelled_owner_of_a_group_is_told_when_it_leaves():
    """Also if the last task of the group has ended just then."""

    def main(model):
        log = []
        with model.TaskGroup() as group:
            owner = group.spawn(own, model, log)
            owner.cancel()
        return "".join(log)

    def own(model, log):
        with model.TaskGroup() as inner:
            inner.spawn(int)
        log.append("went on")  # no operation since it left the group: so it was not cancelled by then

    cancelled = 0
    for run in drawn(main):
        cancels = [n for n, step in enumerate(run.steps) if step.kind == "cancel"]
        owned = [n for n, step in enumerate(run.steps) if step.identity == (1,)]
        last_before_end = owned[-2] if len(owned) > 1 else -1
        if cancels[0] < last_before_end:
            cancelled += 1
            assert run.value == "", [str(step) for step in run.steps]
    assert cancelled


def test_a_select_draws_lots_by_the_schedule():
    def main(model):
        one, two = model.Channel(1), model.Channel(1)
        one.send(1)
        two.send(2)
        return model.select(one, two).item, len(one) + len(two)

    assert [sim.run(main, sim, schedule=text) for text in ("-", "-/1")] == [(1, 1), (2, 1)]
    assert outcomes(main) == {(1, 1), (2, 1)}


def test_a_deadlock_names_the_waits():
    def main(model):
        one, two = model.Channel(0, "one"), model.Channel(0, "two")
        with model.TaskGroup() as group:
            group.spawn(pass_on, one, two)
            group.spawn(pass_on, two, one)

    def pass_on(here, there):
        there.send(here.receive())

    for run in (next(runs(main)), None):
        error = run.error if run else pytest.raises(Deadlock, sim.run, main, sim).value
        assert [line.partition(" at ")[0] for line in error.waits] == [
            "main: waits for the end of its group",
            "pass_on-1: receive on channel 'one'",
            "pass_on-2: receive on channel 'two'",
        ]


def test_names_do_not_depend_on_what_ran_before():
    def main(model):
        with model.TaskGroup() as group, model.Pool(1) as pool:
            return group.spawn(int).name, group.spawn(nested, model).result(), pool._workers.channel.name

    def nested(model):
        with model.TaskGroup() as group:
            return group.spawn(int).name

    for seed in range(3):
        assert sim.run(main, sim, seed=seed) == ("int-2", "int-3.1", "pool-1")


# The async kind.


def test_what_is_not_of_this_model_cannot_be_awaited():
    import asyncio

    async def main(model):
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="main awaits None, which is not of this model: sim:async can wait only"):
        sim_async.run(main, load("sim:async"))


def test_a_sync_main_in_the_async_kind():
    with pytest.raises(TypeError, match="crowd is no `async def` function, and sim:async is an async model"):
        sim_async.run(crowd, load("sim"))

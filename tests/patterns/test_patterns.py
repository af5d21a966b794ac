"""Actors and pipelines: each guarantee on the models, and on every schedule of the simulated one."""

from importlib import import_module

import acting
import boundaries
import pipes
import pytest
from kinds import paired

from concmodels import actors, catalog, csp, load
from concmodels.errors import Deadlock
from concmodels.explore import explore

WITH_CAPACITY = [(name, capacity) for name in pipes.PROGRAMS for capacity in (0, 1)]
IN_TURN = [(name, number % 2) for number, name in enumerate(pipes.PROGRAMS)]
"""On a real model each program has one of the capacities."""

LARGE = (
    *("merge_has_the_items_of_all", "what_nobody_reads_is_not_sent", "messages_of_a_sender_stay_in_order"),
    *("an_end_discards_the_mailbox", "a_failure_at_the_end_cancels_the_others"),
    *("an_ask_while_the_block_is_cancelled_ends", "an_ask_beside_a_cancelled_actor_ends"),
)
"""Those with so many schedules that only a sample is run; of the last one `--thorough` runs all, which are 1,685."""


MANY = (
    *("fan_out_gives_each_item_once", "tee_gives_all_to_each", "a_reader_may_leave", "take_ends_what_feeds_it"),
    *("fan_out_loses_nothing_when_a_reader_leaves", "functions_work_at_the_same_time"),
    "a_function_that_fails_fails_the_group",
)
"""Those that have thousands of schedules with a capacity of 1, or the same 400, which only `--thorough` runs."""


def run(name, file, program, *args):
    """Run the form of the program that is the model's."""
    if why := catalog.why_not(name):
        pytest.skip(why)
    module = file if catalog.facts(name).is_async else f"in_sync.{file}"
    model = load(name)
    model.run(import_module(module).PROGRAMS[program], model, *args)


def on_models(settings):
    """As parameters: see `kinds.paired`; the two models with memory boundaries have every second setting each."""
    beyond = catalog.names(family="boundary")
    within = [name for name in catalog.names() if name not in beyond]
    return paired(within, settings) + boundaries.in_turn(beyond, settings)


@pytest.mark.parametrize(("name", "case"), on_models(IN_TURN))
def test_pipelines(name, case):
    run(name, "pipes", *case)


@pytest.mark.parametrize(("name", "program"), on_models(acting.PROGRAMS))
def test_actors(name, program):
    run(name, "acting", program)


@pytest.mark.thorough(when=lambda params: params["capacity"] == 1 and params["program"] in MANY)
@pytest.mark.parametrize(("program", "capacity"), WITH_CAPACITY)
def test_pipelines_on_every_schedule(program, capacity):
    _holds("pipes", program, capacity)


@pytest.mark.parametrize("program", acting.PROGRAMS)
def test_actors_on_every_schedule(program):
    _holds("acting", program)


@pytest.mark.thorough
def test_an_ask_beside_a_cancelled_actor_on_every_schedule():
    _holds("acting", LARGE[-1], sampled=False)


def _holds(file, program, *args, sampled=None):
    sampled = program in LARGE if sampled is None else sampled
    main = import_module(f"in_sync.{file}").PROGRAMS[program]
    how = {"schedules": 100} if sampled else {"search": "all"}  # `auto` would draw as many before it tries them all
    explore(main, load("sim"), *args, seconds=60, **how).must_hold(in_all=not sampled)


@pytest.mark.parametrize("name", ["sim", "sim:async"])
def test_a_circle_of_asking_actors_is_a_deadlock_with_both_lines(name):
    module = import_module("acting" if catalog.facts(name).is_async else "in_sync.acting")
    model = load(name)
    with pytest.raises(Deadlock) as caught:
        model.run(module.a_circle, model)
    lines = str(caught.value).splitlines()
    assert [it for it in lines if "one: receive on channel 'answer of other'" in it and "acting.py" in it]
    assert [it for it in lines if "other: receive on channel 'answer of one'" in it and "acting.py" in it]


def test_what_can_not_be_is_refused_in_a_sentence():
    threads = load("threads")

    def main():
        with threads.TaskGroup() as group, pytest.raises(ValueError, match="at least one item, not 0"):
            csp.batch(threads, group, 0, threads.Channel(1))
        with threads.TaskGroup() as group, pytest.raises(ValueError, match="at least one reader, not 0"):
            csp.tee(threads, group, 0, threads.Channel(1))
        with actors.system(threads) as system, pytest.raises(ValueError, match="at least one message, not 0"):
            system.start(actors.Actor, mailbox=0)

        with threads.TaskGroup() as group, pytest.raises(TypeError, match="awaited is a coroutine function"):
            csp.map_(threads, group, awaited, threads.Channel(1))

    async def awaited(number):
        pass

    threads.run(main)

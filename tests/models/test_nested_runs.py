"""A run inside of another one, in one thread: it works, or the one in the way is named; the outer one goes on."""

import asyncio
import re

import pytest
import trio
from kinds import KINDS

from concmodels import catalog, load

SIMULATED = ("sim", "sim:async")
BOUNDARY = catalog.names(family="boundary")
NAMES = [name for name in (*catalog.names(), "anyio:trio", *SIMULATED) if catalog.why_not(name) is None]
RIVALS = [{"greenlet", "tasklets"}, {"gevent", "eventlet"}, {"asyncio", "anyio"}, {"trio", "anyio:trio"}, {*SIMULATED}]
"""Models that need the same thing of a thread: a scheduler, a hub, a loop, a world."""

pytestmark = pytest.mark.usefixtures("known_libraries", "nothing_left_behind")


def is_refused(outer, inner):
    """Whether a run of the inner model is refused in one of the outer model."""
    loops = RIVALS[2] | RIVALS[3]
    in_a_loop = inner.startswith("anyio") and outer in loops  # anyio wants to be the only one in the thread
    return outer == inner or in_a_loop or any({outer, inner} <= rivals for rivals in RIVALS)


def small(model):
    with model.Channel(1) as channel:
        channel.send("message")
        with model.TaskGroup() as group:
            group.spawn(model.sleep, 0.001)
    return list(channel)


async def async_small(model):
    with model.Channel(1) as channel:
        await channel.send("message")
        async with model.TaskGroup() as group:
            group.spawn(model.sleep, 0.001)
    return [item async for item in channel]


def program_of(name):
    """The small program, sync or async as this model is."""
    return async_small if catalog.facts(name).is_async else small


def outcome_of(name):
    """What comes of the small program: what it received, or the sentence of the refusal."""
    try:
        return load(name).run(program_of(name), load(name))
    except RuntimeError as error:
        return str(error)


def nest(outer, inner):
    outcome = outcome_of(inner)
    return outcome, small(outer)


async def async_nest(outer, inner):
    outcome = outcome_of(inner)
    return outcome, await async_small(outer)


def sentence(inner, outer):
    """What is said when the run of one is refused inside of that of the other."""
    instead = {"async": "await the function instead", "sync": "call the function directly"}[
        "async" if catalog.facts(inner).is_async else "sync"
    ]
    return f"{inner}.run was called inside a run of {outer}: {instead}"


@pytest.fixture(scope="module")
def known_libraries(boundary_servers):
    """Each has run once before: gevent and others start something at first use, and keep it."""
    for name in NAMES:
        assert outcome_of(name) == ["message"]


def is_one_of_many(params):
    """Whether one model has a memory boundary, and the other one is not the usual one of its kind."""
    both = {params["outer"], params["inner"]}
    return bool(both & set(BOUNDARY)) and not both <= {*KINDS, *SIMULATED}


@pytest.mark.thorough(when=is_one_of_many)
@pytest.mark.parametrize("inner", NAMES)
@pytest.mark.parametrize("outer", NAMES)
def test_a_run_in_a_run(outer, inner):
    expected = sentence(inner, outer) if is_refused(outer, inner) else ["message"]
    program = async_nest if catalog.facts(outer).is_async else nest
    assert load(outer).run(program, load(outer), inner) == (expected, ["message"])
    assert outcome_of(inner) == ["message"]  # nothing of it is left in this thread


@pytest.mark.parametrize(("library", "name"), [("asyncio", "asyncio"), ("asyncio", "anyio"), ("trio", "anyio:trio")])
def test_a_run_in_a_loop_of_the_program_s_own(library, name):
    async def main():
        return outcome_of(name)

    run = {"asyncio": lambda: asyncio.run(main()), "trio": lambda: trio.run(main)}[library]
    assert re.match(rf"{name}\.run was called inside a run of {library} itself: await", run())


def test_the_nearest_run_is_named():
    """A loop of asyncio inside of one of trio inside of one of asyncio: the thread has that one already."""

    async def middle():
        return outcome_of("asyncio"), outcome_of("trio")

    async def outermost():
        return load("trio").run(middle)

    assert load("anyio").run(outermost) == (sentence("asyncio", "anyio"), sentence("trio", "trio"))

"""Models in a subinterpreter that somebody else has made: each works there, or a sentence says why it can't."""

import sys
import textwrap

import pytest
from kinds import is_variant

from concmodels import catalog

pytestmark = pytest.mark.usefixtures("nothing_left_behind")

PROGRAM = """
    import sys

    sys.path[:] = path

    from concmodels import catalog, load
    from concmodels.errors import ModelUnavailable


    async def main(model):
        channel = model.Channel(1)
        async with model.TaskGroup() as group:
            group.spawn(channel.send, "message")
            message = await channel.receive()
        await model.sleep(0.001)
        async with model.Pool(1) as pool:
            call = await pool.submit(abs, -7)
            return message, await call.result()


    def attempt(name):
        try:
            model = load(name)
            return model.run(main, model)
        except ModelUnavailable as error:
            return str(error), catalog.why_not(name)
"""
NO_LOADING = ("greenlet", "tasklets", "gevent", "eventlet")
"""Those whose libraries refuse to load in a subinterpreter."""


def outcome(name):
    """What comes of a small program of this model in a new subinterpreter."""
    from concurrent import interpreters

    from concmodels.conformance.sync import without_await

    text = textwrap.dedent(PROGRAM)
    if not catalog.facts(name).is_async:
        text = without_await(text)
    interpreter = interpreters.create()
    try:
        results = interpreters.create_queue()
        interpreter.prepare_main(path=tuple(sys.path), results=results)
        interpreter.exec(f"{text}\nresults.put(attempt({name!r}))")
        return results.get(timeout=0)
    finally:
        interpreter.close()


@pytest.mark.thorough(when=is_variant)
def test_it_works_or_says_why_not(model):
    found = outcome(model.name)
    if model.facts.family == "boundary":
        why = "this is a subinterpreter, and only the main interpreter starts others, and processes: call `run` there"
        assert found == (f"{model.facts.file} can't run here: {why}", why)
    elif model.facts.model in NO_LOADING:
        assert found[0].startswith(f"{model.name} can't run here: ")
        assert "does not support loading in subinterpreters" in found[0]
    else:
        assert found == ("message", 7)


def load_and_run(model, other):
    """A task of subinterp, which is in another interpreter too: the models load there; their runs do not start."""
    from concmodels import load
    from concmodels.errors import ModelUnavailable

    there = load(other)
    try:
        there.run(load_and_run, model, other)
    except (ModelUnavailable, RuntimeError) as error:
        return type(error).__name__


@pytest.mark.parametrize(("other", "refusal"), [("subinterp", "RuntimeError"), ("processes", "ModelUnavailable")])
def test_a_task_of_subinterp_is_refused_alike(other, refusal):
    if why := catalog.why_not("subinterp"):
        pytest.skip(why)
    model = catalog.load("subinterp")

    def main():
        with model.TaskGroup() as group:
            return group.spawn(load_and_run, model, other).result()

    assert model.run(main) == refusal

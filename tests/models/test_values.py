"""Odd values at the doors of the vocabulary: seconds of other types, and seconds that no clock reaches."""

import inspect
import math
import os
import signal
import threading
from annotationlib import Format

import pytest
import timeout_values
import timeout_values_plain
from kinds import is_usual, is_variant
from undisturbed import undisturbed

from concmodels import contract

NUMPY = ["float64", "float32", "int64", "bool_"]


def is_left_out(params):
    """Whether seconds of this kind are tried on this model only with `--thorough`."""
    return not is_usual(params["model"], NUMPY.index(params["kind"]), len(NUMPY), fully=("threads", "asyncio"))


@pytest.mark.thorough(when=is_left_out)
@pytest.mark.parametrize("kind", NUMPY)
def test_seconds_of_numpy(model, kind):
    numpy = pytest.importorskip("numpy")
    verbs, start, began = model.verbs, model.verbs.now(), undisturbed()
    verbs.run(verbs.sleep, getattr(numpy, kind)(0))
    verbs.run(verbs.sleep, numpy.float32(0.01))
    assert verbs.now() - start > 0.009 and undisturbed() - began < 5


@pytest.mark.thorough(when=is_variant)
@pytest.mark.parametrize("seconds", [math.inf, 1e300, 1e8])
def test_ctrl_c_ends_a_sleep_that_is_longer_than_any_poll(model, seconds):
    """There is nothing else to do, and nobody looks for deadlocks: so the loop waits as long as it was told to."""
    with pytest.raises(KeyboardInterrupt):
        threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        model.verbs.run(model.verbs.sleep, seconds, deadlock_after=None)


def test_an_int_beyond_all_floats_is_refused(model):
    with pytest.raises(ValueError, match=r"too large for a float: math\.inf"):
        model.verbs.run(model.verbs.sleep, 10**400)


@pytest.mark.thorough(when=is_variant)
@pytest.mark.parametrize(
    "program",
    ["refuse", "strike", "never_strike", pytest.param("never_strike_with_any_capacity", marks=pytest.mark.thorough)],
)
def test_timeouts(model, program):
    texts = timeout_values if model.facts.is_async else timeout_values_plain
    model.verbs.run(getattr(texts, program), model.verbs)


def parameters(function):
    """The names and kinds of a function's parameters, and their defaults."""
    signature = inspect.signature(function, annotation_format=Format.STRING)
    return [(it.name, it.kind, it.default) for it in signature.parameters.values()]


@pytest.mark.parametrize("verb", ["submit", "map", "shutdown"])
def test_pools_have_the_signatures_of_the_contract(model, verb):
    assert parameters(getattr(model.verbs.Pool, verb)) == parameters(getattr(contract.Pool, verb))


@pytest.mark.parametrize("verb", ["submit", "map"])
def test_so_has_a_pool_that_has_travelled(verb):
    from concmodels.models.memory.pool.remote import RemotePool

    assert parameters(getattr(RemotePool, verb)) == parameters(getattr(contract.Pool, verb))

"""The models whose pools are in one process, and what tests of such pools need."""

import sys
import time

import pytest
from stuck import MODELS, model_of

from concmodels import catalog

SYNC = [name for name in MODELS if not catalog.facts(name).is_async and catalog.facts(name).file != "dask_"]
THREADED = [name for name in SYNC if name.startswith(("threads", "rawthreads"))]
ASYNC = [name for name in MODELS if catalog.facts(name).is_async]
COOPERATIVE = [name for name in SYNC if name not in THREADED]


def runs(models):
    """The decorator of a test that is the main function of a run, on each of these models."""

    def decorate(main):
        @pytest.mark.parametrize("name", models)
        def test(name):
            model = model_of(name)
            model.run(main, model)

        return test

    return decorate


class Thing:
    """Something that a weak reference can point at."""


def hold(model):
    model.sleep(60)


def soon(model, value=None):
    model.sleep(0.01)
    return value


def until(model, condition):
    """Wait until it holds."""
    end = time.monotonic() + 40
    while not condition():
        assert time.monotonic() < end, "it never came"
        model.sleep(0.001)


def until_freed(model, pool, *references):
    """Wait until what these weak references point at is gone.

    Without the GIL what a worker has made is freed late, when that worker runs something else (PEP 703, "biased
    reference counting"): it gets something.
    """

    def all_gone():
        if not sys._is_gil_enabled():
            for _ in pool.map(abs, range(pool.workers)):
                pass
        return all(reference() is None for reference in references)

    until(model, all_gone)


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as error:  # noqa: BLE001 - it is what is asked for
        return type(error)

"""The rooms whose pools are in one process, and what tests of such pools need."""

import time

import pytest
from stuck import MODELS, room_of

from concmodels import catalog

SYNC = [name for name in MODELS if catalog.facts(name).colour == "sync" and catalog.facts(name).file != "dask_"]
THREADED = [name for name in SYNC if name.startswith(("threads", "rawthreads"))]
ASYNC = [name for name in MODELS if catalog.facts(name).colour == "async"]
COOPERATIVE = [name for name in SYNC if name not in THREADED]


def runs(models):
    """The decorator of a test that is the main function of a run, on each of these models."""

    def decorate(main):
        @pytest.mark.parametrize("name", models)
        def test(name):
            room = room_of(name)
            room.run(main, room)

        return test

    return decorate


class Thing:
    """Something that a weak reference can point at."""


def hold(room):
    room.sleep(60)


def soon(room, value=None):
    room.sleep(0.01)
    return value


def until(room, condition):
    """Wait until it holds."""
    end = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < end, "it never came"
        room.sleep(0.001)


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as error:  # noqa: BLE001 - it is what is asked for
        return type(error)

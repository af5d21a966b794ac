"""The programs of `scripts/stuck.py` sync and async, and the lines in it."""

import functools
import sys
import threading
import time
import types
from pathlib import Path

import pytest

from concmodels import catalog, load
from concmodels.errors import ModelUnavailable

PATH = Path(__file__).parent / "scripts" / "stuck.py"
MODELS = [name for name in catalog.names(variants=True) if catalog.facts(name).family != "boundary"]


SOON = 0.04
"""Seconds after which these tests want a deadlock found."""

LATER = 0.15
"""Seconds after which help comes: a deadlock would have been found by then."""


def be_alone():
    """Wait until no foreign thread is left: beside one, no deadlock is found."""
    end = time.monotonic() + 50  # trio keeps a worker for 10 seconds
    while len(sys._current_frames()) > 1:
        assert time.monotonic() < end, f"foreign threads are left: {threading.enumerate()}"
        time.sleep(0.01)


def model_of(name):
    """The model; the test is skipped if it can't be opened here."""
    try:
        return load(name)
    except ModelUnavailable as error:
        pytest.skip(str(error))


def programs(name):
    """The module of the programs, sync or async as this model is."""
    return _programs(catalog.facts(name).is_async)


@functools.cache
def _programs(is_async):
    module = types.ModuleType("stuck")
    exec(compile(text_of(is_async), str(PATH), "exec", dont_inherit=True), vars(module))
    return module


def text_of(is_async):
    """The text of the programs, sync or async."""
    text = PATH.read_text()
    return text if is_async else text.replace("async ", "").replace("await ", "")


def line(comment):
    """The number of the line with this comment."""
    lines = PATH.read_text().splitlines()
    (number,) = [number for number, text in enumerate(lines, 1) if text.endswith(f"  # {comment}")]
    return number

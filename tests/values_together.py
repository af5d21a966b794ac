"""Makes one test of a function and many values, instead of one for each value.

Each process of `pytest -n 4` makes all tests, and a worker says in six messages what becomes of each that it runs: five
milliseconds of the processor, more than most tests take themselves. So values with which one worker would run the same
function anyway, one after the other, are one test. A value with which it fails is a failed subtest, with the name that
a test of this value has; and each has one with `-k`, `--thorough` and `--times`, and if the command line names a test.

Values stay apart if something is made anew for each of them: if the function asks for such a fixture, or has marks for
that value.
"""

import dataclasses
import time

import pytest
from pieces import piece

ANEW_S = 1.0
"""After so many seconds the next value has a time limit of its own, for which a thread is started."""


def put_together(metafunc, is_apart):
    """Of calls that differ only in their values, make one; not of one of which `is_apart(params)` is true."""
    if metafunc.cls is not None or _asks_for_something_new(metafunc):
        return
    found = {}
    for number, call in enumerate(metafunc._calls):
        prepared = tuple((name, index) for name, index in call.indices.items() if not _is_value(metafunc, name))
        where = piece(f"{metafunc.definition.nodeid}[{call.id}]")
        alike = number if call.marks or is_apart(call.params) else (where, prepared)
        found.setdefault(alike, []).append(call)
    metafunc._calls[:] = [_as_one(metafunc, calls) for calls in found.values()]


def _asks_for_something_new(metafunc):
    """Whether the function asks for a fixture that is made for each test, or its file has one that all use."""
    used = {name for mark in metafunc.definition.iter_markers("usefixtures") for name in mark.args}
    asked = {*metafunc.definition._fixtureinfo.argnames, *used}
    made = {name: found[-1] for name, found in metafunc._arg2fixturedefs.items() if not _is_value(metafunc, name)}
    anew = {name for name, it in made.items() if it.scope == "function"}
    return "request" in asked or any(name in asked or made[name].baseid.endswith(".py") for name in anew)


def _is_value(metafunc, name):
    return metafunc._params_directness.get(name) == "direct"


def _as_one(metafunc, calls):
    first, *others = calls
    if not others:
        return first
    values = [(it.id, {name: it.params[name] for name in it.params if _is_value(metafunc, name)}) for it in calls]
    name = f"{first.id} and {len(others)} more"
    return dataclasses.replace(first, _idlist=[name], marks=[pytest.mark.values(values).mark])


def call_with_each(item, begin_anew, begin_time_limit_anew, subtests):
    """Call the function of a test with each of its values."""
    (values,) = item.get_closest_marker("values").args
    prepared = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}
    begun = time.monotonic()
    for name, these in values:
        begin_anew()
        if time.monotonic() > begun + ANEW_S:
            begin_time_limit_anew(item)
            begun = time.monotonic()
        try:
            item.obj(**prepared | these)
        except BaseException:
            with subtests.test(name):
                raise

"""Whether a program repeats itself: on the same schedule it has to do the same steps, and to come to the same end.

`random` is seeded anew for each run, so that a program may use it. What can't be repeated is what a program leaves in
its module for the next run, and what it takes from outside: a clock, a number of its own drawing, the order of a set.
"""

import os
import random
import re
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from types import CodeType
from typing import TYPE_CHECKING, Any

from concmodels.explore.errors import NotRepeatable
from concmodels.explore.running.outcome import failure_of, kind
from concmodels.models.tasks.signals.frames import short

if TYPE_CHECKING:
    from concmodels.explore.running.scenario import Scenario
    from concmodels.models.simulated.steps import Step
    from concmodels.models.simulated.world import Run

_ADDRESS = re.compile("0x[0-9a-f]+")
_PLAIN = (int, float, str, bytes, tuple, list, dict, set, frozenset, deque, bytearray, type(None))
_OF_WARNINGS = ("filters", "showwarning", "_showwarnmsg_impl")
"""The variables of `warnings` that `catch_warnings` changes, and puts back unless its run was cut."""


@contextmanager
def process_put_back() -> Iterator[Callable[[], None]]:
    """Leave what a program can change of its process as it was before a search; yield what does so before each run.

    That is `random`, which each run has seeded alike, the environment, the filters of warnings, and what `sys` has.
    """
    state, limit, interval = random.getstate(), sys.getrecursionlimit(), sys.getswitchinterval()
    streams = sys.stdin, sys.stdout, sys.stderr
    shown = {name: vars(warnings)[name] for name in _OF_WARNINGS if name in vars(warnings)}
    filters = list(warnings.filters)
    environment = dict(os.environ)
    encoded = dict(os.environ._data)  # type: ignore[attr-defined]  # compared before each run: decoding takes longer

    def put_back() -> None:
        seeded()
        if os.environ._data != encoded:  # type: ignore[attr-defined]
            os.environ.clear()
            os.environ.update(environment)
        if sys.getrecursionlimit() != limit:
            sys.setrecursionlimit(limit)
        if sys.getswitchinterval() != interval:
            sys.setswitchinterval(interval)
        sys.stdin, sys.stdout, sys.stderr = streams
        vars(warnings).update(shown)
        if warnings.filters != filters:
            warnings.filters[:] = filters  # type: ignore[index]  # it is a list

    try:
        yield put_back
    finally:
        put_back()
        random.setstate(state)


class Globals:
    """The variables of a scenario's module, as they were before the first run."""

    def __init__(self, scenario: Scenario) -> None:
        variables = getattr(scenario.function, "__globals__", {})
        names = {name for code in scenario.codes for name in names_in(code)}
        self._variables = variables
        self._before = {name: deepcopy(variables[name]) for name in names if _is_plain(variables.get(name, ...))}

    def check(self) -> None:
        """Raise `NotRepeatable` if a run has changed one of them."""
        for name, before in self._before.items():
            if self._variables.get(name, ...) != before:
                raise NotRepeatable(
                    f"a run leaves another value in {name} than it has found, and the next schedule would see that: "
                    "make it inside of main"
                )


def _is_plain(value: object) -> bool:
    """Return whether a value is made of nothing but Python's own types, so that it can be copied and compared."""
    if type(value) not in _PLAIN:
        return False
    if isinstance(value, dict):
        return all(_is_plain(it) for pair in value.items() for it in pair)
    return not isinstance(value, (tuple, list, set, frozenset, deque)) or all(map(_is_plain, value))


def names_in(code: CodeType) -> Iterator[str]:
    """Yield the names that the code and the functions in it use."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from names_in(constant)


def must_be_alike(one: Run, other: Run) -> None:
    """Raise `NotRepeatable` unless two runs on the same schedule have done the same."""
    for number, (step, step_2) in enumerate(zip(one.steps, other.steps, strict=False), 1):
        if _told(step) != _told(step_2):
            raise NotRepeatable(
                f"the program does not repeat itself: step {number} was {_shown(step)}, and {_shown(step_2)} when the "
                f"same schedule was run again; {_CURE}"
            )
    if len(one.steps) != len(other.steps) or _end(one) != _end(other) or _differ(one.value, other.value):
        raise NotRepeatable(
            "the program does not repeat itself: the same schedule ended differently when it was run again; " + _CURE
        )


_CURE = "seed what is random, use the model's clock, and create inside main whatever changes"


def _told(step: Step) -> Any:
    return step.runner.identity, step.kind, step.keys


def _end(run: Run) -> Any:
    error = failure_of(run)
    return error and (kind(error), _ADDRESS.sub("", str(error)))


def _differ(one: Any, other: Any) -> bool:
    return _is_plain(one) and _is_plain(other) and one != other


def _shown(step: Step) -> str:
    where = f" at {short(step.place[0])}:{step.place[1]}" if step.place else ""
    return f"{str(step)!r} of {step.runner.name}{where}"


_BEGINNING = random.Random(0).getstate()


def seeded() -> None:
    """Begin a run: `random` is as it is at the beginning of each."""
    random.setstate(_BEGINNING)

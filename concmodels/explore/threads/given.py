"""Functions that threads, pools and timers are given: `Thread(target=results.append)`.

What such a function accesses, it may do in no instruction of the program. So it is called by `call`, in which a monitor
looks at it as it looks at calls in the program.
"""

import sys
from collections.abc import Callable
from functools import partial
from types import FrameType, MethodType
from typing import Any

from concmodels.models.tasks.signals.frames import of_program

callers: set[Any] = set()
"""The functions and classes of the simulated modules that have `call` do so."""


def given(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what calls this function so that it can be looked at; None if it is none."""
    args: tuple[Any, ...] = ()
    options: dict[str, Any] = {}
    called: Any = function
    while type(called) is partial:
        args, options, called = (*called.args, *args), {**called.keywords, **options}, called.func
    if called is None or getattr(called, "__code__", None) is call.__code__:
        return function
    return partial(call, called, line_behind(sys._getframe(1)), options, *args)


def line_behind(frame: FrameType | None) -> tuple[str, int] | None:
    """Return the program's line that has led to this frame, without a list of those that have led to that line."""
    while frame is not None and not _is_of_program(frame):
        frame = frame.f_back
    return None if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def _is_of_program(frame: FrameType) -> bool:
    """As `of_program`, which is asked once for each file: every start of a thread goes through the same few."""
    where = frame.f_code.co_filename, str(frame.f_globals.get("__name__"))
    known = _known.get(where)
    if known is None:
        known = _known[where] = of_program(frame)
    return known


_known: dict[tuple[str, str], bool] = {}


def call(function: Callable[..., Any], _place: Any, _options: dict[str, Any], *args: Any, **options: Any) -> Any:
    """Call a function. The place is where the program has given it away."""
    options = _options | options
    return function(*args, **options)


def calls_what_it_is_given(called: Any) -> bool:
    """Return whether this gives functions to threads by `given`."""
    if isinstance(called, MethodType):
        called = called.__func__
    try:
        return called in callers
    except TypeError:  # it can't be hashed
        return False

"""A scenario to explore: a function that every schedule starts afresh, and the code in which tasks may be preempted.

A program of the vocabulary is a function and its arguments (`of_function`). A program of plain `threading` is a file,
which every schedule executes anew over simulated modules; `concmodels.explore.threads` makes scenarios of those.
"""

from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from concmodels.explore.monitor import Monitor


@dataclass(frozen=True)
class Scenario:
    """A program with its input. `function(*args)` is called once per schedule, as the main task."""

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    label: str = ""
    is_async: bool = False
    codes: tuple[CodeType, ...] = ()
    """The functions of the program: its replay ids hold for these, and its tasks are preempted in them."""
    is_cooperative: bool = False
    """Whether all its tasks run in one thread, so that they switch at checkpoints only."""
    watched: Callable[[], Scenario] | None = None
    """Returns the same scenario with its code watched, if it is not, for a program that turns out to need that."""
    monitor: Monitor | None = None
    """What watches plain code; None if tasks can run only at verbs of the vocabulary."""

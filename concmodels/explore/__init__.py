"""Try every schedule of a program, and show the one that breaks it.

    from concmodels import load
    from concmodels.explore import explore

    sim = load("sim")
    explore(main, sim).must_hold()

The program is a function or a file. It uses the vocabulary, with the model "sim", or plain `threading`, `queue` and
`time.sleep`, or asyncio and trio, without any change. It runs in a simulated world
(`concmodels/models/simulated/world.py`), in which one task runs at a time, and a schedule decides which. `python -m
concmodels.explore FILE` does the same on the command line. The modules of the package:

    exploring.py     the functions explore and replay
    scenarios.py     what is explored: a function or a file
    search.py        which schedules are run, in which order
    strategies/      random choices, and the complete search
    threads/         plain threading, simulated
    preemption/      plain code, watched
    eventloops/      asyncio and trio, simulated
    running/         single runs, counted, watched and judged
    failures/        how a run that failed becomes a Failure
    shortest/        the shortest schedule that still fails
    report.py        the Report and its verdict

An example:

    >>> from concmodels import load
    >>> from concmodels.explore import explore
    >>> sim = load("sim")
    >>> def main():
    ...     numbers = sim.Channel(2)
    ...     with sim.TaskGroup() as group:
    ...         for number in (1, 2):
    ...             group.spawn(numbers.send, number)
    ...     return numbers.receive() + numbers.receive()
    >>> report = explore(main)
    >>> report.verdict, set(report.outcomes)
    ('held in all', {3})
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from concmodels.explore.errors import CannotExplore, NotRepeatable, StillComputing
    from concmodels.explore.exploring import explore, replay
    from concmodels.explore.failures.failure import Failure
    from concmodels.explore.report import Report

__all__ = ["CannotExplore", "Failure", "NotRepeatable", "Report", "StillComputing", "explore", "replay"]

_FILES = {
    "CannotExplore": "errors", "NotRepeatable": "errors", "StillComputing": "errors", "explore": "exploring",
    "replay": "exploring", "Failure": "failures.failure", "Report": "report",
}  # fmt: skip


def __getattr__(name: str) -> object:
    """Import a name when it is used: pytest loads this package for every test suite, and most use nothing of it."""
    if name not in _FILES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_FILES[name]}"), name)

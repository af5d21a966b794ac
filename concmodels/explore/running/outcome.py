"""The outcome of a run: fine, failed, or nothing that could be judged."""

from typing import TYPE_CHECKING

from concmodels.errors import Deadlock
from concmodels.explore.running.watchdog import Stopped
from concmodels.explore.strategies.sleep_sets import Redundant
from concmodels.models.simulated.world import StepLimit
from concmodels.models.tasks.signals.frames import place, raised

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from concmodels.models.simulated.world import Run


_NOT_OF_THE_PROGRAM = (StepLimit, Redundant, Stopped)
"""What a run is cut by without having failed."""


def failure_of(run: Run, check: Callable[[Any], object] | None = None) -> BaseException | None:
    """Return what the program has failed with; None if it has not, or was cut before it could.

    `check` is called with its result, and fails it by raising something.
    """
    error = run.error
    if error is None:
        return None if check is None else _objection(check, run.value)
    if (run.cut and isinstance(error, _NOT_OF_THE_PROGRAM)) or (isinstance(error, SystemExit) and not error.code):
        return None
    return cause(error)


def _objection(check: Callable[[Any], object], value: object) -> Exception | None:
    try:
        check(value)
    except Exception as error:  # noqa: BLE001 - whatever it is, the result does not pass
        return error
    return None


def reached_the_limit(run: Run) -> bool:
    """Return whether the run was cut because it made too many steps."""
    return run.cut and isinstance(run.error, StepLimit)


def cause(error: BaseException) -> BaseException:
    """Return the first of the errors that a group has collected, however deep it lies."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def kind(error: BaseException) -> tuple[str, str]:
    """Return what makes two failures alike: the type, and where in the program it was raised."""
    return type(error).__name__, "" if isinstance(error, Deadlock) else place_of(error)


def place_of(error: BaseException) -> str:
    """Return where in the program an exception was raised, as `file:line`; nothing if no line of the program did."""
    return place(raised(error.__traceback__)).removeprefix(" at ")


def sentence(error: BaseException) -> str:
    """Return an exception in one line."""
    text = str(error).partition("\n")[0].removesuffix(":")
    return f"{type(error).__name__}: {text}" if text else type(error).__name__

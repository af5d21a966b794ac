"""The monitor of a program whose tasks all run in one event loop: nothing switches between two of its instructions."""

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from concmodels.explore.errors import CannotExplore

if TYPE_CHECKING:
    from collections.abc import Collection
    from contextlib import AbstractContextManager

    from concmodels.explore.monitor import RaceDetector, Switches
    from concmodels.models.simulated.steps import Step


class CodeInThread(CannotExplore):
    """A thread is to run what may be code of the program, so the program has to be watched."""

    def __init__(self) -> None:
        super().__init__("a thread runs code of the program, and its instructions are not watched")


class Unwatched:
    """A `Monitor` that watches nothing: what a task does between two awaits is ordered among all steps of all tasks."""

    def __init__(self) -> None:
        self.unexplored: list[str] = []
        """As `Monitor.unexplored`."""

    def begin(self) -> None:
        """As `Monitor.begin`."""

    def switching(self, switches: Switches, *, notes: bool = True) -> AbstractContextManager[None]:
        """As `Monitor.switching`."""
        return nullcontext()

    def racing(self, points: Collection[Any]) -> AbstractContextManager[RaceDetector]:
        """Is never called: with such a monitor, tasks switch at checkpoints only."""
        raise NotImplementedError

    def is_left_out(self, step: Step, points: Collection[Any]) -> bool:
        """As `Monitor.is_left_out`."""
        return False

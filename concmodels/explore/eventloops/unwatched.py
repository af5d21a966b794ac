"""The monitor of a program whose tasks all run in one event loop: nothing switches between two of its instructions."""

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection
    from contextlib import AbstractContextManager

    from concmodels.explore.monitor import RaceDetector, Switches
    from concmodels.models.simulated.steps import Step


class Unwatched:
    """A `Monitor` that watches nothing: what a task does between two awaits is ordered among all steps of all tasks."""

    def __init__(self) -> None:
        self.unexplored: list[str] = []

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

    def has_used_threads(self) -> None:
        """Take note that a job was given to a thread, whose code would have to be watched."""
        self.unexplored = [
            "a library gives a job to a thread, and switches between two of its instructions were not tried: name the "
            "library in packages"
        ]

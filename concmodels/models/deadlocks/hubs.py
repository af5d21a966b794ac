"""Finds a deadlock among greenlets that a hub switches (gevent, eventlet)."""

import sys

from concmodels.models.deadlocks.report import deadlock
from concmodels.models.deadlocks.threads import DeadlockDetector
from concmodels.models.tasks.hubs import tasks
from concmodels.models.tasks.signals.frames import stack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

    from concmodels.errors import Deadlock
    from concmodels.models.tasks.hubs import Task


class HubDetector(DeadlockDetector):
    """The detector of a run, which all its tasks share, because they can be in one deadlock."""

    def __init__(self, main: Task) -> None:
        super().__init__()
        self.main = main
        main.detector = self

    def live_tasks(self) -> list[Task]:
        """Return the live tasks of the run."""
        return [task for task in list(tasks.values()) if task.detector is self]

    def describe(self, main: list[FrameType] | None = None) -> Deadlock:
        """Return the deadlock that the tasks are in; if it is the second one, in the clean-up, cancel them once more.

        `main` is the frames of main, if they are no longer on its stack.
        """
        frames = {task: stack(task.unit.gr_frame or sys._getframe()) for task in self.live_tasks()}
        if main is not None:
            frames[self.main] = main
        if self.found is not None:
            for task in frames.keys() - {self.main}:
                task.cancel_again()
        return self.find(deadlock((task.name, task.waiter, frames[task]) for task in frames))

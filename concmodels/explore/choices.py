"""A schedule that somebody chooses, one task after the other: on the terminal, or in the page of a browser.

A run can't be stopped and gone on with. So it is made again from the start after each choice, up to where the choices
are used up.
"""

import linecache
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concmodels.models.simulated.schedules import Strategy
    from concmodels.models.simulated.steps import Step


class Choose(Exception):
    """The choices that were made are used up: the reader is to make another one. The steps are those to choose from."""

    def __init__(self, steps: list[Step], lots: int = 0) -> None:
        self.rows = [_row(step) for step in steps] or [("", f"case {lot} of a select", "") for lot in range(lots)]


class Chosen:
    """Takes the choices that were made, where there is one to make; then asks `then`, or else raises `Choose`."""

    def __init__(self, choices: list[int], then: Strategy | None = None) -> None:
        self._choices = [*reversed(choices)]
        self._then = then

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`."""
        if self._then is not None and not self._choices:
            return self._then.choose(steps)
        if len(steps) == 1:
            return 0
        order = sorted(range(len(steps)), key=lambda index: (steps[index].identity, steps[index].kind))
        if not self._choices:
            raise Choose([steps[index] for index in order])
        return order[self._choices.pop()]

    def branch(self, n: int) -> int:
        """As `Strategy.branch`."""
        if self._choices:
            return self._choices.pop()
        if self._then is None:
            raise Choose([], n)
        return self._then.branch(n)


def _row(step: Step) -> tuple[str, str, str]:
    """Return the task of a step, what it is about to do, and at which line."""
    if step.place is None:
        return step.task.name, str(step), ""
    file, line = step.place
    return step.task.name, str(step), f"{os.path.basename(file)}:{line}  {linecache.getline(file, line).strip()}"

"""A schedule of the complete search, followed where tasks may switch at more places."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from concmodels.models.simulated.steps import Step


class Following:
    """Takes the decisions of a run that had fewer points: at a point that this run did not have, the task goes on."""

    def __init__(self, decisions: Sequence[int], is_left_out: Callable[[Step], bool]) -> None:
        self._decisions = iter(decisions)
        self._is_left_out = is_left_out
        self._last: Step | None = None

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`."""
        last = self._last
        newest = steps[-1]  # a task that has just stopped at a point comes last
        if (last is None or newest.runner is last.runner) and self._is_left_out(newest):  # main begins unasked
            index = len(steps) - 1
        else:
            index = min(next(self._decisions, 0), len(steps) - 1)
        self._last = steps[index]
        return index

    def branch(self, n: int) -> int:
        """As `Strategy.branch`."""
        return min(next(self._decisions, 0), n - 1)

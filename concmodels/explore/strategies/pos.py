"""POS, partial order sampling: each step gets a random priority, and a new one when a step that it races with is taken.

So the order of steps that touch nothing in common, which does not matter, does not reduce the chances of the orders
that matter (Yuan, Yang, Gu: Partial Order Aware Concurrency Sampling, CAV 2018).
"""

from _random import Random  # that of `random` takes ten times as long to make, and draws the same
from typing import TYPE_CHECKING

from concmodels.models.simulated.steps import dependent

if TYPE_CHECKING:
    from concmodels.models.simulated.steps import Step


class POS:
    """Takes the step with the highest priority."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random
        self._priorities: dict[int, float] = {}
        self._steps: list[Step] = []

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`."""
        priorities, best, first = self._priorities, -1.0, 0
        if len(steps) == 1:
            if id(steps[0]) not in priorities:
                self._random()  # as it would be drawn
            return 0
        for index, step in enumerate(steps):
            priority = priorities.get(id(step))
            if priority is None:
                self._steps.append(step)  # so that no other step gets its id
                priority = priorities[id(step)] = self._random()
            if priority > best:
                best, first = priority, index
        chosen = steps[first]
        if chosen.keys:
            for step in steps:
                if step is not chosen and dependent(chosen.keys, step.keys):
                    priorities[id(step)] = self._random()
        return first

    def branch(self, n: int) -> int:
        """As `Strategy.branch`."""
        return int(self._random() * n)

"""PCT: random priorities, and a few random points at which the task in front falls behind all others.

A bug of depth d, which occurs if d steps come in the right order, is found in a run of k steps of n tasks with a
probability of at least 1 / (n * k ** (d - 1)) (Burckhardt, Kothari, Musuvathi, Nagarakatte: A Randomized Scheduler with
Probabilistic Guarantees of Finding Bugs, ASPLOS 2010). `length` is k; the search uses the length of its first run.
"""

from _random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concmodels.models.simulated.steps import Identity, Step

DEPTH = 3


class PCT:
    """Takes a step of the task with the highest priority."""

    def __init__(self, seed: int, length: int, depth: int = DEPTH) -> None:
        self._random = Random(seed).random
        self._changes = {int(self._random() * length) for _ in range(depth - 1)}
        self._priorities: dict[Identity, float] = {}
        self._lowest = 0.0
        self._points = 0

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`."""
        first = self._first(steps)
        if self._points in self._changes:
            self._lowest -= 1
            self._priorities[steps[first].identity] = self._lowest
            first = self._first(steps)
        self._points += 1
        return first

    def branch(self, n: int) -> int:
        """As `Strategy.branch`."""
        return int(self._random() * n)

    def _first(self, steps: list[Step]) -> int:
        priorities, best, first = self._priorities, -1e300, 0
        for index, step in enumerate(steps):
            identity = step.runner.identity
            priority = priorities.get(identity)
            if priority is None:
                priority = priorities[identity] = 1 + self._random()
            if priority > best:
                best, first = priority, index
        return first

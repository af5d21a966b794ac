"""Conclusions from a few rounds: between what the median of a figure lies, and when the rounds are too few to say.

Each round lies above the true median as likely as below it. So the k-th smallest and the k-th greatest of n values have
the median between them with a probability that the binomial distribution gives, whatever the shape of the noise (the
sign test). The narrowest such interval that is right in `CONFIDENCE` of all cases is taken: of six rounds all six, from
the least to the greatest (96.9 %); of nine the second to the eighth (96.1 %), so that one disturbed round on either
side does not matter. Fewer rounds than `ENOUGH` have no such interval. Their least and greatest values are shown, and
nothing is concluded from them: of two equal candidates, two rounds would call one faster in every second comparison.

This is the only rule for an order, a verdict and a goal. Where two candidates ran side by side, it is the ratio of each
round that is looked at, since in one round both met the same load of the machine.
"""

import statistics
from collections.abc import Collection
from math import comb
from typing import NamedTuple

from benchmarks.result import Row

CONFIDENCE = 0.95


def dropped(rounds: int) -> int | None:
    """Return how many values are left out at either end of the interval; None if there are too few rounds for one."""
    fitting = [number for number in range((rounds + 1) // 2) if confidence(rounds, number) >= CONFIDENCE]
    return max(fitting, default=None)


def confidence(rounds: int, number: int) -> float:
    """Return the probability that the median lies between the rest of these values, without `number` at either end."""
    return 1 - 2 * sum(comb(rounds, at) for at in range(number + 1)) / 2**rounds


ENOUGH = next(rounds for rounds in range(1, 99) if dropped(rounds) is not None)
"""The fewest rounds that bear a word about an order: 6."""


class Interval(NamedTuple):
    """A figure, or a ratio of two: the median of its rounds, and between what the true one lies."""

    median: float
    low: float
    high: float
    rounds: int

    @property
    def is_known(self) -> bool:
        """Whether there are enough rounds to conclude anything; otherwise `low` and `high` are only what was seen."""
        return self.rounds >= ENOUGH

    def above(self, value: float) -> bool:
        """Return whether the figure is greater than this, as far as rounds can tell."""
        return self.is_known and self.low > value

    def below(self, value: float) -> bool:
        """Return whether the figure is less than this, as far as rounds can tell."""
        return self.is_known and self.high < value

    def within(self, low: float, high: float) -> bool:
        """Return whether the figure lies between these two, as far as rounds can tell."""
        return self.is_known and low <= self.low and self.high <= high


def interval(values: Collection[float]) -> Interval:
    """Return the interval of the median of these values, one of each round. Raises `StatisticsError` if there are
    none."""
    ordered = sorted(values)
    ends = dropped(len(ordered)) or 0
    return Interval(statistics.median(ordered), ordered[ends], ordered[-1 - ends], len(ordered))


def by_round(ours: Row, theirs: Row, figure: str = "seconds") -> dict[int, float]:
    """Return the ratios of the rounds that both sides have, theirs over ours: above 1 ours is less, or faster."""
    mine, others = ours.by_round(figure), theirs.by_round(figure)
    return {number: others[number] / mine[number] for number in mine if number in others and mine[number] > 0}


def compared(ours: Row, theirs: Row, figure: str = "seconds") -> Interval | None:
    """Return how many times as much the other row has of a figure: round by round within a cell.

    Rows of different cells ran minutes apart, so their rounds are not pairs. There it is the least that the interval of
    one can be of that of the other, and the most. None if one of the two has no such figure.
    """
    if (ours.suite, ours.cell) == (theirs.suite, theirs.cell):
        ratios = by_round(ours, theirs, figure).values()
        return interval(ratios) if ratios else None
    sides = [row.by_round(figure).values() for row in (ours, theirs)]
    if not all(sides) or min(sides[0]) <= 0:
        return None
    mine, others = map(interval, sides)
    rounds = min(mine.rounds, others.rounds)
    return Interval(others.median / mine.median, others.low / mine.high, others.high / mine.low, rounds)

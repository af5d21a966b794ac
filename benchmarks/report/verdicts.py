"""Whether what somebody claims holds in a result: it does, it does not, or these figures can't tell.

A claim is compared with a ratio in every round that was measured. It holds if all rounds agree with it, and does not
hold if none does; otherwise the figures can't tell. A single round needs a larger difference, in either direction.
`judge` is the only place that decides this.
"""

import statistics
from typing import NamedTuple

from benchmarks.goals import by_round
from benchmarks.report import words
from benchmarks.result import Row
from benchmarks.web.columns import MARK, is_disturbed

HOLDS, FAILS, PARTLY, OPEN, MISSING = "holds", "does not hold", "holds in part", "can't tell", "not measured"
AGAINST = "contradicted"
"""The beginning of a verdict: all rounds contradict the claim, on fewer processors than it needs."""
WITHIN, ALONE = f"{OPEN}: the rounds differ", f"{OPEN} from one round"
MARGIN, MARGIN_ALONE = 1.05, 1.5
"""A difference has to be larger than this by a factor: in every round, and where there is one round only."""
ALIKE = 1.15
"""Two figures are called equal if they differ by no more than this factor."""


class Ratio(NamedTuple):
    """How many times as much of a figure one row has as another one."""

    median: float
    least: float
    most: float
    rounds: int
    disturbed: bool = False
    """Whether other programs disturbed one of the rows, or the load generator limited it."""

    def __str__(self) -> str:
        return f"{self.spread()} times{f' {MARK}' if self.disturbed else ''}"

    def spread(self) -> str:
        """Return the median in two digits with the least and the most, in three where two don't tell the rounds
        apart."""
        if self.rounds == 1 and self.least == self.most:
            return words.plain(float(f"{self.median:.2g}"))
        for digits in (2, 3):
            median, least, most = (words.plain(float(f"{it:.{digits}g}")) for it in self[:3])
            if least != most:
                return f"{median} ({least} to {most})"
        return f"{median} ({self.rounds} rounds alike)"

    def turned(self) -> Ratio:
        """Return the ratio the other way round; one that is nothing can't be turned, and is as small as can be."""
        median, least, most = (1 / value if value else float("inf") for value in (self.median, self.most, self.least))
        return self._replace(median=median, least=least, most=most)


def ratio(first: Row | None, second: Row | None, figure: str = "goodput") -> Ratio | None:
    """Return the ratio of the first row's figure to the second's: round by round within a cell, of all to all between
    cells. None if one of the two has no such figure."""
    if first is None or second is None:
        return None
    disturbed = is_disturbed(first) or is_disturbed(second)
    if first.cell == second.cell and (known := by_round(second, first, figure).values()):
        return Ratio(statistics.median(known), min(known), max(known), len(known), disturbed)
    ours, theirs = (row.by_round(figure).values() for row in (first, second))
    if not ours or not theirs or min(theirs) <= 0:
        return None
    median = statistics.median(ours) / statistics.median(theirs)
    rounds = min(len(ours), len(theirs))
    return Ratio(median, min(ours) / max(theirs), max(ours) / min(theirs), rounds, disturbed)


def judge(it: Ratio | None, direction: str) -> str:
    """Return the verdict on a claim: that there is `more`, `less`, `not more`, or as many (`alike`)."""
    if it is None:
        return MISSING
    if direction == "less":
        return judge(it.turned(), "more")
    if direction == "not more":
        found = judge(it, "more")
        return {HOLDS: FAILS, FAILS: HOLDS}.get(found, found)
    alone = it.rounds == 1
    if direction == "alike":
        margin = MARGIN_ALONE if alone else ALIKE
        agree = not alone and it.least >= 1 / ALIKE and it.most <= ALIKE
        against = it.least > margin or it.most < 1 / margin
    else:
        agree = it.least >= (MARGIN_ALONE if alone else MARGIN)
        against = it.most <= 1 / MARGIN_ALONE if alone else it.most < MARGIN
    return HOLDS if agree else FAILS if against else ALONE if alone else WITHIN


def judge_on(it: Ratio | None, direction: str, cpus: int, needed: int) -> str:
    """Return the verdict on a claim that needs so many processors. On fewer of them nothing but a contradiction is
    told, and it is told apart from one on as many; figures that are merely equal contradict nothing."""
    verdict = judge(it, direction)
    if verdict in (HOLDS, MISSING) or cpus >= needed:
        return verdict
    contradicted = verdict == FAILS and HOLDS in (judge(it, "more"), judge(it, "less"))
    return f"{AGAINST if contradicted else OPEN} on {cpus} processors"


__all__ = ["Ratio", "judge", "judge_on", "ratio"]

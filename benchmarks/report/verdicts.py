"""Whether what somebody claims holds in a result: it does, it does not, or these figures can't tell.

A claim is compared with the interval of a ratio (`benchmarks.rounds`). It holds if the whole interval agrees with it
by the margin that it needs, and does not hold if the whole interval is on the other side; otherwise the figures can't
tell. Rounds in which something disturbed one of the two do not count. `judge` is the only place that decides this.
"""

from typing import NamedTuple

from benchmarks.disturbance import MARK, calm, is_disturbed
from benchmarks.report import words
from benchmarks.result import Row
from benchmarks.rounds import Interval, compared

HOLDS, FAILS, PARTLY, OPEN, MISSING = "holds", "does not hold", "holds in part", "can't tell", "not measured"
AGAINST = "contradicted"
"""The beginning of a verdict: the figures contradict the claim, on fewer processors than it needs."""
MARGIN = 1.05
"""By this factor one figure has to be larger than another one."""
ALIKE = 1.15
"""Two figures are called equal if they differ by no more than this factor."""


class Ratio(NamedTuple):
    """A figure of one row over that of another one."""

    shown: Interval
    """From all rounds."""
    calm: Interval | None
    """From the rounds in which nothing disturbed either row; None if there were none."""

    def __str__(self) -> str:
        return f"{self.spread()} times{f' {MARK}' if self.calm != self.shown else ''}"

    def spread(self) -> str:
        """Return the median in two digits with the ends of its interval, as far as these are written differently."""
        median, low, high = (words.plain(float(f"{it:.2g}")) for it in self.shown[:3])
        return median if low == high else f"{median} ({low} to {high})"


def ratio(first: Row | None, second: Row | None, figure: str = "goodput") -> Ratio | None:
    """Return the ratio of the first row's figure to the second's; None if one of the two has no such figure."""
    shown = first and second and compared(second, first, figure)
    if not first or not second or not shown:
        return None
    if not is_disturbed(first) and not is_disturbed(second):
        return Ratio(shown, shown)
    return Ratio(shown, compared(*calm(second, first), figure))


def judge(it: Ratio | None, direction: str) -> str:
    """Return the verdict on a claim: that there is `more`, `less`, `not more`, or as many (`alike`)."""
    if it is None:
        return MISSING
    if it.calm is None:
        return OPEN
    match direction:
        case "more":
            holds, fails = it.calm.above(MARGIN), it.calm.below(1)
        case "less":
            holds, fails = it.calm.below(1 / MARGIN), it.calm.above(1)
        case "not more":
            holds, fails = it.calm.below(MARGIN), it.calm.above(MARGIN)
        case _:
            holds = it.calm.within(1 / ALIKE, ALIKE)
            fails = it.calm.above(ALIKE) or it.calm.below(1 / ALIKE)
    return HOLDS if holds else FAILS if fails else OPEN


def judge_on(it: Ratio | None, direction: str, cpus: int, needed: int) -> str:
    """Return the verdict on a claim that needs so many processors. On fewer of them nothing but a contradiction is
    told, and it is told apart from one on as many; figures that are merely equal contradict nothing."""
    verdict = judge(it, direction)
    if verdict in (HOLDS, MISSING) or cpus >= needed:
        return verdict
    contradicted = verdict == FAILS and HOLDS in (judge(it, "more"), judge(it, "less"))
    return f"{AGAINST if contradicted else OPEN} on {cpus} processors"

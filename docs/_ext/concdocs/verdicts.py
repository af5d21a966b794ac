"""Whether what somebody claims holds in a result: it does, it does not, or these figures can't tell.

A claim is compared with a ratio in every round that was measured. It holds if all rounds agree with it, and does not
hold if none does; otherwise the figures can't tell. A single round needs a larger difference, in either direction.
Where a claim needs more processors than there are, "does not hold" becomes "contradicted on 2 processors", or "can't
tell" if the figures are equal.
"""

import statistics
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from benchmarks.goals import by_round
from benchmarks.report import words
from benchmarks.report.sheet import Sheet
from benchmarks.result import Row
from benchmarks.web.columns import is_disturbed

HOLDS, FAILS, PARTLY, OPEN, MISSING = "holds", "does not hold", "holds in part", "can't tell", "not measured"
AGAINST = "contradicted"
"""The beginning of a verdict: all rounds contradict the claim, on fewer processors than it needs."""
WITHIN, ALONE = f"{OPEN}: the rounds differ", f"{OPEN} from one round"
NOISE, NOISE_ALONE = 1.05, 1.5
"""A difference has to be larger than this by a factor: in every round, and where there is one round only."""
ALIKE = 1.15
"""Two figures are called equal if they differ by no more than this factor."""
MARK = "†"
"""This is next to a figure that other programs disturbed, or that the load generator limited."""
OURS = "not in the article"
"""In the place of an article's figure, where a claim is not the article's."""


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
        """The median in two digits with the least and the most, in three where two don't tell the rounds apart."""
        if self.rounds == 1 and self.least == self.most:
            return words.plain(float(f"{self.median:.2g}"))
        for digits in (2, 3):
            median, least, most = (words.plain(float(f"{it:.{digits}g}")) for it in self[:3])
            if least != most:
                return f"{median} ({least} to {most})"
        return f"{median} ({self.rounds} rounds alike)"


class Claim(NamedTuple):
    """One line of a table of verdicts."""

    what: str
    then: str
    now: str
    verdict: str


def ratio(first: Row | None, second: Row | None, figure: str = "goodput") -> Ratio | None:
    """The ratio of the first row's figure to the second's: round by round within a cell, of all to all between cells.

    None if one of the two has no such figure.
    """
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


def more(it: Ratio | None) -> str:
    """Whether the first has more."""
    if it is None:
        return MISSING
    if it.rounds == 1:
        return one_round(it.least >= NOISE_ALONE, it.most <= 1 / NOISE_ALONE)
    return HOLDS if it.least >= NOISE else FAILS if it.most < NOISE else WITHIN


def less(it: Ratio | None) -> str:
    """Whether the first has less."""
    return more(it and turned(it))


def not_more(it: Ratio | None) -> str:
    """Whether the first does not have more."""
    return {HOLDS: FAILS, FAILS: HOLDS}.get(found := more(it), found)


def alike(it: Ratio | None) -> str:
    """Whether both have about as much."""
    if it is None:
        return MISSING
    inside, outside = it.least >= 1 / ALIKE and it.most <= ALIKE, it.least > ALIKE or it.most < 1 / ALIKE
    if it.rounds == 1:
        return one_round(False, it.least > NOISE_ALONE or it.most < 1 / NOISE_ALONE)
    return HOLDS if inside else FAILS if outside else WITHIN


def one_round(holds: bool, fails: bool) -> str:
    """The verdict of one round, which tells nothing about its own spread."""
    return HOLDS if holds else FAILS if fails else ALONE


def turned(it: Ratio) -> Ratio:
    """The ratio the other way round; one that is nothing can't be turned, and is as small as can be."""
    median, least, most = (1 / value if value else float("inf") for value in (it.median, it.most, it.least))
    return it._replace(median=median, least=least, most=most)


def on_cores(verdict: str, now: Ratio | None, cpus: int, needed: int) -> str:
    """The verdict on a claim that needs so many processors. On fewer of them nothing but a contradiction is told, and
    it is told apart from one on as many; figures that are merely equal contradict nothing."""
    if verdict in (HOLDS, MISSING) or cpus >= needed:
        return verdict
    contradicted = verdict == FAILS and HOLDS in (more(now), less(now))
    return f"{AGAINST if contradicted else OPEN} on {cpus} processors"


def claim(what: str, then: Ratio | str | None, now: Ratio | None, judge: Callable[[Ratio | None], str]) -> Claim:
    """A claim about a ratio."""
    return Claim(what, "—" if then is None else str(then), "—" if now is None else str(now), judge(now))


def sheet(claims: Iterable[Claim], then: str) -> Sheet:
    """The claims as a table, in Markdown; `then` says where the article's figures are from."""
    head = ["the claim", f"then, {then}", "here", "verdict"]
    return Sheet(head, [[it.what, it.then, it.now, f"**{it.verdict}**"] for it in claims], left=len(head))


def summary(claims: Collection[Claim]) -> str:
    """How many of the article's claims hold, in a sentence; others count those that are ours and explain the mark."""
    verdicts = [it.verdict for it in claims if it.then != OURS]
    against = [it for it in verdicts if it.startswith(AGAINST)]
    how = against[0] if against else AGAINST
    kinds = [
        (verdicts.count(HOLDS), "holds here", "hold here"),
        (verdicts.count(FAILS), "does not", "do not"),
        (len(against), f"is {how}", f"are {how}"),
        (verdicts.count(PARTLY), "holds in part", "hold in part"),
        (sum(it.startswith(OPEN) for it in verdicts), "is undecided", "are undecided"),
        (verdicts.count(MISSING), "was not measured", "were not measured"),
    ]
    always = kinds[:1] if against else kinds[:2]  # said even of none
    parts = [_some(*it) for it in kinds if it[0] or it in always]
    sentences = [f"Of {len(verdicts)} claims of the article, {words.listing(parts)}."]
    if added := len(claims) - len(verdicts):
        sentences.append(f"{_some(added, 'more is', 'more are')} {OURS}.")
    if any(MARK in it.now for it in claims):
        sentences.append(f"{MARK}: disturbed by other programs, or limited by the load generator.")
    return " ".join(sentences)


def _some(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"

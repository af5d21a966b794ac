"""The report of a search, and its verdict."""

import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from concmodels.explore.failures.explanation import tell_races

if TYPE_CHECKING:
    from concmodels.explore.failures.failure import Failure
    from concmodels.explore.monitor import Race
    from concmodels.explore.running.options import Options
    from concmodels.explore.running.scenario import Scenario

BROKEN, HELD_IN_ALL, HELD_SO_FAR = "broken", "held in all", "held so far"


@dataclass
class Report:
    """What a search has found. Printed, it is the verdict with its reasons.

    verdict     "broken", "held in all" or "held so far"
    schedules   how many schedules were run, in all phases
    redundant   how many more were begun, and cut because they could show nothing new
    in_all      how many different schedules there are, if all of them were run; else None
    limited     how many were cut because they made too many steps
    outcomes    how often the program has returned what
    failure     the `Failure`, or None
    races       the data races that were found, which need not do any harm
    unseen      accesses that no detector could follow: with one of them, nothing is proved
    seconds     how long it took
    """

    scenario: Scenario
    options: Options
    schedules: int = 0
    redundant: int = 0
    in_all: int | None = None
    limited: int = 0
    outcomes: Counter[Any] = field(default_factory=Counter)
    failure: Failure | None = None
    races: tuple[Race, ...] = ()
    unseen: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """One of three words."""
        if self.failure is not None:
            return BROKEN
        return HELD_SO_FAR if self.in_all is None else HELD_IN_ALL

    def must_hold(self, *, in_all: bool = False) -> None:
        """Raise `AssertionError` with the explanation if it is broken; with `in_all`, also if not all were tried."""
        __tracebackhide__ = True  # of pytest: the report says it all
        if self.failure is not None or (in_all and self.in_all is None):
            raise AssertionError(str(self))

    def __str__(self) -> str:
        return "\n".join([self.sentence, *([str(self.failure)] if self.failure else self.reasons)])

    @property
    def sentence(self) -> str:
        """The verdict with its numbers, in one line."""
        if self.failure is not None:
            return f"{self.scenario.label}: broken, on schedule {self.failure.number:,}"
        if self.in_all is not None:
            all_of_them = "the only schedule" if self.in_all == 1 else f"all {self.in_all:,} schedules"
            return f"{self.scenario.label}: held in {all_of_them}"
        return f"{self.scenario.label}: held so far, in {self.schedules:,} schedule{'' if self.schedules == 1 else 's'}"

    @property
    def reasons(self) -> list[str]:
        """What else is to be said of a program that has held, a sentence each."""
        found = [it + ("; it does no harm" if self.in_all else "") for it in tell_races(self.races)]
        if self.in_all is None:
            found += self.unseen
            if self.limited:
                found.append(
                    f"{self.limited:,} schedules were cut after {self.options.steps:,} steps, before their end"
                )
        return found

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON can have it."""
        return {
            "program": self.scenario.label,
            "verdict": self.verdict,
            "switches": self.options.switches,
            "search": self.options.search,
            "seed": self.options.seed,
            "schedules": self.schedules,
            "redundant": self.redundant,
            "in_all": self.in_all,
            "limited": self.limited,
            "seconds": round(self.seconds, 3),
            "outcomes": {repr(value): number for value, number in self.outcomes.most_common(100)},
            "failure": self.failure and self.failure.to_json(),
            "races": tell_races(self.races),
            "unseen": list(self.unseen),
            "python": sys.version.split()[0],
        }

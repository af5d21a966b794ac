"""The report of a search, and its verdict."""

import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from concmodels.explore.failures.explanation import describe_races

if TYPE_CHECKING:
    from concmodels.explore.failures.failure import Failure
    from concmodels.explore.monitor import Race
    from concmodels.explore.running.options import Options
    from concmodels.explore.running.scenario import Scenario

BROKEN, HELD_IN_ALL, HELD_SO_FAR = "broken", "held in all", "held so far"


@dataclass
class Report:
    """The result of a search. `print` shows the verdict with its reasons.

    * `verdict`: "broken", "held in all" or "held so far"
    * `schedules`: the number of schedules that were run, in all phases
    * `redundant`: the number of further schedules that were cut off because they could show nothing new
    * `in_all`: the number of different schedules if all of them were run, otherwise None
    * `limited`: the number of schedules that were cut off because they had too many steps
    * `outcomes`: how often the program returned each value
    * `failure`: the `Failure`, or None
    * `races`: the data races that were found, which may be harmless
    * `unseen`: accesses that the detector couldn't follow; if there are any, nothing is proved
    * `not_explored`: why nothing was explored, in one sentence; empty if something was
    * `seconds`: how long the search took
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
    not_explored: str = ""
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """The verdict: "broken", "held in all" or "held so far"."""
        if self.failure is not None:
            return BROKEN
        return HELD_SO_FAR if self.in_all is None else HELD_IN_ALL

    def must_hold(self, *, in_all: bool = False) -> None:
        """Raise `AssertionError` with the report if the program is broken; with `in_all`, also unless all have held."""
        __tracebackhide__ = True  # of pytest: the report says it all
        if self.failure is not None:
            raise AssertionError(str(self))
        if in_all and self.in_all is None:
            raise AssertionError("\n".join([str(self), *([] if self.unseen or self.limited else [self.limit])]))

    def __str__(self) -> str:
        return "\n".join([self.sentence, *([str(self.failure)] if self.failure else self.remarks)])

    @property
    def sentence(self) -> str:
        """The verdict and its numbers, in one line."""
        if self.failure is not None:
            return f"{self.scenario.label}: broken, on schedule {self.failure.number:,}"
        if self.in_all is not None:
            all_of_them = "the only schedule" if self.in_all == 1 else f"all {self.in_all:,} schedules"
            return f"{self.scenario.label}: held in {all_of_them}"
        return f"{self.scenario.label}: held so far, in {self.schedules:,} schedule{'' if self.schedules == 1 else 's'}"

    @property
    def limit(self) -> str:
        """The limit that has ended a search before it had tried all schedules, in one sentence."""
        if self.schedules + self.redundant >= self.options.schedules:
            return f"{self.options.schedules:,} schedules were not all"
        if self.options.search not in ("auto", "all"):
            return f"a sample by {self.options.search}"
        return f"{self.options.seconds:.3g} s were too short for all schedules"

    @property
    def remarks(self) -> list[str]:
        """Further remarks about a program that has held, one sentence each."""
        found = [it + ("; it does no harm" if self.in_all else "") for it in describe_races(self.races)]
        if self.in_all is None:
            found += self.unseen
            if self.limited:
                found.append(
                    f"{self.limited:,} schedules were cut after {self.options.steps:,} steps, before their end"
                )
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the report as an object that can be written as JSON."""
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
            "races": describe_races(self.races),
            "unseen": list(self.unseen),
            "python": sys.version.split()[0],
        }

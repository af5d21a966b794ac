"""A failure: what went wrong, on which schedule, and what happened step by step."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from concmodels.explore.failures.explanation import explain
from concmodels.explore.running.outcome import place_of, sentence

if TYPE_CHECKING:
    from concmodels.explore.failures.moment import Moment
    from concmodels.explore.monitor import Race
    from concmodels.models.simulated.schedules import Schedule


@dataclass
class Failure:
    """How a program fails. Printed, it is the explanation.

    error      what the program has raised, or its `Deadlock`
    schedule   the shortest schedule found that leads there
    replay_id  the text that `replay` and `--replay` take
    moments    the steps of that schedule
    number     how many schedules were run until it was found
    races      the data races of the program that were found, whether they have to do with it or not
    """

    error: BaseException
    schedule: Schedule
    replay_id: str
    moments: tuple[Moment, ...]
    number: int = 1
    races: tuple[Race, ...] = ()

    @property
    def forced_switches(self) -> int:
        """How often another task had to go on than the one that was running, or than the first one that could."""
        return len(self.schedule.forced)

    @property
    def kind(self) -> str:
        """The name of the exception's type."""
        return type(self.error).__name__

    @property
    def place(self) -> str:
        """Where in the program it was raised, as `file:line`; empty for a deadlock, which is at several places."""
        return place_of(self.error)

    def __str__(self) -> str:
        return explain(self.error, self.moments, self.forced_switches, self.races)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON can have it."""
        return {
            "error": sentence(self.error),
            "kind": self.kind,
            "place": self.place,
            "waits": list(getattr(self.error, "waits", ())),
            "found_at": self.number,
            "forced_switches": self.forced_switches,
            "replay": self.replay_id,
            "steps": [moment.to_json() for moment in self.moments],
        }

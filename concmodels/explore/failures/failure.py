"""A failure: what went wrong, on which schedule, and what happened step by step."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from concmodels.explore.failures.explanation import explain, likely_causes
from concmodels.explore.failures.picture import rows_of
from concmodels.explore.running.outcome import place_of, sentence

if TYPE_CHECKING:
    from os import PathLike

    from concmodels.explore.failures.moment import Moment
    from concmodels.explore.monitor import Race
    from concmodels.models.simulated.schedules import Schedule


@dataclass
class Failure:
    """A failure of a program, and the schedule that leads to it. `print` shows the explanation.

    * `error`: the exception that the program raised, or its `Deadlock`
    * `schedule`: the shortest schedule that was found for this failure
    * `replay_id`: the text that `replay` and `--replay` take
    * `moments`: the steps of that schedule
    * `number`: the number of schedules that were run until the failure was found
    * `races`: the data races that were found in the program, whether they caused the failure or not
    """

    error: BaseException
    schedule: Schedule
    replay_id: str
    moments: tuple[Moment, ...]
    number: int = 1
    races: tuple[Race, ...] = ()

    @property
    def forced_switches(self) -> int:
        """The deviations from the plainest order, in which the running task goes on, or the first that can."""
        return len(self.schedule.forced)

    @property
    def kind(self) -> str:
        """The name of the type of the exception."""
        return type(self.error).__name__

    @property
    def place(self) -> str:
        """The place where the exception was raised, as `file:line`. Empty for a deadlock, which has several places."""
        return place_of(self.error)

    def __str__(self) -> str:
        return explain(self.error, self.moments, self.forced_switches, self.races)

    def trace(self, path: str | PathLike[str], *, program: str = "") -> None:
        """Write the steps as a trace, whose time is the number of the step. Raises `OSError`.

        `python -m concmodels.trace` draws it. `program` is a title.
        """
        from concmodels.trace.steps import write_steps  # only here: most failures are only printed

        waits = getattr(self.error, "waits", ())
        write_steps(path, self.moments, program=program, ended=sentence(self.error), waits=waits)

    def to_json(self) -> dict[str, Any]:
        """Return the failure as an object that can be written as JSON."""
        return {
            "error": sentence(self.error),
            "kind": self.kind,
            "place": self.place,
            "waits": list(getattr(self.error, "waits", ())),
            "found_at": self.number,
            "forced_switches": self.forced_switches,
            "replay": self.replay_id,
            "steps": [moment.to_json() for moment in self.moments],
            "rows": [moment.to_row() for moment in rows_of(self.moments)],
            "reasons": likely_causes(self.moments, self.races),
        }

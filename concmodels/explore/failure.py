"""A failure: what went wrong, on which schedule, and what happened step by step."""

import linecache
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from concmodels.explore import explanation
from concmodels.explore.outcome import place_of, sentence
from concmodels.models.simulated.steps import text_of
from concmodels.models.tasks.frames import short

if TYPE_CHECKING:
    from concmodels.explore.watch import Race
    from concmodels.models.simulated.schedules import Schedule
    from concmodels.models.simulated.steps import Step


@dataclass(frozen=True)
class Moment:
    """One step of a run that was noted: which task did what, and where."""

    identity: str
    """That of the task; several tasks may have one name."""
    task: str
    what: str
    file: str
    line: int
    forced: bool
    """Whether the schedule has forced a switch to this task here."""
    footprint: dict[Any, bool] = field(repr=False, compare=False, default_factory=dict)

    @classmethod
    def of(cls, step: Step, forced: bool) -> Self:
        """Make a moment of a step."""
        file, line = step.place or ("", 0)  # a task begins and ends nowhere
        return cls(text_of(step.identity), step.runner.name, str(step), short(file) if file else "", line, forced, step.footprint)

    @property
    def source(self) -> str:
        """The line of the program."""
        return linecache.getline(self.file, self.line).strip()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON can have it."""
        return {"task": self.task, "what": self.what, "file": self.file, "line": self.line, "forced": self.forced}


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
        return explanation.explain(self)

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

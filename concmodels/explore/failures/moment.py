"""A step of a run that was noted: which task did what, and where."""

import linecache
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from concmodels.models.simulated.steps import text_of
from concmodels.models.tasks.signals.frames import short

if TYPE_CHECKING:
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
        return cls(
            text_of(step.task.identity),
            step.task.name,
            str(step),
            short(file) if file else "",
            line,
            forced,
            step.footprint,
        )

    @property
    def source(self) -> str:
        """The line of the program."""
        return linecache.getline(self.file, self.line).strip()

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON can have it."""
        return {"task": self.task, "what": self.what, "file": self.file, "line": self.line, "forced": self.forced}

    def to_row(self) -> dict[str, Any]:
        """Return it as a row of a picture: with the line of the program, and the identity of its task."""
        return self.to_json() | {"identity": self.identity, "source": self.source}

"""The verdict on an answer: of each step of its exercise, and in one sentence."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

LONGEST = 300
"""The most characters of a verdict's sentence, without its note."""


def plain(text: str, longest: int = 2 * LONGEST) -> str:
    """Return a text of one line that does nothing to a terminal: without control characters, and cut if it is long."""
    cut = text if len(text) <= longest else text[: longest - 3] + "..."
    return "".join(it if it.isprintable() else " " if it.isspace() else "?" for it in cut)


@dataclass(frozen=True)
class Judged:
    """The verdict on one step. `replay` plays the failing schedule again; `picture` shows it, line by line."""

    says: str
    points: int
    max_points: int
    sentence: str
    picture: str = ""
    replay: str = ""

    @property
    def is_right(self) -> bool:
        """Whether it has all its points."""
        return self.points == self.max_points


@dataclass(frozen=True)
class Verdict:
    """The verdict on one answer: its steps, or `stopped`, the sentence why it was not checked to the end."""

    exercise: int
    max_score: int
    steps: tuple[Judged, ...] = ()
    stopped: str = ""
    note: str = field(default="", compare=False)
    """What a person should look at."""
    printed: str = field(default="", compare=False)
    """The end of what it has printed, on all schedules."""

    @property
    def score(self) -> int:
        """The points of all steps; 0 if it was not checked to the end."""
        return 0 if self.stopped else sum(step.points for step in self.steps)

    @property
    def is_right(self) -> bool:
        """Whether it has all points."""
        return self.score == self.max_score

    @property
    def sentence(self) -> str:
        """One sentence: the first thing that is wrong, or what was proved."""
        wrong = [step.sentence for step in self.steps if not step.is_right]
        found = self.stopped or next(iter(wrong), None) or next((it.sentence for it in self.steps), "nothing to check")
        return plain(f"{plain(found, LONGEST)}; {self.note}" if self.note else plain(found, LONGEST))

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON can have it."""
        return asdict(self)

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Verdict:
        """Make a verdict of what `to_json` has returned. Raises `TypeError` or `KeyError` of anything else."""
        steps: Iterable[dict[str, Any]] = told["steps"]
        return cls(**{**told, "steps": tuple(Judged(**step) for step in steps)})

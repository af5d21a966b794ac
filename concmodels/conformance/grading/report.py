"""What came of holding a model to its guarantees."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

KEPT, BROKEN, NOT_GUARANTEED = "kept", "broken", "not guaranteed"


@dataclass(frozen=True)
class Outcome:
    """What became of one guarantee, for one choice of its values."""

    guarantee: str
    """`chapter.name`, the same for all values."""
    values: str
    """`capacity=0`; empty where there is no choice."""
    sentence: str
    """The contract's."""
    verdict: str
    """`kept`, `broken` or `not guaranteed`."""
    reason: str = ""
    """Why, unless it is kept: one or two lines."""
    traceback: str = ""
    output: str = ""
    """What the model printed meanwhile."""


@dataclass(frozen=True)
class Line:
    """One guarantee with all its values."""

    guarantee: str
    outcomes: list[Outcome]

    @property
    def sentence(self) -> str:
        """The contract's."""
        return self.outcomes[0].sentence

    @property
    def verdict(self) -> str:
        """Broken if it is for any of the values; kept if it is for those that are guaranteed at all."""
        verdicts = {it.verdict for it in self.outcomes}
        return BROKEN if BROKEN in verdicts else KEPT if KEPT in verdicts else NOT_GUARANTEED

    def only(self, verdict: str) -> list[Outcome]:
        """Return the outcomes of this kind."""
        return [it for it in self.outcomes if it.verdict == verdict]


@dataclass
class Report:
    """What came of one model: `report.grade` is "47 of 52 guarantees kept", `report.lines` are the guarantees."""

    model: str
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def lines(self) -> list[Line]:
        """The guarantees, in the order they were held."""
        return lines(self.outcomes)

    @property
    def kept(self) -> list[Line]:
        """The guarantees that are kept for all values that are guaranteed."""
        return [line for line in self.lines if line.verdict == KEPT]

    @property
    def broken(self) -> list[Line]:
        """The guarantees that are broken for at least one value."""
        return [line for line in self.lines if line.verdict == BROKEN]

    @property
    def not_guaranteed(self) -> list[Line]:
        """The guarantees that the model does not give."""
        return [line for line in self.lines if line.verdict == NOT_GUARANTEED]

    @property
    def grade(self) -> str:
        """The verdict in words."""
        given = len(self.kept) + len(self.broken)
        return f"{len(self.kept)} of {given} guarantee{'' if given == 1 else 's'} kept"

    def to_json(self) -> dict[str, Any]:
        """Return everything, as what JSON knows."""
        counts = {"kept": len(self.kept), "broken": len(self.broken), "not_guaranteed": len(self.not_guaranteed)}
        return {"model": self.model, "grade": self.grade, **counts, "outcomes": [asdict(it) for it in self.outcomes]}


def lines(outcomes: Iterable[Outcome]) -> list[Line]:
    """Put the outcomes of one guarantee together."""
    by_name: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_name.setdefault(outcome.guarantee, []).append(outcome)
    return [Line(name, its) for name, its in by_name.items()]

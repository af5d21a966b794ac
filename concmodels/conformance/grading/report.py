"""What came of holding a model to its promises."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

KEPT, BROKEN, NOT_PROMISED = "kept", "broken", "not promised"


@dataclass(frozen=True)
class Outcome:
    """What became of one promise, for one choice of its values."""

    promise: str
    """`chapter.name`, the same for all values."""
    values: str
    """`capacity=0`; empty where there is no choice."""
    sentence: str
    """The contract's."""
    verdict: str
    """`kept`, `broken` or `not promised`."""
    reason: str = ""
    """Why, unless it is kept: one or two lines."""
    traceback: str = ""
    output: str = ""
    """What the model printed meanwhile."""


@dataclass(frozen=True)
class Line:
    """One promise with all its values."""

    promise: str
    outcomes: list[Outcome]

    @property
    def sentence(self) -> str:
        """The contract's."""
        return self.outcomes[0].sentence

    @property
    def verdict(self) -> str:
        """Broken if it is for any of the values; kept if it is for those that are promised at all."""
        verdicts = {it.verdict for it in self.outcomes}
        return BROKEN if BROKEN in verdicts else KEPT if KEPT in verdicts else NOT_PROMISED

    def only(self, verdict: str) -> list[Outcome]:
        """Return the outcomes of this kind."""
        return [it for it in self.outcomes if it.verdict == verdict]


@dataclass
class Report:
    """What came of one model: `report.grade` is "47 of 52 promises kept", `report.lines` are the promises."""

    model: str
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def lines(self) -> list[Line]:
        """The promises, in the order they were held."""
        return lines(self.outcomes)

    @property
    def kept(self) -> list[Line]:
        """The promises that are kept for all values that are promised."""
        return [line for line in self.lines if line.verdict == KEPT]

    @property
    def broken(self) -> list[Line]:
        """The promises that are broken for at least one value."""
        return [line for line in self.lines if line.verdict == BROKEN]

    @property
    def not_promised(self) -> list[Line]:
        """The promises that the model does not give."""
        return [line for line in self.lines if line.verdict == NOT_PROMISED]

    @property
    def grade(self) -> str:
        """The verdict in words."""
        given = len(self.kept) + len(self.broken)
        return f"{len(self.kept)} of {given} promise{'' if given == 1 else 's'} kept"

    def to_json(self) -> dict[str, Any]:
        """Return everything, as what JSON knows."""
        counts = {"kept": len(self.kept), "broken": len(self.broken), "not_promised": len(self.not_promised)}
        return {"model": self.model, "grade": self.grade, **counts, "outcomes": [asdict(it) for it in self.outcomes]}


def lines(outcomes: Iterable[Outcome]) -> list[Line]:
    """Put the outcomes of one promise together."""
    by_name: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        by_name.setdefault(outcome.promise, []).append(outcome)
    return [Line(name, its) for name, its in by_name.items()]

"""The outcomes of testing a model for the guarantees."""

from dataclasses import asdict, dataclass, field
from typing import Any

from concmodels.conformance.suite import Guarantee

KEPT, BROKEN, NOT_GUARANTEED = "kept", "broken", "not guaranteed"


@dataclass(frozen=True)
class Outcome:
    """The outcome of one guarantee, for one choice of its values."""

    guarantee: str
    """The full name, `chapter.name`, which is the same for all values."""
    values: str
    """The values as text, such as `capacity=0`; empty if there is no choice."""
    sentence: str
    """The sentence of the contract."""
    verdict: str
    """The verdict: `kept`, `broken` or `not guaranteed`."""
    reason: str = ""
    """The reason in one or two lines, unless the guarantee is kept."""
    traceback: str = ""
    output: str = ""
    """The text that the model printed during the test."""
    replay: str = ""
    """The id of a schedule that breaks the guarantee, if it was broken in the simulated world."""
    explanation: str = ""
    """The course of that schedule, in several lines, and how to run it again."""


def outcome_of(guarantee: Guarantee, **found: str) -> Outcome:
    """Return the outcome of this guarantee, with the verdict and what explains it."""
    return Outcome(guarantee.full_name, guarantee.label, guarantee.sentence, **found)


@dataclass(frozen=True)
class Line:
    """The outcomes of one guarantee, for all choices of its values."""

    guarantee: str
    outcomes: list[Outcome]

    @property
    def sentence(self) -> str:
        """The sentence of the contract."""
        return self.outcomes[0].sentence

    @property
    def verdict(self) -> str:
        """The verdict: broken if it is broken for any values, otherwise kept if it is kept for any."""
        verdicts = {it.verdict for it in self.outcomes}
        return BROKEN if BROKEN in verdicts else KEPT if KEPT in verdicts else NOT_GUARANTEED

    def only(self, verdict: str) -> list[Outcome]:
        """Return the outcomes of this kind."""
        return [it for it in self.outcomes if it.verdict == verdict]


@dataclass
class Report:
    """All outcomes of one model: `report.grade` is "47 of 52 guarantees kept", `report.lines` are the guarantees."""

    model: str
    outcomes: list[Outcome] = field(default_factory=list)

    @property
    def lines(self) -> list[Line]:
        """The guarantees, in the order in which they were tested."""
        by_name: dict[str, list[Outcome]] = {}
        for outcome in self.outcomes:
            by_name.setdefault(outcome.guarantee, []).append(outcome)
        return [Line(name, its) for name, its in by_name.items()]

    @property
    def kept(self) -> list[Line]:
        """The guarantees that are kept, for all values for which the model gives them."""
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
        """Return everything as a dict for JSON."""
        counts = {"kept": len(self.kept), "broken": len(self.broken), "not_guaranteed": len(self.not_guaranteed)}
        return {"model": self.model, "grade": self.grade, **counts, "outcomes": [asdict(it) for it in self.outcomes]}

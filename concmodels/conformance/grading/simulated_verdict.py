"""Verdicts on a simulated model: for a broken guarantee also the schedule that breaks it, and what happens there."""

import shlex
from typing import TYPE_CHECKING, Any, Protocol

from concmodels.conformance.grading import explanation
from concmodels.conformance.grading.report import BROKEN
from concmodels.conformance.grading.schedule import HeldOn
from concmodels.conformance.grading.verdict import verdict
from concmodels.errors import Deadlock
from concmodels.explore.errors import CannotExplore
from concmodels.explore.running.outcome import cause, sentence

if TYPE_CHECKING:
    from concmodels.conformance.grading.simulated import SimulatedCandidate
    from concmodels.conformance.suite import Guarantee

    class Wire(Protocol):
        """The way to the grader."""

        def say(self, **answer: Any) -> None: ...


_STEPS = 500_000
"""When explanations have taken so many steps altogether, the next guarantees get none: theirs can be replayed."""

_TO_EXPLAIN_S = 60.0
"""An explanation that takes longer than this hangs."""


class SimulatedVerdicts:
    """Verdicts on a simulated model, with an explanation of each broken guarantee.

    `path` is the file of the model; with `replay`, the model is tested on the schedule with this id only.
    """

    def __init__(self, path: str, replay: str) -> None:
        self._path, self._replay = path, replay
        self._told: set[str] = set()
        self._left = _STEPS

    def verdict(self, guarantee: Guarantee, model: SimulatedCandidate, wire: Wire) -> dict[str, str]:
        """Test the model, on a certain schedule if there is one to be replayed. Returns the fields of an `Outcome`."""
        if self._replay:
            model.replaying = HeldOn.parse(self._replay, model.program, guarantee)
        answer = verdict(guarantee, model, BaseException)
        if answer["verdict"] != BROKEN or model.broken_by is None:
            return answer
        if isinstance(deadlock := cause(model.broken_by), Deadlock):
            answer["reason"] = sentence(deadlock)  # who waits where stands in the explanation
        if model.schedule:
            answer["reason"] += f"\non schedule {model.schedule + 1}: others can keep it"
        answer |= self._again(guarantee, model.replaying or explanation.long_one(model, guarantee))
        wire.say(told=answer, seconds=_TO_EXPLAIN_S)
        return answer | self._explanation(guarantee, model, answer["reason"], model.broken_by)

    def _explanation(
        self, guarantee: Guarantee, model: SimulatedCandidate, reason: str, error: BaseException
    ) -> dict[str, str]:
        """Return what an `Outcome` has instead of the schedule that was drawn, if there is a better one."""
        if model.replaying is not None:
            try:
                text = explanation.replayed(model, guarantee, model.replaying)
            except CannotExplore as why_not:
                text = str(why_not)
            return {"replay": self._replay, "explanation": _without(reason, text)}
        if guarantee.full_name in self._told or self._left < 0:
            return {}
        self._told.add(guarantee.full_name)
        before = model.steps
        held_on, text = explanation.explanation_of(model, guarantee, error)
        self._left -= model.steps - before
        return self._again(guarantee, held_on, _without(reason, text))

    def _again(self, guarantee: Guarantee, held_on: HeldOn, text: str = "") -> dict[str, str]:
        words = ["python", "-m", "concmodels.conformance", self._path, "-k", str(guarantee), "--replay", str(held_on)]
        again = f"again: {shlex.join(words)}"
        return {"replay": str(held_on), "explanation": f"{text}\n\n{again}" if text else again}


def _without(reason: str, text: str) -> str:
    """Return an explanation without its first line, if that repeats the reason."""
    first, _, rest = text.partition("\n")
    said = first.partition(", raised at ")[0].removeprefix("AssertionError: ")
    return rest.lstrip("\n") if said and said in reason else text

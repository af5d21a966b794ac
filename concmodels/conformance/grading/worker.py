"""The process in which guarantees are tested: `python -m concmodels.conformance.grading.worker MODEL SCHEDULES [ID]`.

A model may hang or crash, so it never shares a process with its grader. Each line of standard input names a guarantee;
each line of standard output is an answer in JSON. What the model itself prints goes to standard error.
"""

import faulthandler
import json
import os
import shlex
import signal
import sys
import threading
import time

from concmodels.conformance.grading import values
from concmodels.errors import Deadlock, ModelUnavailable, UnknownModel

values.show()  # before the guarantees are imported

from concmodels.conformance import census  # noqa: E402
from concmodels.conformance.grading import candidate, simulated  # noqa: E402
from concmodels.conformance.grading.reasons import reason, verdict  # noqa: E402
from concmodels.conformance.grading.report import BROKEN, NOT_GUARANTEED  # noqa: E402
from concmodels.conformance.suite import Guarantee, Model, guarantees, not_implemented  # noqa: E402
from concmodels.platform.waking import tie_to_parent  # noqa: E402

_LONGEST_S = 3600.0
"""The grader kills a worker that hangs. This limit is for the case that the grader itself has been killed."""

_EXPLAINING_S = 3.0
"""When explanations have taken so much CPU time altogether, the next guarantees get none: theirs can be replayed."""
_TO_EXPLAIN_S = 20.0
"""An explanation that takes longer than this hangs."""


class Wire:
    """The two pipes to the grader. The model sees an empty standard input, and its output goes to standard error."""

    def __init__(self) -> None:
        self.questions = os.fdopen(os.dup(0), encoding="utf-8")
        self._answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
        self._one_at_a_time = threading.Lock()
        os.dup2(2, 1)
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)

    def say(self, **answer: object) -> None:
        """Send an answer to the grader."""
        with self._one_at_a_time:
            self._answers.write(json.dumps(answer) + "\n")
            self._answers.flush()

    def tell(self, error: BaseException) -> None:
        """Report an exception at once, with the verdict that it means if the guarantee does not end any more."""
        if missing := not_implemented(error):
            self.say(told={"verdict": NOT_GUARANTEED, "reason": str(missing)})
        else:
            stuck = "and then the tasks that still waited did not end"
            self.say(told={"verdict": BROKEN, "reason": f"{reason(error)}\n{stuck}"})


def main() -> None:
    """Load the model, then test one guarantee after the other."""
    tie_to_parent()  # a grader that is killed can't end a model that hangs
    wire = Wire()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where it was ignored, as under nohup
    census.know_own_semaphores()
    known = {str(guarantee): guarantee for guarantee in guarantees()}
    wire.say(started=True)
    model = _opened(sys.argv[1], int(sys.argv[2]), wire)
    explain = Explainer(sys.argv[1], sys.argv[3] if len(sys.argv) > 3 else "")
    if model is not None:
        wire.say(ready={name: why for name, guarantee in known.items() if (why := guarantee.why_not(model))})
        for line in wire.questions:
            guarantee = known[line.rstrip("\n")]
            faulthandler.dump_traceback_later(_LONGEST_S, exit=True)
            if isinstance(model, simulated.SimulatedCandidate):
                answer = explain.verdict(guarantee, model, wire)
            else:
                answer = verdict(guarantee, model, BaseException)
            faulthandler.cancel_dump_traceback_later()
            wire.say(**answer)


class Explainer:
    """Tells of broken guarantees on which schedule they were broken, and what happens there."""

    def __init__(self, path: str, replay: str) -> None:
        self._path, self._replay = path, replay
        self._told: set[str] = set()
        self._left_s = _EXPLAINING_S

    def verdict(self, guarantee: Guarantee, model: simulated.SimulatedCandidate, wire: Wire) -> dict[str, str]:
        """Test the model, on a certain schedule if there is one to be replayed. Returns the fields of an `Outcome`."""
        from concmodels.conformance.grading.schedule import HeldOn
        from concmodels.explore.outcome import cause, sentence

        if self._replay:
            model.replaying = HeldOn.parse(self._replay, model.program, guarantee)
        answer = verdict(guarantee, model, BaseException)
        if answer["verdict"] != BROKEN or model.broken_by is None:
            return answer
        if isinstance(deadlock := cause(model.broken_by), Deadlock):
            answer["reason"] = sentence(deadlock)  # who waits where stands in the explanation
        if model.schedule:
            answer["reason"] += f"\non schedule {model.schedule + 1}: others can keep it"
        wire.say(told=answer, seconds=_TO_EXPLAIN_S)
        return answer | self._explanation(guarantee, model, model.broken_by)

    def _explanation(
        self, guarantee: Guarantee, model: simulated.SimulatedCandidate, error: BaseException
    ) -> dict[str, str]:
        from concmodels.conformance.grading import explaining
        from concmodels.explore.errors import CannotExplore

        if model.replaying is not None:
            try:
                text = explaining.replayed(model, guarantee, model.replaying)
            except CannotExplore as why_not:
                text = str(why_not)
            return {"replay": self._replay, "explanation": text}
        begin, text = time.process_time(), ""
        if guarantee.full_name in self._told or self._left_s < 0:
            held_on = explaining.long_one(model, guarantee)
        else:
            self._told.add(guarantee.full_name)
            held_on, text = explaining.explanation_of(model, guarantee, error)
        self._left_s -= time.process_time() - begin
        words = ["python", "-m", "concmodels.conformance", self._path, "-k", str(guarantee), "--replay", str(held_on)]
        again = f"again: {shlex.join(words)}"
        return {"replay": str(held_on), "explanation": f"{text}\n\n{again}" if text else again}


def _opened(name: str, schedules: int, wire: Wire) -> Model | None:
    try:
        model = simulated.load(name, schedules) if schedules else candidate.model(name)
    except (UnknownModel, ModelUnavailable, candidate.Refused) as error:
        wire.say(refused=str(error))
        return None
    if isinstance(model, candidate.Candidate) and not schedules:
        model.tell = wire.tell
    try:
        model.warm_up()
    except BaseException as error:
        wire.say(refused=f"{model.name} does not even run a small program: {reason(error)}")
        raise
    return model


if __name__ == "__main__":
    main()

"""The process in which guarantees are tested: `python -m concmodels.conformance.grading.worker MODEL SCHEDULES ID`.

A model may hang or crash, so it never shares a process with its grader. Each line of standard input names a guarantee;
each line of standard output is an answer in JSON. What the model itself prints goes to standard error.
"""

import faulthandler
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any

from concmodels.conformance.grading import values
from concmodels.errors import ModelUnavailable, UnknownModel

values.show()  # before the guarantees are imported

from concmodels.conformance import census  # noqa: E402
from concmodels.conformance.grading import candidate, simulated  # noqa: E402
from concmodels.conformance.grading.reasons import reason, verdict  # noqa: E402
from concmodels.conformance.grading.report import BROKEN, NOT_GUARANTEED  # noqa: E402
from concmodels.conformance.suite import Guarantee, Model, guarantees, not_implemented  # noqa: E402
from concmodels.platform.waking import tie_to_parent  # noqa: E402

_LONGEST_S = 3600.0
"""The grader kills a worker that hangs. This limit is for the case that the grader itself has been killed."""


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
    if model is not None:
        test = _test_of(model)
        wire.say(ready={name: why for name, guarantee in known.items() if (why := guarantee.why_not(model))})
        for line in wire.questions:
            guarantee = known[line.rstrip("\n")]
            faulthandler.dump_traceback_later(_LONGEST_S, exit=True)
            answer = test(guarantee, model, wire)
            faulthandler.cancel_dump_traceback_later()
            wire.say(**answer)


def _test_of(model: Model) -> Callable[[Guarantee, Any, Wire], dict[str, str]]:
    """Return what tests a model for a guarantee, and says the fields of the outcome."""
    if isinstance(model, simulated.SimulatedCandidate):
        from concmodels.conformance.grading.explainer import Explainer

        return Explainer(sys.argv[1], sys.argv[3]).verdict
    return lambda guarantee, model, _: verdict(guarantee, model, BaseException)


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

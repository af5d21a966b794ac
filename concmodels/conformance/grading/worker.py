"""The process in which guarantees are tested: `python -m concmodels.conformance.grading.worker MODEL SCHEDULES ID`.

A model may hang or crash, so it never shares a process with its grader. The first line of standard input is a number
that nobody else knows, and each other line names a guarantee; each line of standard output is that number and an answer
in JSON. What the model itself prints goes to standard error.

What decides is looked up before the model is loaded, so that a model that replaces functions of this module, or writes
to all descriptors that it finds, gains nothing. Against a model that searches this process's memory nothing helps here.
"""

import faulthandler
import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

from concmodels.conformance.grading import values
from concmodels.errors import ModelUnavailable, UnknownModel

values.show_values()  # before the guarantees are imported

from concmodels.conformance import census  # noqa: E402
from concmodels.conformance.grading import candidate, guard, simulated  # noqa: E402
from concmodels.conformance.grading.report import BROKEN, NOT_GUARANTEED  # noqa: E402
from concmodels.conformance.grading.verdict import reason, verdict  # noqa: E402
from concmodels.conformance.suite import Guarantee, Model, guarantees, not_implemented  # noqa: E402
from concmodels.platform.waking import tie_to_parent  # noqa: E402

_LONGEST_S = 3600.0
"""The grader kills a worker that hangs. This limit is for the case that the grader itself has been killed."""


class Wire:
    """The two pipes to the grader. The model sees an empty standard input, and its output goes to standard error."""

    say: Callable[..., None]
    """Send an answer to the grader: `say(**answer)`."""

    def __init__(self) -> None:
        self.questions = os.fdopen(os.dup(0), encoding="utf-8")
        self.say = _speaker(os.dup(1), self.questions.readline().strip())
        os.dup2(2, 1)
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)

    def tell(self, error: BaseException) -> None:
        """Report an exception at once, with the verdict that it means if the guarantee does not end any more."""
        if missing := not_implemented(error):
            self.say(told={"verdict": NOT_GUARANTEED, "reason": str(missing)})
        else:
            stuck = "and then the tasks that still waited did not end"
            self.say(told={"verdict": BROKEN, "reason": f"{reason(error)}\n{stuck}"})


def _speaker(pipe: int, nonce: str) -> Callable[..., None]:
    """Return what sends an answer through this pipe. Only it knows the nonce, which says that the answer is ours."""
    encode, write, one_at_a_time = json.JSONEncoder().encode, os.write, threading.Lock()

    def say(**answer: object) -> None:
        data = f"{nonce} {encode(answer)}\n".encode()
        with one_at_a_time:
            while data:
                data = data[write(pipe, data) :]

    return say


def main() -> None:
    """Load the model, then test one guarantee after the other."""
    tie_to_parent()  # a grader that is killed can't end a model that hangs
    if guard.HERE:
        guard.split_off()
    wire, test_of = Wire(), _test_of
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where it was ignored, as under nohup
    census.know_own_semaphores()
    known = {str(guarantee): guarantee for guarantee in guarantees()}
    if int(sys.argv[2]):
        import_module("concmodels.conformance.grading.simulated_verdict")  # takes time that is not the model's own
    wire.say(started=True)
    model = _opened(sys.argv[1], int(sys.argv[2]), wire)
    if model is not None:
        test = test_of(model)
        wire.say(ready={name: why for name, guarantee in known.items() if (why := guarantee.why_not(model))})
        for line in wire.questions:
            guarantee = known[line.rstrip("\n")]
            faulthandler.dump_traceback_later(_LONGEST_S, exit=True)
            answer = test(guarantee, model, wire)
            faulthandler.cancel_dump_traceback_later()
            wire.say(guarantee=line.rstrip("\n"), **answer)


def _test_of(
    model: Model, verdict: Callable[..., dict[str, str]] = verdict
) -> Callable[[Guarantee, Any, Wire], dict[str, str]]:
    """Return what tests a model for a guarantee, and says the fields of the outcome."""
    if isinstance(model, simulated.SimulatedCandidate):
        from concmodels.conformance.grading.simulated_verdict import SimulatedVerdicts

        return SimulatedVerdicts(sys.argv[1], sys.argv[3]).verdict
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

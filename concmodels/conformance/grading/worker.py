"""The process in which guarantees are tested: `python -m concmodels.conformance.grading.worker MODEL`.

A model may hang or crash, so it never shares a process with its grader. Each line of standard input names a guarantee;
each line of standard output is an answer in JSON. What the model itself prints goes to standard error.
"""

import faulthandler
import json
import os
import signal
import sys
import threading
import traceback

from concmodels.conformance.grading import values
from concmodels.errors import ModelUnavailable, UnknownModel

values.show()  # before the guarantees are imported

from concmodels.conformance import census  # noqa: E402
from concmodels.conformance.grading import candidate  # noqa: E402
from concmodels.conformance.grading.reasons import reason  # noqa: E402
from concmodels.conformance.suite import Guarantee, Model, NotGuaranteed, guarantees, not_implemented  # noqa: E402

_LONGEST_S = 3600.0
"""The grader kills a worker that hangs. This limit is for the case that the grader itself has been killed."""


class Wire:
    """The two pipes to the grader. The model sees an empty standard input, and its output goes to standard error."""

    def __init__(self) -> None:
        self.questions = os.fdopen(os.dup(0), encoding="utf-8")
        self._answers = os.dup(1)
        self._one_at_a_time = threading.Lock()
        os.dup2(2, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)

    def say(self, kind: str, text: object = "", **more: object) -> None:
        """Send an answer to the grader."""
        line = json.dumps({"kind": kind, "text": text} | more).encode() + b"\n"
        with self._one_at_a_time:
            while line:
                line = line[os.write(self._answers, line) :]

    def tell(self, error: BaseException) -> None:
        """Report an exception at once, because the guarantee may hang after it."""
        missing = not_implemented(error)
        self.say("told not" if missing else "told", str(missing) if missing else reason(error))


def main() -> None:
    """Load the model, then test one guarantee after the other."""
    wire = Wire()
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where it was ignored, as under nohup
    census.know_own_semaphores()
    known = {str(guarantee): guarantee for guarantee in guarantees()}
    model = _opened(sys.argv[1], wire)
    if model is not None:
        wire.say("ready", {name: why for name, guarantee in known.items() if (why := guarantee.why_not(model))})
        for line in wire.questions:
            _answer(known[line.rstrip("\n")], model, wire)


def _opened(name: str, wire: Wire) -> Model | None:
    try:
        model = candidate.model(name)
    except (UnknownModel, ModelUnavailable, candidate.Refused) as error:
        wire.say("refused", str(error))
        return None
    if isinstance(model, candidate.Candidate):
        model.tell = wire.tell
    try:
        model.warm_up()
    except BaseException as error:
        wire.say("refused", f"{model.name} does not even run a small program: {reason(error)}")
        raise
    return model


def _answer(guarantee: Guarantee, model: Model, wire: Wire) -> None:
    faulthandler.dump_traceback_later(_LONGEST_S, exit=True)
    try:
        guarantee.hold(model)
    except NotGuaranteed as error:
        wire.say("not guaranteed", str(error))
    except BaseException as error:  # noqa: BLE001 - any error is the model's
        wire.say("broken", reason(error), traceback="".join(traceback.format_exception(error)))
    else:
        wire.say("kept")
    finally:
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main()

"""The tests of a model: the guarantees that say most, each in a process that may crash or hang, and three programs."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import chain

from concmodels.check.programs import LIMIT_S, PROGRAMS
from concmodels.check.report import BROKEN, NOT_GUARANTEED, WORKED, Found, ModelReport
from concmodels.conformance.grading import candidate
from concmodels.conformance.grading.report import KEPT, Outcome
from concmodels.conformance.grading.runner import Grader
from concmodels.conformance.suite import Guarantee, guarantees

GUARANTEES = (
    "delivery.each_item_reaches_one_receiver(capacity=3)",
    "delivery.each_item_reaches_one_receiver(capacity=inf)",
    "waiting.a_rendezvous_send_returns_once_taken",
    "closing.close_wakes_all_receivers(capacity=0)",
    "closing.a_send_that_races_a_close_has_one_of_two_outcomes(capacity=1)",
    "competing.selects_and_plain_operations_mix(capacity=0)",
    "timeouts.receive_times_out(capacity=0)",
    "cancellation.a_cancelled_receive_has_taken_nothing(capacity=1)",
    "failures.the_first_failure_cancels_the_siblings(where='receive')",
    "tasks.a_task_may_spawn",
    "pooling.more_tasks_than_workers",
    "sharing.pools_take_it",
    "sockets.what_is_sent_arrives_in_order(size=3000000)",
)
"""Delivery and closing show whether memory and locks work; select, timeouts and sockets, whether waiting does; a task
that spawns and a cancellation, whether tasks do."""

COUNT = len(GUARANTEES) + len(PROGRAMS)
"""The number of tests of a model."""

_TO_START_S = 60.0
_SHOWN = 4000  # characters, the last ones


def chosen() -> list[Guarantee]:
    """Return these guarantees."""
    by_name = {str(it): it for it in guarantees()}
    return [by_name[name] for name in GUARANTEES]


def check(model: str, tell: Callable[[], None]) -> ModelReport:
    """Run all tests of a model that can run here; call `tell` after each."""
    report, began = ModelReport(model), time.monotonic()
    for found in chain(hold_all(model), run_all(model)):
        report.found.append(found)
        tell()
    report.seconds = round(time.monotonic() - began, 1)
    return report


def hold_all(model: str) -> Iterator[Found]:
    """Hold a model to the guarantees; yield what came of each."""
    try:
        with Grader(model, patience=LIMIT_S) as grader:
            for guarantee in chosen():
                yield _of_outcome(grader.hold(guarantee))
    except candidate.Refused as error:
        yield Found("the guarantees", BROKEN, str(error))


def run_all(model: str) -> Iterator[Found]:
    """Run the programs, in as many processes as needed; yield what came of each."""
    names = list(PROGRAMS)
    while names:
        for found in run_programs(model, names):
            names.remove(found.test)
            yield found


def _of_outcome(outcome: Outcome) -> Found:
    name = outcome.guarantee + (f"({outcome.values})" if outcome.values else "")
    verdict = WORKED if outcome.verdict == KEPT else outcome.verdict
    assert verdict in (WORKED, BROKEN, NOT_GUARANTEED)
    return Found(name, verdict, outcome.reason, f"{outcome.traceback}{outcome.output}"[-_SHOWN:])


def run_programs(model: str, names: list[str]) -> list[Found]:
    """Run these programs in one process, up to the first that ends or hangs it; return what came of them."""
    flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    command = [sys.executable, *flags, "-m", "concmodels.check.programs", model, *names]
    try:
        # A session of its own: Ctrl-C at the terminal is for the check, which then ends this process.
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL,
            start_new_session=os.name == "posix", timeout=_TO_START_S + LIMIT_S * len(names), check=False,
        )  # fmt: skip
        out, printed, why = done.stdout, done.stderr, f"Python ended with status {done.returncode}"
    except subprocess.TimeoutExpired as error:
        out, printed = _text(error.stdout), _text(error.stderr)
        why = f"it hangs, and so did its end after {LIMIT_S:g} seconds"
    details = printed[-_SHOWN:]
    if "Timeout (" in printed:  # faulthandler's first words
        why = f"it did not end within {LIMIT_S:g} seconds"
    ended = [_answer(line) for line in out.splitlines()]
    found = [Found(name, BROKEN if error else WORKED, error or "", details if error else "") for name, error in ended]
    if len(found) < len(names):
        found.append(Found(names[len(found)], BROKEN, why, details))
    return found


def _answer(line: str) -> tuple[str, str | None]:
    name, error = json.loads(line)
    return name, error


def _text(output: str | bytes | None) -> str:
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""

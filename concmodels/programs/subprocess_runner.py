"""Runs a plan in a new Python process, so that no model influences the figures of the next one.

The child is the same program with `--order`: its plan and how to run it, as JSON. It writes its results as JSON to
standard output, and the parent reports them.

The child runs in a session of its own. So Ctrl-C at the terminal reaches only the parent, which passes it on exactly
once; it passes on SIGTERM and SIGHUP in the same way. On Linux the kernel kills the child when the parent dies, for
whatever reason; the processes that the child has started notice that as they notice the death of any parent.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from types import FrameType
from typing import Any

from concmodels.errors import Terminated
from concmodels.models.tasks.signals.handlers import ENDING
from concmodels.platform import sessions
from concmodels.platform.waking import tied_to_parent
from concmodels.programs.measure import runs
from concmodels.programs.output.streams import JsonFile
from concmodels.programs.plan import AnyPlan
from concmodels.programs.program import Program
from concmodels.programs.result import FAILED, TIMED_OUT, Outcome, how_it_stopped
from concmodels.programs.signals import masked

_GRACE_S = 20.0  # more than the model's own clean-up and the alarm's grace need


def run_order(program: Program[Any, Any], order: dict[str, Any]) -> int:
    """Do in the child what the parent has ordered: make the runs of a plan, write their results; return the status."""
    results = [*runs(program, program.plan(**order.pop("plan")), **order)]
    JsonFile("-").end(results)
    return max(result.status for result in results)


def runs_apart(
    program: Program[Any, Any], plan: AnyPlan, *, repeat: int, timeout: float | None, quiet: bool
) -> Iterator[Outcome]:
    """Make the runs of a plan as `runs` does, but in a process of its own; yield their results when it has ended.

    Ctrl-C, SIGTERM and SIGHUP raise nothing here. They are passed on to the child, and the last result says so.
    """
    order = {"plan": asdict(plan), "repeat": repeat, "timeout": timeout, "quiet": quiet}
    child = _Child(None if timeout is None else timeout * repeat)
    output = child.run(program.name, json.dumps(order))
    try:
        results = [program.result.from_json(figures) for figures in json.loads(output)]
    except ValueError:
        results = []
    yield from results
    status, error = child.ending()
    if status != max((result.status for result in results), default=None):  # it ended otherwise than its runs
        yield program.result.of(plan, repeat=len(results) + 1, error=error, status=status)


class _Child:
    """A process that runs a program as ordered. It may take so many seconds, or any time if that is None."""

    def __init__(self, limit_s: float | None) -> None:
        self._stopped: int | None = None  # the signal that has stopped it: that of Ctrl-C, SIGTERM or SIGHUP
        self._deadline = None if limit_s is None else time.monotonic() + limit_s + _GRACE_S
        self._process: subprocess.Popen[str] | None = None
        self._killed = False

    def run(self, program: str, order: str) -> str:
        """Run it to its end, and return its output."""
        flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
        command = [sys.executable, *flags, "-m", program, "--order", order]
        old = {signum: signal.getsignal(signum) for signum in ENDING}
        for signum, handler in old.items():
            if handler is not signal.SIG_IGN:
                signal.signal(signum, self._forward)
        try:
            # It starts while the signals are held back, also in itself: Python ends with a fatal error if it is
            # interrupted while it starts. A run of the program lets them in.
            with (
                subprocess.Popen(
                    command, stdout=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=_die_with_parent()
                ) as self._process,
                masked(signal.SIG_UNBLOCK),
            ):
                return self._wait(self._process)
        finally:
            for signum, handler in old.items():
                signal.signal(signum, handler)

    def _wait(self, process: subprocess.Popen[str]) -> str:
        while True:
            try:
                return process.communicate(timeout=1)[0]
            except subprocess.TimeoutExpired:
                if self._deadline is not None and time.monotonic() > self._deadline:
                    self._killed = True
                    sessions.kill(process)
                    return process.communicate()[0]

    def _forward(self, signum: int, _frame: FrameType | None) -> None:
        self._stopped = self._stopped or signum
        self._deadline = time.monotonic() + _GRACE_S
        assert self._process is not None  # the signals were held back until it had started
        if os.name == "posix":  # on Windows there are no sessions, and Ctrl-C has reached the child too
            self._process.send_signal(signum)

    def ending(self) -> tuple[int, str]:
        """Return how it ended: a status, and a message for the case that no result says it."""
        assert self._process is not None
        code = self._process.returncode
        if self._stopped:
            return how_it_stopped(KeyboardInterrupt() if self._stopped == signal.SIGINT else Terminated(self._stopped))
        if self._killed:
            return TIMED_OUT, "timed out, did not end by itself, and was killed"
        if code < 0:
            return FAILED, f"was ended by {signal.Signals(-code).name}"
        return code, "ended without a result"


def _die_with_parent() -> Callable[[], None] | None:
    """Return a function that has the kernel kill the new process when its parent dies; None where there is none.

    The new process calls it before it starts Python.
    """
    tie = tied_to_parent()
    if tie is None:
        return None

    def before_exec() -> None:
        if not tie():
            os._exit(FAILED)

    return before_exec

"""Runs a plan in a new Python process, so that no model influences the figures of the next one.

The child is the same program with `--order`: its plan and how to run it, as JSON. It writes its results as JSON to
standard output, and the parent reports them.

The child runs in a session of its own. So Ctrl-C at the terminal reaches only the parent, which passes it on exactly
once; it passes on SIGTERM and SIGHUP in the same way. On Linux the kernel kills the child when the parent dies, for
whatever reason; the processes that the child has started notice that as they notice the death of any parent.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from types import FrameType
from typing import Any

from concmodels.errors import Terminated
from concmodels.models.tasks.signals import ENDING, hold_back
from concmodels.programs.measure import runs
from concmodels.programs.output import JsonFile
from concmodels.programs.plan import AnyPlan
from concmodels.programs.program import Program
from concmodels.programs.result import FAILED, TIMED_OUT, Outcome, how_it_stopped
from concmodels.programs.signals import masked

_GRACE_S = 20.0  # more than the model's own clean-up and the alarm's grace need
_PR_SET_PDEATHSIG = 1


def obey(program: Program[Any, Any], plan: dict[str, Any], **how: Any) -> int:
    """Do in the child what the parent has ordered: make these runs and write their results; return the status."""
    results = [*runs(program, program.plan(**plan), **how)]
    JsonFile("-").end(results)
    return max(result.status for result in results)


class SubprocessRunner:
    """Makes the runs of a plan in a process of its own; collects their results and its status."""

    def __init__(self, program: Program[Any, Any], plan: AnyPlan, **how: Any) -> None:
        self.stopped: int | None = None
        """The signal that has stopped the program: that of Ctrl-C, SIGTERM or SIGHUP."""
        self.status = FAILED
        self.error = "ended without a result"
        self._program = program
        self._order = json.dumps({"plan": asdict(plan), **how})
        limit_s = how["timeout"] and how["timeout"] * how["repeat"]
        self._deadline = None if limit_s is None else time.monotonic() + limit_s + _GRACE_S
        self._child: subprocess.Popen[str] | None = None
        self._killed = False

    def run(self) -> list[Outcome]:
        """Return the results of the child. `status` and `error` then say how it ended.

        Ctrl-C, SIGTERM and SIGHUP raise nothing here: they are passed on to the child, and noted in `stopped`.
        """
        old = {signum: signal.getsignal(signum) for signum in ENDING}
        for signum, handler in old.items():
            if handler is not signal.SIG_IGN:
                signal.signal(signum, self._forward)
        try:
            with masked(signal.SIG_UNBLOCK):
                output = self._output()
            return self._results(output)
        finally:
            for signum, handler in old.items():
                signal.signal(signum, handler)

    def _output(self) -> str:
        flags = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
        command = [sys.executable, *flags, "-m", self._program.name, "--order", self._order]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=_die_with_parent()
        ) as self._child:
            if self.stopped:
                self._child.send_signal(self.stopped)
            return self._wait(self._child)

    def _wait(self, child: subprocess.Popen[str]) -> str:
        while True:
            try:
                return child.communicate(timeout=1)[0]
            except subprocess.TimeoutExpired:
                if self._deadline is not None and time.monotonic() > self._deadline:
                    self._killed = True
                    with contextlib.suppress(ProcessLookupError):  # not reaped yet, so the id is still its own
                        os.killpg(child.pid, signal.SIGKILL)
                    return child.communicate()[0]

    def _forward(self, signum: int, _frame: FrameType | None) -> None:
        self.stopped = self.stopped or signum
        self._deadline = time.monotonic() + _GRACE_S
        if self._child is not None:
            self._child.send_signal(signum)

    def _results(self, output: str) -> list[Outcome]:
        assert self._child is not None
        self.status = self._child.returncode
        if self.status < 0:
            self.status, self.error = self._cause_of_death(-self.status)
        try:
            return [self._program.result.from_json(figures) for figures in json.loads(output)]
        except ValueError:
            return []

    def _cause_of_death(self, signum: int) -> tuple[int, str]:
        if self.stopped:
            return how_it_stopped(KeyboardInterrupt() if self.stopped == signal.SIGINT else Terminated(self.stopped))
        if self._killed:
            return TIMED_OUT, "timed out, did not end by itself, and was killed"
        return FAILED, f"was ended by {signal.Signals(signum).name}"


def _die_with_parent() -> Callable[[], None] | None:
    """Return a function that has the kernel kill the new process when its parent dies; None where there is none.

    The new process calls it before it starts Python. The function also holds Ctrl-C back there.
    """
    if sys.platform != "linux":
        return None
    import ctypes

    prctl, parent = ctypes.CDLL(None).prctl, os.getpid()

    def before_exec() -> None:
        # Python prints a fatal error if it is interrupted while it starts. A run of the program lets the signal in.
        hold_back()
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # the parent died before the request was made
            os._exit(FAILED)

    return before_exec

"""One call of a program: its plans, its runs, its report.

A single model runs in this process. Several models run one after the other, each in a process of its own.

Ctrl-C is held back except during a run, which it ends. Everything else, such as writing the JSON, takes only moments
and is completed first. SIGTERM and SIGHUP are treated in the same way.
"""

import contextlib
import os
import signal
import sys
from argparse import Namespace
from collections.abc import Iterator
from typing import Any

from concmodels import catalog
from concmodels.errors import ModelUnavailable, Terminated
from concmodels.models.tasks.signals import ENDING, terminate
from concmodels.programs import limits
from concmodels.programs.options import choose, shared_arguments
from concmodels.programs.output import JsonFile, console, need, quiet_when_closed, say
from concmodels.programs.plan import AnyPlan
from concmodels.programs.program import Program
from concmodels.programs.result import BAD_INPUT, OK, STOPPED, TIMED_OUT, Outcome, how_it_stopped


@contextlib.contextmanager
def held_interrupts() -> Iterator[None]:
    """Hold Ctrl-C, SIGTERM and SIGHUP back; drop those that came meanwhile at the end, when everything is done.

    SIGTERM and SIGHUP raise `Terminated` where they are let in, if they had their default action before.
    """
    with _mask(signal.SIG_BLOCK), _raising():
        yield
        while os.name == "posix" and (came := ENDING & signal.sigpending()):
            signal.sigwait(came)


@contextlib.contextmanager
def _raising() -> Iterator[None]:
    plain = [signum for signum in ENDING if signal.getsignal(signum) == signal.SIG_DFL]
    for signum in plain:
        signal.signal(signum, terminate)
    try:
        yield
    finally:
        for signum in plain:
            signal.signal(signum, signal.SIG_DFL)


@contextlib.contextmanager
def _mask(how: int) -> Iterator[None]:
    """Block or unblock the three signals in this thread and in what it starts; do nothing where there is no Unix."""
    if os.name != "posix":
        yield
        return
    old = signal.pthread_sigmask(how, ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


class Session:
    """One call of a program. Making it raises what is wrong with the command line, before anything has started."""

    def __init__(self, program: Program, options: Namespace) -> None:
        self._program = program
        self._options = options
        self._status = OK
        self._results: list[Outcome] = []
        if not (options.quiet or options.apart):
            need("rich", "the table (--quiet leaves it out)")
        models, self._skipped = choose(options.models or ["threads"])
        self._plans = [program.plan(options, model) for model in models]
        self._leave_out_what_is_too_large()
        self._json = JsonFile(options.json)

    def run(self) -> int:
        """Make all runs and write the report; return the greatest status. Raises `BadInput` if it can't write."""
        self._json.begin([plan.result(error="did not end") for plan in self._plans])
        self._tell_before()
        run = self._run_here if len(self._plans) == 1 else self._run_in_subprocess
        for plan in self._plans:
            try:
                with _mask(signal.SIG_UNBLOCK):
                    run(plan)
            except (KeyboardInterrupt, Terminated) as interrupt:
                self._add_stopped(plan, *how_it_stopped(interrupt))
            except ModelUnavailable as unavailable:
                self._add_stopped(plan, BAD_INPUT, str(unavailable))
            if self._status in STOPPED:
                break
        self._report()
        return self._status

    def _leave_out_what_is_too_large(self) -> None:
        """Drop models that are too large for this machine, if `all` stands for them; the status becomes `BAD_INPUT`.

        Raises `TooLarge` for a model that was named explicitly.
        """
        given = self._options.models or ["threads"]
        named = {catalog.name_of(catalog.facts(name)) for name in given if name not in ("all", "all+")}
        for plan in list(self._plans):
            try:
                limits.check(plan)
            except limits.TooLarge as error:
                if plan.model in named:
                    raise
                self._skipped[plan.model] = str(error)
                self._plans.remove(plan)
                self._status = BAD_INPUT

    def _tell_before(self) -> None:
        options = self._options
        for model, why in self._skipped.items():
            self._say(f"{model} is left out: {why}")
        note = None if options.apart else self._program.note(options)
        if note:
            self._say(note)

    def _run_here(self, plan: AnyPlan[Any]) -> None:
        from concmodels.programs.measure import SILENT, measure
        from concmodels.programs.progress import Terminal

        listener = SILENT if self._options.quiet else Terminal()
        for repeat in range(1, self._options.repeat + 1):
            timeout = self._options.timeout
            result = measure(
                self._program, plan, timeout=timeout, repeat=repeat, listener=listener, on_hang=self._give_up
            )
            self._add(result)
            if result.status != OK:
                break

    def _run_in_subprocess(self, plan: AnyPlan[Any]) -> None:
        from concmodels.programs.subprocess_runner import SubprocessRunner

        timeout = self._options.timeout
        arguments = [*self._program.arguments(self._options), *shared_arguments(self._options, plan.model)]
        runner = SubprocessRunner(self._program, arguments, timeout and timeout * self._options.repeat)
        results = runner.run()
        for result in results:
            self._add(result)
        if not results and runner.status != BAD_INPUT:  # in that case the child has reported the error itself
            self._add(plan.result(error=runner.error, status=runner.status))
        self._status = max(self._status, runner.status, 128 + runner.stopped if runner.stopped else OK)

    def _add_stopped(self, plan: AnyPlan[Any], status: int, error: str) -> None:
        repeat = 1 + sum(result.name == plan.model for result in self._results)
        self._add(plan.result(repeat=repeat, error=error, status=status))

    def _add(self, result: Outcome) -> None:
        self._results.append(result)
        self._status = max(self._status, result.status)
        if result.error and not self._options.apart:
            self._say(f"{result.name}: {result.error}")

    def _report(self) -> None:
        """Write the JSON, then the table."""
        self._json.end(self._results)
        if self._options.quiet or self._options.apart or not any(result.verified for result in self._results):
            return
        from concmodels.programs import table

        stream = sys.stderr if self._options.json == "-" else sys.stdout
        with quiet_when_closed(stream):
            table.show(self._results, console(stream))

    def _say(self, text: str) -> None:
        say(self._program.name, text)

    def _give_up(self) -> None:
        """Kill everything, this process too: the run has not ended, and Ctrl-C could not end it."""
        from concmodels.programs import memory

        self._say("timed out, and the run would not end: killed")
        for pid in memory.descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        os._exit(TIMED_OUT)

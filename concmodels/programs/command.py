"""The programs as commands: from the arguments to the exit status. Every error is reported in one sentence.

A single model runs in this process. Several models run one after the other, each in a process of its own.

Ctrl-C is held back except during a run, which it ends. Everything else, such as writing the JSON, takes only moments
and is completed first. SIGTERM and SIGHUP are treated in the same way.
"""

import signal
import sys
from argparse import Namespace
from typing import Any

from concmodels import catalog
from concmodels.errors import ModelUnavailable, Terminated, UnknownModel
from concmodels.models.tasks.signals import ENDING
from concmodels.programs.limits import TooLarge
from concmodels.programs.measure import runs
from concmodels.programs.options import parse
from concmodels.programs.output import BadInput, JsonFile, console, need, quiet_when_closed, say
from concmodels.programs.plan import AnyPlan, check_size
from concmodels.programs.program import Program
from concmodels.programs.result import BAD_INPUT, OK, STOPPED, Outcome, how_it_stopped
from concmodels.programs.signals import signals_held


def command(program: Program[Any, Any], arguments: list[str] | None = None) -> int:
    """Run a program with these arguments; return its exit status.

    Raises nothing except `SystemExit(0)` after `--help`.
    """
    try:
        options = parse(program, arguments)
        if options.list:
            with quiet_when_closed():
                _list()
            return OK
        with signals_held():
            if options.order:
                from concmodels.programs.subprocess_runner import obey

                return obey(program, **options.order)
            return Session(program, options).run()
    except (BadInput, UnknownModel, ModelUnavailable, TooLarge) as error:
        say(program.name, str(error))
        return BAD_INPUT
    except (KeyboardInterrupt, Terminated) as interrupt:
        status, how = how_it_stopped(interrupt)
        say(program.name, how)
        return status


def as_program(status: int) -> int:
    """Return the exit status of a program that has finished; ignore signals while Python itself ends."""
    for signum in ENDING:
        signal.signal(signum, signal.SIG_IGN)
    return status


def _list() -> None:
    names = catalog.names(variants=True, distributed=True)
    for name in names:
        print(f"{name:{max(map(len, names))}}  {catalog.why_not(name) or 'available'}")


class Session:
    """One call of a program. Making it raises what is wrong with the command line, before anything has started."""

    def __init__(self, program: Program[Any, Any], options: Namespace) -> None:
        self._program = program
        self._options = options
        self._how = {"repeat": options.repeat, "timeout": options.timeout, "quiet": options.quiet}
        self._status = OK
        self._results: list[Outcome] = []
        self._left_out: dict[str, str] = {}
        if not options.quiet:
            need("rich", "the table (--quiet leaves it out)")
        try:
            check_size("--repeat", options.repeat)
            self._plans = self._planned(options.models or ["threads"])
        except ValueError as error:
            raise BadInput(str(error)) from None
        self._json = JsonFile(options.json)

    def _planned(self, models: list[str]) -> list[AnyPlan]:
        """Return a plan for each of these models, once, in the order given.

        Models that `all` stands for, but that can't run here or are too large for this machine, are left out; for those
        that were named explicitly, raises `ModelUnavailable` and `TooLarge`. Raises `UnknownModel`, too.
        """
        named: dict[str, bool] = {}
        for model in models:
            if model in ("all", "all+"):
                for name in catalog.names(variants=model == "all+"):
                    named.setdefault(name, False)
            else:
                named[catalog.name_of(catalog.facts(model))] = True
        plans = []
        for name, is_explicit in named.items():
            if why := catalog.why_not(name):
                if is_explicit:
                    raise ModelUnavailable(f"{name} can't run here: {why}")
                self._left_out[name] = why
                continue
            plan = self._program.planned(self._options, name)
            try:
                plan.check_limits()
                plans.append(plan)
            except TooLarge as error:
                if is_explicit:
                    raise
                self._left_out[name] = str(error)
                self._status = BAD_INPUT
        return plans

    def run(self) -> int:
        """Make all runs and write the report; return the greatest status. Raises `BadInput` if it can't write."""
        self._json.begin(self._program.result.of(plan, error="did not end") for plan in self._plans)
        for model, why in self._left_out.items():
            self._say(f"{model} is left out: {why}")
        if self._plans and (note := self._program.note(self._plans[0])):
            self._say(note)
        for plan in self._plans:
            if len(self._plans) == 1:
                for result in runs(self._program, plan, **self._how):
                    self._add(result)
            else:
                self._run_in_subprocess(plan)
            if self._status in STOPPED:
                break
        self._report()
        return self._status

    def _run_in_subprocess(self, plan: AnyPlan) -> None:
        from concmodels.programs.subprocess_runner import SubprocessRunner

        runner = SubprocessRunner(self._program, plan, **self._how)
        results = runner.run()
        for result in results:
            self._add(result)
        if not results and runner.status != BAD_INPUT:  # in that case the child has reported the error itself
            self._add(self._program.result.of(plan, error=runner.error, status=runner.status))
        self._status = max(self._status, runner.status, 128 + runner.stopped if runner.stopped else OK)

    def _add(self, result: Outcome) -> None:
        self._results.append(result)
        self._status = max(self._status, result.status)
        if result.error:
            self._say(f"{result.name}: {result.error}")

    def _report(self) -> None:
        """Write the JSON, then the table."""
        self._json.end(self._results)
        if self._options.quiet or not any(result.verified for result in self._results):
            return
        from concmodels.programs import table

        stream = sys.stderr if self._options.json == "-" else sys.stdout
        with quiet_when_closed(stream):
            table.show(self._results, console(stream))

    def _say(self, text: str) -> None:
        say(self._program.name, text)

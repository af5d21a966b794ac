"""The programs as commands: from the arguments to the exit status. Every error is reported in one sentence.

A single model runs in this process. Several models run one after the other, each in a process of its own.

Ctrl-C is held back except during a run, which it ends. Everything else, such as writing the JSON, takes only moments
and is completed first. SIGTERM and SIGHUP are treated in the same way.
"""

import os
import signal
import sys
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from typing import Any, TextIO

from concmodels import catalog
from concmodels.errors import ModelUnavailable, Terminated, UnknownModel
from concmodels.models.tasks.signals.handlers import ENDING
from concmodels.platform import tried
from concmodels.programs.limits import TooLarge
from concmodels.programs.measure import runs
from concmodels.programs.options import parse
from concmodels.programs.output.streams import BadInput, JsonFile, console, need, quiet_when_closed, say
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
                from concmodels.programs.subprocess_runner import run_order

                return run_order(program, options.order)
            return _run(program, options, sys.argv[1:] if arguments is None else arguments)
    except (BadInput, UnknownModel, ModelUnavailable, TooLarge) as error:
        say(program.name, str(error))
        return BAD_INPUT
    except (KeyboardInterrupt, Terminated) as interrupt:
        status, how = how_it_stopped(interrupt)
        say(program.name, how)
        return status


def as_program(status: int) -> int:
    """Return the exit status of a program that has finished; ignore signals while Python itself ends.

    What is left for standard error is dropped if it can't be written, as on a terminal that was closed: Python would
    try again at its end, and then exit with 120.
    """
    for signum in ENDING:
        signal.signal(signum, signal.SIG_IGN)
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    return status


def _list() -> None:
    names = catalog.names(variants=True, distributed=True, simulated=True)
    for name in names:
        print(f"{name:{max(map(len, names))}}  {catalog.why_not(name) or 'available'}")


def _run(program: Program[Any, Any], options: Namespace, arguments: list[str]) -> int:
    """Make all runs and write the report; return the greatest status. Nothing starts if the command line is wrong."""
    if not options.quiet:
        need("rich", "the table (--quiet leaves it out)")
    try:
        check_size("--repeat", options.repeat)
        plans, left_out, status = _planned(program, options)
    except ValueError as error:
        raise BadInput(str(error)) from None
    if options.trace is not None and (len(plans) > 1 or options.repeat > 1):
        raise BadInput("--trace records one run: give one --model, and no --repeat")
    if options.json is not None:
        os.environ[tried.NOTICE] = "off"  # the result names the machine
    file = JsonFile(options.json)
    file.begin(program.result.of(plan, error="did not end") for plan in plans)
    for model, why in left_out.items():
        say(program.name, f"{model} is left out: {why}")
    if plans and (note := program.note(plans[0])):
        say(program.name, note)
    make = partial(_results, program, plans, repeat=options.repeat, timeout=options.timeout, quiet=options.quiet)
    if options.trace is None:
        results = make()
    else:
        results, recorded = _traced(program, options.trace, arguments, make)
        status = max(status, recorded)
    file.end(results)
    if not options.quiet and any(result.verified for result in results):
        _print_results(results, sys.stderr if options.json == "-" else sys.stdout)
    return max([status, *(result.status for result in results)])


def _traced(
    program: Program[Any, Any], path: str, arguments: list[str], make: Callable[[], list[Outcome]]
) -> tuple[list[Outcome], int]:
    """Make the runs and record them into this file; return the results, and the status of the recording."""
    from concmodels.programs.tracing import Tracing  # most runs need it never

    with Tracing(program.name, path, arguments) as tracing:
        results = make()
        tracing.ended(results[-1].error if results else None)
    return results, tracing.status


def _print_results(results: list[Outcome], stream: TextIO) -> None:
    from concmodels.programs.output import table  # it imports rich

    with quiet_when_closed(stream):
        table.print_table(results, console(stream))


def _planned(program: Program[Any, Any], options: Namespace) -> tuple[list[AnyPlan], dict[str, str], int]:
    """Return a plan for each model, once, in the order given; and the models that are left out, with reasons.

    Left out are models that `all` stands for, but that can't run here or are too large for this machine; then the
    status, which is the third, is `BAD_INPUT`. For a model that was named explicitly, raises `ModelUnavailable` and
    `TooLarge`. Raises `UnknownModel`, and `ValueError` for options that make no plan.
    """
    plans: list[AnyPlan] = []
    left_out: dict[str, str] = {}
    status = OK
    for name, is_explicit in _named(options.models or ["threads"]).items():
        if why := catalog.why_not(name):
            if is_explicit:
                raise ModelUnavailable(f"{name} can't run here: {why}")
            left_out[name] = why
            continue
        plan = program.planned(options, name)
        try:
            plan.check_limits()
        except TooLarge as error:
            if is_explicit:
                raise
            left_out[name], status = str(error), BAD_INPUT
        else:
            plans.append(plan)
    return plans, left_out, status


def _named(models: list[str]) -> dict[str, bool]:
    """Return the models that `--model` names, once each, and whether explicitly, not by `all` or `all+` alone."""
    named: dict[str, bool] = {}
    for model in models:
        if model in ("all", "all+"):
            for name in catalog.names(variants=model == "all+"):
                named.setdefault(name, False)
        else:
            named[catalog.name_of(catalog.facts(model))] = True
    return named


def _results(program: Program[Any, Any], plans: list[AnyPlan], **how: Any) -> list[Outcome]:
    """Make the runs of all plans, up to one that a signal has ended; report each error when it happens."""
    make = runs
    if len(plans) > 1:
        from concmodels.programs.subprocess_runner import runs_apart as make
    results: list[Outcome] = []
    for plan in plans:
        for result in make(program, plan, **how):
            results.append(result)
            if result.error:
                say(program.name, f"{result.name}: {result.error}")
        if results[-1].status in STOPPED:
            break
    return results

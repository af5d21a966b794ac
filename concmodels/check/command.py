"""The command `python -m concmodels check`: from the arguments to the exit status."""

import argparse
import os
import platform
import sys
import time
from functools import partial

from concmodels import catalog
from concmodels.check.report import ModelReport, Report
from concmodels.errors import ModelUnavailable, UnknownModel
from concmodels.platform import tried
from concmodels.programs.options import Parser
from concmodels.programs.output.streams import BadInput, JsonFile, need, quiet_when_closed, say
from concmodels.programs.result import BAD_INPUT, FAILED, INTERRUPTED, OK

FILE = "concmodels-check.json"
_NAME = "concmodels check"


def check_command(arguments: list[str] | None = None) -> int:
    """Run the command with these arguments; return its exit status. Only `--help` raises: `SystemExit(0)`."""
    try:
        options = parser().parse_args(arguments)
        need("rich", "the table")
        models = _planned(options.models)
        os.environ[tried.NOTICE] = "off"  # the table says it
        return _check(options, models)
    except (BadInput, UnknownModel, ModelUnavailable) as error:
        say(_NAME, str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        say(_NAME, "interrupted")
        return INTERRUPTED


def parser() -> Parser:
    """Return the parser of the command."""
    made = Parser(
        prog="python -m concmodels check",
        description="Find out in half a minute what of the library works on this machine: for each MODEL, the "
        "guarantees that say most, a ring, a pool and Ctrl-C. Prints a table, and writes a report to attach to a "
        "question. Exit status: 0 all worked, 1 something broke, 2 bad input, 130 Ctrl-C.",
        allow_abbrev=False,
    )
    add = made.add_argument
    add("models", metavar="MODEL", nargs="*", help="threads, processes:spawn ...; default: all that can run here")
    add("--json", metavar="FILE|-", default=FILE, help=f"where the report goes; `-`: standard output; default {FILE}")
    add("--quiet", action="store_true", help="show no table and no progress")
    return made


def _planned(named: list[str]) -> list[ModelReport]:
    """Return an empty report for each model. Raises `ModelUnavailable` for one that was named and can't run here."""
    models = [catalog.name_of(catalog.facts(name)) for name in named]
    for name in models:
        if why := catalog.why_not(name):
            raise ModelUnavailable(f"{name} can't run here: {why}")
    return [ModelReport(name, catalog.why_not(name)) for name in dict.fromkeys(models or catalog.names())]


def _check(options: argparse.Namespace, models: list[ModelReport]) -> int:
    """Check the models one after the other; write the report even if Ctrl-C comes in between."""
    from concmodels.check import terminal, tests  # they import rich, and the guarantees

    file, report, began = JsonFile(options.json), Report(), time.monotonic()
    file.begin([report])
    able = sum(it.why_not is None for it in models)
    try:
        with terminal.progress(able * tests.COUNT, quiet=options.quiet) as advance:
            for planned in models:
                name = planned.model
                report.models.append(planned if planned.why_not else tests.check(name, partial(advance, name)))
        report.is_whole = True
    finally:
        report.seconds = round(time.monotonic() - began, 1)
        file.end([report])
    if not options.quiet:
        stream = sys.stderr if options.json == "-" else sys.stdout
        with quiet_when_closed(stream):
            terminal.show(report, stream)
            _say_what_to_do(report, options)
    return FAILED if report.broken else OK


def _say_what_to_do(report: Report, options: argparse.Namespace) -> None:
    stream = sys.stderr if options.json == "-" else sys.stdout
    machine = report.machine
    lines = [f"{machine['system']}, {machine['processor']}, Python {platform.python_version()}: {report.seconds:.0f} s"]
    if options.json != "-":
        lines.append(f"The report is {options.json}.")
    if sentence := tried.doubt():
        lines.append(f"{sentence[0].upper()}{sentence[1:]}. Please send the report to its authors, whatever it says.")
    print("\n" + "\n".join(lines), file=stream)

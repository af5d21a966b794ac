"""The programs as commands: from the arguments to the exit status. Every error is reported in one sentence."""

import signal

from concmodels import catalog
from concmodels.errors import ModelUnavailable, Terminated, UnknownModel
from concmodels.models.tasks.signals import ENDING
from concmodels.programs import limits
from concmodels.programs.options import parse
from concmodels.programs.output import BadInput, quiet_when_closed, say
from concmodels.programs.program import Program
from concmodels.programs.result import BAD_INPUT, OK, how_it_stopped
from concmodels.programs.session import Session, held_interrupts


def command(program: Program, arguments: list[str] | None = None) -> int:
    """Run a program with these arguments; return its exit status.

    Raises nothing except `SystemExit(0)` after `--help`.
    """
    try:
        options = parse(program, arguments)
        if options.list:
            with quiet_when_closed():
                _list()
            return OK
        with held_interrupts():
            return Session(program, options).run()
    except (BadInput, UnknownModel, ModelUnavailable, limits.TooLarge) as error:
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

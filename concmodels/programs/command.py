"""The programs as commands: from the arguments to the exit status, with one sentence for whatever goes wrong."""

import signal

from concmodels import catalog
from concmodels.errors import ModelUnavailable, Terminated, UnknownModel
from concmodels.models.tasks.interrupts import ENDING
from concmodels.programs import limits
from concmodels.programs.options import parse
from concmodels.programs.output import BadInput, quiet_when_closed, say
from concmodels.programs.program import Program
from concmodels.programs.result import BAD_INPUT, OK, how_it_stopped
from concmodels.programs.session import Session, held_interrupts


def command(program: Program, arguments: list[str] | None = None) -> int:
    """Run a program with these arguments; return its exit status.

    Raises nothing, but `SystemExit(0)` after `--help`.
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
    """Return the status of a finished program. What is left to do takes moments: there is nothing to interrupt now."""
    for signum in ENDING:
        signal.signal(signum, signal.SIG_IGN)
    return status


def _list() -> None:
    names = catalog.names(variants=True, beyond=True)
    for name in names:
        print(f"{name:{max(map(len, names))}}  {catalog.why_not(name) or 'available'}")

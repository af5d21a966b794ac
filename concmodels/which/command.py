"""The command `python -m concmodels.which`: from the arguments to the exit status."""

import contextlib
import sys
from collections.abc import Iterator

from concmodels.programs.options import Parser, seconds
from concmodels.programs.output.streams import BadInput, need, quiet_when_closed, say
from concmodels.programs.result import BAD_INPUT, INTERRUPTED, OK
from concmodels.which.advice import judge
from concmodels.which.function import CantCall, place_of
from concmodels.which.report import report_text
from concmodels.which.trials import Trials


def which_command(arguments: list[str] | None = None) -> int:
    """Run the command with these arguments; return its exit status. Only `--help` raises: `SystemExit(0)`."""
    try:
        options = _parser().parse_args(arguments)
        trials = Trials(place_of(options.function), tuple(options.arguments), options.seconds)
        with _progress_bar(options.function, trials):
            its = trials.measured()
        with quiet_when_closed():
            sys.stdout.write(report_text(its, judge(its)))
        return OK
    except (BadInput, CantCall) as error:
        say("concmodels.which", str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        say("concmodels.which", "interrupted")
        return INTERRUPTED


def _parser() -> Parser:
    parser = Parser(
        prog="python -m concmodels.which",
        description="Call a function of yours again and again: in a loop, in threads, processes and subinterpreters, "
        "or as tasks of asyncio. Say how much of it computes and how much waits, which of them to use, and what to "
        "write. It is called some thousand times, each time with the same arguments: give it one that "
        "changes nothing outside of itself. "
        "Exit status: 0 measured, 2 bad input, 130 Ctrl-C.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("function", metavar="FILE:FUNCTION", help="path/to/file.py:function")
    add("--with", metavar="ARGUMENT", action="append", default=[], dest="arguments",
        help="an argument of the function, as an expression of Python in which the names of the file can be used; once "
        "for each")  # fmt: skip
    add("--seconds", metavar="S", type=seconds, default=30.0, help="longest time that this may take; default 30")
    return parser


@contextlib.contextmanager
def _progress_bar(name: str, trials: Trials) -> Iterator[None]:
    """Show a progress bar while this measures, if standard error is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    need("rich", "the progress bar")
    from concmodels.programs.output.progress import Bar

    bar = Bar(name, 100, lambda: 100 * trials.done // trials.planned)
    bar.start()
    try:
        yield
    finally:
        bar.stop()

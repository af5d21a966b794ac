"""The command line of a program: its options, and what they mean."""

import argparse
import json
import math
import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from concmodels.programs.output.streams import BadInput, quiet_when_closed
from concmodels.programs.plan import SMALLEST_PAYLOAD

if TYPE_CHECKING:
    from concmodels.programs.program import Program

# Numbers as everybody writes them: `int` and `float` would also take "1_0", " 3", "+3" and the digits of other scripts.
_WHOLE = re.compile(r"-?[0-9]{1,4000}")
_DECIMAL = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e-?[0-9]{1,3})?", re.IGNORECASE)

_LONGEST_S = 1e8  # three years; the kernel's timers overflow with more


class Parser(argparse.ArgumentParser):
    """An argument parser that reports an error in one sentence, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Raise `BadInput` instead of leaving the program."""
        raise BadInput(message)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write the help or the version. argparse's own method hides that the stream can't be written to."""
        if stream := file or sys.stderr:
            with quiet_when_closed(stream):
                stream.write(message)


def parse(program: Program[Any, Any], arguments: list[str] | None) -> argparse.Namespace:
    """Return the options. Raises `BadInput`, and `SystemExit(0)` after `--help`."""
    parser = Parser(
        prog=f"python -m {program.name}",
        description=f"{program.description} Exit status: 0 verified, 1 not verified, 2 bad input, 124 timed out, "
        "130 Ctrl-C, 143 SIGTERM, 129 SIGHUP.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add(
        "--model", metavar="NAME[:VARIANT]", action="append", dest="models",
        help="default threads; may be given several times; `all`: all that can run here, `all+`: the variants too",
    )  # fmt: skip
    program.add_arguments(parser)
    add("--repeat", metavar="N", type=whole(), default=1, help="run each model N times; the table shows the median")
    add("--timeout", metavar="SECONDS", type=seconds, help="end a run whose three phases together take longer")
    add("--json", metavar="FILE|-", help="write the figures as JSON; `-`: to standard output, and nothing else there")
    add_trace_option(parser)
    add("--quiet", action="store_true", help="show no table and no progress")
    add("--list", action="store_true", help="list the models and variants, and say which can run here")
    add("--order", type=json.loads, help=argparse.SUPPRESS)  # of a child, from `subprocess_runner.py`
    return parser.parse_args(arguments)


def add_message_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the channels and messages of a program."""
    parser.add_argument("--capacity", metavar="N|inf", type=whole("inf", math.inf), default=math.inf,
        help="capacity of each channel; 0 is a rendezvous; default inf")  # fmt: skip
    parser.add_argument("--payload", metavar="BYTES", type=whole(),
        help=f"size of a message, at least {SMALLEST_PAYLOAD}; by default it is a bare number")  # fmt: skip


def add_trace_option(parser: argparse.ArgumentParser, what: str = "what each task does, and every message") -> None:
    """Add the option `--trace`."""
    parser.add_argument("--trace", metavar="FILE", help=f"record {what}, for python -m concmodels.trace and Perfetto")


def whole(word: str = "", meaning: Any = None) -> Callable[[str], Any]:
    """Return a function that reads a whole number, or one word with this meaning.

    The function raises `ArgumentTypeError` for other texts. Which numbers are too small is for the plan to say.
    """
    alternative = f" or {word}" if word else ""

    def read(text: str) -> Any:
        if word and text == word:
            return meaning
        if not _WHOLE.fullmatch(text):
            raise argparse.ArgumentTypeError(f"a whole number{alternative} is needed, not {text!r}")
        return int(text)

    return read


def is_whole(text: str) -> bool:
    """Return whether this is a whole number as everybody writes it."""
    return _WHOLE.fullmatch(text) is not None


def number(text: str) -> float:
    """Read a number, which may have a fraction. Raises `ArgumentTypeError`."""
    if not _DECIMAL.fullmatch(text):
        raise argparse.ArgumentTypeError(f"a number is needed, not {text!r}")
    return float(text)


def seconds(text: str) -> float:
    """Read a number of seconds. Raises `ArgumentTypeError` unless it is above 0."""
    found = float(text) if _DECIMAL.fullmatch(text) else math.nan
    if not 0 < found < math.inf:
        raise argparse.ArgumentTypeError(f"a number of seconds above 0 is needed, not {text!r}")
    return min(found, _LONGEST_S)

"""The command line of a program: its options, and what they mean."""

import argparse
import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from concmodels import catalog
from concmodels.errors import ModelUnavailable
from concmodels.programs.output import BadInput, quiet_when_closed
from concmodels.programs.plan import LARGEST, SMALLEST_PAYLOAD

if TYPE_CHECKING:
    from concmodels.programs.program import Program

_LONGEST_S = 1e8  # three years; the kernel's timers overflow with more


class _NoHelp:
    """Replaces argparse's formatter of the help while options are added, which would import `_colorize` and shutil."""

    def __getattr__(self, _name: str) -> Callable[..., str]:
        return lambda *_arguments, **_options: ""


class Parser(argparse.ArgumentParser):
    """An argument parser that reports an error in one sentence, without the usage."""

    def _get_validation_formatter(self) -> Any:
        return _NoHelp()

    def error(self, message: str) -> NoReturn:
        """Raise `BadInput` instead of leaving the program."""
        raise BadInput(message)

    def _print_message(self, message: str, file: Any = None) -> None:
        """Write the help or the version. argparse's own method hides that the stream can't be written to."""
        if stream := file or sys.stderr:
            with quiet_when_closed(stream):
                stream.write(message)


def parse(program: Program, arguments: list[str] | None) -> argparse.Namespace:
    """Return the options. Raises `BadInput`, and `SystemExit(0)` after `--help`."""
    options = _parser(program).parse_args(arguments)
    if not options.list:
        program.check(options)
    return options


def choose(models: list[str]) -> tuple[list[str], dict[str, str]]:
    """Return the names of the models to run, each once, in the order given; and those that are left out, with reasons.

    Left out are models that `all` stands for, but that can't run here. For models that were named explicitly, raises
    `UnknownModel` and `ModelUnavailable`.
    """
    chosen: dict[str, None] = {}
    skipped: dict[str, str] = {}
    for model in models:
        if model in ("all", "all+"):
            for name in catalog.names(variants=model == "all+"):
                why = catalog.why_not(name)
                if why is None:
                    chosen[name] = None
                else:
                    skipped[name] = why
        else:
            chosen[_available(model)] = None
    return list(chosen), skipped


def _available(model: str) -> str:
    """Return the shortest name of this model. Raises `ModelUnavailable` if it can't run here."""
    name = catalog.name_of(catalog.facts(model))
    if why := catalog.why_not(name):
        raise ModelUnavailable(f"{model} can't run here: {why}")
    return name


def _parser(program: Program) -> Parser:
    parser = Parser(
        prog=f"python -m {program.name}",
        description=f"{program.description} Exit status: 0 verified, 1 not, 2 bad input, 124 timed out, 130 Ctrl-C, "
        "143 SIGTERM, 129 SIGHUP.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    program.add_sizes(parser)
    add(
        "--model", metavar="NAME[:VARIANT]", action="append", dest="models",
        help="default threads; may be given several times; `all`: every model available here, `all+`: the variants too",
    )  # fmt: skip
    program.add_options(parser)
    add("--repeat", metavar="N", type=whole(1), default=1, help="run each model N times; the table shows the median")
    add("--timeout", metavar="SECONDS", type=seconds, help="end a run that takes longer, all three phases together")
    add("--json", metavar="FILE|-", help="write the figures as JSON; `-`: to standard output, and nothing else there")
    add("--quiet", action="store_true", help="no table and no progress")
    add("--list", action="store_true", help="list the models and variants, and whether they can run here")
    add("--apart", action="store_true", help=argparse.SUPPRESS)  # says: the parent shows the results
    return parser


def add_message_options(parser: argparse.ArgumentParser) -> None:
    """Add the options for the channels and messages of a program."""
    parser.add_argument("--capacity", metavar="N|inf", type=whole(0, "inf", math.inf), default=math.inf,
        help="of each channel; 0 is a rendezvous; default inf")  # fmt: skip
    parser.add_argument("--payload", metavar="BYTES", type=whole(SMALLEST_PAYLOAD),
        help=f"size of a message, at least {SMALLEST_PAYLOAD}; default: the bare number")  # fmt: skip


def whole(least: int, word: str | None = None, meaning: Any = None) -> Callable[[str], Any]:
    """Return a function that reads a whole number of at least `least`, or one word with this meaning."""
    alternative = f", or {word}" if word else ""

    def read(text: str) -> Any:
        if word is not None and text == word:
            return meaning
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number > LARGEST:
            raise argparse.ArgumentTypeError(f"a number below 2**63 is needed, not {text!r}")
        if number < least:
            raise argparse.ArgumentTypeError(f"a whole number of at least {least}{alternative} is needed, not {text!r}")
        return number

    return read


def read(what: str, reader: Callable[[str], Any], text: str) -> Any:
    """Return what `reader` makes of this text. Raises `BadInput` with the message that argparse would give."""
    try:
        return reader(text)
    except argparse.ArgumentTypeError as error:
        raise BadInput(f"argument {what}: {error}") from None


def seconds(text: str) -> float:
    """Read a number of seconds. Raises `ArgumentTypeError` unless it is above 0."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"a number of seconds above 0 is needed, not {text!r}")
    return min(number, _LONGEST_S)


def shared_arguments(options: argparse.Namespace, model: str) -> list[str]:
    """Return the arguments of the child that runs one of several models, without those of the program itself."""
    given = flags({"--repeat": options.repeat, "--timeout": options.timeout})
    return ["--model", model, *given, "--json", "-", "--apart", *(["--quiet"] if options.quiet else [])]


def flags(values: dict[str, object]) -> list[str]:
    """Return these options as they stand on a command line, without those whose value is None."""
    return [text for flag, value in values.items() if value is not None for text in (flag, str(value))]

"""List the models, a line for each: which of them can run here, and why the others can't."""

import sys

import concmodels
from concmodels.programs.options import Parser
from concmodels.programs.output.streams import BadInput, console, quiet_when_closed, say
from concmodels.programs.result import BAD_INPUT, INTERRUPTED, OK


def main() -> int:
    """Print the models; return the exit status."""
    if sys.argv[1:2] == ["check"]:
        from concmodels.check.command import check_command

        return check_command(sys.argv[2:])
    parser = Parser(
        prog="python -m concmodels", description=__doc__,
        epilog="python -m concmodels check [MODEL ...] tries them on this machine: half a minute, and a report.",
    )  # fmt: skip
    parser.add_argument("--version", action="version", version=f"concmodels {concmodels.__version__}")
    parser.add_argument("--long", action="store_true", help="all facts: also what schedules a task, and what it costs")
    try:
        options = parser.parse_args()
        with quiet_when_closed():
            _show(options.long)
    except BadInput as error:
        say("concmodels", str(error))
        return BAD_INPUT
    return OK


def _show(is_long: bool) -> None:
    out = console(sys.stdout)
    from concmodels.programs.output import overview  # imports rich; `console` has made sure that it is installed

    overview.print_models(out, is_long=is_long)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)

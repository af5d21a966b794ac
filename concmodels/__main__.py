"""`python -m concmodels`: the table of models, what can run here, and why the rest can't."""

import sys

import concmodels
from concmodels.programs.options import Parser
from concmodels.programs.output import BadInput, console, quiet_when_closed, say
from concmodels.programs.result import BAD_INPUT, INTERRUPTED, OK


def main() -> int:
    """Print the table of models; return the exit status."""
    parser = Parser(prog="python -m concmodels", description=__doc__)
    parser.add_argument("--version", action="version", version=f"concmodels {concmodels.__version__}")
    try:
        parser.parse_args()
        with quiet_when_closed():
            _show()
    except BadInput as error:
        say("concmodels", str(error))
        return BAD_INPUT
    return OK


def _show() -> None:
    out = console(sys.stdout)
    from concmodels.programs import overview  # it imports rich, and `console` has made sure that rich is installed

    overview.show(out)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)

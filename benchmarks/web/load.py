"""The command `python -m benchmarks.web.load HOST:PORT/PATH`: load on a server of this machine.

    python -m benchmarks.web.load 127.0.0.1:8000/json                          how many answers it can give
    python -m benchmarks.web.load 127.0.0.1:8000/json --rate 2000              how long users wait at that rate
    python -m benchmarks.web.load 127.0.0.1:8000/json --rate 400 --mix 0.01 '/cpu?n=27'

Exit status 1 if nothing was answered, 2 for bad input, 130 after Ctrl-C.
"""

import argparse
import contextlib
import signal
import sys

from benchmarks.web.plan import LONGEST_S, MOST_CONNECTIONS, MOST_PER_SECOND, Kind, Plan, checked_path, target
from concmodels.errors import Terminated
from concmodels.programs.limits import TooLarge
from concmodels.programs.options import Parser, number, whole
from concmodels.programs.output.streams import BadInput, JsonFile, console, need, quiet_when_closed, say
from concmodels.programs.result import BAD_INPUT, FAILED, OK, how_it_stopped
from concmodels.programs.signals import masked, signals_held

NAME = "benchmarks.web.load"
_PROGRESS_AFTER_S = 2


def parser() -> Parser:
    """Return the parser of the command line."""
    found = Parser(
        prog=f"python -m {NAME}",
        description="Put load on an HTTP server on this machine, and measure how long its answers take. Exit status: 0 "
        "measured, 1 no request was answered, 2 bad input, 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP.",
        allow_abbrev=False,
    )
    add = found.add_argument
    add("target", metavar="HOST:PORT/PATH", help="what to request, such as 127.0.0.1:8000/json; on this machine only")
    add(
        "--connections",
        metavar="N",
        type=whole(),
        default=64,
        help=f"how many; default 64, at most {MOST_CONNECTIONS:,}",
    )
    add("--seconds", metavar="S", type=number, default=5.0, help=f"measured time; default 5, at most {LONGEST_S}")
    add("--warmup", metavar="S", type=number, default=0.0, help="time before that with the same load; default 0")
    add(
        "--rate", metavar="N", type=number,
        help="open loop: N requests a second, at most "
        f"{MOST_PER_SECOND:,}, whatever the server does; each latency counts from when its request was due. Default: "
        "closed loop, each connection sends its next request when it has its answer",
    )  # fmt: skip
    add(
        "--even",
        action="store_true",
        help="evenly spaced requests; default: at random, like independent users (Poisson)",
    )
    add("--seed", metavar="N", type=whole(), default=1, help="seed of what is random; default 1")
    add(
        "--mix", nargs=2, metavar=("SHARE", "PATH"), action="append", default=[],
        help="send this share of the requests to another path: 0.01 is one in a hundred; may be given several times",
    )  # fmt: skip
    add("--tls", metavar="FILE.pem", help="speak TLS, and trust this certificate; the handshakes do not count")
    add("--expect", metavar="TEXT", help="count an answer with any other body as an error")
    add("--json", metavar="FILE|-", help="write the figures as JSON; `-`: to standard output, and nothing else there")
    add("--quiet", action="store_true", help="show no table and no progress")
    return found


def command(arguments: list[str] | None = None) -> int:
    """Do what the command line says; return the exit status. Raises nothing except `SystemExit(0)` after `--help`."""
    try:
        options = parser().parse_args(arguments)
        with signals_held():
            return _run(options)
    except (BadInput, TooLarge) as error:
        say(NAME, str(error))
        return BAD_INPUT
    except (KeyboardInterrupt, Terminated) as interrupt:
        status, how = how_it_stopped(interrupt)
        say(NAME, how)
        return status


def _run(options: argparse.Namespace) -> int:
    from benchmarks.web.generate import generate

    if not options.quiet:
        need("rich", "the table (--quiet leaves it out)")
    plan = _plan(options)
    plan.check()
    file = JsonFile(options.json)
    file.begin([])
    line = _Line(plan, options.quiet)
    with masked(signal.SIG_UNBLOCK), contextlib.closing(line):
        report = generate(plan, line.draw)
    file.end([report])
    if not options.quiet:
        from benchmarks.web import terminal

        stream = sys.stderr if options.json == "-" else sys.stdout
        with quiet_when_closed(stream):
            terminal.print_report(report, console(stream))
    return OK if report.answers else FAILED


def _plan(options: argparse.Namespace) -> Plan:
    return Plan(
        target=target(options.target),
        connections=options.connections,
        seconds=options.seconds,
        warmup_s=options.warmup,
        rate=options.rate,
        even=options.even,
        others=tuple(_kind(share, path) for share, path in options.mix),
        body=None if options.expect is None else options.expect.encode(),
        tls=options.tls,
        seed=options.seed,
    )


def _kind(share: str, path: str) -> Kind:
    try:
        return Kind(checked_path(path), number(share))
    except argparse.ArgumentTypeError:
        raise BadInput(f"--mix needs a share from 0 to 1, and a path; {share!r} is no share") from None


class _Line:
    """One line on a terminal, which says how far a run of more than two seconds is.

    The generator writes it itself, twice a second: a thread that draws would have the generator wait for the GIL.
    """

    def __init__(self, plan: Plan, quiet: bool) -> None:
        self._seconds = plan.warmup_s + plan.seconds
        self._is_shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._is_shown &= self._seconds > _PROGRESS_AFTER_S

    def draw(self, seconds: float, answers: int) -> None:
        """Write how far the run is."""
        if self._is_shown:
            from benchmarks.web.terminal import progress

            self._write(progress(min(seconds, self._seconds), self._seconds, answers))

    def close(self) -> None:
        """Erase the line."""
        if self._is_shown:
            self._write("")

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(f"\r\x1b[2K{text}")
            sys.stderr.flush()
        except OSError:  # the terminal has gone
            self._is_shown = False


if __name__ == "__main__":
    try:
        from concmodels.programs.command import as_program

        sys.exit(as_program(command()))
    except KeyboardInterrupt:
        sys.exit(130)

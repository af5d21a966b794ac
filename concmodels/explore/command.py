"""The command `python -m concmodels.explore`: from the arguments to the exit status."""

import argparse
import contextlib
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING

from concmodels.errors import ModelUnavailable
from concmodels.explore.errors import CannotExplore, StillComputing
from concmodels.explore.exploring import scenario_of
from concmodels.explore.failures.replay_id import ReplayId, checksum
from concmodels.explore.running.options import ORDERS, SEARCHES, SWITCHES, Options
from concmodels.explore.search import Search
from concmodels.programs.options import Parser, add_trace_option, seconds, whole
from concmodels.programs.output.streams import BadInput, JsonFile, need, quiet_when_closed, say

if TYPE_CHECKING:
    from concmodels.explore.report import Report
    from concmodels.explore.running.scenario import Scenario

HELD, BROKEN, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def explore_command(arguments: list[str] | None = None) -> int:
    """Run the command with these arguments; return its exit status. Only `--help` raises: `SystemExit(0)`."""
    try:
        return _run(_parser().parse_args(arguments))
    except StillComputing as error:
        _say(str(error))
        for line in error.stack:
            sys.stderr.write(f"  {line}\n")
        return BAD_INPUT
    except (BadInput, CannotExplore, ModelUnavailable) as error:
        _say(str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED


def _say(text: str) -> None:
    say("concmodels.explore", text)


def _parser() -> Parser:
    parser = Parser(
        prog="python -m concmodels.explore",
        description="Run a program, FUNCTION or else main() of FILE, on every schedule that makes a difference, and "
        "show one that breaks it. The program waits with threading, queue and time.sleep, or with asyncio or trio; "
        "or it has a parameter, and is called with the model sim. "
        "Exit status: 0 held, 1 broken, 2 bad input, 130 Ctrl-C.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("program", metavar="FILE[:FUNCTION]", help="path/to/file.py, or path/to/file.py:function")
    add("--switches", metavar="WHERE", choices=SWITCHES, default="anywhere",
        help="where tasks may switch: anywhere that the language allows (default), where builds with the GIL do "
        "(gil), or only at operations that may wait and at locks (checkpoints)")  # fmt: skip
    add("--order", metavar="HOW", choices=ORDERS, default="kept",
        help="in which order asyncio calls the callbacks that are ready: in that in which they were scheduled (kept, "
        "default), as asyncio guarantees, or in any")  # fmt: skip
    add(
        "--interrupt",
        action="store_true",
        help="have a Ctrl-C, or another signal that an event loop handles, come once in each schedule, at any time",
    )
    add("--search", metavar="HOW", choices=SEARCHES, default="auto",
        help="auto (default): a sample, then all; random, pct, pos: a sample by this strategy; all")  # fmt: skip
    add("--schedules", metavar="N", type=whole(), default=20_000, help="largest number of schedules; default 20000")
    add("--seconds", metavar="S", type=seconds, default=10.0, help="longest time that the search may take; default 10")
    add(
        "--steps",
        metavar="N",
        type=whole(),
        default=10_000,
        help="largest number of steps of a schedule; default 10000",
    )
    add("--seed", metavar="N", type=whole(), default=0, help="seed of the samples; default 0")
    add("--packages", metavar="NAMES", default="",
        help="installed packages to explore too: a,b; those in src/, or editable, are explored anyway")  # fmt: skip
    add("--replay", metavar="ID", help="run only this schedule; a failure is reported with its id")
    add("--play", action="store_true", help="decide at every point yourself which task goes on, with undo")
    add("--json", metavar="FILE|-", help="write the report as JSON; `-`: to standard output, and nothing else there")
    add_trace_option(parser, "the steps of a failing schedule")
    add("--quiet", action="store_true", help="show only the verdict, and no progress")
    return parser


def _names(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split(",")))


def _run(options: argparse.Namespace) -> int:
    if options.play and options.replay is not None:
        raise BadInput("--play lets you decide and --replay has decided: give one of the two")
    wanted = Options(options.switches, options.search, options.schedules, options.seconds, options.steps, options.seed,
        order=options.order, interrupt=options.interrupt)  # fmt: skip
    json = JsonFile(options.json)
    json.begin([])
    reports: list[Report] = []
    try:
        scenario = scenario_of(options.program, packages=_names(options.packages))
        if options.play:
            need("rich", "--play")
            from concmodels.explore.play import play

            return play(scenario, wanted)
        report = _report(scenario, wanted, options)
        reports.append(report)
        _show(report, options)
        _trace(report, options)
        return HELD if report.failure is None else BROKEN
    finally:
        json.end(reports)


def _report(scenario: Scenario, wanted: Options, options: argparse.Namespace) -> Report:
    if options.replay is None:
        search = Search(scenario, wanted)
        with _progress(search, options.quiet):
            return search.report()
    replay_id = ReplayId.parse(options.replay, checksum(scenario.codes))
    return Search(scenario, replay_id.options(wanted)).replay(replay_id)


def _trace(report: Report, options: argparse.Namespace) -> None:
    """Write the steps of the failing schedule, if that is wanted and there is one."""
    if options.trace is None:
        return
    if report.failure is None:
        _say(f"no schedule has failed, so there is nothing to trace: {options.trace!r} is not written")
        return
    try:
        report.failure.trace(options.trace, program=f"concmodels.explore {options.program}")
    except OSError as error:
        raise BadInput(f"can't write {options.trace!r}: {error.strerror}") from None


@contextlib.contextmanager
def _progress(search: Search, is_quiet: bool) -> Iterator[None]:
    """Show on a terminal how many schedules were run; not without rich, which the explorer doesn't need otherwise."""
    if is_quiet or sys.stderr is None or not sys.stderr.isatty() or find_spec("rich") is None:
        yield
        return
    from concmodels.programs.output.progress import Bar

    bar = Bar(search.scenario.label, search.options.schedules, lambda: search.runs.count)
    bar.start()
    try:
        yield
    finally:
        bar.stop()


def _show(report: Report, options: argparse.Namespace) -> None:
    """Write the report to standard output, or to standard error if the JSON goes there; --quiet drops it then."""
    if options.quiet and options.json == "-":
        return
    stream = sys.stderr if options.json == "-" else sys.stdout
    lines = [report.sentence] if options.quiet else [str(report)]
    if report.failure is not None and not options.replay:
        more = f" --packages {options.packages}" if options.packages else ""
        lines.append(f"again: python -m concmodels.explore {options.program}{more} --replay {report.failure.replay_id}")
    with quiet_when_closed(stream):
        stream.write("\n".join(lines) + "\n")

"""The command `python -m concmodels.conformance`: from the arguments to the exit status."""

import argparse
import sys
from typing import TYPE_CHECKING

from concmodels.conformance.grading import candidate, grading, simulated
from concmodels.conformance.grading.report import Report
from concmodels.conformance.grading.runner import PATIENCE_S, Grader
from concmodels.conformance.suite import Guarantee
from concmodels.errors import ModelUnavailable, UnknownModel
from concmodels.programs.options import Parser, seconds, whole
from concmodels.programs.output.streams import BadInput, JsonFile, console, need, quiet_when_closed, say
from concmodels.programs.plan import check_size

if TYPE_CHECKING:
    from concmodels.conformance.grading.terminal import TerminalReport

ALL_KEPT, SOME_BROKEN, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def conformance_command(arguments: list[str] | None = None) -> int:
    """Run the command with these arguments; return its exit status. Only `--help` raises: `SystemExit(0)`."""
    try:
        options = _parse(arguments)
        status = ALL_KEPT if options.list else SOME_BROKEN  # holds if the reader of the output goes away
        guarantees = _chosen(options.k)
        need("rich", "the report")
        with quiet_when_closed():
            status = _list(guarantees) if options.list else _grade_all(options, guarantees)
    except (BadInput, UnknownModel, ModelUnavailable, candidate.Refused) as error:
        _say(str(error))
        status = BAD_INPUT
    except KeyboardInterrupt:
        _say("interrupted")
        status = INTERRUPTED
    return status


def _say(text: str) -> None:
    say("concmodels.conformance", text)


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    options = _parser().parse_args(arguments)
    if not options.models and not options.list:
        raise BadInput("which model? as in: python -m concmodels.conformance my_model.py")
    if options.explore is not None:
        try:
            check_size("--explore", options.explore)
        except ValueError as error:
            raise BadInput(str(error)) from None
    if options.real and options.explore:
        raise BadInput("--real tests in real time and --explore in the simulated world: give one of the two")
    for model in options.models:
        candidate.check(model)
    if options.replay is not None:
        _check_replay(options)
    return options


def _check_replay(options: argparse.Namespace) -> None:
    """Raise `BadInput` or `Refused` unless there is one model, one guarantee, and a schedule of the two."""
    if options.real or options.explore or len(options.models) != 1:
        raise BadInput("--replay runs one schedule: give it neither --real nor --explore nor a second model")
    chosen = _chosen(options.k)
    if len(chosen) > 1:
        raise BadInput("--replay runs a schedule of one guarantee: name that one by -k, as the report has it")
    simulated.check_replay(options.models[0], chosen[0], options.replay)


def _parser() -> Parser:
    parser = Parser(
        prog="python -m concmodels.conformance",
        description="Test each MODEL for the guarantees of concmodels.contract. A MODEL is a name of the catalog, or a "
        "file of your own with a class Channel. Names that the file doesn't define are taken from threads or asyncio; "
        "what its own classes lack is not guaranteed. Exit status: 0 all kept, 1 some broken, 2 bad input, 130 Ctrl-C.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("models", metavar="MODEL", nargs="*", help="threads, trio, processes:spawn ..., or path/to/my_model.py")
    add("-k", metavar="TEXT", default="", help="test only the guarantees whose name or sentence contains TEXT")
    add("--patience", metavar="SECONDS", type=seconds, default=PATIENCE_S,
        help=f"time after which a guarantee under test counts as broken; default {PATIENCE_S:g}")  # fmt: skip
    add("--explore", metavar="N", type=whole(), default=None,
        help="test each guarantee on N schedules of the simulated world; the default is "
        f"{simulated.SCHEDULES} for files of your own that wait only with threading, queue and time.sleep")  # fmt: skip
    add("--real", action="store_true", help="test such files in real time, on threads")
    add("--replay", metavar="ID",
        help="test one guarantee, named by -k, on this schedule only; a failure is reported with its id")  # fmt: skip
    add("--traceback", action="store_true", help="show the whole traceback of each failure, and what the model printed")
    add("--json", metavar="FILE|-", help="write all outcomes as JSON; `-`: to standard output, and nothing else there")
    add("--quiet", action="store_true", help="show only the verdict, no line per guarantee and no progress")
    add("--list", action="store_true", help="list the guarantees and their sentences")
    return parser


def _chosen(text: str) -> list[Guarantee]:
    if not (chosen := grading.select(text)):
        raise BadInput(f"no guarantee contains {text!r}; --list shows them all")
    return [it for it in chosen if str(it) == text] or chosen


def _list(guarantees: list[Guarantee]) -> int:
    out = console(sys.stdout)
    for name, sentence in {it.full_name: it.sentence for it in guarantees}.items():
        out.print(f"{name}\n    {sentence}", markup=False, soft_wrap=True)
    return ALL_KEPT


def _title(name: str, schedules: int, is_own: bool, replay: str | None) -> str:
    """Return the name of a model, and for a file how it is tested."""
    if not is_own:
        return name
    if replay:
        return f"{name} (on the schedule {replay}, simulated)"
    how = f"on {schedules} schedules each, simulated; --real tests in real time" if schedules else "in real time"
    return f"{name} ({how})"


def _grade_all(options: argparse.Namespace, guarantees: list[Guarantee]) -> int:
    """Grade one model after the other; return the greatest exit status."""
    from concmodels.conformance.grading.terminal import TerminalReport  # it imports rich

    json, status = JsonFile(options.json), ALL_KEPT
    json.begin([])
    reports: list[Report] = []
    terminal = TerminalReport(sys.stderr if options.json == "-" else sys.stdout, options.quiet, options.traceback)
    try:
        for model in options.models:
            reports.append(Report(candidate.label(model)))
            try:
                _grade(model, options, guarantees, reports[-1], terminal)
            except (ModelUnavailable, candidate.Refused) as error:
                reports.pop()
                _say(str(error))
                status = BAD_INPUT
        if any(report.broken for report in reports):
            status = max(status, SOME_BROKEN)
    finally:
        json.end(reports)
    return status


def _grade(
    model: str, options: argparse.Namespace, guarantees: list[Guarantee], report: Report, terminal: TerminalReport
) -> None:
    """Test one model for all guarantees; add the outcomes to its report, and show each at once.

    So a grading that is interrupted has a report of what was tested. Raises `ModelUnavailable` and `Refused`.
    """
    schedules = simulated.schedules_for(model, 0 if options.real else options.explore)
    title = _title(report.model, schedules, candidate.own_work(model), options.replay)
    grader = Grader(model, options.patience, schedules, options.replay or "")
    with grader, terminal.model(title, len(guarantees)) as tell:
        for guarantee in guarantees:
            report.outcomes.append(grader.hold(guarantee))
            tell(report.outcomes[-1])
    terminal.verdict(report, is_whole=not options.k)

"""The command `python -m concmodels.course`: from the arguments to the exit status."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from concmodels import catalog
from concmodels.course import showing
from concmodels.course.apart import check_apart, replay_apart
from concmodels.course.catalogue import exercise, exercises
from concmodels.course.desk import Desk
from concmodels.course.limits import Limits
from concmodels.course.selftest import selftest
from concmodels.course.verdict import Verdict
from concmodels.course.watching import watch
from concmodels.programs.options import Parser, whole
from concmodels.programs.output.streams import BadInput, quiet_when_closed, say

RIGHT, WRONG, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def course_command(arguments: list[str] | None = None) -> int:
    """Run the command with these arguments; return its exit status. Only `--help` raises: `SystemExit(0)`."""
    try:
        options = _parser().parse_args(arguments)
        if why := catalog.why_not("sim"):
            raise BadInput(f"the simulated model can't run here: {why}")
        status: int = options.run(options)
        return status
    except BadInput as error:
        say("concmodels.course", str(error))
        return BAD_INPUT
    except KeyboardInterrupt:
        say("concmodels.course", "interrupted")
        return INTERRUPTED


def _parser() -> Parser:
    parser = Parser(
        prog="python -m concmodels.course",
        description="Exercises in concurrency, in the current folder. Each answer is checked on every schedule that "
        "makes a difference, then on the real models. "
        "Exit status: 0 all points, 1 not, 2 bad input, 130 Ctrl-C.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=Parser)
    for name, run, text in _COMMANDS:
        command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        command.set_defaults(run=run)
        if name in ("start", "check", "hint", "solution", "reset"):
            command.add_argument("number", metavar="N", type=whole(), nargs="?", help="default: the one started last")
        if name in _OPTIONS:
            _OPTIONS[name](command)
    return parser


def _check_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--watch", action="store_true", help="check again whenever the file is saved")
    parser.add_argument("--replay", metavar="FUNCTION:ID", help="show each step of one schedule")


def _solution_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--give-up", action="store_true", help="show it before the exercise is solved")


def _selftest_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("numbers", metavar="N", type=whole(), nargs="*", help="only these exercises; default: all")
    _jobs_option(parser)


def _jobs_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", metavar="N", type=whole(), help="how many at a time; default: all processors")


def _say(text: str) -> None:
    with quiet_when_closed():
        sys.stdout.write(text.rstrip("\n") + "\n")


def _desk() -> Desk:
    return Desk.of(Path.cwd())


def _list(options: argparse.Namespace) -> int:
    _say(showing.listed(_desk(), list(exercises().values())))
    return RIGHT


def _status(options: argparse.Namespace) -> int:
    _say(showing.status(_desk(), list(exercises().values())))
    return RIGHT


def _start(options: argparse.Namespace) -> int:
    desk = _desk()
    return _begin(desk, 1 if options.number is None else options.number)


def _next(options: argparse.Namespace) -> int:
    desk = _desk()
    left = [number for number, it in exercises().items() if not desk.is_solved(it) and number not in desk.given_up]
    later = [number for number in left if number > (desk.current or 0)] or left
    if not later:
        _say("All exercises are solved.")
        return RIGHT
    return _begin(desk, later[0])


def _begin(desk: Desk, number: int) -> int:
    its = exercise(number)
    new = desk.start(its)
    _say(showing.started(its, new))
    return RIGHT


def _check(options: argparse.Namespace) -> int:
    desk = _desk()
    its = exercise(desk.number(options.number))
    if options.replay:
        function, _, schedule = options.replay.partition(":")
        _say(replay_apart(its, desk.answer(its), function, schedule))
        return RIGHT
    if options.watch:
        return watch(desk, its, _say, lambda: _checked(desk, its.number))
    return RIGHT if _checked(desk, its.number).is_right else WRONG


def _checked(desk: Desk, number: int) -> Verdict:
    its = exercise(number)
    desk.current = number
    verdict = check_apart(its, desk.answer(its), Limits(wall_s=60.0, cpu_s=60, network=True))
    desk.points[number] = max(verdict.score, desk.points.get(number, 0))
    desk.save()
    _say(showing.verdict(its, verdict))
    return verdict


def _hint(options: argparse.Namespace) -> int:
    desk = _desk()
    its = exercise(desk.number(options.number))
    shown = min(desk.hints.get(its.number, 0) + 1, len(its.hints))
    desk.hints[its.number] = shown
    desk.save()
    _say(showing.hint(its, shown))
    return RIGHT


def _solution(options: argparse.Namespace) -> int:
    desk = _desk()
    its = exercise(desk.number(options.number))
    if not desk.is_solved(its) and not options.give_up and its.number not in desk.given_up:
        raise BadInput(f"exercise {its.number} is not solved yet: --give-up shows the solution all the same")
    if not desk.is_solved(its) and its.number not in desk.given_up:
        desk.given_up.append(its.number)
        desk.save()
    _say(its.text("solution.py"))
    return RIGHT


def _reset(options: argparse.Namespace) -> int:
    desk = _desk()
    its = exercise(desk.number(options.number))
    kept = desk.reset(its)
    _say(f"{its.file} is as it was at first" + (f"; yours is {kept} now" if kept else ""))
    return RIGHT


def _selftest(options: argparse.Namespace) -> int:
    chosen = [exercise(number) for number in options.numbers] or list(exercises().values())
    counts: Counter[str] = Counter()
    for it in selftest(chosen, options.jobs or os.process_cpu_count() or 1):
        counts["wrong"] += bool(it.wrong)
        counts["apart"] += it.is_told_apart
        counts["all"] += 1
        _say(f"{'x' if it.wrong else ' '} {it.exercise.number:2} {it.name}" + (f": {it.wrong}" if it.wrong else ""))
    _say(f"{counts['all']} answers, {counts['apart']} wrong ones told apart, {counts['wrong']} not as they should be")
    return WRONG if counts["wrong"] else RIGHT


type _Run = Callable[[argparse.Namespace], int]

_COMMANDS: tuple[tuple[str, _Run, str], ...] = (
    ("list", _list, "list all exercises"),
    ("start", _start, "put an exercise into this folder, and show its task; nothing is overwritten"),
    ("next", _next, "start the next exercise that is not solved"),
    ("check", _check, "check the answer in this folder"),
    ("hint", _hint, "show a hint; each time one more"),
    ("solution", _solution, "show a solution"),
    ("reset", _reset, "put the first file back; your own is kept under another name"),
    ("status", _status, "say what has been done in this folder"),
    ("selftest", _selftest, "check all answers that the exercises come with, right and wrong"),
)

_OPTIONS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "check": _check_options,
    "solution": _solution_options,
    "selftest": _selftest_options,
}

"""The command `python -m concmodels.course`: from the arguments to the exit status."""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

from concmodels import catalog
from concmodels.course import showing
from concmodels.course.alike import alike
from concmodels.course.catalogue import exercise, exercises
from concmodels.course.exam import exam
from concmodels.course.exercise import Exercise
from concmodels.course.grading import Graded, grade, hand_ins
from concmodels.course.hand_out import hand_out, workflow
from concmodels.course.isolated import check_isolated, replay_isolated
from concmodels.course.limits import Limits
from concmodels.course.options import between, bounded_seconds
from concmodels.course.outputs import try_to_write, write_csv, write_gradescope, write_junit, write_reports
from concmodels.course.progress import Progress
from concmodels.course.selftest import selftest
from concmodels.course.verdict import Verdict, plain
from concmodels.course.watching import watch
from concmodels.programs.options import Parser, number, whole
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
            default = "1" if name == "start" else "the one started last"
            command.add_argument("number", metavar="N", type=whole(), nargs="?", help=f"default: {default}")
        if name in _OPTIONS:
            _OPTIONS[name](command)
    return parser


def _check_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--watch", action="store_true", help="check again whenever the file is saved")
    parser.add_argument("--replay", metavar="FUNCTION:ID", help="show each step of one schedule")


def _next_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--session", metavar="SESSION", type=whole(), help="1 to 6: only exercises of this session")


def _solution_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--give-up", action="store_true", help="show it before the exercise is solved")


def _selftest_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("numbers", metavar="N", type=whole(), nargs="*", help="only these exercises; default: all")
    _jobs_option(parser)


def _grade_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("paths", metavar="FILE|FOLDER", type=Path, nargs="+", help="hand-ins; of a folder, all .py files in it")
    add("--exercise", metavar="N", type=whole(), help="what they answer; default: what their names say")
    add("--csv", metavar="FILE", type=Path, help="a line each: file, exercise, score, max_score, verdict, look_at_it")
    add("--junit", metavar="FILE", type=Path, help="write an XML report, as test tools read it")
    add("--gradescope", metavar="FOLDER", type=Path, help="write a results.json for each, as Gradescope reads it")
    add("--reports", metavar="FOLDER", type=Path, help="write a text for each, to be given to its author")
    add("--memory", metavar="MIB", type=between(256, 2**20), default=1024, help="of a check; default 1024")
    add("--seconds", metavar="S", type=bounded_seconds, default=15.0, help="wall time of a check; default 15")
    _jobs_option(parser)


def _hand_out_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where the copy goes; it must not exist yet")


def _alike_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", metavar="FILE|FOLDER", type=Path, nargs="+", help="of a folder, all .py files in it")
    parser.add_argument("--from", metavar="PERCENT", dest="least", type=number, default=80.0, help="default 80")


def _exam_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("session", metavar="SESSION", type=whole(), help="1 to 6")
    parser.add_argument("student", metavar="STUDENT", help="a name, from which the questions are drawn")
    parser.add_argument("--questions", metavar="N", type=between(1, 99), default=3, help="to explain; default 3")
    parser.add_argument("--replays", metavar="N", type=between(0, 99), default=1, help="schedules to replay; default 1")
    parser.add_argument("--key", action="store_true", help="with the answers")


def _workflow_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("numbers", metavar="N", type=whole(), nargs="+", help="the exercises of the assignment")
    parser.add_argument("--project", metavar="WHAT", default=".", help="what pip installs; default: the repository")


def _jobs_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--jobs", metavar="N", type=between(1, 1000), help="at a time; default: all processors")


def _say(text: str) -> None:
    if sys.stdout is not None:  # it is None if the shell has closed it
        with quiet_when_closed():
            sys.stdout.write(text.rstrip("\n") + "\n")


def _progress() -> Progress:
    try:
        return Progress.of(Path.cwd())
    except FileNotFoundError:
        raise BadInput("the current folder has been deleted: change to another one") from None


def _list(options: argparse.Namespace) -> int:
    _say(showing.listed(_progress(), list(exercises().values())))
    return RIGHT


def _status(options: argparse.Namespace) -> int:
    _say(showing.status(_progress(), list(exercises().values())))
    return RIGHT


def _start(options: argparse.Namespace) -> int:
    progress = _progress()
    return _begin(progress, 1 if options.number is None else options.number)


def _next(options: argparse.Namespace) -> int:
    progress = _progress()
    its = progress.following(_of_session(options.session))
    if its is None:
        _say("All of these exercises are solved.")
        return RIGHT
    return _begin(progress, its.number)


def _of_session(session: int | None) -> list[Exercise]:
    found = [it for it in exercises().values() if session in (None, it.session)]
    if not found:
        raise BadInput(f"there is no session {session}: they are numbered from 1 to 6")
    return found


def _begin(progress: Progress, number: int) -> int:
    its = exercise(number)
    new = progress.start(its)
    _say(showing.started(its, new))
    return RIGHT


def _check(options: argparse.Namespace) -> int:
    progress = _progress()
    its = exercise(progress.number(options.number))
    if options.replay is not None:
        function, _, schedule = options.replay.partition(":")
        _say(replay_isolated(its, progress.answer(its), function, schedule))
        return RIGHT
    if options.watch:
        return _watch(progress, its)
    return RIGHT if _checked(progress, its.number).is_right else WRONG


def _watch(progress: Progress, its: Exercise) -> int:
    """Check one exercise after the other, each whenever its file is saved."""
    while (status := watch(progress, its, _say, partial(_checked, progress, its.number))) is None:
        following = progress.following(list(exercises().values()))
        if following is None or following == its:
            return RIGHT if progress.is_solved(its) else WRONG
        _begin(progress, following.number)
        its = following
    return status


def _checked(progress: Progress, number: int) -> Verdict:
    its = exercise(number)
    progress.current = number
    verdict = check_isolated(its, progress.answer(its), Limits(wall_s=60.0, cpu_s=60, network=True))
    progress.points[number] = max(verdict.score, progress.points.get(number, 0))
    _say(showing.verdict(its, verdict))
    progress.save()
    return verdict


def _hint(options: argparse.Namespace) -> int:
    progress = _progress()
    its = exercise(progress.number(options.number))
    shown = min(progress.hints.get(its.number, 0) + 1, len(its.hints))
    progress.hints[its.number] = shown
    progress.save()
    _say(showing.hint(its, shown))
    return RIGHT


def _solution(options: argparse.Namespace) -> int:
    progress = _progress()
    its = exercise(progress.number(options.number))
    if not progress.is_solved(its) and not options.give_up and its.number not in progress.given_up:
        raise BadInput(f"exercise {its.number} is not solved yet: --give-up shows the solution all the same")
    solution = its.solution
    if not progress.is_solved(its) and its.number not in progress.given_up:
        progress.given_up.append(its.number)
        progress.save()
    _say(solution)
    return RIGHT


def _reset(options: argparse.Namespace) -> int:
    progress = _progress()
    its = exercise(progress.number(options.number))
    kept = progress.reset(its)
    _say(f"{its.file} is as it was at first" + (f"; yours is {kept} now" if kept else ""))
    return RIGHT


def _selftest(options: argparse.Namespace) -> int:
    chosen = [exercise(number) for number in options.numbers] or list(exercises().values())
    counts: Counter[str] = Counter()
    for it in selftest(chosen, options.jobs or _processors()):
        counts["wrong"] += bool(it.wrong)
        counts["apart"] += it.is_told_apart
        counts["all"] += 1
        line = f"{'x' if it.wrong else ' '} {it.seconds:5.1f} s  {it.exercise.number:2} {it.name}"
        _say(f"{line}: {it.wrong}" if it.wrong else line)
    _say(f"{counts['all']} answers, {counts['apart']} wrong ones told apart, {counts['wrong']} not as they should be")
    return WRONG if counts["wrong"] else RIGHT


def _grade(options: argparse.Namespace) -> int:
    limits = Limits(wall_s=options.seconds, memory_mib=options.memory)
    found = hand_ins(options.paths, options.exercise)
    try_to_write(options.csv, options.junit, folders=(options.gradescope, options.reports))
    done: dict[Path, Graded] = {}
    try:
        for it in grade(found.files, options.jobs or _processors(), limits, done):
            _say(f"{it.verdict.score:3} of {it.verdict.max_score:2}  {plain(str(it.file))}: {it.verdict.sentence}")
        if found.left:
            say("concmodels.course", found.left)
    finally:  # Ctrl-C writes what was graded by then
        graded = [done[file] for file, _ in found.files if file in done]
        for write, path in ((write_csv, options.csv), (write_junit, options.junit),
                            (write_gradescope, options.gradescope), (write_reports, options.reports)):  # fmt: skip
            if path is not None:
                write(graded, path)
    return RIGHT if all(it.verdict.is_right for it in graded) else WRONG


def _processors() -> int:
    return os.process_cpu_count() or 1


def _hand_out(options: argparse.Namespace) -> int:
    hand_out(options.folder)
    return RIGHT


def _alike(options: argparse.Namespace) -> int:
    _say("\n".join(alike(options.paths, options.least)))
    return RIGHT


def _exam(options: argparse.Namespace) -> int:
    counts = options.questions, options.replays
    _say(exam(options.session, options.student, *counts, has_key=options.key))
    return RIGHT


def _workflow(options: argparse.Namespace) -> int:
    _say(workflow([exercise(number) for number in options.numbers], options.project))
    return RIGHT


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
    ("grade", _grade, "grade hand-ins, each in a process of its own with limits"),
    ("hand-out", _hand_out, "copy the project for students, without solutions"),
    ("alike", _alike, "list the files that are alike up to names"),
    ("exam", _exam, "print an exam of a session, another for each student: wrong answers to explain and to replay"),
    ("workflow", _workflow, "print a workflow that checks exercises in GitHub Classroom"),
    ("selftest", _selftest, "check all answers that the exercises come with, right and wrong"),
)

_OPTIONS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "check": _check_options,
    "next": _next_options,
    "solution": _solution_options,
    "grade": _grade_options,
    "hand-out": _hand_out_options,
    "alike": _alike_options,
    "exam": _exam_options,
    "workflow": _workflow_options,
    "selftest": _selftest_options,
}

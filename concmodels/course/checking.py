"""Checks an answer, step by step, in this process: first on every schedule, then on the real models."""

import ast
import importlib
import inspect
import multiprocessing
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from concmodels import catalog
from concmodels.conformance import Line, Refused, grade
from concmodels.course.causes import cause
from concmodels.course.exercise import Exercise, Step
from concmodels.course.reading import NO_TREE, syntax_tree
from concmodels.course.refusing import no_new_process
from concmodels.course.replaced import Originals
from concmodels.course.verdict import LONGEST, Judged, Verdict, plain
from concmodels.errors import Deadlock
from concmodels.explore import CannotExplore, Failure, Report, explore, replay
from concmodels.explore.failures.picture import picture
from concmodels.explore.running.outcome import cause as first_of
from concmodels.explore.running.outcome import sentence

PATIENCE_S = 5.0
"""How long a guarantee may take, where no simulated world can see a file."""

ROWS = 24
"""The most rows of a picture."""


def lay_out(exercise: Exercise, answer: bytes, folder: Path) -> None:
    """Put the student's file and the check side by side into an empty folder."""
    for name in filter(None, (exercise.check, *exercise.given)):
        (folder / name).write_bytes((exercise.folder / name).read_bytes())
    (folder / exercise.file).write_bytes(answer)


def checked(exercise: Exercise) -> Verdict:
    """Check the answer that lies in the current folder, where `lay_out` has put it."""
    if found := _forbidden(exercise):
        return Verdict(exercise.number, exercise.points, stopped=f"{found} is what is to be built here: don't use it")
    originals = Originals()
    steps = [_judged(exercise, step, originals) for step in exercise.steps if not step.suite[1]]
    if chapters := [step for step in exercise.steps if step.suite[1]]:
        steps += _chapters(exercise, chapters)
    return Verdict(exercise.number, exercise.points, tuple(_counted(exercise, steps)))


def _counted(exercise: Exercise, judged: list[Judged]) -> list[Judged]:
    """Take the points of what holds without the main step, as in a file in which nothing has been done; put it last."""
    main = exercise.main
    if not main.function or any(it.is_right for it in judged if it.says == main.says):
        return judged
    runs = {step.says for step in exercise.steps if step.function and not step.replay}
    but = f"it counts only if this does: {main.says}"
    idle = [replace(it, points=0, sentence=but) for it in judged if it.is_right and it.says in runs]
    return [it for it in judged if not (it.is_right and it.says in runs)] + idle


def _forbidden(exercise: Exercise) -> str:
    """Return the name in the student's file that may not be used; nothing if there is none."""
    tree = syntax_tree(Path(exercise.file).read_bytes())
    if tree is None:
        return ""
    named = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(tree)}
    named |= {it.name for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom)) for it in node.names}
    return next((name for name in exercise.without if name in named), "")


def replayed(exercise: Exercise, function: str, schedule: str) -> str:
    """Return what happens on one schedule, step by step, of the answer in the current folder.

    Raises `CannotExplore` if that is no schedule of it.
    """
    return str(replay(f"{exercise.check}:{function}", schedule=schedule))


def _judged(exercise: Exercise, step: Step, originals: Originals) -> Judged:
    try:
        if step.replay:
            return _replay(exercise, step)
        if step.number:
            return _number(exercise, step)
        judged = _explored(exercise, step)
        name = originals.replaced()
        return _wrong(step, f"it replaces {name}, with which it is checked") if name else judged
    except CannotExplore as error:
        return _wrong(step, str(error))


def _wrong(step: Step, why: str, picture: str = "", replay: str = "", points: int = 0) -> Judged:
    return Judged(step.says, points, step.points, plain(why, LONGEST), _clean(picture), replay)


def _clean(picture: str) -> str:
    """Return a picture in which texts of a hand-in may be, without control characters and long lines."""
    return "\n".join(plain(line, LONGEST) for line in picture.split("\n")[:200])


def _explored(exercise: Exercise, step: Step) -> Judged:
    with no_new_process():
        report = explore(
            f"{exercise.check}:{step.function}", schedules=step.schedules, seconds=step.seconds, steps=step.steps
        )
    if failure := report.failure:
        drawn = "\n".join([*getattr(failure.error, "waits", ()), "", *picture(failure.moments, ROWS)])
        return _wrong(step, _why(step, failure), drawn.strip("\n"), f"{step.function}:{failure.replay_id}")
    if step.in_all and report.limited:
        return _wrong(step, f"a task asks again and again instead of waiting: it takes more than {step.steps} steps")
    for model in step.models:
        if catalog.why_not(model) is None and (why := _on(model, exercise, step)):
            return _wrong(step, f"on {model}: {why}")
    return Judged(step.says, step.points, step.points, held(report))


def held(report: Report) -> str:
    """Return how far a program has held."""
    return report.sentence.removeprefix(f"{report.scenario.label}: ")


def _why(step: Step, failure: Failure) -> str:
    """Return the diagnosis of a failure: what the exercise says of it, or the failure itself, with its cause."""
    name = failure.kind
    text = step.diagnoses.get(name) or sentence(failure.error).removeprefix("AssertionError: ")
    if isinstance(failure.error, Deadlock) and name not in step.diagnoses:
        text = "nobody can go on"
    why = "" if name in step.diagnoses else cause(failure)
    return f"{text}: {why}" if why else text


def _on(model: str, exercise: Exercise, step: Step) -> str:
    """Run the function of a step on a real model; return what is wrong, or nothing."""
    with _importable():
        try:
            function = getattr(importlib.import_module(exercise.check.removesuffix(".py")), step.function)
            _run(model, function)
        except BaseException as error:  # noqa: BLE001 - a hand-in may raise anything
            return step.diagnoses.get(type(error).__name__) or sentence(first_of(error)).removeprefix(
                "AssertionError: "
            )
    left = [it.name for it in threading.enumerate() if it is not threading.current_thread()]
    left += [it.name for it in multiprocessing.active_children()]
    return f"{left[0]} is left running" if left else ""


def _run(model: str, function: Any) -> None:
    if inspect.signature(function).parameters:
        loaded = catalog.load(model)
        loaded.run(function, loaded)
    else:
        function()


@contextmanager
def _importable() -> Iterator[None]:
    """Have the files of the current folder be imported, as no run before has left them."""
    before, folder = set(sys.modules), os.getcwd()
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)
        for name in set(sys.modules) - before:
            if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == Path(folder):
                del sys.modules[name]


def _value(exercise: Exercise, name: str) -> object:
    """Return the constant that the student's file gives this name, without executing the file."""
    try:
        tree = ast.parse(Path(exercise.file).read_bytes())
    except NO_TREE as error:
        raise CannotExplore(f"{exercise.file} can't be compiled: {getattr(error, 'msg', error)}") from None
    for node in tree.body:
        targets, value = _assigned(node)
        if value is not None and [name] == [it.id for it in targets if isinstance(it, ast.Name)]:
            try:
                return ast.literal_eval(value)
            except ValueError:
                break
    raise CannotExplore(f"{exercise.file} has no {name} = ... with a constant")


def _assigned(node: ast.stmt) -> tuple[list[ast.expr], ast.expr | None]:
    """Return what a statement assigns to, and the value."""
    if isinstance(node, ast.Assign):
        return node.targets, node.value
    return ([node.target], node.value) if isinstance(node, ast.AnnAssign) else ([], None)


def _number(exercise: Exercise, step: Step) -> Judged:
    assert step.number is not None
    name, right = step.number
    value = _value(exercise, name)
    if value != right:
        return _wrong(step, step.diagnoses.get(str(value)) or f"{name} is not {value!r}")
    return Judged(step.says, step.points, step.points, f"{name} is right")


def _replay(exercise: Exercise, step: Step) -> Judged:
    """Judge a replay id: it must break the program, with as few forced switches as can be."""
    schedule = _value(exercise, step.replay)
    if not isinstance(schedule, str) or not schedule:
        return _wrong(step, f"{step.replay} is no replay id yet")
    report = replay(f"{exercise.check}:{step.function}", schedule=schedule)
    if report.failure is None:
        return _wrong(step, "on this schedule nothing goes wrong")
    switches = report.failure.forced_switches
    if switches > step.fewest:
        some = step.points // 2
        return _wrong(step, f"it breaks, with {switches} forced switches where {step.fewest} will do", points=some)
    return Judged(step.says, step.points, step.points, f"broken, with {switches} forced switch{'es' * (switches != 1)}")


def _chapters(exercise: Exercise, steps: list[Step]) -> list[Judged]:
    """Judge a channel by chapters of guarantees; that of the mistake that explains the others comes first."""
    try:
        report = grade(Path(exercise.file), patience=PATIENCE_S)
    except Refused as error:
        return [_wrong(step, str(error)) for step in steps]
    broken = {line.guarantee: line for line in report.broken}
    first = next((name for name in (*exercise.mistakes, *broken) if name in broken), "")
    kept = Counter(line.guarantee.partition(".")[0] for line in report.kept)
    judged = []
    for step in sorted(steps, key=lambda it: not first.startswith(it.suite[0])):
        chapter, whole = step.suite
        points = step.points * kept[chapter] // whole
        wrong = [name for name in (first, *broken) if name.startswith(f"{chapter}.")]
        if wrong:
            judged.append(_broken(exercise, step, broken[wrong[0]], min(points, step.points - 1)))
        elif kept[chapter] < whole:
            why = f"{kept[chapter]} of {whole} guarantees are kept, and the others not made yet"
            judged.append(_wrong(step, why, points=points))
        else:
            judged.append(Judged(step.says, step.points, step.points, f"{whole} guarantees are kept"))
    return judged


def _broken(exercise: Exercise, step: Step, line: Line, points: int) -> Judged:
    outcome = line.only("broken")[0]
    why = f"{line.guarantee.partition('.')[2]} is broken: {line.sentence.rstrip('.')}"
    again = f"{outcome.reason}\n\nagain: python -m concmodels.conformance {exercise.file} -k {line.guarantee}"
    return _wrong(step, why, outcome.explanation or again, points=points)

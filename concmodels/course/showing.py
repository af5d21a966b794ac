"""The texts that the command prints: lists, tasks, and verdicts."""

import textwrap
from collections.abc import Iterator
from dataclasses import replace

from concmodels.course.exercise import Exercise
from concmodels.course.progress import Progress
from concmodels.course.verdict import Judged, Verdict

COMMAND = "python -m concmodels.course"

PRINTED = 10
"""The most lines that are shown of what an answer prints."""


def listed(progress: Progress, exercises: list[Exercise]) -> str:
    """Return a table of all exercises."""
    rows = [f"{'':2} {'exercise':32} {'session':>7}  points"]
    for it in exercises:
        rows.append(f"{it.number:2} {it.title:32} {it.session:>7}  {_points(progress, it)}".rstrip())
    return "\n".join(rows)


def _points(progress: Progress, exercise: Exercise) -> str:
    done = progress.points.get(exercise.number)
    text = f"{exercise.points}" if done is None else f"{done} of {exercise.points}"
    return f"{text}, given up" if exercise.number in progress.given_up else text


def status(progress: Progress, exercises: list[Exercise]) -> str:
    """Return what has been done in a folder."""
    solved = [it for it in exercises if progress.is_solved(it)]
    points, most = sum(progress.points.values()), sum(it.points for it in exercises)
    lines = [f"{len(solved)} of {len(exercises)} exercises are solved, with {points} of {most} points."]
    lines += [f"Now: {it.number} {it.title}, in {it.file}" for it in exercises if it.number == progress.current]
    return "\n".join(lines)


def started(exercise: Exercise, new: list[str]) -> str:
    """Return the task of an exercise, and where its file is."""
    lines = [exercise.text("task.md").rstrip(), ""]
    if new:
        lines.append(f"New in this folder: {', '.join(new)}")
    if exercise.file not in new:
        lines.append(f"{exercise.file} was here already, and is left as it is; {COMMAND} reset begins anew")
    return "\n".join([*lines, f"Then: {COMMAND} check, or hint"])


def hint(exercise: Exercise, shown: int) -> str:
    """Return the first hints."""
    lines = [text.rstrip() for text in exercise.hints[:shown]]
    if shown == len(exercise.hints):
        lines.append(f"There are no more hints; {COMMAND} solution --give-up shows a solution.")
    return "\n\n".join(lines)


def verdict(exercise: Exercise, found: Verdict) -> str:
    """Return a verdict in full: each step, and of those that are wrong the picture and the way to play it again."""
    lines = [f"{exercise.number} {exercise.title}: {found.score} of {found.max_score} points"]
    if found.stopped:
        lines += ["", _filled(found.stopped, "x ")]
    said: set[str] = set()
    for step in found.steps:
        lines += _step(exercise, replace(step, sentence="the same") if step.sentence in said else step)
        said |= set() if step.is_right else {step.sentence}
    if printed := _printable(found.printed):
        lines += ["", "It printed, at the end:", "", *(f"    {line}" for line in printed)]
    if found.is_right:
        lines += ["", f"Next: {COMMAND} next"]
    return "\n".join(lines)


def _step(exercise: Exercise, step: Judged) -> Iterator[str]:
    yield ""
    yield _filled(f"{step.says}: {step.sentence}", "  " if step.is_right else "x ")
    if step.picture:
        yield ""
        yield textwrap.indent(step.picture, "  ")
    if step.replay:
        yield ""
        yield f"  again: {COMMAND} check {exercise.number} --replay {step.replay}"


def _printable(text: str) -> list[str]:
    """Return the last lines of a text, without what a terminal would obey."""
    lines = ["".join(it if it.isprintable() else "?" for it in line) for line in text.splitlines()]
    return lines[-PRINTED:]


def _filled(text: str, mark: str) -> str:
    return textwrap.fill(text, 100, initial_indent=mark, subsequent_indent="  ", break_long_words=False)

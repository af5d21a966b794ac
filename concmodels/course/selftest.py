"""All answers that the exercises come with: the right ones must pass, each wrong one must be named as what it is."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic

from concmodels.course.exercise import Exercise
from concmodels.course.isolated import check_isolated
from concmodels.course.limits import Limits
from concmodels.course.verdict import Verdict

LIMITS = Limits(wall_s=60.0, cpu_s=60)
"""Twice and more what an answer needs: other work may be done on this machine."""

type Check = Callable[[Exercise, bytes, Limits], Verdict]


@dataclass(frozen=True)
class Tried:
    """An answer that comes with an exercise, and what is wrong with its verdict; nothing if it is as it should be."""

    exercise: Exercise
    name: str
    wrong: str
    seconds: float = 0.0
    is_told_apart: bool = False


def diagnosis(answer: Path) -> str:
    """Return what the check must say of a wrong answer, which its first line names."""
    first = answer.read_text(encoding="utf-8").partition("\n")[0]
    return first.removeprefix('"""Diagnosis: ').removesuffix('"""')


def selftest(exercises: list[Exercise], jobs: int, check: Check = check_isolated) -> Iterator[Tried]:
    """Check all answers of these exercises, some at a time, and yield what came of each."""
    with ThreadPoolExecutor(jobs) as pool:
        tries = [(exercise, answer) for exercise in exercises for answer in answers(exercise)]
        yield from pool.map(lambda it: tried(it[0], it[1], check), tries)


def answers(exercise: Exercise) -> list[Path]:
    """Return the answers that an exercise comes with. Raises `BadInput` in a copy without solutions."""
    exercise.must_have_solution()
    own = [exercise.folder / "start.py", exercise.folder / "solution.py"]
    return [*own, *exercise.answers("right"), *exercise.answers("wrong")]


def tried(exercise: Exercise, answer: Path, check: Check) -> Tried:
    """Check one of them."""
    text = answer.read_bytes()
    name = str(answer.relative_to(exercise.folder))
    if reason := _other_python(text):
        return Tried(exercise, f"{name} (skipped: {reason})", "")
    begin = monotonic()
    verdict = check(exercise, text, LIMITS)
    return replace(_judged(exercise, answer, verdict), seconds=monotonic() - begin)


def _judged(exercise: Exercise, answer: Path, verdict: Verdict) -> Tried:
    name = str(answer.relative_to(exercise.folder))
    if answer.name == "start.py":
        return Tried(exercise, name, f"it has {verdict.score} points" if verdict.score else "")
    if answer.parent.name != "wrong":
        return Tried(exercise, name, "" if verdict.is_right else verdict.sentence)
    return _wrong(exercise, answer, verdict)


def _wrong(exercise: Exercise, answer: Path, verdict: Verdict) -> Tried:
    name, said, wanted = str(answer.relative_to(exercise.folder)), verdict.sentence, diagnosis(answer)
    if verdict.is_right:
        return Tried(exercise, name, "it has all points")
    named = [it for it in map(diagnosis, exercise.answers("wrong")) if it in said]
    if wanted not in named:
        return Tried(exercise, name, f"its diagnosis should be {wanted!r}, not {said!r}")
    if named.count(wanted) > 1 or wanted != max(named, key=len):
        return Tried(exercise, name, f"{said!r} is what is said of another mistake, too")
    return Tried(exercise, name, "", is_told_apart=True)


def _other_python(text: bytes) -> str:
    """Return why an answer is of no use here: a replay id is valid for one version of Python."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    ids = [word for word in text.decode().split('"') if word.startswith("3.") and word.count("-") >= 2]
    others = [word.partition("-")[0] for word in ids if word.partition("-")[0] != own]
    return f"its replay id is of Python {others[0]}" if others else ""

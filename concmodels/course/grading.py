"""Grades hand-ins: each in a process of its own, several at a time."""

import ast
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from concmodels.course.catalogue import exercise, exercises
from concmodels.course.exercise import Exercise
from concmodels.course.isolated import check_isolated, end_running
from concmodels.course.limits import Limits
from concmodels.course.verdict import Verdict
from concmodels.programs.output.streams import BadInput

HARMLESS = {"__future__", "collections", "concmodels", "concmodels.errors", "contextlib", "dataclasses", "heapq",
            "itertools", "math", "queue", "threading", "time", "typing"}  # fmt: skip
"""The modules that an answer may import without being looked at by a person."""

ORDINARY = {"__init__", "__enter__", "__exit__", "__aenter__", "__aexit__", "__iter__", "__next__", "__aiter__",
            "__anext__", "__len__", "__name__", "__main__"}  # fmt: skip


@dataclass(frozen=True)
class Graded:
    """A hand-in and its verdict."""

    file: Path
    exercise: Exercise
    verdict: Verdict


def hand_ins(paths: list[Path], number: int | None) -> list[tuple[Path, Exercise]]:
    """Return the files to grade, each with its exercise: that with this number, or that which its name says.

    Of a folder all files count that have such a name; with a number, all .py files. Raises `BadInput`.
    """
    found: dict[Path, Exercise] = {}
    for path in paths:
        if not path.exists():
            raise BadInput(f"there is no {path}")
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            its = exercise(number) if number is not None else _named(file)
            if its is None and path.is_dir():
                continue
            if its is None:
                raise BadInput(f"{file} has the name of no exercise: --exercise says which one it answers")
            found[file] = its
    if not found:
        raise BadInput(f"no file in {paths[0]} has the name of an exercise: --exercise says which one they answer")
    return list(found.items())


def _named(file: Path) -> Exercise | None:
    return next((it for it in exercises().values() if file.stem == it.module or file.parent.name == it.module), None)


def grade(files: list[tuple[Path, Exercise]], jobs: int, limits: Limits, done: dict[Path, Graded]) -> Iterator[Graded]:
    """Grade files, so many at a time, and yield them in their order.

    All that is graded is in `done` at once. If this is broken off, running checks are ended without a verdict.
    """
    broken_off = Event()

    def one(file: Path, its: Exercise) -> Graded:
        found = graded(file, its, limits)
        if not broken_off.is_set():
            done[file] = found
        return found

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(one, file, its) for file, its in files]
        try:
            for future in futures:
                yield future.result()
        except BaseException:
            broken_off.set()
            pool.shutdown(wait=False, cancel_futures=True)
            while running := [it for it in futures if not it.done()]:
                end_running()
                wait(running, 0.1)  # a check that has not started its process yet is ended next time
            raise


def graded(file: Path, its: Exercise, limits: Limits) -> Graded:
    """Grade one file."""
    try:
        answer = file.read_bytes()
    except OSError as error:
        return Graded(file, its, Verdict(its.number, its.points, stopped=f"it can't be read: {error.strerror}"))
    verdict = check_isolated(its, answer, limits)
    return Graded(file, its, replace(verdict, note=note(answer, its)))


def note(answer: bytes, its: Exercise) -> str:
    """Return what a person should look at: names by which code can reach the grader, and that no answer needs."""
    try:
        tree = ast.parse(answer)
    except SyntaxError, ValueError:
        return ""
    odd = {name for name in _imports(tree) if name not in HARMLESS and name not in its.imports}
    odd |= {
        name
        for node in ast.walk(tree)
        for name in (getattr(node, "attr", ""), getattr(node, "id", ""))
        if (name.startswith("__") and name not in ORDINARY) or name in ("eval", "exec", "compile", "globals", "vars")
    }
    return f"look at it: it uses {', '.join(sorted(odd))}" if odd else ""


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "."

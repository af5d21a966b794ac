"""Grades hand-ins: each in a process of its own, several at a time."""

import ast
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event

from concmodels.course.catalogue import exercise, exercises
from concmodels.course.exercise import Exercise
from concmodels.course.isolated import check_isolated, end_running
from concmodels.course.limits import Limits
from concmodels.course.reading import Unreadable, read, syntax_tree
from concmodels.course.verdict import Verdict, plain
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


@dataclass(frozen=True)
class HandIns:
    """Files to grade, each with its exercise; and the .py files that have none, and folders without a .py file."""

    files: list[tuple[Path, Exercise]]
    left_out: list[Path]

    @property
    def left(self) -> str:
        """The sentence on what is not graded; nothing if all is."""
        if not self.left_out:
            return ""
        some = ", ".join(str(path) for path in self.left_out[:5]) + (", ..." if len(self.left_out) > 5 else "")
        are = "1 file or folder was" if len(self.left_out) == 1 else f"{len(self.left_out)} files or folders were"
        return plain(f"{are} not graded: {some}; --exercise says what files answer")


def hand_ins(paths: list[Path], number: int | None) -> HandIns:
    """Return the files to grade, each with its exercise: that with this number, or that which its name says.

    Of a folder all files count that have such a name; with a number, all .py files. Raises `BadInput`.
    """
    found: dict[Path, Exercise] = {}
    left_out = []
    for path in paths:
        if not path.exists() and not path.is_symlink():
            raise BadInput(f"there is no {path}")
        left_out += _without_python(path) if path.is_dir() else []
        for file in _python_files(path) if path.is_dir() else [path]:
            its = exercise(number) if number is not None else _named(file)
            if its is None and path.is_dir():
                left_out.append(file)
                continue
            if its is None:
                raise BadInput(f"{file} has the name of no exercise: --exercise says which one it answers")
            found[file] = its
    if not found:
        raise BadInput(f"no file in {paths[0]} has the name of an exercise: --exercise says which one they answer")
    return HandIns(list(found.items()), left_out)


def _python_files(folder: Path) -> list[Path]:
    """Return the .py files in a folder, without what macOS and Python put beside them, and what an exercise gives."""
    given = {name for its in exercises().values() for name in its.given}
    return sorted(
        file
        for file in folder.rglob("*")
        if file.suffix.lower() == ".py"
        and "__MACOSX" not in file.parts
        and not file.name.startswith("._")
        and file.name not in given
        and not file.is_dir()
    )


def _without_python(folder: Path) -> list[Path]:
    """Return the folders right in this one, such as students have, in which no .py file is."""
    inner = sorted(it for it in folder.iterdir() if it.is_dir() and not it.name.startswith((".", "__")))
    return [it for it in inner if not _python_files(it)]


def _named(file: Path) -> Exercise | None:
    """Return the exercise whose name is in that of a file, the longest one, or is that of its folder."""
    name = re.sub(r"[\W_]+", "_", file.stem.lower())
    named = [it for it in exercises().values() if f"_{it.module}_" in f"_{name}_"]
    named.sort(key=lambda it: len(it.module))
    return named[-1] if named else next((it for it in exercises().values() if file.parent.name == it.module), None)


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
    """Grade one file. Whatever is wrong with it is its verdict, and never the end of the grading of others."""
    try:
        answer = read(file)
        verdict = replace(check_isolated(its, answer, limits), note=note(answer, its))
    except Unreadable as error:
        verdict = Verdict(its.number, its.points, stopped=str(error))
    except Exception as error:  # noqa: BLE001 - one hand-in must not stop the grading of a class
        verdict = Verdict(its.number, its.points, stopped=f"the grader itself fails on it: {type(error).__name__}")
    return Graded(file, its, verdict)


def note(answer: bytes, its: Exercise) -> str:
    """Return what a person should look at: names by which code can reach the grader, and that no answer needs."""
    tree = syntax_tree(answer)
    if tree is None:
        return ""
    odd = {name for name in _imports(tree) if name not in HARMLESS and name not in its.imports}
    odd |= set(_names(tree)) | set(_replaced(tree))
    return f"look at it: it uses {', '.join(sorted(odd))}" if odd else ""


_REACHING = {"eval", "exec", "compile", "globals", "locals", "vars", "getattr", "setattr", "delattr", "modules",
             "f_back", "f_locals", "f_globals", "gi_frame", "cr_frame", "tb_frame"}  # fmt: skip
"""Names by which code reaches what nobody has given it."""


def _names(tree: ast.Module) -> Iterator[str]:
    """Yield names that reach far, and private ones of anything but `self`."""
    for node in ast.walk(tree):
        name = getattr(node, "attr", "") or getattr(node, "id", "")
        if name in _REACHING or (name.startswith("__") and name not in ORDINARY):
            yield name
        elif isinstance(node, ast.Attribute) and name.startswith("_") and name not in ORDINARY:
            is_own = isinstance(node.value, ast.Name) and node.value.id == "self"
            yield from () if is_own else (name,)


def _replaced(tree: ast.Module) -> Iterator[str]:
    """Yield the attributes of what was imported to which something is assigned, as in `threading.Thread = ...`."""
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            first: ast.expr = node
            while isinstance(first, ast.Attribute):
                first = first.value
            if isinstance(first, ast.Name) and first.id in imported:
                yield ast.unparse(node)


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or "."

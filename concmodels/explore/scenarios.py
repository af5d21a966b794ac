"""Makes scenarios: of a function, and of a file.

A function that waits by the verbs of the vocabulary alone is called as it is, again and again. One whose module uses
`threading`, `queue` or `time` can't be: its module holds the real ones. So the module's file is executed anew for each
run, as a program in a file is, with simulated ones.
"""

import ast
import inspect
import linecache
import os
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from concmodels import catalog
from concmodels.explore.errors import CannotExplore
from concmodels.explore.preemption.monitoring import CodeMonitor
from concmodels.explore.scenario import Scenario
from concmodels.explore.threads.program import Program
from concmodels.models import sim
from concmodels.models.tasks.frames import short

_THREADS = frozenset(
    {"threading", "queue", "time", "_thread", "_queue", "concurrent.futures", "concurrent.futures.thread"}
)
_OTHER_MODELS = "concmodels.models."


def of_function(main: Callable[..., Any], args: tuple[Any, ...] = ()) -> Scenario:
    """Return the scenario that calls `main(*args)`. Raises `CannotExplore`."""
    function = inspect.unwrap(main)
    if not callable(main):
        raise CannotExplore(f"explore takes a function, or the name of a file, and its arguments, not {main!r}")
    for argument in args:
        _must_not_be_another_model(argument)
    if isinstance(function, FunctionType) and _uses_threads(function):
        return _in_its_file(function, args)
    is_async = inspect.iscoroutinefunction(main)
    codes = tuple(_codes_beside(function)) if isinstance(function, FunctionType) else ()
    trees = _trees(codes)
    monitor = CodeMonitor(codes, trees) if trees else None
    return Scenario(main, args, getattr(main, "__qualname__", repr(main)), is_async, codes, monitor)


def of_file(name: str) -> Scenario:
    """Return the scenario of `FILE` or `FILE:FUNCTION`; the function is `main` by default. Raises `CannotExplore`.

    A function with a parameter gets the model, `sim` or `sim:async`.
    """
    path, function = _split(name)
    program = Program(path, function or "main")
    if why := program.why_not():
        raise CannotExplore(why)
    count = program.parameters()
    if count > 1:
        raise CannotExplore(
            f"{program.function} of {short(path)} has {count} parameters: it can have one, for the model"
        )
    is_async = program.is_async
    args = (catalog.load("sim:async" if is_async else "sim"),)[:count]
    label = short(path) + (f":{function}" if function else "")
    return _of_program(program, args, label, is_async)


def _of_program(program: Program, args: tuple[Any, ...], label: str, is_async: bool) -> Scenario:
    return Scenario(program, args, label, is_async, program.codes, CodeMonitor(program.codes, program.trees))


def _split(name: str) -> tuple[str, str]:
    """Return the file and the function of `FILE:FUNCTION`, in which FILE may have colons."""
    path, colon, function = name.rpartition(":")
    if colon and function.isidentifier() and not os.path.isfile(name):
        return path, function
    return name, ""


def _must_not_be_another_model(argument: Any) -> None:
    name = argument.__name__ if isinstance(argument, ModuleType) else type(argument).__module__
    if isinstance(argument, ModuleType) and name.startswith(_OTHER_MODELS) and argument is not sim:
        raise CannotExplore(
            f"{name.removeprefix(_OTHER_MODELS).strip('_')} can't be explored, because no schedule decides what its "
            'tasks do: give main the model load("sim")'
        )


def _uses_threads(function: FunctionType) -> bool:
    """Return whether the module of a function has imported something by which real threads wait."""
    for value in function.__globals__.values():
        name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        if name in _THREADS:
            return True
    return False


def _in_its_file(function: FunctionType, args: tuple[Any, ...]) -> Scenario:
    path = function.__code__.co_filename
    if function.__qualname__ != function.__name__ or not os.path.isfile(path):
        raise CannotExplore(
            f"{function.__qualname__} uses threads, and can be explored only as a function at the top level of a file"
        )
    program = Program(path, function.__name__)
    if why := program.why_not():
        raise CannotExplore(why)
    return _of_program(program, args, function.__name__, inspect.iscoroutinefunction(function))


def _codes_beside(function: FunctionType) -> Iterator[CodeType]:
    """Yield the code of the function, and of all functions and classes of its file that its module has."""
    path = function.__code__.co_filename
    yield function.__code__
    for value in list(function.__globals__.values()):
        for member in (value, *(vars(value).values() if inspect.isclass(value) else ())):
            code = getattr(inspect.unwrap(member) if callable(member) else member, "__code__", None)
            if isinstance(code, CodeType) and code.co_filename == path and code is not function.__code__:
                yield code


def _trees(codes: tuple[CodeType, ...]) -> dict[str, ast.Module]:
    """Return the syntax trees of the files of these codes; nothing if a source can't be read."""
    trees = {}
    for path in {code.co_filename for code in codes}:
        lines = linecache.getlines(path)
        if lines:
            trees[path] = ast.parse("".join(lines), path)
    return trees

"""Makes scenarios: of a function, and of a file.

A function that waits by the verbs of the vocabulary alone is called as it is, again and again. One whose module uses
`threading`, `queue` or `time` can't be: its module holds the real ones. So the module's file is executed anew for each
run, as a program in a file is, with simulated ones.
"""

import ast
import gc
import importlib
import inspect
import linecache
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

from concmodels import catalog
from concmodels.explore.errors import CannotExplore
from concmodels.explore.eventloops.awaited import Checked, run_on
from concmodels.explore.eventloops.unwatched import Unwatched
from concmodels.explore.preemption.following import Following
from concmodels.explore.preemption.monitoring import CodeMonitor
from concmodels.explore.running.repeatable import names_in
from concmodels.explore.running.scenario import Scenario
from concmodels.explore.threads.installed import is_installed
from concmodels.explore.threads.program import EVENT_LOOPS, MODELS, Program
from concmodels.models.simulated import sim
from concmodels.models.tasks.signals.frames import short

_THREADS = frozenset(
    {"threading", "queue", "time", "_thread", "_queue", "concurrent.futures", "concurrent.futures.thread"}
)


def of_function(
    main: Callable[..., Any], args: tuple[Any, ...] = (), packages: Collection[str] = (), library: str = ""
) -> Scenario:
    """Return the scenario that calls `main(*args)`, a coroutine function on the event loop of `library`, if named.

    Raises `CannotExplore`.
    """
    function = inspect.unwrap(main)
    if not callable(main):
        raise CannotExplore(f"explore takes a function, or the name of a file, and its arguments, not {main!r}")
    for argument in (*args, *_bound_in(main)):
        _must_not_be_another_model(argument)
    modules, elsewhere = _modules(function, packages) if isinstance(function, FunctionType) else ([], [])
    may_be_executed = bool(modules) and _is_in_a_file(function)
    if _use_threads(modules) or (
        may_be_executed
        and (_use_threads(elsewhere) or _have_models(function, modules + elsewhere) or _event_loops(modules, library))
    ):
        return _in_its_file(function, args, packages, library)
    modules += elsewhere
    is_async = inspect.iscoroutinefunction(main)
    codes = _codes(function, modules) if modules else ()
    trees = _trees(codes)
    if names := _event_loops(modules, library):
        _import_event_loops(names)
        called = partial(run_on(library or _library_of(names)), main) if is_async else main
        label = getattr(main, "__qualname__", repr(main))
        return _on_event_loops(called, args, label, codes, trees, names, _use_threads(modules))
    monitor = CodeMonitor(codes, trees) if trees else None
    return Scenario(main, args, getattr(main, "__qualname__", repr(main)), is_async, codes, monitor=monitor)


def of_file(name: str, packages: Collection[str] = ()) -> Scenario:
    """Return the scenario of `FILE` or `FILE:FUNCTION`; the function is `main` by default. Raises `CannotExplore`.

    A function with a parameter gets the model, `sim` or `sim:async`.
    """
    path, function = _split(name)
    program = Program(path, function or "main", packages)
    if why := program.why_not_explored():
        raise CannotExplore(why)
    count = program.parameters()
    if count > 1:
        raise CannotExplore(
            f"{program.function} of {short(path)} has {count} parameters: it can have one, for the model"
        )
    args = (catalog.load("sim:async" if program.is_async else "sim"),)[:count]
    label = short(path) + (f":{function}" if function else "")
    return _of_program(program, args, label)


def _of_program(program: Program, args: tuple[Any, ...], label: str, library: str = "") -> Scenario:
    codes, imported, is_async = program.codes, program.imported, program.is_async
    libraries = [it for it in EVENT_LOOPS if it in {library, *(name.partition(".")[0] for name in imported)}]
    has_model = "concmodels" in imported or any(it is sim or isinstance(it, catalog.Variant) for it in args)
    if not libraries or (is_async and has_model and not library):
        return Scenario(program, args, label, is_async, codes, monitor=CodeMonitor(codes, program.trees))
    _import_event_loops(libraries)
    if is_async:
        program.run = run_on(library or _library_of(program.main.imported))
    has_threads = has_model or not (_THREADS - {"time"}).isdisjoint(imported)
    return _on_event_loops(program, args, label, codes, program.trees, set(libraries), has_threads)


def _on_event_loops(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    label: str,
    codes: tuple[CodeType, ...],
    trees: dict[str, ast.Module],
    libraries: set[str],
    has_threads: bool,
) -> Scenario:
    """Return the scenario of a program that runs event loops; it has to be watched if its code runs in threads."""

    def watched() -> Scenario:
        checked = Checked(function, is_watched=True)
        return Scenario(checked, args, label, codes=codes, monitor=CodeMonitor(codes, trees))

    if has_threads:
        return watched()
    checked = Checked(function, is_watched=False)
    monitor = Unwatched((lambda: _follower(codes, trees)) if libraries == {"asyncio"} else None)
    return Scenario(checked, args, label, codes=codes, is_cooperative=True, watched=watched, monitor=monitor)


def _follower(codes: tuple[CodeType, ...], trees: dict[str, ast.Module]) -> Following:
    from concmodels.explore.eventloops.followed import is_known  # it imports asyncio

    return Following(codes, trees, is_known)


def _import_event_loops(libraries: Collection[str]) -> None:
    """Import these before the first run, so that they are replaced in it; anyio runs on either of the other two."""
    for library in EVENT_LOOPS if "anyio" in libraries else libraries:
        with suppress(ImportError):  # a program that needs it says so itself
            importlib.import_module(library)


def _library_of(imported: Iterable[str]) -> str:
    """Return on the event loop of which library a coroutine function runs."""
    names = {name.partition(".")[0] for name in imported}
    return "trio" if "trio" in names and "asyncio" not in names else "asyncio"


def _split(name: str) -> tuple[str, str]:
    """Return the file and the function of `FILE:FUNCTION`, in which FILE may have colons."""
    path, colon, function = name.rpartition(":")
    if colon and function.isidentifier() and not os.path.isfile(name):
        return path, function
    return name, ""


def _bound_in(main: Callable[..., Any]) -> Iterator[Any]:
    """Yield what a function is given besides its arguments: by a `partial`, as defaults, and by functions around it."""
    while isinstance(main, partial):
        yield from (*main.args, *main.keywords.values())
        main = main.func
    if isinstance(main, FunctionType):
        yield from (*(main.__defaults__ or ()), *(main.__kwdefaults__ or {}).values())
        for cell in main.__closure__ or ():
            with suppress(ValueError):  # it is empty
                yield cell.cell_contents


def _must_not_be_another_model(argument: Any) -> None:
    if name := _native(argument):
        raise CannotExplore(
            f"{name} can't be explored, because no schedule decides what its tasks do: give main the model "
            'load("sim"), or load the model inside of main'
        )


def _native(value: Any) -> str:
    """Return the name of the model that this is, if it is none of the simulated ones; else nothing."""
    if isinstance(value, catalog.Variant):
        return "" if value.name.startswith("sim") else value.name
    if not isinstance(value, ModuleType) or value is sim:
        return ""
    return MODELS.get(value.__name__, "")


def _have_models(function: FunctionType, modules: list[dict[str, Any]]) -> bool:
    """Return whether one of these modules has a model that is not simulated, or has none and loads one in a run."""
    values = [value for variables in modules for value in list(variables.values())]
    if any(_native(value) or getattr(value, "__module__", None) in MODELS for value in values):
        return True
    has_simulated = any(value is sim or isinstance(value, catalog.Variant) for value in values)
    return not has_simulated and any("load" in names_in(code) for code in _codes(function, modules))


def _is_in_a_file(function: FunctionType) -> bool:
    """Return whether the file of a function can be executed anew, and has the function then."""
    return function.__qualname__ == function.__name__ and os.path.isfile(function.__code__.co_filename)


def _use_threads(modules: list[dict[str, Any]]) -> bool:
    """Return whether one of these modules has imported something by which real threads wait."""
    for value in (value for variables in modules for value in list(variables.values())):
        name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
        if name in _THREADS:
            return True
    return False


def _event_loops(modules: list[dict[str, Any]], library: str = "") -> set[str]:
    """Return the libraries of event loops that these modules have imported, unless they have a model too.

    With `library`, which is that of the program, return this one as well.
    """
    values = [value for variables in modules for value in list(variables.values())]
    if any(value is sim or isinstance(value, catalog.Variant) or value is catalog.load for value in values):
        return set()
    names = {
        value.__name__ if isinstance(value, ModuleType) else str(getattr(value, "__module__", "")) for value in values
    }
    return {library, *(name.partition(".")[0] for name in names)} & set(EVENT_LOOPS)


def _in_its_file(function: FunctionType, args: tuple[Any, ...], packages: Collection[str], library: str) -> Scenario:
    path = function.__code__.co_filename
    if not _is_in_a_file(function):
        raise CannotExplore(
            f"{function.__qualname__} uses threads, and can be explored only as a function at the top level of a file"
        )
    program = Program(path, function.__name__, packages)
    if why := program.why_not_explored():
        raise CannotExplore(why)
    return _of_program(program, args, function.__name__, library)


def _codes(function: FunctionType, modules: list[dict[str, Any]]) -> tuple[CodeType, ...]:
    """Return the code of the functions and methods of the program, also of those that it keeps in a container."""
    found = {id(function.__code__): function.__code__}
    files = {it.get("__file__") for it in modules} | {function.__code__.co_filename}
    for value in (value for variables in modules for value in list(variables.values())):
        for member in (value, *(vars(value).values() if inspect.isclass(value) else ())):
            made = _function(member)
            if made is not None and made.__code__.co_filename in files:
                found[id(made.__code__)] = made.__code__
    seen, own = {id(it) for code in found.values() for it in _within(code)}, {id(it) for it in modules}
    others = {
        id(it.__code__): it.__code__
        for it in gc.get_objects()
        if type(it) is FunctionType and id(it.__globals__) in own and it.__code__.co_filename in files
    }
    more = sorted((it for key, it in others.items() if key not in seen), key=_position)
    return (*found.values(), *more)


def _within(code: CodeType) -> Iterator[CodeType]:
    """Yield this code, and that of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _within(constant)


def _position(code: CodeType) -> tuple[str, int, str]:
    return code.co_filename, code.co_firstlineno, code.co_qualname


def _function(member: Any) -> FunctionType | None:
    """Return the function that this is, or that it wraps."""
    if isinstance(member, property):
        member = member.fget
    wrapped = getattr(member, "__wrapped__", None)
    inner = wrapped if isinstance(wrapped, FunctionType) else member
    return inspect.unwrap(inner) if isinstance(inner, FunctionType) else None


def _modules(function: FunctionType, packages: Collection[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the variables of the modules that these lead to and that are explored: those beside it, and the others."""
    found = {id(function.__globals__): function.__globals__}
    left = [function.__globals__]
    while left:
        for value in list(left.pop().values()):
            name = getattr(value, "__module__", None)
            module = value if isinstance(value, ModuleType) else sys.modules.get(name if isinstance(name, str) else "")
            if module is not None and _is_explored(function, module, packages) and id(vars(module)) not in found:
                found[id(vars(module))] = vars(module)
                left.append(vars(module))
    beside = [it for it in found.values() if _is_beside(function, it.get("__file__") or "")]
    own = function.__globals__
    return [own, *(it for it in beside if it is not own)], [
        it for it in found.values() if it is not own and not any(it is other for other in beside)
    ]


def _is_explored(function: FunctionType, module: ModuleType, packages: Collection[str]) -> bool:
    path = getattr(module, "__file__", None) or ""
    if _is_beside(function, path):
        return True
    return path.endswith(".py") and (module.__name__.partition(".")[0] in packages or not is_installed(path))


def _is_beside(function: FunctionType, path: str) -> bool:
    """Return whether this is the file of the function, or one in the same folder."""
    own = function.__code__.co_filename
    return path == own or ("" != os.path.dirname(own) == os.path.dirname(path))


def _trees(codes: tuple[CodeType, ...]) -> dict[str, ast.Module]:
    """Return the syntax trees of the files of these codes; nothing if a source can't be read."""
    trees = {}
    for path in {code.co_filename for code in codes}:
        lines = linecache.getlines(path)
        if lines:
            trees[path] = ast.parse("".join(lines), path)
    return trees

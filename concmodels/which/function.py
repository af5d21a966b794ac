"""Finds the function that `FILE:FUNCTION` names, and what stands in the way of calling it in another process.

Each child imports this, so it imports little at its top.
"""

import importlib
import inspect
import os
import pickle
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

_SHARED = {
    "_thread": ("lock", "RLock"),
    "threading": ("Condition", "Semaphore", "BoundedSemaphore", "Barrier"),
    "asyncio.locks": ("Lock", "Semaphore", "BoundedSemaphore", "Condition"),
    "multiprocessing.synchronize": ("Lock", "RLock", "Semaphore", "BoundedSemaphore", "Condition"),
    "socket": ("socket",),
    "ssl": ("SSLSocket",),
    "sqlite3": ("Connection",),
    "http.client": ("HTTPConnection", "HTTPSConnection"),
}
"""Types of which all calls use one object if it is a variable of the module, by the modules that have them."""


class CantCall(Exception):
    """The function can't be called; the message is one sentence for the user."""


class Place(NamedTuple):
    """The place of a function: a folder to import from, the name of its module there, and its own name."""

    folder: str
    module: str
    function: str

    @property
    def file(self) -> str:
        """The path of the file in that folder."""
        return f"{self.module.replace('.', '/')}.py"


def place_of(name: str) -> Place:
    """Return the place that `FILE:FUNCTION` names. Raises `CantCall`; nothing is imported yet."""
    path, colon, function = name.rpartition(":")
    if not colon or not path.endswith(".py"):
        raise CantCall(f"a file and one of its functions are needed, as in work.py:compute, not {name!r}")
    if not os.path.isfile(path):
        raise CantCall(f"there is no file {path!r}")
    folder, file = os.path.split(os.path.abspath(path))
    parts = [file.removesuffix(".py")]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    if "." in file.removesuffix(".py"):
        raise CantCall(f"{path} can't be imported, because of the dot in its name")
    if parts[0] in sys.stdlib_module_names:
        raise CantCall(f"{path} has the name of a module of Python, which would not be found any more: rename it")
    return Place(folder, ".".join(parts), function)


def found(place: Place) -> Callable[..., Any]:
    """Import the module and return the function. Raises `CantCall`."""
    try:
        module = importlib.import_module(place.module)
    except Exception as error:
        raise CantCall(f"{place.file} can't be imported: {described(error)}") from error
    except SystemExit as error:
        why = 'ends the program when it is imported: put what it does under `if __name__ == "__main__":`'
        raise CantCall(f"{place.file} {why}") from error
    value: Any = module
    for part in place.function.split("."):
        if not hasattr(value, part):
            raise CantCall(f"there is no {place.function!r} in {place.file}{_meant(part, value)}")
        value = getattr(value, part)
    if not callable(value):
        raise CantCall(f"{place.function} in {place.file} is not a function, but {_a(value)}")
    if inspect.isgeneratorfunction(value) or inspect.isasyncgenfunction(value):
        raise CantCall(
            f"{place.function} is a generator function, and a call alone does nothing: name a function that uses it"
        )
    return value  # type: ignore[no-any-return]  # it is callable


def arguments_of(function: Callable[..., Any], place: Place, texts: list[str]) -> tuple[Any, ...]:
    """Return the values of the arguments, each an expression in which the names of the module can be used.

    Raises `CantCall`, also if the function takes others.
    """
    names = vars(sys.modules[place.module])
    values = tuple(_value(text, names, place) for text in texts)
    try:
        signature = inspect.signature(function)
    except ValueError:
        return values  # a function in C that doesn't tell
    try:
        signature.bind(*values)
    except TypeError as error:
        given = "; each --with gives one" if texts else f": say --with ARGUMENT for each of {signature}"
        raise CantCall(f"{place.function} can't be called like this: {error}{given}") from None
    return values


def _value(text: str, names: dict[str, Any], place: Place) -> Any:
    try:
        return eval(text, dict(names))
    except NameError as error:
        quotes = f", and a text needs quotes in it: --with '\"{text}\"'" if error.name == text else ""
        raise CantCall(f"--with takes an expression: {error.name} is no name in {place.file}{quotes}") from None
    except Exception as error:
        raise CantCall(f"--with takes an expression of Python, and {text!r} fails: {described(error)}") from error


def not_picklable(what: str, value: Any) -> str | None:
    """Return why this can't be pickled, in words, or None if it can."""
    try:
        pickle.dumps(value)
    except Exception as error:  # noqa: BLE001 - whatever it raises is the reason
        return f"{what} can't be pickled: {described(error)}"
    return None


def described(error: BaseException) -> str:
    """Return an exception in one line: its type, and the first line of its message."""
    if type(error).__name__ == "NotShareableError" and error.__cause__ is not None:
        told = str(error.__cause__)  # the traceback in the interpreter, as text: what was raised first is the reason
        raised = [
            line for line in told.splitlines() if line[:1].isalpha() and not line.startswith(("Traceback", "The "))
        ]
        return raised[0].removeprefix("concurrent.interpreters.") if raised else type(error).__name__
    first = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__


def where(error: BaseException, folder: str) -> str:
    """Return the last line of the user's own files that an exception has passed, as ` (work.py, line 3)`, if any."""
    trace, text = error.__traceback__, ""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file.startswith(folder + os.sep):
            text = f" ({os.path.basename(file)}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return text


def shared_by(function: Callable[..., Any], module: ModuleType) -> list[str]:
    """Return the variables of the module that the function uses and that all calls share, as `LOCK, a lock`."""
    found = {}
    for name in _names_used(inspect.unwrap(function), module):
        value = vars(module).get(name)
        for kind in type(value).__mro__:
            if kind.__name__ in _SHARED.get(kind.__module__, ()) or kind.__module__ == "_io":
                found[name] = f"{name}, {_a(value)}"
    return list(found.values())


def _names_used(function: Any, module: ModuleType) -> Iterator[str]:
    """Yield the names that a function uses, and those that the functions of its module that it calls do."""
    ahead, seen = [function], set()
    while ahead:
        code = getattr(ahead.pop(), "__code__", None)
        if code is None or code in seen:
            continue
        seen.add(code)
        for name in _names_in(code):
            yield name
            if isinstance(called := vars(module).get(name), FunctionType) and called.__module__ == module.__name__:
                ahead.append(called)


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_in(constant)


def _a(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _meant(part: str, value: Any) -> str:
    from difflib import get_close_matches

    names = [name for name, it in vars(value).items() if callable(it) and not name.startswith("_")]
    near = get_close_matches(part, names, 1)
    return f": did you mean {near[0]}?" if near else ""

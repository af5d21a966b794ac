"""Finds the function that `FILE:FUNCTION` names, and what stands in the way of calling it in another process.

Each child imports this, so it imports little at its top.
"""

import importlib
import inspect
import os
import pickle
import sys
from annotationlib import Format
from collections.abc import Callable
from traceback import extract_tb
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

_SHARED = ("acquire", "fileno", "cursor", "request")
"""What a lock, a file or a socket, a connection to a database, and one to a web server have."""


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
    folder, file = os.path.split(os.path.abspath(path).removesuffix(".py"))
    parts = [file]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    if "." in file:
        raise CantCall(f"{path} can't be imported, because of the dot in its name")
    if parts[0] in sys.stdlib_module_names:
        raise CantCall(f"{path} has the name of a module of Python, which would not be found any more: rename it")
    return Place(folder, ".".join(parts), function)


def found(place: Place) -> Callable[..., Any]:
    """Import the module and return the function. Raises `CantCall`."""
    try:
        value: Any = importlib.import_module(place.module)
    except Exception as error:
        raise CantCall(f"{place.file} can't be imported: {described(error)}") from error
    except SystemExit as error:
        why = 'ends the program when it is imported: put what it does under `if __name__ == "__main__":`'
        raise CantCall(f"{place.file} {why}") from error
    for part in place.function.split("."):
        if not hasattr(value, part):
            raise CantCall(f"there is no {place.function!r} in {place.file}")
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
    values = tuple(_value(text, place) for text in texts)
    try:
        signature = inspect.signature(function, annotation_format=Format.STRING)  # some are for type checkers alone
    except ValueError:
        return values  # a function in C that doesn't tell
    try:
        signature.bind(*values)
    except TypeError as error:
        shown = signature.format(quote_annotation_strings=False)
        given = "; each --with gives one" if texts else f": say --with ARGUMENT for each of {shown}"
        raise CantCall(f"{place.function} can't be called like this: {error}{given}") from None
    return values


def _value(text: str, place: Place) -> Any:
    try:
        return eval(text, dict(vars(sys.modules[place.module])))
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
        # It is the traceback in the interpreter, as text: what was raised first is the reason.
        raised = [it for it in str(error.__cause__).splitlines() if it[:1].isalpha()]
        raised = [it for it in raised if not it.startswith(("Traceback", "The "))]
        return raised[0].removeprefix("concurrent.interpreters.") if raised else type(error).__name__
    return f"{type(error).__name__}: {str(error).strip().partition('\n')[0]}".removesuffix(": ")


def where(error: BaseException, folder: str) -> str:
    """Return the last line of the user's own files that an exception has passed, as ` (work.py, line 3)`, if any."""
    passed = [it for it in extract_tb(error.__traceback__) if it.filename.startswith(folder + os.sep)]
    return f" ({os.path.basename(passed[-1].filename)}, line {passed[-1].lineno})" if passed else ""


def shared_by(function: Callable[..., Any], module: ModuleType) -> list[str]:
    """Return the variables of the module that the function uses and that all calls share, as `LOCK, a lock`.

    Those that functions of the module use which it calls are among them.
    """
    names = dict[str, Any]()
    ahead = [getattr(inspect.unwrap(function), "__code__", None)]
    for code in ahead:  # which grows meanwhile
        for name in code.co_names if code is not None else ():
            value = vars(module).get(name)
            if name not in names and isinstance(value, FunctionType) and value.__module__ == module.__name__:
                ahead.append(value.__code__)
            names[name] = value
        ahead += [it for it in code.co_consts if isinstance(it, CodeType)] if code is not None else ()
    return [f"{name}, {_a(value)}" for name, value in names.items() if _is_shared(value)]


def _is_shared(value: Any) -> bool:
    return not isinstance(value, (type, ModuleType)) and any(hasattr(value, it) for it in _SHARED)


def _a(value: Any) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"

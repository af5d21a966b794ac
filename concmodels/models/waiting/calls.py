"""Checks of the functions that `run`, `spawn` and pools are given to call. An error message shows the right form.

Nearly every user makes two mistakes once: to call the function, `spawn(f(x))`, and to pass a function of the other
kind, an `async def` in a sync model or a `def` in an async one. Both are refused on the line where they are made.
"""

from types import FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

_IS_COROUTINE = 0x80 | 0x100  # inspect's CO_COROUTINE and CO_ITERABLE_COROUTINE; `inspect` takes long to import
_FORMS = {
    "run": "run(main), not run(main())",
    "spawn": "spawn(f, x), not spawn(f(x))",
    "submit": "submit(f, x), not submit(f(x))",
    "map": "map(f, items), not map(f(items))",
    "initializer": "initializer=f, not initializer=f()",
}


def check_call(function: Any, verb: str, model: str | type) -> None:
    """Raise `TypeError` for what a sync model can't call. `model` is its name, or a class in its file.

    A sync model would call an `async def` function too, but nothing would happen.
    """
    code = getattr(function, "__code__", None)
    if code is None:
        _must_be_function(function, verb)
    elif code.co_flags & _IS_COROUTINE:
        from concmodels.facts import FACTS  # only here: most runs don't need it

        others = ", ".join(dict.fromkeys(entry.model for entry in FACTS if entry.is_async))
        raise TypeError(
            f"{_name(function)} is an `async def` function, and {_name_of(model)} is a sync model: write `def`, "
            f"or load an async model ({others})"
        )


def awaitable(function: Callable[..., Any], verb: str, model: str | type) -> Callable[..., Any]:
    """Return a coroutine function that calls this one. Raises `TypeError` for what an async model can't call.

    That is usually the function itself. What a lambda or a `partial` returns is checked only when it is called.
    """
    code = getattr(function, "__code__", None)
    if code is not None and code.co_flags & _IS_COROUTINE:
        return function
    _must_be_function(function, verb)
    if type(function) is FunctionType and function.__name__ != "<lambda>" and not hasattr(function, "__wrapped__"):
        _refuse_plain(function, model)

    async def call(*args: Any) -> Any:
        coroutine = function(*args)
        if not hasattr(type(coroutine), "__await__"):
            _refuse_plain(function, model)
        return await coroutine

    return call


def _must_be_function(function: Any, verb: str) -> None:
    if callable(function):
        return
    what = f"{function!r:.60}"
    if hasattr(function, "cr_code"):
        what = f"a coroutine of {function.__qualname__}"
        function.close()  # otherwise Python would warn that it was never awaited
    raise TypeError(f"{verb} takes the function itself, not {what}: write {_FORMS[verb]}")


def _refuse_plain(function: Any, model: str | type) -> NoReturn:
    raise TypeError(
        f"{_name(function)} is no `async def` function, and {_name_of(model)} is an async model: write `async def`, "
        "or load a sync model such as threads"
    )


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", "the function"))


def _name_of(model: str | type) -> str:
    return model if isinstance(model, str) else model.__module__.rpartition(".")[2].strip("_")

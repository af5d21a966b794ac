"""Functions that stand for one of the standard library, in its name."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FunctionType


def standing_for[**P, T](method: Callable[..., object]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function that stands for a method. Its code has that name, too: by it the value is known again that
    a function has returned."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        named: FunctionType = wraps(method)(function)  # type: ignore[assignment]
        named.__code__ = named.__code__.replace(co_name=method.__name__, co_qualname=method.__qualname__)
        return function

    return decorate

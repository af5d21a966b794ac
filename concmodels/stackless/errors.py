"""Exceptions that are raised in a tasklet, and how they get there."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any, NoReturn


class TaskletExit(SystemExit):
    """Ends a tasklet silently: `kill` raises it in the tasklet, which should not catch it."""


class Bomb:
    """An exception that is sent to a tasklet in place of a value. It is raised when the tasklet goes on."""

    __slots__ = ("error",)

    def __init__(self, error: BaseException | None) -> None:
        self.error = error

    def explode(self) -> NoReturn:
        error, self.error = self.error, None
        assert error is not None
        try:
            raise error
        finally:
            del error  # else the traceback would hold the exception in a cycle


def instance(exc: Any, args: tuple[Any, ...]) -> BaseException:
    """Return the exception `exc(*args)`. Raises `TypeError` if `exc` is not an exception class."""
    if not (isinstance(exc, type) and issubclass(exc, BaseException)):
        raise TypeError("exceptions must be classes derived from BaseException")
    error: BaseException = exc(*args)
    return error


def normalized(exc: type[BaseException] | BaseException, val: object, tb: TracebackType | None) -> BaseException:
    """Return the exception that `raise exc, val, tb` would raise in Python 2, which had that statement."""
    if isinstance(exc, BaseException):
        if val is not None:
            raise TypeError("instance exception may not have a separate value")
        error = exc
    elif isinstance(val, BaseException):
        error = val
    else:
        args: tuple[Any, ...] = val if isinstance(val, tuple) else (val,)
        error = instance(exc, () if val is None else args)
    return error if tb is None else error.with_traceback(tb)

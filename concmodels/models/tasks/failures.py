"""Collects what leaves a group: each exception once, in one `ExceptionGroup`.

Three kinds concern the whole run, and leave a group bare instead: `KeyboardInterrupt`, `SystemExit` and `Deadlock`.
"""

import sys
from contextlib import contextmanager

from concmodels.errors import Deadlock
from concmodels.models.tasks.signals.frames import place, stack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Self

_BARE = (KeyboardInterrupt, SystemExit, Deadlock)


class Wrapped(Exception):
    """Carries an error that must leave the group bare from a task to the group.

    Unwrapped, a `KeyboardInterrupt` or `SystemExit` of a task would stop asyncio's loop at once, past the group and all
    its other tasks.
    """

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error


@contextmanager
def wrapped(group: Any) -> Iterator[None]:
    """Wrap, inside of a task, an error that must leave the group bare: it is noted there, and the group unwraps it."""
    try:
        yield
    except BaseException as error:
        if not isinstance(error, group.cancelled_type()):
            group.limit.lift()
        if not isinstance(error, _BARE):
            raise
        group.bare = error
        raise Wrapped(error) from None


class ExceptionCollector:
    """Collects what went wrong in a group, and raises it at the group's end."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []

    @classmethod
    def of(cls, group: BaseExceptionGroup[Any], signal: type[BaseException]) -> Self:
        """Collect what a library's own group raised, but not the errors of type `signal` that only told it to end."""
        collector = cls()
        for error in group.exceptions:
            if not isinstance(error, signal):
                collector.add(error)
        return collector

    def add(self, error: BaseException) -> None:
        """Note an exception, once: the same one may come from a task and from the body that asked for its result."""
        if not any(error is known for known in self.errors):
            self.errors.append(error)

    def raise_all(self, timeout: TimeoutError | None = None) -> None:
        """Raise what was collected, if anything: an interrupt or a deadlock bare, all else in one group.

        What the clean-up raised after a deadlock, or after the `timeout` of a group whose time is over, becomes the
        cause of that, and is not lost.
        """
        errors, self.errors = self.errors, []
        for error in errors:
            bare = _find_bare(error)
            if isinstance(bare, Deadlock) and (others := [it for it in errors if not isinstance(it, Deadlock)]):
                raise bare from BaseExceptionGroup("the clean-up failed", others)
            if bare is not None:
                raise bare
        failure = BaseExceptionGroup(f"a task group failed{place(stack(sys._getframe(1)))}", errors) if errors else None
        if timeout is not None:
            raise timeout from failure
        if failure is not None:
            raise failure from None


@contextmanager
def bare_interrupts() -> Iterator[None]:
    """Let Ctrl-C leave a run bare, however many groups of the program's own it came through."""
    try:
        yield
    except BaseExceptionGroup as group:
        bare = _find_bare(group)
        if bare is None:
            raise
        raise bare from bare.__cause__


def _find_bare(error: BaseException) -> BaseException | None:
    """Return the first error, however deep in groups, that must leave bare; None if there is none."""
    if isinstance(error, Wrapped):
        return error.error
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(_find_bare, error.exceptions)), None)
    return error if isinstance(error, _BARE) else None

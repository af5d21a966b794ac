"""What leaves a group: each exception once, in one `ExceptionGroup`.

Bare leaves what is about the whole run: `KeyboardInterrupt`, `SystemExit` and `Deadlock`.
"""

from contextlib import contextmanager

from concmodels.errors import Deadlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Self

_BARE = (KeyboardInterrupt, SystemExit, Deadlock)


class Carried(Exception):
    """Brings what must leave bare from a task to its group, where a loop would let it fly past."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(error)
        self.error = error

    @classmethod
    @contextmanager
    def on_board(cls) -> Iterator[None]:
        """Inside a task: what must leave the group bare goes on board."""
        try:
            yield
        except _BARE as error:
            raise cls(error) from None


class Failures:
    """What went wrong in a group."""

    def __init__(self) -> None:
        self.errors: list[BaseException] = []

    @classmethod
    def of(cls, group: BaseExceptionGroup[Any], signal: type[BaseException]) -> Self:
        """What a model's own group raised, without what was only a signal to end."""
        failures = cls()
        for error in group.exceptions:
            if not isinstance(error, signal):
                failures.add(error)
        return failures

    def add(self, error: BaseException) -> None:
        """Note an exception, once."""
        if not any(error is known for known in self.errors):
            self.errors.append(error)

    def leave(self) -> None:
        """Raise what has to be raised, if anything: an interrupt or a deadlock bare, all else in one group."""
        errors, self.errors = self.errors, []
        for error in errors:
            bare = _find_bare(error)
            if isinstance(bare, Deadlock) and (others := [it for it in errors if not isinstance(it, Deadlock)]):
                raise bare from BaseExceptionGroup("the clean-up failed", others)
            if bare is not None:
                raise bare
        if errors:
            raise BaseExceptionGroup("a task group failed", errors) from None

    @staticmethod
    @contextmanager
    def bare_interrupts() -> Iterator[None]:
        """Ctrl-C leaves a run bare, however many groups of the program's own it came through."""
        try:
            yield
        except BaseExceptionGroup as group:
            bare = _find_bare(group)
            if bare is None:
                raise
            raise bare from bare.__cause__


def _find_bare(error: BaseException) -> BaseException | None:
    if isinstance(error, Carried):
        return error.error
    if isinstance(error, BaseExceptionGroup):
        return next(filter(None, map(_find_bare, error.exceptions)), None)
    return error if isinstance(error, _BARE) else None

"""Checks what a `run` is to call, and shortens the traceback of what leaves it: the same in every model."""

from contextlib import suppress
from functools import wraps

from concmodels.models.tasks.failures import bare_interrupts
from concmodels.models.tasks.signals.tracebacks import ShortTracebacks
from concmodels.models.waiting.calls import awaitable, check_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def run_of[F: Callable[..., Any]](model: str) -> Callable[[F], F]:
    """Mark a function as the `run` of this sync model."""

    def mark(run: F) -> F:
        @wraps(run)
        def checked(main: Callable[..., Any], *args: Any, **options: Any) -> Any:
            with ShortTracebacks():
                check_call(main, "run", model)
                return run(main, *args, **options)

        return checked  # type: ignore[return-value] # it is called as `run` is

    return mark


def async_run_of[F: Callable[..., Any]](model: str) -> Callable[[F], F]:
    """Mark a function as the `run` of this async model."""
    # Here, because it imports `ast` and `inspect`, which a sync model does without.
    from concmodels.models.tasks.unawaited import note_unawaited, tell_unawaited

    def mark(run: F) -> F:
        @wraps(run)
        def checked(main: Callable[..., Any], *args: Any, **options: Any) -> Any:
            tell_unawaited()
            with ShortTracebacks(), bare_interrupts():
                try:
                    return run(awaitable(main, "run", model), *args, **options)
                except BaseException as error:
                    with suppress(Exception):  # what helps to read an exception never replaces it
                        note_unawaited(error)
                    raise

        return checked  # type: ignore[return-value] # as above

    return mark

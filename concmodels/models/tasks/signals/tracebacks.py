"""Tracebacks of the program's own frames, without those of the library and of the loops that it runs on.

Without this, a small mistake would leave a run through forty frames that don't concern the program. They are cut when
the exception leaves `run`; `CONCMODELS_TRACEBACKS=full` in the environment keeps them.
"""

import os
from types import TracebackType

from concmodels import platform
from concmodels.errors import CannotTravel
from concmodels.models import FOLDER
from concmodels.models.tasks.signals.frames import of_program, short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

SETTING = "CONCMODELS_TRACEBACKS"


class ShortTracebacks:
    """`with ShortTracebacks():` cuts the traceback of what leaves the block."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            shorten(error)


def shorten(error: BaseException) -> None:
    """Cut the traceback of an exception, those of the exceptions in it, and those of its causes."""
    if os.environ.get(SETTING) == "full":
        return
    seen, left = set(), [error]
    while left:
        error = left.pop()
        if id(error) in seen:
            continue
        seen.add(id(error))
        error.__traceback__ = _shortened(error.__traceback__)
        if isinstance(error, BaseExceptionGroup):
            _cut_body(error)
        inner = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
        left += [other for other in (error.__cause__, error.__context__, *inner) if other is not None]
        if isinstance(error, CannotTravel):
            _drop_cause(error)


def _shortened(trace: TracebackType | None) -> TracebackType | None:
    """Return the traceback without the library's frames, or those of others that lead to them or that they call."""
    kept, is_ours = [], True
    for it in _traces(trace):
        if _is_of_library(it):
            is_ours = True
        elif not is_ours or of_program(it.tb_frame):
            is_ours = False
            kept.append(it)
    return _chained(kept)


def _is_of_library(trace: TracebackType) -> bool:
    return trace.tb_frame.f_code.co_filename.startswith((FOLDER, platform.FOLDER))


def _cut_body(group: BaseExceptionGroup[BaseException]) -> None:
    """Cut the innermost frame of a group if one of its exceptions comes from there, or its message names the line."""
    inner = {id(trace.tb_frame) for error in group.exceptions for trace in _traces(error.__traceback__)}
    kept = [trace for trace in _traces(group.__traceback__) if id(trace.tb_frame) not in inner]
    if kept and group.message.endswith(f" at {short(kept[-1].tb_frame.f_code.co_filename)}:{kept[-1].tb_lineno}"):
        del kept[-1]
    group.__traceback__ = _chained(kept)


def _traces(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _chained(traces: list[TracebackType]) -> TracebackType | None:
    chain = None
    for it in reversed(traces):
        chain = TracebackType(chain, it.tb_frame, it.tb_lasti, it.tb_lineno)
    return chain


def _drop_cause(error: CannotTravel) -> None:
    """Drop a cause that pickle or this library has raised, because the message has its text; keep the program's own."""
    from _pickle import PicklingError  # only where something was pickled, and the module is loaded already

    cause = error.__cause__
    if isinstance(cause, (TypeError, PicklingError)) and _shortened(cause.__traceback__) is None:
        error.__cause__ = None
        error.__suppress_context__ = True

"""Makes one run of a program: from its plan to its result."""

import gc
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any

from concmodels import catalog
from concmodels.errors import ChannelClosed, RemoteError, TaskDied, Terminated
from concmodels.programs import limits
from concmodels.programs.alarm import Alarm
from concmodels.programs.plan import AnyPlan
from concmodels.programs.program import Program
from concmodels.programs.result import FAILED, INTERRUPTED, OK, TIMED_OUT, Outcome, how_it_stopped
from concmodels.programs.stopwatch import Listener, Stopwatch

SILENT = Listener()
_ran: set[str] = set()
"""The models that have run in this process."""


def measure[R: Outcome](
    program: Program,
    plan: AnyPlan[R],
    *,
    timeout: float | None = None,
    repeat: int = 1,
    listener: Listener = SILENT,
    on_hang: Callable[[], None] | None = None,
) -> R:
    """Run the plan in this process and return the result. A run that failed has a result too.

    Raises `ModelUnavailable` and `TooLarge` before anything has started.
    """
    model = catalog.load(plan.model)
    limits.check(plan)
    if _ran:
        gc.collect()  # else the garbage of an earlier run would be collected during this one
    _ran.add(plan.model)
    timer = program.timer(plan, listener)
    alarm = Alarm(timeout, on_hang)
    try:
        with alarm:
            returned = timer.measure(model)
    except (KeyboardInterrupt, Terminated) as interrupt:
        status, error = how_it_stopped(interrupt)
        if alarm.struck and status == INTERRUPTED:
            status, error = TIMED_OUT, f"timed out after {timeout:g} s"
        return plan.result(repeat=repeat, error=error, status=status)
    except Exception as failure:  # noqa: BLE001 - any error is the result of this run
        return plan.result(repeat=repeat, error=explain(failure, timer), status=FAILED)
    finally:
        listener.stopped()
    return plan.result(repeat=repeat, verified=True, status=OK, **timer.figures(returned))


def explain(failure: BaseException, timer: Stopwatch[Any, Any]) -> str:
    """Say in one line what went wrong, and in which task."""
    error = _first(failure)
    task = _task_in_traceback(error, timer)
    if isinstance(error, ChannelClosed) and not task:
        return timer.stopped_short()
    if isinstance(error, (*timer.own_errors, TaskDied)):
        return _one_line(str(error))
    if isinstance(error, RemoteError):
        return _one_line(f"{error.task} failed: {error.traceback.strip().rpartition('\n')[2]}")
    task = task or _task_by_handle(error, timer)
    return _one_line(f"{task + ' failed: ' if task else ''}{type(error).__name__}: {error}".removesuffix(": "))


def _first(failure: BaseException) -> BaseException:
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure


def _task_in_traceback(error: BaseException, timer: Stopwatch[Any, Any]) -> str | None:
    """The task in whose code the exception arose, found by the frames of its traceback."""
    return next((task for frame in _frames(error.__traceback__) if (task := timer.worker(frame.f_locals))), None)


def _frames(trace: TracebackType | None) -> Iterator[FrameType]:
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def _task_by_handle(error: BaseException, timer: Stopwatch[Any, Any]) -> str | None:
    """The task that ended with this exception, found by the handles; in async models they would have to be awaited."""
    if timer.is_async:
        return None
    for task in timer.tasks:
        try:
            task.result(timeout=0)
        except BaseException as its:  # noqa: BLE001 - compared, not handled
            if its is error:
                return str(task.name)
    return None


def _one_line(text: str) -> str:
    return " ".join(text.split())

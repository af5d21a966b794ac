"""Says why a run has failed: in one line, and in which task."""

from typing import TYPE_CHECKING, Any

from concmodels.errors import ChannelClosed, RemoteError, TaskDied

if TYPE_CHECKING:
    from concmodels.programs.stopwatch import Stopwatch


def explain(error: BaseException, timer: Stopwatch[Any, Any]) -> str:
    """Say in one line what went wrong, and in which task."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    task = _task_in_traceback(error, timer)
    if isinstance(error, ChannelClosed) and not task:
        text = timer.stopped_short()
    elif isinstance(error, (*timer.own_errors, TaskDied)):
        text = str(error)
    elif isinstance(error, RemoteError):
        text = f"{error.task} failed: {error.traceback.strip().rpartition('\n')[2]}"
    else:
        task = task or _task_by_handle(error, timer)
        text = f"{task + ' failed: ' if task else ''}{type(error).__name__}: {error}".removesuffix(": ")
    return " ".join(text.split())


def _task_in_traceback(error: BaseException, timer: Stopwatch[Any, Any]) -> str | None:
    """The task in whose code the exception arose, found by the frames of its traceback."""
    trace = error.__traceback__
    while trace is not None:
        if task := timer.worker(trace.tb_frame.f_locals):
            return task
        trace = trace.tb_next
    return None


def _task_by_handle(error: BaseException, timer: Stopwatch[Any, Any]) -> str | None:
    """The task that ended with this exception, found by the handles; in async models they would have to be awaited."""
    if timer.plan.facts.is_async:
        return None
    for task in timer.tasks:
        try:
            task.result(timeout=0)
        except BaseException as its:  # noqa: BLE001 - compared, not handled
            if its is error:
                return str(task.name)
    return None

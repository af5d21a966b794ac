"""One run of the ring, from its plan to its result."""

import gc
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Any

from concmodels import _limits, catalog
from concmodels._alarm import Alarm
from concmodels._plan import Plan
from concmodels._result import FAILED, INTERRUPTED, OK, TIMED_OUT, Result
from concmodels._watch import Listener, Watch
from concmodels.errors import ChannelClosed, RemoteError, TaskDied
from concmodels.ring import Misdelivered, async_circle, circle

SILENT = Listener()


def measure(
    plan: Plan,
    *,
    timeout: float | None = None,
    repeat: int = 1,
    listener: Listener = SILENT,
    on_hang: Callable[[], None] | None = None,
) -> Result:
    """Run the ring in this process and return its result, which may be that it failed.

    Raises `ModelUnavailable` and `TooLarge` before anything has started.
    """
    room = catalog.load(plan.model)
    _limits.check(plan)
    gc.collect()  # what an earlier run left is not to be found by this one
    watch = Watch(plan, listener)
    alarm = Alarm(timeout, on_hang)
    try:
        figures = _timed_run(room, watch, alarm)
    except KeyboardInterrupt:
        error, status = (f"timed out after {timeout:g} s", TIMED_OUT) if alarm.struck else ("interrupted", INTERRUPTED)
        return Result.of(plan, repeat=repeat, error=error, status=status)
    except Exception as failure:  # noqa: BLE001 - whatever it is, it is the result of this run
        return Result.of(plan, repeat=repeat, error=explain(failure, watch), status=FAILED)
    finally:
        listener.stopped()
    return Result.of(plan, repeat=repeat, verified=True, status=OK, **figures)


def _timed_run(room: Any, watch: Watch, alarm: Alarm) -> dict[str, Any]:
    program = async_circle if watch.plan.facts.colour == "async" else circle
    with alarm:
        watch.begin()
        returned = room.run(program, room, watch)
        watch.end()
    return watch.figures(returned)


def explain(failure: BaseException, watch: Watch) -> str:
    """Say in one line what went wrong, and in which node."""
    error = _first(failure)
    if isinstance(error, ChannelClosed) and not _worker(error):
        came = watch.plan.messages - watch.left() - 1
        return f"only {came:,} of {watch.plan.messages:,} messages came round"
    if isinstance(error, (Misdelivered, TaskDied)):
        return _one_line(str(error))
    if isinstance(error, RemoteError):
        return _one_line(f"{error.task} failed: {error.traceback.strip().rpartition('\n')[2]}")
    who = _worker(error) or _task_of(error, watch)
    return _one_line(f"{who + ' failed: ' if who else ''}{type(error).__name__}: {error}".removesuffix(": "))


def _first(failure: BaseException) -> BaseException:
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure


def _worker(error: BaseException) -> str | None:
    """The task in whose code the exception rose, by its outgoing channel; `link 0` is the feeder's."""
    for frame in _frames(error.__traceback__):
        name = str(getattr(frame.f_locals.get("outbox"), "name", ""))
        if name.startswith("link "):
            return "the feeder" if name == "link 0" else f"node {name.removeprefix('link ')}"
    return None


def _frames(trace: TracebackType | None) -> Iterator[FrameType]:
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def _task_of(error: BaseException, watch: Watch) -> str | None:
    """The task that ended with this exception, asked of the handles; only plain code can ask."""
    if watch.plan.facts.colour == "async":
        return None
    for task in watch.tasks:
        try:
            task.result(timeout=0)
        except BaseException as its:  # noqa: BLE001 - compared, not handled
            if its is error:
                return str(task.name)
    return None


def _one_line(text: str) -> str:
    return " ".join(text.split())

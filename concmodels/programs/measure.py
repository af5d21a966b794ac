"""Makes the runs of a plan in this process: from a plan to its results, or to the reasons why there are none."""

import contextlib
import functools
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from concmodels import catalog
from concmodels.errors import ChannelClosed, ModelUnavailable, RemoteError, TaskDied
from concmodels.programs import beside_loop
from concmodels.programs.output.streams import say
from concmodels.programs.result import BAD_INPUT, FAILED, OK, STOPPING, TIMED_OUT, Outcome, how_it_stopped
from concmodels.programs.signals import Alarm

if TYPE_CHECKING:
    from concmodels.programs.plan import AnyPlan
    from concmodels.programs.program import Program
    from concmodels.programs.stopwatch import Stopwatch


def measure[P: AnyPlan, R: Outcome](
    program: Program[P, R],
    plan: P,
    *,
    timeout: float | None = None,
    repeat: int = 1,
    progress: bool = False,
    on_hang: Callable[[], None] | None = None,
) -> R:
    """Make one run of the plan and return the result. A run that failed has a result too.

    The run is ended after `timeout` seconds; if it has not ended `GRACE_S` seconds later, `on_hang` is called. With
    `progress`, shows a bar on standard error. Where an event loop runs in this thread already, as in a notebook, an
    async model gets a thread of its own (`beside_loop.py`). Raises `ModelUnavailable`, and `STOPPING` if that ended the
    run.
    """
    model = catalog.load(plan.model)
    timer = program.timer(plan)
    if progress:
        from concmodels.programs.output.progress import Bar

        timer.bar = Bar(plan.model, timer.steps, timer.steps_done)
    gc.collect()  # else the garbage of the imports, or of an earlier run, would be collected during this one
    alarm = Alarm(timeout, on_hang)
    try:
        with alarm:
            if beside_loop.is_needed(plan.facts):
                returned = beside_loop.measure(timer, model, alarm)
            else:
                returned = timer.measure(model)
    except KeyboardInterrupt:
        if alarm.struck:
            raise TimeoutError(f"timed out after {timeout:g} s") from None
        raise
    except Exception as failure:  # noqa: BLE001 - any error is the result of this run
        return program.result.of(plan, repeat=repeat, error=_explain(failure, timer), status=FAILED)
    finally:
        if timer.bar:
            timer.bar.stop()
    return program.result.of(plan, repeat=repeat, verified=True, status=OK, **timer.figures(returned))


def runs(
    program: Program[Any, Any], plan: AnyPlan, *, repeat: int, timeout: float | None, quiet: bool
) -> Iterator[Outcome]:
    """Make this many runs of the plan and yield their results; one that was not verified is the last.

    Of Ctrl-C, SIGTERM and SIGHUP, which a command holds back, each run lets in what ends it.
    """
    progress = not quiet and sys.stderr is not None and sys.stderr.isatty()
    give_up = functools.partial(_give_up, program.name)
    for number in range(1, repeat + 1):
        try:
            result = measure(program, plan, timeout=timeout, repeat=number, progress=progress, on_hang=give_up)
        except STOPPING as interrupt:
            status, error = how_it_stopped(interrupt)
            result = program.result.of(plan, repeat=number, error=error, status=status)
        except ModelUnavailable as unavailable:
            result = program.result.of(plan, repeat=number, error=str(unavailable), status=BAD_INPUT)
        yield result
        if result.status != OK:
            return


def _give_up(name: str) -> None:
    """Kill everything, this process too: the run has not ended, and Ctrl-C could not end it."""
    from concmodels.programs import memory

    say(name, "timed out, and the run would not end: killed")
    for pid in memory.descendants(os.getpid()):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    os._exit(TIMED_OUT)


def _explain(error: BaseException, timer: Stopwatch[Any, Any]) -> str:
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

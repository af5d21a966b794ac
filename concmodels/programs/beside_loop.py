"""A run of an async program where an event loop runs already, as in a cell of a notebook: in a thread of its own.

A thread has one event loop at a time. So the run gets a thread, and this one waits for it. The loop that was there
stands still meanwhile, as it does during any call that is not awaited.

Signals come to the main thread alone, which is the one that waits. So Ctrl-C, and the alarm of a timeout, raise here;
the run is told to end by a task of its own, which looks every 50 ms whether it has to.
"""

import sys
import threading
from typing import TYPE_CHECKING, Any

from concmodels import catalog

if TYPE_CHECKING:
    from concmodels.catalog import Facts
    from concmodels.programs.signals import Alarm
    from concmodels.programs.stopwatch import Stopwatch

_LOOK_S = 0.05


def is_needed(facts: Facts) -> bool:
    """Return whether a loop runs in this thread beside which this model can't start its own."""
    return facts.is_async and not catalog.is_simulated(facts) and bool(loops_here())


def loops_here() -> list[str]:
    """Return which of asyncio and trio have an event loop that runs in this thread, of a model or of the program."""
    asyncio, trio = sys.modules.get("asyncio"), sys.modules.get("trio")
    found = []
    if asyncio is not None and asyncio._get_running_loop() is not None:
        found.append("asyncio")
    if trio is not None and trio.lowlevel.in_trio_run():
        found.append("trio")
    return found


def measure(timer: Stopwatch[Any, Any], model: Any, alarm: Alarm) -> list[Any]:
    """Measure as `Stopwatch.measure`, in a new thread; return what the tasks returned, or raise what the run raised."""
    run = _Run(timer, model)
    try:
        run.thread.start()
        while run.thread.is_alive():
            run.thread.join(_LOOK_S if alarm.is_set else None)
            if alarm.struck:
                raise KeyboardInterrupt  # the handler for Ctrl-C has not: a loop's own cancels the loop's task instead
    except BaseException:
        run.stop.set()
        if run.thread in threading.enumerate():  # also one that has not begun: `start` was interrupted while it waited
            run.begun.wait()
            run.thread.join()
        raise
    if run.error is not None:
        raise run.error
    return run.returned


class _Run:
    """One run in a thread, which ends when `stop` is set."""

    def __init__(self, timer: Stopwatch[Any, Any], model: Any) -> None:
        self.begun = threading.Event()
        self.stop = threading.Event()
        self.returned: list[Any] = []
        self.error: BaseException | None = None
        self.thread = threading.Thread(target=self._work, args=(timer, model), name="concmodels: a run beside a loop")
        self._program, timer.program = timer.program, self._stoppable

    def _work(self, timer: Stopwatch[Any, Any], model: Any) -> None:
        self.begun.set()
        try:
            self.returned = timer.measure(model)
        except BaseException as error:  # noqa: BLE001 - the thread that waits raises it
            self.error = error

    async def _stoppable(self, model: Any, timer: Stopwatch[Any, Any]) -> Any:
        async with model.TaskGroup() as group:
            watch = group.spawn(self._watch, model, name="watch")
            returned = await self._program(model, timer)
            watch.cancel()
        return returned

    async def _watch(self, model: Any) -> None:
        while not self.stop.is_set():
            await model.sleep(_LOOK_S)
        raise _Stopped("the thread that waits for this run was interrupted")


class _Stopped(Exception):
    """Ends a run: the first failure in a group cancels all the others."""

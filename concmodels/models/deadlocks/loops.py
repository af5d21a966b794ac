"""Finds a deadlock on an event loop: looks at it twice in the time in which nothing may move.

A loop is dead when all its tasks wait in the library for each other, and nothing else is left: no callback, no timer,
no descriptor, no thread, no signal handler. What a look can't see through (a loop of another library, a task that
awaits something of another library, an asynchronous generator) might move at any time: then it is no deadlock.

The libraries are imported where they are used: a program on trio need not have asyncio in memory.
"""

import math

from concmodels.models.deadlocks.report import NoProgress, deadlock, endless_waits
from concmodels.models.deadlocks.threads import DeadlockDetector
from concmodels.models.tasks.signals.frames import awaits
from concmodels.models.waiting.waiter import Waiter, native_waits

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from typing import Any, Self

    from concmodels.models.waiting.waiter import Wait


_LOOK_UP_S = 0.5
"""As `guard.LOOK_UP_S`, but longer: looking at all tasks of a loop takes longer than waking up."""


class LoopDetector(DeadlockDetector):
    """The steps that the detectors of all loops share. `cancel` cancels main."""

    main: Any

    def __init__(self, seconds: float | None, cancel: Callable[[], object]) -> None:
        super().__init__()
        self._seconds = seconds
        self._cancel = cancel

    def __enter__(self) -> Self:
        if self._seconds is not None and self.can_see():
            self.progress = NoProgress(self._seconds)
            self.begin()
        return self

    def can_see(self) -> bool:
        """Return whether this loop shows what is going on in it."""
        return True

    def begin(self) -> None:
        """Begin to look."""
        raise NotImplementedError(f"{type(self).__name__} must say how it is called now and then")

    def tasks(self) -> list[Any]:
        """Return all tasks of the run; an empty list if something else could make one of them go on."""
        raise NotImplementedError(f"{type(self).__name__} must say what it sees")

    def name(self, task: Any) -> str:
        """Return the name of a task."""
        raise NotImplementedError(f"{type(self).__name__} must say what a task is called")

    def coroutine(self, task: Any) -> Any:
        """Return the coroutine that a task runs."""
        raise NotImplementedError(f"{type(self).__name__} must say what a task runs")

    def wait_of(self, task: Any) -> Wait | None:
        """Return what a task waits for without a timeout; None if it is nothing of the library's."""
        raise NotImplementedError(f"{type(self).__name__} must say what a task waits for")

    def look(self) -> None:
        """Look at all tasks; end the run if nothing has moved for long enough."""
        tasks = self.tasks()
        if self.progress.lasts(endless_waits(tasks, self.wait_of)):
            seen = [(self._title(task), self.wait_of(task), awaits(self.coroutine(task))) for task in tasks]
            self.find(deadlock(seen))
            self.cancel(tasks)

    def _title(self, task: Any) -> str:
        return "main" if task is self.main else self.name(task)

    def cancel(self, tasks: list[Any]) -> None:
        """Cancel the run."""
        self._cancel()


class AsyncioDetector(LoopDetector):
    """Looks at one of asyncio's own event loops, from a timer of the loop."""

    def __init__(self, seconds: float | None, cancel: Callable[[], object]) -> None:
        from asyncio import CancelledError, current_task, get_running_loop

        super().__init__(seconds, cancel)
        self.cancellations = (CancelledError,)
        self.main = current_task()
        self._loop: Any = get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._again = False

    def can_see(self) -> bool:
        """As `LoopDetector.can_see`: other libraries' loops keep their timers and callbacks to themselves."""
        from asyncio import SelectorEventLoop

        return isinstance(self._loop, SelectorEventLoop)

    def __enter__(self) -> Self:
        super().__enter__()
        if self._timer is None:  # no deadlocks are looked for
            self._look_up()
        return self

    def begin(self) -> None:
        """Set the timer."""
        self._timer = self._loop.call_later(min(self.progress.pause, _LOOK_UP_S), self._look_again)

    def _look_up(self) -> None:
        """Do nothing, now and then: a signal that came just before the loop went to sleep has not woken it."""
        self._timer = self._loop.call_later(_LOOK_UP_S, self._look_up)

    def stop(self) -> None:
        """As `DeadlockDetector.stop`."""
        if self._timer is not None:
            self._timer.cancel()

    def _look_again(self) -> None:
        self.look()  # first, so that it does not see the next timer
        self.begin()

    def tasks(self) -> list[Any]:
        """As `LoopDetector.tasks`: all tasks of the loop."""
        from asyncio import all_tasks

        from concmodels.models.waiting.sockets.loops import rest

        loop = self._loop
        rest(loop)
        descriptors = len(loop._selector.get_map()) - 1  # one is the loop's own
        if loop._ready or descriptors or loop._signal_handlers or any(not it.cancelled() for it in loop._scheduled):
            return []
        return list(all_tasks(loop))

    def wait_of(self, task: Any) -> Wait | None:
        """As `LoopDetector.wait_of`."""
        wait: Wait | None = getattr(task, "concmodels_wait", None)
        return wait if wait is not None and wait.waits() else native_waits.get(task)

    def name(self, task: Any) -> str:
        """As `LoopDetector.name`."""
        return str(task.get_name())

    def coroutine(self, task: Any) -> Any:
        """As `LoopDetector.coroutine`."""
        return task.get_coro()


class EdgeAsyncioDetector(AsyncioDetector):
    """For asyncio, which raises a cancellation once: a task that waits in its clean-up is cancelled once more."""

    def cancel(self, tasks: list[Any]) -> None:
        """Cancel main; the second time, cancel all tasks too."""
        super().cancel(tasks)
        if self._again:
            for task in tasks:
                task.cancel()
        self._again = True


class TrioDetector(LoopDetector):
    """Looks at trio's loop, from one of its system tasks."""

    def __init__(self, seconds: float | None, cancel: Callable[[], object]) -> None:
        from trio import CancelScope
        from trio.lowlevel import current_task

        super().__init__(seconds, cancel)
        self.main = current_task()
        self._scope = CancelScope()

    def begin(self) -> None:
        """Start the system task."""
        from trio.lowlevel import current_statistics, spawn_system_task

        self._others = current_statistics().tasks_living  # trio's own, and main, for which the system task stands in
        spawn_system_task(self._look_around, name="concmodels: deadlock?")

    def stop(self) -> None:
        """As `DeadlockDetector.stop`."""
        self._scope.cancel()

    async def _look_around(self) -> None:
        from trio import sleep

        with self._scope:
            while True:
                await sleep(self.progress.pause)
                self.look()

    def tasks(self) -> list[Any]:
        """As `LoopDetector.tasks`: main, and all tasks in its nurseries and in theirs."""
        from trio.lowlevel import current_statistics

        from concmodels.models.waiting.sockets.trio import rest

        rest()
        seen = current_statistics()
        if seen.tasks_runnable or seen.run_sync_soon_queue_size or seen.seconds_to_next_deadline != math.inf:
            return []
        tasks = [self.main]
        for task in tasks:
            tasks.extend(child for nursery in task.child_nurseries for child in nursery.child_tasks)
        return tasks if seen.tasks_living - len(tasks) == self._others else []

    def wait_of(self, task: Any) -> Wait | None:
        """As `LoopDetector.wait_of`."""
        wait = task.custom_sleep_data
        return wait if isinstance(wait, Waiter) and wait.waits() else native_waits.get(task)

    def name(self, task: Any) -> str:
        """As `LoopDetector.name`."""
        return str(task.name)

    def coroutine(self, task: Any) -> Any:
        """As `LoopDetector.coroutine`."""
        return task.coro

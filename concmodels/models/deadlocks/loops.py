"""Who finds a deadlock on an event loop: a look at it twice in the time in which nothing may move.

A loop is dead when all its tasks wait in the library for each other, and nothing else is left: no callback, no timer,
no descriptor, no thread, no signal handler. What a look can't see through (a loop of another make, a task that awaits
something foreign, an asynchronous generator) might move at any time: then it is no deadlock.

The libraries are imported where they are used, for who has trio need not have asyncio in memory.
"""

import math
from _thread import get_ident

from concmodels.models.deadlocks.report import Stillness, deadlock, endless_wait, strangers
from concmodels.models.deadlocks.threads import Watch
from concmodels.models.tasks.frames import awaits

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable
    from types import CodeType
    from typing import Any, Self


_LOOK_UP_S = 0.5
"""As `_interrupt.LOOK_UP_S`, but to look at all tasks of a loop takes longer than to wake up."""


class LoopWatch(Watch):
    """What the watches of all loops share. `cancel` cancels main, `exits` is the code that waits for a group."""

    main: Any

    def __init__(self, seconds: float | None, cancel: Callable[[], object], exits: tuple[CodeType, ...]) -> None:
        super().__init__()
        self._seconds = seconds
        self._cancel = cancel
        self._exits = exits

    def __enter__(self) -> Self:
        if self._seconds is not None and self.can_see():
            self.still = Stillness(self._seconds)
            self.begin()
        return self

    def can_see(self) -> bool:
        """Whether this loop shows what is going on in it."""
        return True

    def begin(self) -> None:
        """Begin to look."""
        raise NotImplementedError(f"{type(self).__name__} must say how it gets its turns")

    def tasks(self) -> list[Any]:
        """All tasks of the run; none if something else is there that could make one of them go on."""
        raise NotImplementedError(f"{type(self).__name__} must say what it sees")

    def name(self, task: Any) -> str:
        """What a task is called."""
        raise NotImplementedError(f"{type(self).__name__} must say what a task is called")

    def coroutine(self, task: Any) -> Any:
        """What a task runs."""
        raise NotImplementedError(f"{type(self).__name__} must say what a task runs")

    def look(self) -> None:
        """Look round; end the run if nothing has moved for long enough."""
        tasks = self.tasks()
        if self.still.lasts(self._waits(tasks)):
            self.find(deadlock((self._title(task), awaits(self.coroutine(task))) for task in tasks))
            self.cancel(tasks)

    def _title(self, task: Any) -> str:
        return "main" if task is self.main else self.name(task)

    def cancel(self, tasks: list[Any]) -> None:
        """Cancel the run."""
        self._cancel()

    def _waits(self, tasks: list[Any]) -> dict[Any, object]:
        waits = {}
        for task in tasks:
            wait = endless_wait(awaits(self.coroutine(task)), self._exits)
            if wait is None:
                return {}
            waits[task] = wait
        return {} if strangers({get_ident()}) else waits


class AsyncioWatch(LoopWatch):
    """Looks at an event loop of asyncio's own make, from a timer of it."""

    def __init__(self, seconds: float | None, cancel: Callable[[], object], exits: tuple[CodeType, ...]) -> None:
        from asyncio import CancelledError, current_task, get_running_loop

        super().__init__(seconds, cancel, exits)
        self.calls_off = (CancelledError,)
        self.main = current_task()
        self._loop: Any = get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._again = False

    def can_see(self) -> bool:
        """Others keep their timers and callbacks to themselves."""
        from asyncio import SelectorEventLoop

        return isinstance(self._loop, SelectorEventLoop)

    def __enter__(self) -> Self:
        super().__enter__()
        if self._timer is None:  # nobody looks for deadlocks
            self._look_up()
        return self

    def begin(self) -> None:
        """Set the timer."""
        self._timer = self._loop.call_later(min(self.still.pause, _LOOK_UP_S), self._turn)

    def _look_up(self) -> None:
        """Do nothing, now and then: a signal that came just before the loop went to sleep has not woken it."""
        self._timer = self._loop.call_later(_LOOK_UP_S, self._look_up)

    def stop(self) -> None:
        """As `Watch.stop`."""
        if self._timer is not None:
            self._timer.cancel()

    def _turn(self) -> None:
        self.look()  # first, so that it does not see the next timer
        self.begin()

    def tasks(self) -> list[Any]:
        """All tasks of the loop."""
        from asyncio import all_tasks

        loop = self._loop
        descriptors = len(loop._selector.get_map()) - 1  # one is the loop's own
        if loop._ready or descriptors or loop._signal_handlers or any(not it.cancelled() for it in loop._scheduled):
            return []
        return list(all_tasks(loop))

    def name(self, task: Any) -> str:
        """As `LoopWatch.name`."""
        return str(task.get_name())

    def coroutine(self, task: Any) -> Any:
        """As `LoopWatch.coroutine`."""
        return task.get_coro()


class EdgeWatch(AsyncioWatch):
    """For asyncio itself, which delivers a cancellation once: who waits again in the clean-up is cancelled again."""

    def cancel(self, tasks: list[Any]) -> None:
        """Cancel main; the second time everybody."""
        super().cancel(tasks)
        if self._again:
            for task in tasks:
                task.cancel()
        self._again = True


class TrioWatch(LoopWatch):
    """Looks at trio's loop, from a system task of it."""

    def __init__(self, seconds: float | None, cancel: Callable[[], object], exits: tuple[CodeType, ...]) -> None:
        from trio import CancelScope
        from trio.lowlevel import current_task

        super().__init__(seconds, cancel, exits)
        self.main = current_task()
        self._scope = CancelScope()

    def begin(self) -> None:
        """Start the system task."""
        from trio.lowlevel import current_statistics, spawn_system_task

        self._others = current_statistics().tasks_living  # trio's own, and main, for which the system task stands in
        spawn_system_task(self._turns, name="concmodels: deadlock?")

    def stop(self) -> None:
        """As `Watch.stop`."""
        self._scope.cancel()

    async def _turns(self) -> None:
        from trio import sleep

        with self._scope:
            while True:
                await sleep(self.still.pause)
                self.look()

    def tasks(self) -> list[Any]:
        """Main and its offspring."""
        from trio.lowlevel import current_statistics

        seen = current_statistics()
        if seen.tasks_runnable or seen.run_sync_soon_queue_size or seen.seconds_to_next_deadline != math.inf:
            return []
        tasks = [self.main]
        for task in tasks:
            tasks.extend(child for nursery in task.child_nurseries for child in nursery.child_tasks)
        return tasks if seen.tasks_living - len(tasks) == self._others else []

    def name(self, task: Any) -> str:
        """As `LoopWatch.name`."""
        return str(task.name)

    def coroutine(self, task: Any) -> Any:
        """As `LoopWatch.coroutine`."""
        return task.coro

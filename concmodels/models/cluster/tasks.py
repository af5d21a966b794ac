"""The tasks of a run, as its board knows them: what each of them waits for, what cancels it, and how it ended."""

import asyncio

from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from concmodels.errors import Deadlock
from concmodels.models.cluster.link import Cancelled
from concmodels.models.cluster.work import DIED, FAILED, STOPPED, work
from concmodels.models.deadlocks.report import SENTENCE, NoProgress
from concmodels.models.tasks.signals.frames import short
from concmodels.models.waiting.waiter import AsyncEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from concmodels.models.waiting.waiter import Wait, Waiter

    type Outcome = tuple[str, Any]

TURN = 64
"""The number of channel operations after which a cancelled task that never has to wait is stopped all the same."""

SHIELDED = ("begin", "end", "finish", "take_back", "shut", "stop")
"""The calls that a cancellation does not end: clean-up, and what the library itself calls."""


class Scope:
    """A task, a group or a pool, with all that is in it: it is cancelled together."""

    def __init__(self, outer: Scope | None) -> None:
        self._outer = outer
        self.cancelled = False

    def is_cancelled(self) -> bool:
        """Whether it was cancelled, or one that it is in."""
        scope: Scope | None = self
        while scope is not None:
            if scope.cancelled:
                return True
            scope = scope._outer
        return False


class Task:
    """A task of the run, as the board knows it."""

    def __init__(self, tasks: Tasks, number: str, name: str, outer: Scope | None, pool: str = "") -> None:
        self.number, self.name, self.pool = number, name, pool
        self.own = self.scope = Scope(outer)  # `scope` is the innermost group that it has open
        self._begun = Scope(self.own)  # what it has started since it was begun
        self._tasks = tasks
        self.is_queued = False  # whether it waits for a worker of its pool
        self.wire: object = None  # the connection of its process
        self.ended = tasks.new_event()
        self.outcome: asyncio.Future[Outcome] = tasks.loop.create_future()
        self.call: asyncio.Task[Any] | None = None  # what it waits for
        self._shielded = False
        self._reason: BaseException | None = None
        self._place = ""
        self._turns = 0

    # What is asked of it: `caller` is the task that asks.

    def begin(self, caller: Task, wire: object) -> bool:
        """Note that a worker begins it, perhaps not for the first time; return whether the worker shall go on."""
        self.give_up()
        self.wire = wire
        self.scope = self._begun = Scope(self.own)
        if self.own.is_cancelled():
            self.end(caller, STOPPED, b"")
        return not self.outcome.done()

    def end(self, _caller: Task, state: str, data: bytes) -> None:
        """Note how it has ended."""
        if not self.outcome.done():
            self.outcome.set_result((state, data))

    def cancel(self, _caller: Task) -> None:
        """Cancel it."""
        self._tasks.cancel(self.own)

    async def wait(self, _caller: Task, timeout: float | None) -> None:
        """Wait for its end."""
        await self.ended.wait(timeout, self)

    # What it does.

    def give_up(self) -> None:
        """End what it waits for, and what it has started: its process is gone."""
        if self.call is not None:
            self.call.cancel()
        self._tasks.cancel(self._begun)

    def check(self) -> None:
        """Raise `Cancelled` if the task was cancelled."""
        if self.scope.is_cancelled():
            raise self._cancellation()

    def take_turn(self) -> None:
        """Check as `check` at every so many operations, for a task that never has to wait."""
        self._turns += 1
        if self._turns % TURN == 0:
            self.check()

    def wait_for(self, call: asyncio.Task[Any], verb: str, place: str) -> None:
        """Note what the task waits for now."""
        self.call, self._place, self._shielded, self._reason = call, place, verb in SHIELDED, None
        self.stop_if_cancelled()

    def stop_if_cancelled(self) -> None:
        """End its wait if the task was cancelled."""
        if self.call is not None and self.scope.is_cancelled():
            self.stop(self._cancellation())

    def stop(self, reason: BaseException) -> None:
        """End its wait for this reason, unless what it waits for has just been done."""
        if self.call is not None and not self._shielded:
            self._reason = reason
            self.call.cancel()

    def reason(self) -> BaseException:
        """Why its wait was ended."""
        return self._reason or self._cancellation()

    def _cancellation(self) -> Cancelled:
        return Cancelled(f"task {self.name!r} was cancelled")

    def endless_wait(self) -> Wait | None:
        """Return what it waits for without a timeout; None if it can go on."""
        wait: Wait | None = getattr(self.call, "concmodels_wait", None)
        return wait if wait is not None and wait.waits() else None

    def line(self, wait: Any) -> str:
        """The line of the task in a `Deadlock`."""
        file, _, line = self._place.rpartition(":")
        return f"{self.name}: {wait.purpose.describe_wait(wait)}" + (f" at {short(file)}:{line}" if file else "")

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that waits for the end of this one."""
        return f"waits for the result of {self.name}"


class Group:
    """A task group, as the board knows it."""

    def __init__(self, tasks: Tasks, owner: Task) -> None:
        self._outer = owner.scope
        self._own = owner.scope = Scope(self._outer)
        self._tasks = tasks
        self._live = 0
        self._ended: AsyncEvent | None = None  # set once the owner waits for it

    async def spawn(self, _caller: Task, number: str, name: str, call: bytes) -> Outcome:
        """Do a task; return how it ended. If it failed, cancel the others."""
        self._live += 1
        outcome = await self._tasks.perform(Task(self._tasks, number, name, self._own), call)
        if outcome[0] in (FAILED, DIED):
            self._tasks.cancel(self._own)
        self._live -= 1
        if self._ended is not None and not self._live:
            self._ended.set()
        return outcome

    def cancel(self, _caller: Task) -> None:
        """Cancel all tasks, and the body of the `with`."""
        self._tasks.cancel(self._own)

    async def join(self, owner: Task, failed: bool) -> None:
        """Wait until all tasks have ended. The group's own cancellation is no reason any more to stop waiting."""
        owner.scope = self._outer
        if failed:
            self._tasks.cancel(self._own)
        await self._wait()
        owner.check()  # leaving is a checkpoint, also when the tasks were cancelled first

    async def finish(self, owner: Task) -> None:
        """Cancel all tasks, and wait until they have ended."""
        owner.scope = self._outer
        self._tasks.cancel(self._own)
        await self._wait()

    async def _wait(self) -> None:
        self._ended = self._ended or self._tasks.new_event()
        if self._live:
            await self._ended.wait(None, self)

    def describe_wait(self, _waiter: Waiter) -> str:
        """Say what a task waits for that leaves this group."""
        return "waits for the end of its group"


class Tasks:
    """All tasks of a run that have not ended, `main` first."""

    def __init__(self, run: str, client: Any, new_waiter: Callable[..., Waiter]) -> None:
        self.client = client
        self.loop = asyncio.get_running_loop()
        self.address = ""  # where the board listens for other processes
        self.outside_threads = False  # whether a thread has called that is no task
        self.no_workers = asyncio.Event()  # set when the cluster has had no workers for a while
        self._run, self._new_waiter = run, new_waiter
        self.main = Task(self, "main", "main", None)
        self.by_number = {"main": self.main}

    def new_event(self) -> AsyncEvent:
        """Something that happens once, for which a task waits as in a channel."""
        return AsyncEvent(self._new_waiter)

    def unfinished(self) -> list[str]:
        """The names of the tasks that have not ended."""
        return sorted(task.name for task in list(self.by_number.values()) if task is not self.main)

    async def perform(self, task: Task, call: bytes, *pool: Any, **options: Any) -> Outcome:
        """Have the cluster do a task, and wait for its end."""
        self.by_number[task.number] = task
        place = (self._run, self.address, task.number, task.name)
        key = f"{task.name}-{self._run}-{task.number}"
        try:
            future = self.client.submit(work, *place, call, *pool, key=key, pure=False, **options)
            return await self._outcome(task, future)
        except Exception as error:  # noqa: BLE001 - such as a client whose scheduler is gone
            return DIED, ("", f"the cluster can't do the task: {type(error).__name__}: {error}")
        finally:
            self.end(task)

    def end(self, task: Task) -> None:
        """Forget a task, and wake those who wait for its end."""
        del self.by_number[task.number]
        task.ended.set()

    async def _outcome(self, task: Task, future: Any) -> Outcome:
        death, desertion = asyncio.ensure_future(_death(future)), asyncio.ensure_future(self.no_workers.wait())
        try:
            ways: list[asyncio.Future[Any]] = [task.outcome, death, desertion]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            if task.outcome.done():
                return task.outcome.result()
            task.give_up()
            if death.done():
                return DIED, death.result()
            return DIED, ("", "the cluster has no workers any more, so nobody does the task")
        finally:
            death.cancel()
            desertion.cancel()

    def cancel(self, scope: Scope) -> None:
        """Cancel a scope, and end the waits of all tasks in it."""
        if not scope.cancelled:
            scope.cancelled = True
            for task in list(self.by_number.values()):
                task.stop_if_cancelled()

    def give_up_those_of(self, wire: object) -> None:
        """Give up the tasks of a process that is gone. Dask may have another one begin them again."""
        for task in list(self.by_number.values()):
            if task.wire is wire:
                task.give_up()

    async def look_for_deadlocks(self, seconds: float, find: Callable[[Deadlock], Deadlock]) -> None:
        """Look now and then whether a task can still go on; else end the wait of main, for what `find` returns."""
        progress = NoProgress(seconds)
        while True:
            await asyncio.sleep(progress.pause)
            waits = self._endless_waits()
            if progress.lasts(waits):
                lines = tuple(task.line(wait) for task, wait in waits.items())
                self.main.stop(find(Deadlock(SENTENCE, lines)))

    def _endless_waits(self) -> dict[Task, Wait]:
        """Return the wait of each task that has begun; nothing if one of them can go on."""
        waits = {}
        for task in self.by_number.values():
            wait = task.endless_wait()
            if wait is not None:
                waits[task] = wait
            elif not task.is_queued:
                return {}
        return {} if self.outside_threads else waits


async def _death(future: Any) -> tuple[str, str]:
    """Wait for the end of a task that can't tell it: return the worker that died, if that is why, and a sentence."""
    try:
        await future
    except KilledWorker as killed:
        address = str(killed.last_worker.address)
        return address, f"the worker {address} died"
    except asyncio.CancelledError, FutureCancelledError:
        pass
    except Exception as error:  # noqa: BLE001 - such as a worker that has no concmodels
        return "", f"the worker can't do the task: {type(error).__name__}: {error}"
    return "", "the cluster has lost the task"

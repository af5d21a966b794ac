"""The tasks of a run, as its board knows them: what each of them waits for, what cancels it, and how it ended."""

import asyncio

from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from concmodels.errors import Deadlock
from concmodels.models.cluster.link import Cancelled
from concmodels.models.cluster.work import DIED, FAILED, STOPPED, TAKEN_BACK, work
from concmodels.models.deadlocks.report import SENTENCE, NoProgress
from concmodels.models.tasks.signals.frames import short
from concmodels.models.waiting.limit import Limit
from concmodels.models.waiting.waiter import AsyncEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from concmodels.models.waiting.waiter import Wait, Waiter

    type Outcome = tuple[str, Any]

TURN = 64
"""The number of channel operations after which a cancelled task that never has to wait is stopped all the same."""

SHIELDED = ("begin", "end", "finish", "take_back", "shut", "stop")
"""The calls that a cancellation does not end: clean-up, and what the library itself calls."""


class Scope:
    """A task, a group or a pool, with all that is in it: all of that is cancelled together."""

    def __init__(self, outer: Scope | None) -> None:
        self._outer = outer
        self.cancelled = False

    def is_cancelled(self) -> bool:
        """Return whether this scope, or one that it is in, was cancelled."""
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
        self.may_begin: asyncio.Future[Outcome | None] | None = None  # of one that waits, or waited, for its pool
        self.has_left = False  # whether it has made room for others there
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
        """Note that a worker begins the task, perhaps not for the first time; return whether the worker is to go on."""
        self.give_up()
        self.wire = wire
        self.scope = self._begun = Scope(self.own)
        if self.own.is_cancelled():
            self.end(caller, STOPPED, b"")
        return not self.outcome.done()

    def end(self, _caller: Task, state: str, data: Any) -> None:
        """Note how the task has ended."""
        if not self.outcome.done():
            self.outcome.set_result((state, data))

    def die(self, worker: str, why: str) -> None:
        """Note that the task has ended without saying how."""
        if not self.outcome.done():
            self.give_up()
            self.end(self, DIED, (worker, why))

    def cancel(self, _caller: Task) -> None:
        """Cancel the task."""
        self._tasks.cancel(self.own)

    def is_queued(self, _caller: Task | None = None) -> bool:
        """Return whether the task waits for a worker of its pool."""
        return self.may_begin is not None and not self.may_begin.done()

    async def take_back(self, _caller: Task, state: str = TAKEN_BACK, data: bytes = b"") -> None:
        """Let the task end in this state if it was not begun, and wait until the task that submitted it knows that."""
        if self.may_begin is not None and not self.may_begin.done():
            self.may_begin.set_result((state, data))
            await self.ended.wait()

    async def wait(self, _caller: Task, timeout: float | None) -> None:
        """Wait until the task has ended."""
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
        """Do what `check` does at every `TURN`th operation, for a task that never has to wait."""
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
        """Return why the wait of the task was ended."""
        return self._reason or self._cancellation()

    def _cancellation(self) -> Cancelled:
        return Cancelled(f"task {self.name!r} was cancelled")

    def endless_wait(self) -> Wait | None:
        """Return what it waits for without a timeout; None if it can go on."""
        wait: Wait | None = getattr(self.call, "concmodels_wait", None)
        return wait if wait is not None and wait.waits() else None

    def line(self, wait: Any) -> str:
        """Return the line of the task in a `Deadlock`."""
        file, _, line = self._place.rpartition(":")
        return f"{self.name}: {wait.purpose.describe_wait(wait)}" + (f" at {short(file)}:{line}" if file else "")

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that waits for the end of this one."""
        return f"waits for the result of {self.name}"


class Joinable:
    """Tasks that are cancelled together, and for whose end a task can wait: a group, or a pool."""

    what: str

    def __init__(self, tasks: Tasks, outer: Scope) -> None:
        self._tasks = tasks
        self._own = Scope(outer)
        self._live = 0
        self._ended: AsyncEvent | None = None  # not None while a task waits for it

    async def _count[T](self, work: Awaitable[T]) -> T:
        """Await this, and count it as one of the tasks until it has ended."""
        self._live += 1
        try:
            return await work
        finally:
            self._live -= 1
            if not self._live and self._ended is not None:
                self._ended.set()
                self._ended = None

    async def _wait(self) -> None:
        while self._live:
            self._ended = self._ended or self._tasks.new_event()
            await self._ended.wait(None, self)

    async def _end_all(self) -> None:
        """Cancel all tasks, and wait until they have ended."""
        self._tasks.cancel(self._own)
        await self._wait()

    def describe_wait(self, _waiter: Waiter) -> str:
        """Describe the wait of a task that leaves this."""
        return f"waits for the end of its {self.what}"


class Group(Joinable):
    """A task group, as the board knows it."""

    what = "group"

    def __init__(self, tasks: Tasks, owner: Task, timeout: float | None) -> None:
        super().__init__(tasks, owner.scope)
        self._outer = owner.scope
        owner.scope = self._own
        self._limit, self._timer = Limit(timeout), None
        if self._limit.begin():
            self._timer = tasks.loop.call_later(self._limit.seconds, self._strike)
            tasks.limited.add(self)
        elif self._limit.is_over():
            self._strike()

    def _strike(self) -> None:
        if self._limit.strike():
            self._tasks.cancel(self._own)

    def is_over(self, _caller: Task) -> bool:
        """Return, when all tasks have ended, whether the group's time was over before."""
        return self._limit.error() is not None

    def forget_limit(self) -> None:
        """Stop measuring the group's time."""
        self._tasks.limited.discard(self)
        if self._timer is not None:
            self._timer.cancel()

    async def spawn(self, _caller: Task, number: str, name: str, call: bytes) -> Outcome:
        """Do a task; return how it ended. If it failed, cancel the others."""
        return await self._count(self._perform(Task(self._tasks, number, name, self._own), call))

    async def _perform(self, task: Task, call: bytes) -> Outcome:
        outcome = await self._tasks.perform(task, call)
        if outcome[0] in (FAILED, DIED):
            self.cancel(task)
        return outcome

    def cancel(self, _caller: Task) -> None:
        """Cancel all tasks, and the body of the `with`."""
        self._limit.lift()
        self._tasks.cancel(self._own)

    async def join(self, owner: Task, failed: bool) -> None:
        """Wait until all tasks have ended. The group's own cancellation is no longer a reason to stop waiting."""
        owner.scope = self._outer
        if failed:
            self._tasks.cancel(self._own)
        await self._wait()
        owner.check()  # leaving is a checkpoint, also when the tasks were cancelled first

    async def finish(self, owner: Task) -> None:
        """Cancel all tasks, and wait until they have ended."""
        self._limit.lift()
        owner.scope = self._outer
        await self._end_all()


class Tasks:
    """All tasks of a run that have not ended, `main` first."""

    def __init__(self, run: str, client: Any, new_waiter: Callable[..., Waiter]) -> None:
        self.client = client
        self.loop = asyncio.get_running_loop()
        self.address = ""  # where the board listens for other processes
        self.limited: set[Group] = set()  # the groups that are open and have a time limit
        self.outside_threads = False  # whether a thread that runs no task has made a call
        self._run, self._new_waiter = run, new_waiter
        self.main = Task(self, "main", "main", None)
        self.by_number = {"main": self.main}

    def new_event(self) -> AsyncEvent:
        """Return an event, which a task waits for as it does in a channel."""
        return AsyncEvent(self._new_waiter)

    def unfinished(self) -> list[str]:
        """Return the names of the tasks that have not ended."""
        return sorted(task.name for task in list(self.by_number.values()) if task is not self.main)

    async def perform(self, task: Task, call: bytes, *pool: Any, **options: Any) -> Outcome:
        """Have the cluster do a task, and wait for its end."""
        self.by_number[task.number] = task
        order = asyncio.ensure_future(self._order(task, call, *pool, **options))
        try:
            return await task.outcome
        finally:
            order.cancel()
            self.end(task)

    async def _order(self, task: Task, *call: Any, **options: Any) -> None:
        """Give a task to the cluster. Its worker tells the board how it ended; if not, the task has died."""
        worker, why = "", "the cluster has lost the task"
        key = f"{task.name}-{self._run}-{task.number}"
        place = (self._run, self.address, task.number, task.name)
        try:
            await self.client.submit(work, *place, *call, key=key, pure=False, **options)
        except KilledWorker as killed:
            worker = str(killed.last_worker.address)
            why = f"the worker {worker} died"
        except asyncio.CancelledError, FutureCancelledError:
            pass
        except Exception as error:  # noqa: BLE001 - a worker that has no concmodels, a client whose scheduler is gone
            why = f"the cluster can't do the task: {type(error).__name__}: {error}"
        task.die(worker, why)

    def end(self, task: Task) -> None:
        """Forget a task, and wake the tasks that wait until it has ended."""
        del self.by_number[task.number]
        task.ended.set()

    def lose_all(self, why: str) -> None:
        """Give up all tasks that workers have to do."""
        for task in list(self.by_number.values()):
            if task is not self.main and not task.is_queued():
                task.die("", why)

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
        """Look now and then whether a task can still go on; if none can, end main's wait with what `find` returns."""
        progress = NoProgress(seconds)
        while True:
            await asyncio.sleep(progress.pause)
            waits = self._endless_waits()
            if progress.lasts(waits):
                lines = tuple(task.line(wait) for task, wait in waits.items())
                self.main.stop(find(Deadlock(SENTENCE, lines)))

    def _endless_waits(self) -> dict[Task, Wait]:
        """Return the wait of each task that has begun; an empty dict if one of them can go on."""
        waits = {}
        for task in self.by_number.values():
            wait = task.endless_wait()
            if wait is not None:
                waits[task] = wait
            elif not task.is_queued():
                return {}
        return {} if self.outside_threads or self.limited else waits

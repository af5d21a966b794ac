"""Tasks and groups on Dask's futures.

A task secedes from its worker's pool of threads before it begins: the worker then has room for another. So there are as
many at once as are spawned, however few threads the cluster has. What fails in a task is packed up there and unpacked
here, like the result: Dask itself sees only tasks that end well, unless their worker dies.
"""

import asyncio
import uuid
from itertools import count

from distributed import secede
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from concmodels.errors import TaskCancelled, TaskDied
from concmodels.models.cluster.run import (
    Cancelled,
    Struck,
    Unit,
    Wait,
    World,
    current,
    dumps_call,
    here,
    pack_result,
    unit_in,
    unpack_arrived,
)
from concmodels.models.memory.pickling import pack_error, unpack_error
from concmodels.models.tasks.failures import Failures
from concmodels.models.waiting.timeouts import must_be_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, Self

DONE, FAILED, STOPPED, DIED = "done", "failed", "stopped", "died"

_numbers = count(1)


def work(run: str, name: str, scopes: list[str], call: bytes) -> tuple[str, bytes]:
    """The life of a task, in a thread of a worker: returns how it ended, and its packed result or failure."""
    secede()
    return perform(Unit(World.here(run), name, scopes), call)


def perform(unit: Unit, call: bytes) -> tuple[str, bytes]:
    """Make the call as this task."""
    here.unit = unit
    try:
        function, args, kwargs = unpack_arrived(call, f"the call of task {unit.name!r}")
        return DONE, pack_result(function(*args, **kwargs), f"the result of task {unit.name!r} can't travel")
    except Cancelled:
        return STOPPED, b""
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the task's outcome
        return FAILED, pack_error(error, unit.name)
    finally:
        here.unit = None


class Killed(TaskDied):
    """The worker of a task ended without a word; `worker` is its address."""

    def __init__(self, worker: str) -> None:
        super().__init__(f"the worker {worker} died")
        self.worker = worker


async def outcome_of(future: Any, world: World) -> tuple[str, Any]:
    """Wait for what a task returns, or for the end of its worker. Called in the event loop."""
    try:
        state, data = await _unless_deserted(future, world)
    except KilledWorker as killed:
        return DIED, Killed(str(killed.last_worker.address))
    except asyncio.CancelledError, FutureCancelledError:
        return DIED, TaskDied("the cluster has lost the task")
    except Exception as error:  # noqa: BLE001 - such as a worker that has no concmodels
        return DIED, error
    return state, data


async def _unless_deserted(future: Any, world: World) -> Any:
    ways = [asyncio.ensure_future(future), asyncio.ensure_future(world.deserted.wait())]
    try:
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        if not ways[0].done():
            raise TaskDied("the cluster has no workers any more, so nobody does the task")
        return ways[0].result()
    finally:
        for way in ways:
            way.cancel()


class Task:
    """The handle of a task."""

    def __init__(self, group: TaskGroup, name: str) -> None:
        self.name = name
        self.scope = uuid.uuid4().hex
        self.ended = asyncio.Event()
        self._world = group.world
        self._state = ""
        self._data: Any = b""
        self._error: BaseException | None = None
        self._value: Any = None

    def __repr__(self) -> str:
        return f"<task {self.name!r} {'done' if self.done() else 'running'}>"

    def cancel(self) -> None:
        """Ask the task to end: `Cancelled` is raised where it waits."""
        if not self.done():
            self._world.ask(self._world.cancel(self.scope))

    def done(self) -> bool:
        """Whether it has ended, however it ended."""
        return bool(self._state)

    def result(self, timeout: float | None = None) -> Any:
        """Wait for its end; return what it returned or raise what it raised, `TaskCancelled` if it was cancelled."""
        unit = unit_in(self._world)
        if not self.done():
            self._world.ask(Wait(unit, timeout).event(self.ended), unit)
        if self._state == STOPPED:
            self._world.ask(unit.check(), unit)  # who is cancelled too learns of that, and not of the other's end
            raise TaskCancelled(f"task {self.name!r} was cancelled")
        if self._error is not None:
            raise self._error
        if self._data:
            self._value, self._data = unpack_arrived(self._data, f"the result of task {self.name!r}"), b""
        return self._value

    async def follow(self, future: Any, group: TaskGroup) -> None:
        """Wait for its end in the event loop; if it failed, its group is cancelled."""
        self._world.unfinished.add(self.name)
        state, data = await outcome_of(future, self._world)
        self._world.unfinished.discard(self.name)
        if state in (FAILED, DIED):
            self._error = unpack_error(data) if state == FAILED else data
            self._error.add_note(f"In task {self.name!r}.")
            self._world.begin(self._world.cancel(group.scope))
        else:
            self._data = data
        self._state = state
        self.ended.set()

    @property
    def failure(self) -> BaseException | None:
        """What it brings to its group's end."""
        return self._error


class TaskGroup:
    """Tasks that end together: `with TaskGroup() as group: group.spawn(function, *args)`."""

    def __init__(self) -> None:
        self._unit = current()
        self.world = self._unit.world
        self.scope = uuid.uuid4().hex
        self._open = False
        self._tasks: list[Task] = []
        self._failures = Failures()

    def __enter__(self) -> Self:
        self._unit = current()
        self._outer = list(self._unit.scopes)
        self._unit.scopes.append(self.scope)
        self._open = True
        return self

    def spawn(self, function: Callable[..., Any], *args: Any, name: str | None = None) -> Task:
        """Start `function(*args)` as a task of this group. Raises `CannotTravel` for what can't be pickled."""
        if not self._open:
            raise RuntimeError("this group is not open: spawn inside its `with`")
        must_be_sync(function, "dask")
        call = dumps_call(function, args)
        task = Task(self, name or f"{getattr(function, '__name__', 'task')}-{next(_numbers)}")
        self.world.ask(self._start(task, call))
        self._tasks.append(task)
        return task

    async def _start(self, task: Task, call: bytes) -> None:
        scopes = [*self._outer, self.scope, task.scope]
        key = f"{task.name}-{task.scope}"
        future = self.world.client.submit(work, self.world.run, task.name, scopes, call, key=key, pure=False)
        self.world.begin(task.follow(future, self))

    def cancel(self) -> None:
        """Cancel all its tasks and the body of the `with`; the `with` is then left without an error."""
        self.world.ask(self.world.cancel(self.scope))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if error is not None:
            self._note(error)
        self._unit.scopes.remove(self.scope)  # from here on its own cancellation is no reason to stop waiting
        outer = self.world.ask(self._join(error))
        self._open = False
        for task in self._tasks:
            if task.failure is not None:
                self._failures.add(task.failure)
        self._failures.leave()
        if outer is not None:
            raise outer
        return error is None or isinstance(error, Cancelled)

    def _note(self, error: BaseException) -> None:
        if not isinstance(error, Cancelled):
            self._failures.add(error)

    async def _join(self, error: BaseException | None) -> BaseException | None:
        """Wait until all tasks have ended; returns the cancellation that came from outside meanwhile."""
        outer: BaseException | None = None
        if error is not None:
            await self.world.cancel(self.scope)
        if not self._failures.errors:
            try:
                await self._all_ended()
                await self._unit.check()  # leaving is a checkpoint, also when the tasks were cancelled first
            except (Cancelled, Struck) as reason:
                outer = self._stopped(reason)
                await self.world.cancel(self.scope)
        with self._unit.cleaning_up():
            await self._all_ended()
        return outer

    async def _all_ended(self) -> None:
        for task in self._tasks:
            await Wait(self._unit, None).event(task.ended)

    def _stopped(self, reason: BaseException) -> BaseException | None:
        """What ended the wait early: Ctrl-C leaves as a failure of the group."""
        if isinstance(reason, Cancelled):
            return reason
        assert self._unit.guard is not None
        self._failures.add(self._unit.guard.take())
        return None

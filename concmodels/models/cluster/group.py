"""Tasks and groups on Dask's futures.

A task secedes from its worker's pool of threads before it begins: the worker then has room for another. So there are as
many at once as are spawned, however few threads the cluster has. What fails in a task is pickled there and unpickled
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
    Interrupted,
    RunningTask,
    Wait,
    World,
    current,
    dumps_call,
    here,
    pack_result,
    running_in,
    unpack_arrived,
)
from concmodels.models.memory.pickling import pack_error, unpack_error
from concmodels.models.tasks.failures import ExceptionCollector
from concmodels.models.waiting.timeouts import must_be_sync

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Any, Self

DONE, FAILED, STOPPED, DIED = "done", "failed", "stopped", "died"

_numbers = count(1)


def work(run: str, name: str, scopes: list[str], call: bytes) -> tuple[str, bytes]:
    """Run a task in a thread of a worker. Returns how it ended, and its pickled result or failure."""
    secede()
    return perform(RunningTask(World.here(run), name, scopes), call)


def perform(running: RunningTask, call: bytes) -> tuple[str, bytes]:
    """Make the call as this task; return as `work`."""
    here.running = running
    try:
        function, args, kwargs = unpack_arrived(call, f"the call of task {running.name!r}")
        return DONE, pack_result(function(*args, **kwargs), f"the result of task {running.name!r} can't travel")
    except Cancelled:
        return STOPPED, b""
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is the task's outcome
        return FAILED, pack_error(error, running.name)
    finally:
        here.running = None


class Killed(TaskDied):
    """The worker of a task was killed; `worker` is its address."""

    def __init__(self, worker: str) -> None:
        super().__init__(f"the worker {worker} died")
        self.worker = worker


async def outcome_of(future: Any, world: World) -> tuple[str, Any]:
    """Wait for what `work` returns, or for the death of the worker. Called in the event loop."""
    try:
        state, data = await _unless_no_workers(future, world)
    except KilledWorker as killed:
        return DIED, Killed(str(killed.last_worker.address))
    except asyncio.CancelledError, FutureCancelledError:
        return DIED, TaskDied("the cluster has lost the task")
    except Exception as error:  # noqa: BLE001 - such as a worker that has no concmodels
        return DIED, error
    return state, data


async def _unless_no_workers(future: Any, world: World) -> Any:
    """Wait for a future. Raises `TaskDied` once the cluster has no workers any more."""
    ways = [asyncio.ensure_future(future), asyncio.ensure_future(world.no_workers.wait())]
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
        """Whether the task has ended, however it ended."""
        return bool(self._state)

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the end of the task; return what it returned or raise what it raised.

        Raises `TaskCancelled` if it was cancelled.
        """
        running = running_in(self._world)
        if not self.done():
            self._world.ask(Wait(running, timeout).event(self.ended), running)
        if self._state == STOPPED:
            # If the caller was cancelled too, it must learn of that, and not of the other task's end.
            self._world.ask(running.check(), running)
            raise TaskCancelled(f"task {self.name!r} was cancelled")
        if self._error is not None:
            raise self._error
        if self._data:
            self._value, self._data = unpack_arrived(self._data, f"the result of task {self.name!r}"), b""
        return self._value

    async def follow(self, future: Any, group: TaskGroup) -> None:
        """Wait for the end of the task in the event loop; if it failed, cancel its group."""
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
        """The error that the task brings to the end of its group, if it has failed."""
        return self._error


class TaskGroup:
    """Tasks that end together: `with TaskGroup() as group: group.spawn(function, *args)`."""

    def __init__(self) -> None:
        self._owner = current()
        self.world = self._owner.world
        self.scope = uuid.uuid4().hex
        self._open = False
        self._tasks: list[Task] = []
        self._failures = ExceptionCollector()

    def __enter__(self) -> Self:
        self._owner = current()
        self._outer = list(self._owner.scopes)
        self._owner.scopes.append(self.scope)
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
        self._owner.scopes.remove(self.scope)  # from here on its own cancellation is no reason to stop waiting
        outer = self.world.ask(self._join(error))
        self._open = False
        for task in self._tasks:
            if task.failure is not None:
                self._failures.add(task.failure)
        self._failures.raise_all()
        if outer is not None:
            raise outer
        return error is None or isinstance(error, Cancelled)

    def _note(self, error: BaseException) -> None:
        if not isinstance(error, Cancelled):
            self._failures.add(error)

    async def _join(self, error: BaseException | None) -> BaseException | None:
        """Wait until all tasks have ended; return the cancellation that came from outside meanwhile."""
        outer: BaseException | None = None
        if error is not None:
            await self.world.cancel(self.scope)
        if not self._failures.errors:
            try:
                await self._all_ended()
                await self._owner.check()  # leaving is a checkpoint, also when the tasks were cancelled first
            except (Cancelled, Interrupted) as reason:
                outer = self._stopped(reason)
                await self.world.cancel(self.scope)
        with self._owner.cleaning_up():
            await self._all_ended()
        return outer

    async def _all_ended(self) -> None:
        for task in self._tasks:
            await Wait(self._owner, None).event(task.ended)

    def _stopped(self, reason: BaseException) -> BaseException | None:
        """Return the cancellation that ended the wait early; note Ctrl-C, which leaves as a failure of the group."""
        if isinstance(reason, Cancelled):
            return reason
        assert self._owner.guard is not None
        self._failures.add(self._owner.guard.take())
        return None

"""A task of a pool: the call in a worker's thread, and the future that the program waits for."""

import asyncio
import uuid
from concurrent.futures import Future as _Future

from distributed import secede

from concmodels.errors import CannotTravel, TaskCancelled, TaskDied, WorkerDied
from concmodels.models.cluster.group import DIED, DONE, FAILED, Killed, perform
from concmodels.models.cluster.run import RunningTask, Wait, World, running_in, unpack_arrived
from concmodels.models.memory.pickling import pack_error, unpack_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NOT_PREPARED = "not prepared"
"""How a task ends if the initializer has failed."""

_ready: set[str] = set()
"""The pools whose initializer was called in this process."""


# In a worker.


def prepare(run: str, pool: str, scopes: list[str], start: bytes) -> tuple[str, bytes]:
    """Call the initializer, as one worker of the pool."""
    secede()
    state, data = _start(RunningTask(World.here(run), "initializer", scopes), pool, start)
    return (NOT_PREPARED, data) if state == FAILED else (state, data)


def _start(running: RunningTask, pool: str, start: bytes) -> tuple[str, bytes]:
    outcome = perform(running, start)
    if outcome[0] == DONE:
        _ready.add(pool)
    return outcome


def job(
    run: str, pool: str, task: str, scopes: list[str], name: str, start: bytes, spare: bool, call: bytes
) -> tuple[str, bytes]:
    """Call the function. `spare` says that the pool has more workers than the cluster has threads: it needs its own."""
    if spare:
        secede()
    running = RunningTask(World.here(run), name, scopes)
    running.pool, running.task, running.seceded = pool, task, spare
    if start and pool not in _ready:  # a process that came later
        state, data = _start(running, pool, start)
        if state != DONE:
            return (NOT_PREPARED, data) if state == FAILED else (state, data)
    return perform(running, call)


def each(fn: Callable[..., Any], chunk: tuple[tuple[Any, ...], ...]) -> tuple[list[Any], bytes]:
    """Return the results of one chunk of a map up to the first failure, and that failure pickled."""
    values: list[Any] = []
    for args in chunk:
        try:
            values.append(fn(*args))
        except Exception as error:  # noqa: BLE001 - it is raised where the results are taken
            return values, pack_error(error, name_of(fn))
    return values, b""


def name_of(function: Callable[..., Any]) -> str:
    """The name of a function, for messages."""
    return getattr(function, "__name__", "task")


# At the pool.


class Future(_Future):  # type: ignore[type-arg] # its result is whatever the function returns
    """The standard library's future; a task that waits for its result can be cancelled there."""

    def __init__(self, world: World, name: str) -> None:
        super().__init__()
        self.name = name
        self._world = world
        self._number = uuid.uuid4().hex
        self._ended = ended = asyncio.Event()
        # The callback refers to the event alone: in a circle with its callback, the future would keep its result alive.
        self.add_done_callback(lambda _: world.loop.call_soon_threadsafe(ended.set))
        world.known[self._number] = self

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the result, or raise what the task raised; see `concurrent.futures.Future.result`."""
        self._wait(timeout)
        try:
            return super().result(timeout=0)
        except TaskCancelled:
            running = running_in(self._world)
            if not self._world.over:
                # If the caller was cancelled too, it must learn of that, and not of the other task's end.
                self._world.ask(running.check(), running)
            raise
        finally:
            del self  # the exception holds this frame, and would keep the future alive

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait for the end; return what the task raised, if anything."""
        self._wait(timeout)
        return super().exception(timeout=0)

    def _wait(self, timeout: float | None) -> None:
        if not self.done():
            running = running_in(self._world)
            self._world.ask(Wait(running, timeout).event(self._ended), running)

    def end(self, state: str, data: Any) -> None:
        """Set the outcome of the task."""
        if state == DONE:
            self._arrive(data)
        elif state == FAILED:
            self.set_exception(unpack_error(data))
        elif state == DIED:
            self.set_exception(_death(data, self.name))
        else:
            self.set_exception(TaskCancelled(f"task {self.name!r} was cancelled"))

    def _arrive(self, data: bytes) -> None:
        try:
            self.set_result(unpack_arrived(data, f"the result of task {self.name!r}"))
        except CannotTravel as error:
            self.set_exception(error)

    def drop(self, error: BaseException) -> None:
        """Fail a task that no worker will begin."""
        if self.set_running_or_notify_cancel():
            self.set_exception(error)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        """Pickle a future as its number. It is known only in the process where it was made."""
        return revive, (self._world.run, self._number)


def revive(run: str, number: str) -> Any:
    """Unpickle a future. Raises `RuntimeError` in another process than its own."""
    found = World.here(run).known.get(number)
    if found is None:
        raise RuntimeError("this future is not here: it belongs to another process, or nobody holds it any more")
    return found


def _death(reason: BaseException, name: str) -> BaseException:
    if isinstance(reason, Killed):
        return WorkerDied(f"worker {reason.worker} died in task {name!r}", reason.worker)
    return WorkerDied(f"{reason} (task {name!r})") if isinstance(reason, TaskDied) else reason

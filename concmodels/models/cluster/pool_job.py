"""A pool's task on its way: the call in a worker's thread, and the future that somebody waits for."""

import asyncio
import uuid
from concurrent.futures import Future as _Future

from distributed import secede

from concmodels.errors import CannotTravel, TaskCancelled, TaskDied, WorkerDied
from concmodels.models.cluster.group import DIED, DONE, FAILED, Killed, perform
from concmodels.models.cluster.run import Unit, Wait, World, unit_in, unpack_arrived
from concmodels.models.memory.pickling import pack_error, unpack_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

UNFIT = "unfit"
"""How a task ends when the initializer has failed."""

_ready: set[str] = set()
"""The pools whose initializer was called in this process."""


# In a worker.


def prepare(run: str, pool: str, scopes: list[str], start: bytes) -> tuple[str, bytes]:
    """Call the initializer, as one worker of the pool."""
    secede()
    state, data = _start(Unit(World.here(run), "initializer", scopes), pool, start)
    return (UNFIT, data) if state == FAILED else (state, data)


def _start(unit: Unit, pool: str, start: bytes) -> tuple[str, bytes]:
    outcome = perform(unit, start)
    if outcome[0] == DONE:
        _ready.add(pool)
    return outcome


def job(
    run: str, pool: str, task: str, scopes: list[str], name: str, start: bytes, spare: bool, call: bytes
) -> tuple[str, bytes]:
    """Call the function. `spare`: the cluster has no thread for this, so it brings its own."""
    if spare:
        secede()
    unit = Unit(World.here(run), name, scopes)
    unit.pool, unit.task, unit.seceded = pool, task, spare
    if start and pool not in _ready:  # a process that came later
        state, data = _start(unit, pool, start)
        if state != DONE:
            return (UNFIT, data) if state == FAILED else (state, data)
    return perform(unit, call)


def each(fn: Callable[..., Any], chunk: tuple[tuple[Any, ...], ...]) -> tuple[list[Any], bytes]:
    """Return the results of one chunk of a map, up to the first failure; and that, packed."""
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
    """The standard library's future; who waits for its result can be cancelled there."""

    def __init__(self, world: World, name: str) -> None:
        super().__init__()
        self.name = name
        self._world = world
        self._number = uuid.uuid4().hex
        self._ended = ended = asyncio.Event()
        # Of the event alone, not of this future: in a circle with its callback it would keep its result alive.
        self.add_done_callback(lambda _: world.loop.call_soon_threadsafe(ended.set))
        world.known[self._number] = self

    def result(self, timeout: float | None = None) -> Any:
        """Wait for the result, or raise what the task raised; see `concurrent.futures.Future.result`."""
        self._wait(timeout)
        try:
            return super().result(timeout=0)
        except TaskCancelled:
            unit = unit_in(self._world)
            if not self._world.over:
                self._world.ask(unit.check(), unit)  # who is cancelled too learns of that, and not of the other's end
            raise
        finally:
            del self  # its exception holds this frame

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """Wait for the end; return what the task raised, if anything."""
        self._wait(timeout)
        return super().exception(timeout=0)

    def _wait(self, timeout: float | None) -> None:
        if not self.done():
            unit = unit_in(self._world)
            self._world.ask(Wait(unit, timeout).event(self._ended), unit)

    def end(self, state: str, data: Any) -> None:
        """Publish how the task has ended."""
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
        """Nobody will begin it."""
        if self.set_running_or_notify_cancel():
            self.set_exception(error)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[str, str]]:
        """It travels as its number, and is only known in the process where it was made."""
        return revive, (self._world.run, self._number)


def revive(run: str, number: str) -> Any:
    """A future that arrives. Raises `RuntimeError` in another process."""
    found = World.here(run).known.get(number)
    if found is None:
        raise RuntimeError("this future is not here: it belongs to another process, or nobody holds it any more")
    return found


def _death(reason: BaseException, name: str) -> BaseException:
    if isinstance(reason, Killed):
        return WorkerDied(f"worker {reason.worker} died in task {name!r}", reason.worker)
    return WorkerDied(f"{reason} (task {name!r})") if isinstance(reason, TaskDied) else reason

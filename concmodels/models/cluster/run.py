"""What a task on a Dask cluster knows: its world (a client and its event loop), its scopes, and how it waits.

Everything that Dask does happens in the client's event loop. A verb of the model is a coroutine there, and the task's
thread waits for it. So what takes several messages to the scheduler is never left half done, Ctrl-C or not.

A task on another machine can't be woken for a cancellation. So it waits in slices, on an `Event` that the scheduler
keeps, and after each slice that ended in nothing it asks the scheduler which scopes were cancelled: they stand in a log
that only grows.
"""

import asyncio
import threading
import time
from contextlib import contextmanager
from itertools import count
from threading import get_ident
from weakref import WeakValueDictionary

from distributed import Client, get_client
from distributed.comm.core import CommClosedError
from distributed.protocol.pickle import dumps as _dumps
from distributed.protocol.pickle import loads as _loads

from concmodels.errors import CannotTravel
from concmodels.models.memory.pickling import told
from concmodels.models.waiting.timeouts import deadline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterator
    from typing import Any

    from concmodels.models.tasks.interrupts import Guard

FIRST_S, LONGEST_S = 0.02, 0.25
"""The first and the longest slice of a wait; each is twice the one before. A cancellation is raised at its end."""

TURN = 64
"""The number of channel operations after which a task that never has to wait looks whether it was cancelled."""

EVENTS = RECEIVERS, SENDERS = "receivers", "senders"
"""The events of a channel, by the tasks that wait for them."""

_OPENED = "opened "


class Cancelled(BaseException):
    """Raised where a cancelled task waits. Swallow it, and the next wait raises it again."""


class Interrupted(Exception):
    """Raised in the event loop when Ctrl-C came while main waits; main's thread raises the real interrupt."""


class World:
    """One run, as this process sees it. In a worker process of a cluster it is made when the first task arrives."""

    def __init__(self, run: str, client: Client, loop: asyncio.AbstractEventLoop, *, embedded: bool = False) -> None:
        self.run = run
        self.embedded = embedded
        self.client = client
        self.loop = loop
        self.over = False
        self.cancelled: set[str] = set()
        self.channels: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self.known: WeakValueDictionary[str, Any] = WeakValueDictionary()  # the futures that were made here
        self.pools: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self.no_workers = asyncio.Event()  # set when the cluster has had no workers for a while
        self.loop_calls: set[asyncio.Task[Any]] = set()
        self.unfinished: set[str] = set()  # the names of the tasks that were started here
        self._loop_thread = 0
        loop.call_soon_threadsafe(self._look_where)
        with _lock:
            _worlds[run] = self

    def _look_where(self) -> None:
        self._loop_thread = get_ident()

    @staticmethod
    def here(run: str) -> World:
        """The world of a run. Raises `RuntimeError` if the run is over, or on another cluster."""
        with _lock:
            world = _worlds.get(run)
        if world is not None:
            return world
        try:
            client = get_client()
        except ValueError:
            raise RuntimeError("this belongs to a run that is over, or to one on another cluster") from None
        return World(run, client, _loop_of(client))

    def ask[R](self, loop_call: Coroutine[Any, Any, R], running: RunningTask | None = None) -> R:
        """Have the event loop run a coroutine, and wait for its result.

        Raises `RuntimeError` if the run is over, and `ConnectionError` if the cluster is gone.
        """
        if self.over or get_ident() == self._loop_thread:
            loop_call.close()
            what = "belongs to a run that is over" if self.over else "would wait in the thread of Dask's event loop"
            raise RuntimeError(f"this {what}")
        try:
            return asyncio.run_coroutine_threadsafe(loop_call, self.loop).result()
        except Interrupted:
            assert running is not None and running.guard is not None
            running.guard.land()
            raise
        except (Exception, asyncio.CancelledError) as error:
            if self.client.status == "running" and not isinstance(error, CommClosedError):
                raise
            raise ConnectionError("the connection to the Dask cluster is lost") from error

    def begin(self, loop_call: Coroutine[Any, Any, Any]) -> None:
        """Have the event loop run a coroutine in the background. Called in the event loop."""
        task = self.loop.create_task(loop_call)
        self.loop_calls.add(task)
        task.add_done_callback(self.loop_calls.discard)

    async def cancel(self, scope: str) -> None:
        """Cancel a scope, in all processes."""
        self.cancelled.add(scope)
        await self.client.log_event(self.run, scope)

    async def catch_up(self) -> set[str]:
        """Read the log of the run; return all scopes that were cancelled so far."""
        log = await self.client.get_events(self.run)
        self.cancelled.update(text for _, text in log if not text.startswith(_OPENED))
        return self.cancelled

    async def opened(self, queue: str) -> None:
        """Note in the log that this process holds this queue: the run closes it as often at its end."""
        await self.client.log_event(self.run, _OPENED + queue)

    async def all_opened(self) -> list[str]:
        """Return the names of the queues that were opened, as often as they were."""
        log = await self.client.get_events(self.run)
        return [text.removeprefix(_OPENED) for _, text in log if text.startswith(_OPENED)]


def _loop_of(client: Any) -> asyncio.AbstractEventLoop:
    loop: asyncio.AbstractEventLoop = client.loop.asyncio_loop
    return loop


_worlds: WeakValueDictionary[str, World] = WeakValueDictionary()
_lock = threading.Lock()


class RunningTask:
    """One task, in the thread that it runs in. The cancellation of any of its `scopes` ends it."""

    def __init__(self, world: World, name: str, scopes: list[str], guard: Guard | None = None) -> None:
        self.world = world
        self.name = name
        self.scopes = scopes
        self.guard = guard  # main's only
        self.shielded = False
        self._turns = count(1)
        self.pool = self.task = ""  # the pool that it is a task of, and which one
        self.seceded = False  # in a pool: whether it has left its worker's pool of threads

    async def check(self) -> None:
        """Raise `Cancelled`, or `Interrupted`, if it is time to stop. Called where nothing is half done."""
        if self.shielded:
            return
        if self.guard is not None and self.guard.pending:
            raise Interrupted
        if self.scopes and not (await self.world.catch_up()).isdisjoint(self.scopes):
            raise Cancelled(f"task {self.name!r} was cancelled")

    async def take_turn(self) -> None:
        """Check as `check` at every so many operations, for a task that never has to wait."""
        if next(self._turns) % TURN == 0:
            await self.check()

    @contextmanager
    def cleaning_up(self) -> Iterator[None]:
        """Let nothing end the waits in this block but a second Ctrl-C, which ends the program."""
        before, self.shielded = self.shielded, True
        if self.guard is not None:
            self.guard.cleaning_up = True
        try:
            yield
        finally:
            self.shielded = before
            if self.guard is not None:
                self.guard.cleaning_up = False


class _Here(threading.local):
    running: RunningTask | None = None


here = _Here()


def current() -> RunningTask:
    """The task that runs in this thread. Raises `RuntimeError` outside a run."""
    if here.running is None:
        raise RuntimeError("a channel, a group or a pool of dask is made inside dask.run, in its tasks")
    return here.running


def running_in(world: World) -> RunningTask:
    """The task that runs in this thread; for a thread that is none, a new one that nobody cancels."""
    return here.running or RunningTask(world, threading.current_thread().name, [])


class Wait:
    """One wait of one task, slice by slice."""

    def __init__(self, running: RunningTask, timeout: float | None, first: float = FIRST_S) -> None:
        self.running = running
        self._until = deadline(timeout)
        self._slice = first

    def is_over(self) -> bool:
        """Whether the timeout is over."""
        return self._until is not None and time.monotonic() >= self._until

    async def slice(self, attempt: Callable[[float], Awaitable[Any]]) -> None:
        """Wait for one slice: `attempt` takes its seconds, and says whether it came. Raises as `RunningTask.check`."""
        seconds, self._slice = self._slice, min(2 * self._slice, LONGEST_S)
        if self._until is not None:
            seconds = min(seconds, max(0.001, self._until - time.monotonic()))
        if not await attempt(seconds):
            await self.running.check()

    async def event(self, event: asyncio.Event) -> None:
        """Wait for an event of this process. Raises `TimeoutError`, and as `RunningTask.check`."""
        while not event.is_set():
            if self.is_over():
                raise TimeoutError("it did not happen in time")
            await self.slice(lambda seconds: _happens(event, seconds))


async def _happens(event: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except TimeoutError:
        return False
    return True


async def nap(seconds: float) -> bool:
    """Sleep for one slice."""
    await asyncio.sleep(seconds)
    return False


# Pickling by Dask's own rules, which take functions of the main program and lambdas along by value.


def dumps(item: object) -> bytes:
    """Pickle an item of a channel. Raises `CannotTravel`."""
    return pack_result(item, f"a {type(item).__name__} can't travel through this channel")


def pack_result(value: object, refusal: str) -> bytes:
    """Pickle what a task returned. Raises `CannotTravel`, which says this refusal and the reason."""
    try:
        return bytes(_dumps(value))
    except Exception as error:
        raise CannotTravel(f"{refusal}: {told(error)}") from error


def unpack_arrived(data: bytes, what: str) -> Any:
    """Unpickle what the program has sent. Raises `CannotTravel` if that is impossible here; `what` names it."""
    try:
        return _loads(data)
    except Exception as error:
        raise CannotTravel(f"{what} can't be unpickled where it arrives: {told(error)}") from error


def dumps_call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> bytes:
    """Pickle a call. Raises `CannotTravel`, which names the part that can't be pickled."""
    if not callable(function):
        raise TypeError(f"a function is needed, not {function!r}")
    try:
        return bytes(_dumps((function, args, kwargs or {})))
    except Exception as error:
        parts = [("the function", function), *((f"argument {number}", value) for number, value in enumerate(args, 1))]
        what = next((f"{part} ({_name(value)})" for part, value in parts if not _travels(value)), "this call")
        raise CannotTravel(f"{what} can't travel to a worker: {told(error)}") from error


def _travels(value: object) -> bool:
    try:
        _dumps(value)
    except Exception:  # noqa: BLE001 - any error says that it can't be pickled
        return False
    return True


def _name(value: object) -> str:
    return getattr(value, "__qualname__", None) or f"a {type(value).__name__}"

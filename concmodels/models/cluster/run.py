"""What a task on a Dask cluster knows: its world (a client and its event loop), its scopes, and how it waits.

Everything that Dask does happens in the client's event loop. A verb of the model is a coroutine there, and the task's
thread waits for it: so whatever takes several messages to the scheduler is never left half done, Ctrl-C or not.

Nobody can wake a task from far away. So it waits in slices, on an `Event` that the scheduler keeps, and after each
slice that ended in nothing it asks the scheduler which scopes were cancelled: they stand in a log that only grows.
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
"""The first slice of a wait, and the longest; each is twice the one before. A cancellation strikes at its end."""

TURN = 64
"""After so many operations of a channel, a task that never has to wait looks whether it was cancelled."""

BELLS = RECEIVERS, SENDERS = "receivers", "senders"
"""The bells of a channel: who waits for them."""

_OPENED = "opened "


class Cancelled(BaseException):
    """Raised where a cancelled task waits. Swallow it, and the next wait raises it again."""


class Struck(Exception):
    """Ctrl-C has struck while main waits; brings the news from the event loop to main's thread."""


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
        self.known: WeakValueDictionary[str, Any] = WeakValueDictionary()  # what travels only within this process
        self.pools: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self.deserted = asyncio.Event()  # the cluster has had no workers for a while
        self.errands: set[asyncio.Task[Any]] = set()
        self.unfinished: set[str] = set()  # the names of the tasks that were started here
        self._loop_thread = 0
        loop.call_soon_threadsafe(self._look_where)
        with _lock:
            _worlds[run] = self

    def _look_where(self) -> None:
        self._loop_thread = get_ident()

    @staticmethod
    def here(run: str) -> World:
        """The world of this run. Raises `RuntimeError` if it is over, or another cluster's."""
        with _lock:
            world = _worlds.get(run)
        if world is not None:
            return world
        try:
            client = get_client()
        except ValueError:
            raise RuntimeError("this belongs to a run that is over, or to one on another cluster") from None
        return World(run, client, _loop_of(client))

    def ask[R](self, errand: Coroutine[Any, Any, R], unit: Unit | None = None) -> R:
        """Have the event loop do this, and wait for it.

        Raises `RuntimeError` when the run is over, and `ConnectionError` when the cluster is.
        """
        if self.over or get_ident() == self._loop_thread:
            errand.close()
            what = "belongs to a run that is over" if self.over else "would wait in the thread of Dask's event loop"
            raise RuntimeError(f"this {what}")
        try:
            return asyncio.run_coroutine_threadsafe(errand, self.loop).result()
        except Struck:
            assert unit is not None and unit.guard is not None
            unit.guard.land()
            raise
        except (Exception, asyncio.CancelledError) as error:
            if self.client.status == "running" and not isinstance(error, CommClosedError):
                raise
            raise ConnectionError("the connection to the Dask cluster is lost") from error

    def begin(self, errand: Coroutine[Any, Any, Any]) -> None:
        """Have it done by and by. Called in the event loop."""
        task = self.loop.create_task(errand)
        self.errands.add(task)
        task.add_done_callback(self.errands.discard)

    async def cancel(self, scope: str) -> None:
        """Cancel a scope, for everybody."""
        self.cancelled.add(scope)
        await self.client.log_event(self.run, scope)

    async def catch_up(self) -> set[str]:
        """Return all scopes that were cancelled so far."""
        log = await self.client.get_events(self.run)
        self.cancelled.update(text for _, text in log if not text.startswith(_OPENED))
        return self.cancelled

    async def opened(self, queue: str) -> None:
        """Have it known that this process holds this queue: the run closes it as often at its end."""
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


class Unit:
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
        """Raise `Cancelled`, or `Struck`, if it is time to stop. Called where nothing is half done."""
        if self.shielded:
            return
        if self.guard is not None and self.guard.pending:
            raise Struck
        if self.scopes and not (await self.world.catch_up()).isdisjoint(self.scopes):
            raise Cancelled(f"task {self.name!r} was cancelled")

    async def take_turn(self) -> None:
        """As `check`, now and then: for a task that never has to wait."""
        if next(self._turns) % TURN == 0:
            await self.check()

    @contextmanager
    def cleaning_up(self) -> Iterator[None]:
        """Nothing ends its waits in this block but a second Ctrl-C, which ends the program."""
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
    unit: Unit | None = None


here = _Here()


def current() -> Unit:
    """The task of this thread. Raises `RuntimeError` outside a run."""
    if here.unit is None:
        raise RuntimeError("a channel, a group or a pool of dask is made inside dask.run, in its tasks")
    return here.unit


def unit_in(world: World) -> Unit:
    """The task of this thread; a thread that is none gets a stand-in, which nobody cancels."""
    return here.unit or Unit(world, threading.current_thread().name, [])


class Wait:
    """One wait of one task, slice by slice."""

    def __init__(self, unit: Unit, timeout: float | None, first: float = FIRST_S) -> None:
        self.unit = unit
        self._until = deadline(timeout)
        self._slice = first

    def is_over(self) -> bool:
        """Whether the timeout has struck."""
        return self._until is not None and time.monotonic() >= self._until

    async def slice(self, attempt: Callable[[float], Awaitable[Any]]) -> None:
        """Wait for at most so many seconds; `attempt` says False when nothing came. Raises as `Unit.check`."""
        seconds, self._slice = self._slice, min(2 * self._slice, LONGEST_S)
        if self._until is not None:
            seconds = min(seconds, max(0.001, self._until - time.monotonic()))
        if not await attempt(seconds):
            await self.unit.check()

    async def event(self, event: asyncio.Event) -> None:
        """Wait for an event of this process. Raises `TimeoutError`, and as `Unit.check`."""
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


# What travels: Dask's own pickle, which takes functions of the main program and lambdas along by value.


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
    """Unpickle what the program sends. Raises `CannotTravel` if it could leave the other side but can't arrive here."""
    try:
        return _loads(data)
    except Exception as error:
        raise CannotTravel(f"{what} can't be unpickled where it arrives: {told(error)}") from error


def dumps_call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> bytes:
    """Pickle a call. Raises `CannotTravel`, which names what can't."""
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
    except Exception:  # noqa: BLE001 - whatever it is, it can't travel
        return False
    return True


def _name(value: object) -> str:
    return getattr(value, "__qualname__", None) or f"a {type(value).__name__}"

"""anyio: one API over asyncio and trio.

unit          one anyio task per task, which is a task of the backend
scheduler     the backend's loop; cooperative
message       by reference
parallel      no: one loop, one thread
cancellation  by scope as in trio, on both backends: swallowed, it is raised again at every wait

`anyio` runs on asyncio, `anyio:trio` on trio; the code below is the same and uses anyio's own primitives only.

Limitations: as for its backends. On asyncio, a cancellation that strikes in the same turn of the loop in which another
task takes the item of a waiting `send` leaves that item delivered. To see a deadlock, the room looks at the backend's
loop itself, which anyio does not show; what hides one is said in the rooms of asyncio and trio.
"""

import math
import time
from asyncio import CancelledError as Cancelled

import anyio
import anyio.lowlevel

from concmodels.models._async_pool import AsyncPool
from concmodels.models._awaiting import AsyncChannel, AsyncUnbounded
from concmodels.models._cooperative import LoneWaiter
from concmodels.models._deadlock import DEADLOCK_AFTER, patience
from concmodels.models._failures import Failures
from concmodels.models._interrupt import LoopGuard
from concmodels.models._loop_watches import AsyncioWatch, TrioWatch
from concmodels.models._room import Room
from concmodels.models._scoped import ScopedGroup
from concmodels.models._select import select_async
from concmodels.models._share import share
from concmodels.models._waiting import turns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any, Self

    from concmodels.errors import Selected

__all__ = ["Cancelled", "Channel", "Pool", "TaskGroup", "now", "run", "select", "share", "sleep", "variant"]

now = time.monotonic


def run[R](main: Callable[..., Awaitable[R]], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` on asyncio and return its result; see `concmodels.contract.Room.run`."""
    return _run("asyncio", main, args, deadlock_after)


def _run_on_trio[R](main: Callable[..., Awaitable[R]], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` on trio and return its result; see `concmodels.contract.Room.run`."""
    return _run("trio", main, args, deadlock_after)


def _run[R](backend: str, main: Callable[..., Awaitable[R]], args: tuple[Any, ...], deadlock_after: float | None) -> R:
    seconds = patience(deadlock_after)
    with Failures.bare_interrupts():
        return anyio.run(_guarded, main, args, seconds, backend=backend)


async def _guarded[R](main: Callable[..., Awaitable[R]], args: tuple[Any, ...], seconds: float | None) -> R:
    loop: Any = anyio.lowlevel.current_token().native_token
    soon = getattr(loop, "run_sync_soon", None)  # only trio has it
    scope, kind = anyio.CancelScope(), AsyncioWatch if soon is None else TrioWatch
    with (
        LoopGuard(soon or loop.call_soon_threadsafe),
        kind(seconds, scope.cancel, (ScopedGroup.__aexit__.__code__,)) as watch,
    ):
        with scope:
            return await main(*args)
        raise watch.verdict()  # nobody else cancels this scope


async def sleep(seconds: float) -> None:
    """Sleep; the other tasks run meanwhile. A checkpoint."""
    await anyio.sleep(max(0, seconds))


class _Waiter(LoneWaiter):
    """A task waits for an event of its own."""

    __slots__ = ("_bell",)

    def __init__(self, item: Any = None) -> None:
        self.item = item
        self.outcome = ""
        self._bell = anyio.Event()

    def park(self, timeout: float | None) -> Awaitable[None]:
        """Wait until woken, at most `timeout` seconds."""
        return self._bell.wait() if timeout is None else self._park(timeout)

    async def _park(self, timeout: float) -> None:
        with anyio.move_on_after(timeout):
            await self._bell.wait()

    def wake(self) -> None:
        self._bell.set()


class TaskGroup(ScopedGroup):
    """An anyio task group that leaves each exception once, and interrupts bare."""

    open_group = anyio.create_task_group
    new_scope = anyio.CancelScope
    waiter_type = _Waiter
    checkpoint = staticmethod(anyio.lowlevel.checkpoint)
    cancelled_type = staticmethod(anyio.get_cancelled_exc_class)


class Channel(AsyncChannel):
    """A channel between the tasks of one run."""

    _new_waiter = _Waiter
    _turns = turns()
    _visit_scheduler = staticmethod(anyio.lowlevel.checkpoint)

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return super().__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]


async def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait for the first of several channels; see `concmodels.contract.Room.select`."""
    return await select_async(Channel, cases, timeout, priority)


class Pool(AsyncPool):
    """Workers that are tasks; see `concmodels.contract.AsyncPool`."""

    Channel = Channel
    TaskGroup = TaskGroup
    here = staticmethod(anyio.get_current_task)
    cancelled_type = staticmethod(anyio.get_cancelled_exc_class)

    @staticmethod
    def is_cancelled() -> bool:
        """Whether this task was cancelled, and not only something that it awaited."""
        return anyio.get_current_task().has_pending_cancellation()


class _Unbounded(AsyncUnbounded, Channel):
    """`Channel(math.inf)`: nobody waits for room."""


def variant(name: str) -> Room:
    """The room on trio."""
    if name != "trio":
        raise KeyError(name)
    from trio import Cancelled as trio_cancelled  # only here: on asyncio trio need not be installed

    return Room(
        "anyio:trio",
        run=_run_on_trio,
        select=select,
        sleep=sleep,
        now=now,
        Channel=Channel,
        TaskGroup=TaskGroup,
        find_pool=lambda: Pool,
        share=share,
        Cancelled=trio_cancelled,
    )

"""anyio: one API over asyncio and trio.

unit          one anyio task per task, which is a task of the backend
scheduler     the backend's loop; cooperative
message       by reference
parallel      no: one loop, one thread
cancellation  by scope as in trio, on both backends: swallowed, it is raised again at every wait

`anyio` runs on asyncio, `anyio:trio` on trio; the code below is the same. Groups, scopes and clocks are anyio's own. A
task that waits does so as in the models of the backends, on a future or until trio reschedules it: whoever would serve
it must see whether it has been cancelled, and an `anyio.Event` does not show that.

Limitations: as for its backends. To see a deadlock, the model looks at the backend's loop itself, which anyio does not
show; what hides one is said in the models of asyncio and trio.
"""

import asyncio
import math
import sys
import time
from asyncio import CancelledError as Cancelled

import anyio
import anyio.lowlevel

from concmodels.errors import Terminated
from concmodels.models.deadlocks.loops import AsyncioWatch, TrioWatch
from concmodels.models.deadlocks.report import DEADLOCK_AFTER, patience
from concmodels.models.pools.awaited import AsyncPool
from concmodels.models.sharing import share
from concmodels.models.tasks.failures import bare_interrupts
from concmodels.models.tasks.loop_interrupts import LoopGuard, MainSight, cancel_again
from concmodels.models.tasks.nesting import Loop, refusal_in_loop
from concmodels.models.tasks.nursery import NurseryGroup
from concmodels.models.variant import Model
from concmodels.models.waiting.asyncio_waiter import FutureWaiter, raise_postponed
from concmodels.models.waiting.awaited import AsyncChannel, AsyncUnbounded
from concmodels.models.waiting.channel import turns
from concmodels.models.waiting.select import select_async
from concmodels.models.waiting.timeouts import seconds_to_sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from types import CodeType
    from typing import Any, Self

    from concmodels.errors import Selected
    from concmodels.models.waiting.channel import Waiter

__all__ = ["Cancelled", "Channel", "Pool", "TaskGroup", "now", "run", "select", "share", "sleep", "variant"]

now = time.monotonic


def run[R](main: Callable[..., Awaitable[R]], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` on asyncio and return its result; see `concmodels.contract.Model.run`."""
    return _run("asyncio", main, args, deadlock_after)


def _run_on_trio[R](main: Callable[..., Awaitable[R]], *args: Any, deadlock_after: float | None = DEADLOCK_AFTER) -> R:
    """Run `main(*args)` on trio and return its result; see `concmodels.contract.Model.run`."""
    return _run("trio", main, args, deadlock_after)


def _run[R](backend: str, main: Callable[..., Awaitable[R]], args: tuple[Any, ...], deadlock_after: float | None) -> R:
    model = "anyio" if backend == "asyncio" else f"anyio:{backend}"
    if running := _backend_here():
        raise refusal_in_loop(model, running)
    seconds = patience(deadlock_after)
    with bare_interrupts(), Loop(model, backend):
        return anyio.run(_guarded, main, args, seconds, backend=backend)


def _backend_here() -> str | None:
    """The library whose loop runs in this thread; anyio starts no second one beside it, not even of the other kind."""
    try:
        return "asyncio" if anyio.get_cancelled_exc_class() is Cancelled else "trio"
    except RuntimeError:
        return None


async def _guarded[R](main: Callable[..., Awaitable[R]], args: tuple[Any, ...], seconds: float | None) -> R:
    loop: Any = anyio.lowlevel.current_token().native_token
    soon = getattr(loop, "run_sync_soon", None)  # only trio has it
    scope, exits = anyio.CancelScope(), (NurseryGroup.__aexit__.__code__,)
    kind = AsyncioWatch if soon is None else TrioWatch
    with _guard(loop, exits, scope.cancel) as guard, kind(seconds, scope.cancel, exits) as watch:
        with scope:
            result = await main(*args)
            if soon is None:
                raise_postponed()  # else a signal in the turn of main's last operation would be lost
            return result
        guard.raise_cancelled()
        raise watch.verdict()  # nobody else cancels this scope


def _guard(loop: Any, exits: tuple[CodeType, ...], cancel: Callable[[], object]) -> LoopGuard:
    if hasattr(loop, "run_sync_soon"):
        from trio import Cancelled as trio_cancelled
        from trio.lowlevel import current_task

        task = current_task()
        sight = MainSight(lambda: task.coro, exits, (KeyboardInterrupt, Terminated, trio_cancelled))
        return LoopGuard(loop.run_sync_soon, sight, cancel)
    main: Any = asyncio.current_task()
    sight = MainSight(main.get_coro, exits, (Cancelled, KeyboardInterrupt, Terminated))
    return LoopGuard(loop.call_soon_threadsafe, sight, cancel, lambda: cancel_again(main))


async def sleep(seconds: float) -> None:
    """Sleep; the other tasks run meanwhile. A checkpoint."""
    await anyio.sleep(seconds_to_sleep(seconds))


def _new_waiter(item: Any = None) -> Waiter:
    """Make a wait of the backend's own kind."""
    trio = sys.modules.get("trio")  # if nobody has imported it, nobody is in it
    if trio is not None and trio.lowlevel.in_trio_task():
        from concmodels.models.waiting.trio_waiter import RescheduledWaiter

        return RescheduledWaiter(item)
    return FutureWaiter(item)


class TaskGroup(NurseryGroup):
    """An anyio task group that leaves each exception once, and interrupts bare."""

    open_group = anyio.create_task_group
    new_scope = anyio.CancelScope
    waiter_type = staticmethod(_new_waiter)
    checkpoint = staticmethod(anyio.lowlevel.checkpoint)
    cancelled_type = staticmethod(anyio.get_cancelled_exc_class)


class Channel(AsyncChannel):
    """A channel between the tasks of one run."""

    _new_waiter = staticmethod(_new_waiter)
    _turns = turns()
    _visit_scheduler = staticmethod(anyio.lowlevel.checkpoint)

    def __new__(cls, capacity: float = 0, name: str | None = None) -> Self:
        return super().__new__(_Unbounded if capacity == math.inf and cls is Channel else cls)  # type: ignore[return-value]


async def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait for the first of several channels; see `concmodels.contract.Model.select`."""
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


def variant(name: str) -> Model:
    """The model on trio."""
    if name != "trio":
        raise KeyError(name)
    from trio import Cancelled as trio_cancelled  # only here: on asyncio trio need not be installed

    return Model(
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

"""Dask: tasks on a cluster, which may be many machines.

unit          a task of a Dask cluster, in a thread of one of its workers
scheduler     Dask's: a process that knows all tasks and gives them to workers; below it, the kernel
message       a pickle, in a queue that the scheduler keeps: six messages to the scheduler for one
parallel      as far as the cluster has processes; the embedded one has one worker in this process
cancellation  the library's own: where a task waits, within a quarter of a second; raised again at the next wait

`dask` starts an embedded cluster with `run` and ends it with it: a scheduler and a worker in this process. With
`dask:tcp://host:port` the tasks run on the cluster whose scheduler is there; its workers must have this package.

There may be any number of tasks at once, however few threads the cluster has: a task leaves its worker's pool of
threads before it begins, and so makes room for the next.

Limitations: a lesson in what a cluster costs: a millisecond where a queue in memory takes a microsecond. A task that
waits looks again every so often. A select can't send on a rendezvous. No deadlock is seen. Nobody can stop a task that
computes. When a worker is killed, Dask runs its tasks again elsewhere, as often as the scheduler's setting
`distributed.scheduler.allowed-failures` says (3 times, unless it was started with 0): so no task is guaranteed to be
begun only once. After that, and at once on the embedded cluster, they fail with `TaskDied`, in a pool with
`WorkerDied`. A worker that is killed in the middle of a channel's operation leaves that channel unusable.
"""

import time

from concmodels.models.cluster.channel import Channel
from concmodels.models.cluster.cluster import Host, check_reachable
from concmodels.models.cluster.group import TaskGroup
from concmodels.models.cluster.pool import Pool, ending_pools
from concmodels.models.cluster.run import Cancelled, RunningTask, Wait, here, nap
from concmodels.models.cluster.select import select
from concmodels.models.cluster.share import share
from concmodels.models.deadlocks.report import patience
from concmodels.models.tasks.interrupts import Guard
from concmodels.models.tasks.nesting import refusal
from concmodels.models.variant import Model
from concmodels.models.waiting.timeouts import must_be_sync, seconds_to_sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["Cancelled", "Channel", "Pool", "TaskGroup", "now", "run", "select", "share", "sleep", "variant"]

now = time.monotonic
_CENTURY_S = 3e9  # `time.sleep` takes no more than three of them, and no infinity


def run(main: Callable[..., Any], *args: Any, deadlock_after: float | None = None) -> Any:
    """Run `main(*args)` in this thread, and what it spawns on an embedded cluster; see `concmodels.contract.Model.run`.

    Raises `NotImplementedError` if it is asked to look for deadlocks.
    """
    return _run(None, main, args, deadlock_after)


def _run(address: str | None, main: Callable[..., Any], args: tuple[Any, ...], deadlock_after: float | None) -> Any:
    must_be_sync(main, "dask")
    if here.running is not None:
        raise refusal("dask", "dask")
    if patience(deadlock_after) is not None:
        raise NotImplementedError("dask can't look for deadlocks: nobody sees all the tasks of a cluster at once")
    host = Host(address)
    with Guard(lambda: None, host.unfinished) as guard:
        try:
            world = host.start()
            here.running = RunningTask(world, "main", [], guard)
            guard.check()
            with ending_pools(world):
                return main(*args)
        finally:
            here.running = None
            host.stop()


def sleep(seconds: float) -> None:
    """Sleep; a checkpoint for cancellation."""
    running, seconds = here.running, seconds_to_sleep(seconds)
    if running is None:
        time.sleep(min(seconds, _CENTURY_S))
    else:
        running.world.ask(_sleep(Wait(running, seconds)), running)


async def _sleep(wait: Wait) -> None:
    while not wait.is_over():
        await wait.slice(nap)


def variant(name: str) -> Model:
    """The model on the cluster whose scheduler has this address. Raises `ModelUnavailable` if nobody answers there."""
    check_reachable(name)

    def run(main: Callable[..., Any], *args: Any, deadlock_after: float | None = None) -> Any:
        """Run `main(*args)` in this thread, and what it spawns on the cluster."""
        return _run(name, main, args, deadlock_after)

    verbs: dict[str, Any] = {
        "select": select,
        "sleep": sleep,
        "now": now,
        "Channel": Channel,
        "TaskGroup": TaskGroup,
        "Cancelled": Cancelled,
        "find_pool": lambda: Pool,
        "share": share,
    }
    return Model(f"dask:{name}", run=run, **verbs)

"""Dask: tasks on a cluster, which may be many machines.

unit          one task of a Dask cluster per task, in a thread of one of its workers
scheduler     Dask's: a process that knows all tasks and gives them to workers; below it, the operating system
message       a pickle, in a channel of the asyncio model in the process of `main`: each verb is a call to it
parallel      as far as the cluster has processes; the embedded one has one worker in this process
cancellation  the library's own: where a task waits; if suppressed, it is raised again at the next wait
sockets       none: a task may be on another machine, and a socket can't follow it

With `dask`, each `run` starts and ends an embedded cluster: a scheduler and a worker in this process. With
`dask:tcp://host:port` the tasks run on the cluster whose scheduler is there; its workers must have this package.

There may be any number of tasks at once, however few threads the cluster has: a task leaves its worker's pool of
threads before it begins, and so makes room for the next.

Limitations: a lesson in what a cluster costs: about a millisecond between processes, where a queue in memory takes a
microsecond. The workers must be able to connect to the machine of `main`. When the process of `main` is killed, its
tasks get a `ConnectionError` at their next use of the run. Nothing can stop a task that computes. `run` looks for
deadlocks only on request, and no longer once a thread that is not a task has used a channel. When a worker is killed,
Dask runs its tasks again elsewhere, as often as the scheduler's setting `distributed.scheduler.allowed-failures` says
(3 times, unless it was started with 0): so no task is guaranteed to begin only once. After that the tasks fail with
`TaskDied`, in a pool with `WorkerDied`. What a killed worker was waiting for is withdrawn; an item that it has been
given is lost with it.
"""

import math
import time
from itertools import count

from concmodels.catalog import Variant
from concmodels.errors import ChannelClosed, Selected, TaskCancelled, TaskDied
from concmodels.models import asyncio_
from concmodels.models.waiting.select import bad_case
from concmodels.models.waiting.timeouts import must_be_seconds, seconds_to_sleep

# isort: split
# Beside the core: signals, deadlocks, sockets, pools.
from concmodels.models.cluster.future import Future
from concmodels.models.cluster.host import Host, check_reachable
from concmodels.models.cluster.link import BOARD, Cancelled, Handle, Running, current, here, new_number, running_in
from concmodels.models.cluster.pickling import pack, pack_call, unpack
from concmodels.models.cluster.pool import Pool, ending_pools
from concmodels.models.cluster.share import share
from concmodels.models.cluster.work import DIED, FAILED
from concmodels.models.deadlocks.report import patience
from concmodels.models.deadlocks.threads import DeadlockDetector
from concmodels.models.tasks.failures import ExceptionCollector
from concmodels.models.tasks.nesting import refusal
from concmodels.models.tasks.runs import run_of
from concmodels.models.tasks.signals.guard import Guard
from concmodels.models.waiting.calls import check_call
from concmodels.models.waiting.limit import not_in_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Any, Self

    from concmodels.models.waiting.sockets.waits import HasFileno

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep", "variant",
    "wait_readable", "wait_writable",
]  # fmt: skip

now = time.monotonic
_CENTURY_S = 3e9  # `time.sleep` takes no more than three of them, and no infinity
_numbers = count(1)
_NOTHING = object()
_NO_SOCKETS = (
    "dask has no waits for sockets, because a task may run on another machine and a socket can't follow it: wait in "
    "another model, and send what has come to the cluster"
)


class Channel(Handle):
    """A handle of a channel that the run's board keeps; all handles are equal, in whatever process they are.

    Each verb is a call of the board (`cluster/board.py`), which does it on a channel of the asyncio model. There the
    items are pickles.
    """

    def __init__(self, capacity: float = 0, name: str | None = None) -> None:
        if not (capacity == math.inf or (isinstance(capacity, int) and capacity >= 0)):
            raise ValueError(f"a channel's capacity is a whole number from 0, or math.inf, not {capacity!r}")
        running = current()
        self._attach(running.link, new_number(), capacity, name)
        running.tell(BOARD, "open", self.number, capacity, name)

    def send(self, item: Any, timeout: float | None = None) -> None:
        """Send, waiting for room (on a rendezvous: until it is taken). Raises `ChannelClosed` or `TimeoutError`."""
        self._ask("send", pack(item), timeout)

    def receive(self, timeout: float | None = None) -> Any:
        """Receive, waiting for an item. Raises `ChannelClosed` (closed and drained) or `TimeoutError`."""
        return unpack(self._ask("receive", timeout))

    def send_nowait(self, item: Any) -> None:
        """Send without waiting. Raises `WouldBlock` or `ChannelClosed`."""
        self._ask("send_nowait", pack(item))

    def receive_nowait(self) -> Any:
        """Receive without waiting. Raises `WouldBlock` or `ChannelClosed`."""
        return unpack(self._ask("receive_nowait"))

    def __iter__(self) -> Iterator[Any]:
        """Receive until the channel is closed and drained."""
        try:
            while True:
                yield self.receive()
        except ChannelClosed:
            return

    def close(self) -> None:
        """Close the channel for all tasks: accept no more items. Those that were accepted can still be received."""
        self._ask("close")

    @property
    def capacity(self) -> float:
        """The number of items that it can hold: 0 is a rendezvous, `math.inf` has no bound."""
        capacity: float = self._about[0]
        return capacity

    @property
    def name(self) -> str | None:
        """The name that the channel was given."""
        name: str | None = self._about[1]
        return name

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return bool(self._look()[1])

    def __len__(self) -> int:
        """Return the number of items that the channel holds now."""
        return int(self._look()[0])

    def _look(self) -> tuple[int, bool]:
        seen: tuple[int, bool] = running_in(self.link).ask(BOARD, "look", self.number)
        return seen

    def __bool__(self) -> bool:
        return True  # an empty channel is a channel

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        return f"<dask Channel{label} of {self.capacity}>"


def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait for the first of several channels; see `concmodels.contract.Model.select`."""
    if not cases:
        raise ValueError("select needs at least one case: a channel, or a pair (channel, item)")
    pairs = [_case(case) for case in cases]
    asked = [(channel.number, None if item is _NOTHING else pack(item)) for channel, item in pairs]
    which, sent, closed, data = running_in(pairs[0][0].link).ask(BOARD, "select", asked, timeout, priority)
    channel, item = pairs[which]
    if closed:
        return Selected(channel, closed=True)
    return Selected(channel, item, sent=True) if sent else Selected(channel, unpack(data))


def _case(case: Any) -> tuple[Channel, Any]:
    channel, item = case if isinstance(case, tuple) and len(case) == 2 else (case, _NOTHING)
    if not isinstance(channel, Channel):
        raise bad_case("dask", case)
    return channel, item


class Task(Future):
    """The handle of a task."""

    failure: BaseException | None = None  # what its group raises in the end because the task has failed

    def __repr__(self) -> str:
        return f"<task {self.name!r} {'done' if self.done() else 'running'}>"

    def cancel(self) -> None:  # type: ignore[override] # it is not known at once whether that ends the task
        """Ask the task to end: `Cancelled` is raised where it waits."""
        if not self.done():
            self._ask("cancel")

    def cancelled(self) -> bool:
        """Return whether a cancellation has ended the task: not if it returned, or raised something else."""
        return self.done() and self.failure is None and isinstance(self._exception, TaskCancelled)

    def _failure(self, state: str, data: Any) -> BaseException:
        error = TaskDied(data[1]) if state == DIED else super()._failure(state, data)
        if state in (FAILED, DIED):
            self.failure = error
            if not any(note.startswith("In task") for note in getattr(error, "__notes__", ())):
                error.add_note(f"In task {self.name!r}.")
        return error


class TaskGroup:
    """Tasks that end together: `with TaskGroup() as group: group.spawn(function, *args)`."""

    def __init__(self, timeout: float | None = None) -> None:
        self._timeout = timeout if timeout is None else must_be_seconds(timeout)
        self._owner = current()
        self._number = new_number()
        self._open = False
        self._tasks: list[Task] = []
        self._failures = ExceptionCollector()

    def __enter__(self) -> Self:
        self._owner = current()
        self._owner.tell(BOARD, "enter", self._number, self._timeout)
        self._open = True
        return self

    def spawn(self, function: Callable[..., Any], *args: Any, name: str | None = None) -> Task:
        """Start `function(*args)` as a task of this group. Raises `CannotTravel` for what can't be pickled."""
        if not self._open:
            raise RuntimeError("this group is not open: spawn inside its `with`")
        check_call(function, "spawn", "dask")
        call = pack_call(function, args)
        task = Task(self._owner.link, name or f"{getattr(function, '__name__', 'task')}-{next(_numbers)}")
        running_in(task.link).start(task.end, self._number, "spawn", task.number, task.name, call)
        self._tasks.append(task)
        return task

    def cancel(self) -> None:
        """Cancel all its tasks and the body of the `with`; the `with` is then left without an error."""
        running_in(self._owner.link).ask(self._number, "cancel")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        outer = self._join(error)
        self._open = False
        timeout = self._not_in_time() if outer is None else None
        self._owner.tell(BOARD, "leave", self._number)
        for task in self._tasks:
            if task.failure is not None:
                self._failures.add(task.failure)
        self._failures.raise_all(timeout)
        if outer is not None:
            raise outer
        return error is None or isinstance(error, Cancelled)

    def _not_in_time(self) -> TimeoutError | None:
        if self._timeout is None or not self._owner.ask(self._number, "is_over"):
            return None
        return not_in_time(self._timeout)

    def _join(self, error: BaseException | None) -> BaseException | None:
        """Wait until all tasks have ended; return the cancellation that came from outside meanwhile."""
        outer: BaseException | None = None
        if error is None or isinstance(error, Cancelled):
            try:
                self._owner.ask(self._number, "join", error is not None)
            except Cancelled as cancelled:
                outer = cancelled
            except BaseException as reason:  # noqa: BLE001 - it leaves with the failures of the tasks: Ctrl-C, a deadlock
                error = reason
            else:
                return None
        if outer is None and error is not None:
            self._failures.add(error)
        with self._owner.cleaning_up(error):
            self._owner.ask(self._number, "finish")
        return outer


@run_of("dask")
def run(main: Callable[..., Any], *args: Any, deadlock_after: float | None = None) -> Any:
    """Run `main(*args)` here, and its tasks on an embedded cluster; see `concmodels.contract.Model.run`."""
    return _run(None, main, args, deadlock_after)


def _run(address: str | None, main: Callable[..., Any], args: tuple[Any, ...], deadlock_after: float | None) -> Any:
    if here.running is not None:
        raise refusal("dask", "dask")
    detector, seconds = DeadlockDetector(), patience(deadlock_after)
    host = Host(address, asyncio_.Channel, asyncio_.select)
    with detector, Guard(host.interrupt, host.unfinished) as guard:
        try:
            board = host.start(seconds, detector.find)
            here.running = running = Running(board, "main", "main", guard=guard)
            guard.check()
            with ending_pools(running):
                return main(*args)
        finally:
            here.running = None
            host.stop()


def sleep(seconds: float) -> None:
    """Sleep; a checkpoint for cancellation."""
    seconds = seconds_to_sleep(seconds)
    if here.running is None:
        time.sleep(min(seconds, _CENTURY_S))
    else:
        here.running.ask(BOARD, "sleep", seconds)


def wait_readable(socket: HasFileno, timeout: float | None = None) -> None:
    """Raise `NotImplementedError`: a task may be on another machine, where the socket is not."""
    raise NotImplementedError(_NO_SOCKETS)


def wait_writable(socket: HasFileno, timeout: float | None = None) -> None:
    """Raise `NotImplementedError`: a task may be on another machine, where the socket is not."""
    raise NotImplementedError(_NO_SOCKETS)


def notify_closing(socket: HasFileno) -> None:
    """Do nothing: no task of this model waits for a socket."""


def variant(name: str) -> Variant:
    """Return the model on the cluster with this scheduler's address. Raises `ModelUnavailable` if none answers."""
    check_reachable(name)

    @run_of("dask")
    def run(main: Callable[..., Any], *args: Any, deadlock_after: float | None = None) -> Any:
        """Run `main(*args)` in this thread, and what it spawns on the cluster."""
        return _run(name, main, args, deadlock_after)

    return Variant(f"dask:{name}", __name__, run=run)

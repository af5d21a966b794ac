"""Processes: the operating system's own unit, each with its own memory.

unit          one process per task
scheduler     the operating system; preemptive
message       a 64-bit word in shared memory; anything but a small int is pickled
parallel      yes, on every build
cancellation  `Cancelled` where a task waits; if suppressed, again at the next wait; after 2 s also where it computes
sockets       `poll`, with the task's eventfd beside the socket; a socket that is sent is duplicated

Variants by the way a process is started: `processes:forkserver` (the default), `processes:spawn`, `processes:fork`.

Limitations: a process that is killed may have held a lock, so its whole run ends with `TaskDied`; only a pool goes on
without it, if none of the run's locks was held. Functions travel by name and must be importable; `processes:fork` is
refused while subinterpreters exist, because the child would crash.
"""

from concmodels.models.memory import group
from concmodels.models.memory.arena import Cancelled
from concmodels.models.memory.channels import channel
from concmodels.models.memory.participant import current, now

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from concmodels.catalog import Variant
    from concmodels.errors import Selected
    from concmodels.models.memory.buffers.buffer import Shared
    from concmodels.models.memory.pool.pool import ProcessPool as Pool
    from concmodels.models.waiting.sockets.waits import HasFileno

__all__ = [
    "Cancelled", "Channel", "Pool", "TaskGroup", "notify_closing", "now", "run", "select", "share", "sleep",
    "variant", "wait_readable", "wait_writable",
]  # fmt: skip

_KIND = "processes"
_METHODS = ("forkserver", "spawn", "fork")


class Channel(channel.Channel):
    """A channel between processes: a ring of words in memory that all of them map.

    A *send*                                              A *receive*

    1. takes the senders' lock, a semaphore;              1. takes the receivers' lock;
    2. writes the item's word at TAIL;                    2. reads the word at HEAD;
    3. moves TAIL, which publishes the word;              3. moves HEAD, which frees the place;
    4. gives the lock back, which is a full fence;        4. gives the lock back;
    5. looks at the list of receivers that wait:          5. looks at the list of senders that wait for room, if
       if there is one, takes it out of the list             the channel is bounded: wakes one likewise.
       and wakes it, by writing to its eventfd.

    With no room, or no item, the task puts itself into the list, looks once more, and blocks in a `read` of its
    eventfd. None of it needs the parent: only the eventfd of another process is fetched from there, once.
    """

    kind = _KIND
    __slots__ = ()

    # The verbs are those of `subinterp`, line by line; these are the methods themselves, so that a hop is one frame.
    send = channel.Channel.send
    receive = channel.Channel.receive
    __iter__ = channel.Channel.__iter__
    close = channel.Channel.close


def select(*cases: Any, timeout: float | None = None, priority: bool = False) -> Selected:
    """Wait for the first of several channels; see `concmodels.contract.Model.select`."""
    from concmodels.models.memory.channels import select as memory  # 300 children would import it, and few need it

    return memory.select(_KIND, cases, timeout, priority)


class TaskGroup(group.TaskGroup):
    """A group of tasks, each in a process of its own."""

    kind = _KIND


def __getattr__(name: str) -> Any:
    if name == "Pool":
        from concmodels.models.memory.pool.pool import ProcessPool  # children need not import it

        return ProcessPool
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def run(main: Callable[..., Any], *args: Any, channel_bytes: int = 1 << 26, deadlock_after: float | None = None) -> Any:
    """Run `main(*args)` in this process; what it spawns runs in others. See `concmodels.contract.Model.run`.

    `channel_bytes` is the size of an unbounded channel; a `send` that finds it full raises `MemoryError`.
    """
    from concmodels.models.tasks.signals.tracebacks import ShortTracebacks  # children need not import it

    with ShortTracebacks():
        return _run("forkserver", main, args, channel_bytes, deadlock_after)


def _run(method: str, main: Callable[..., Any], args: tuple[Any, ...], *how: Any) -> Any:
    if method == "fork":
        from concmodels.catalog import must_be_main

        must_be_main(_KIND)
        _refuse_to_fork_interpreters()
    from concmodels.models.memory.lives.processes import ProcessSupervisor

    return ProcessSupervisor.execute(main, args, _KIND, *how, method)


def _refuse_to_fork_interpreters() -> None:
    import sys

    interpreters = sys.modules.get("concurrent.interpreters")
    if interpreters is not None and len(interpreters.list_all()) > 1:
        raise RuntimeError("processes can't be forked while subinterpreters exist: the children would crash at once")


def share(buffer: object) -> Shared:
    """Copy a buffer into memory that all processes see; see `concmodels.contract.Model.share`."""
    from concmodels.models.memory.buffers import buffer as memory

    return memory.share(_KIND, buffer)


def sleep(seconds: float) -> None:
    """Sleep; a checkpoint for cancellation."""
    from concmodels.models.waiting.timeouts import seconds_to_sleep

    current(_KIND).sleep(seconds_to_sleep(seconds))


def wait_readable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket can be read or accepted from; see `concmodels.contract.Model.wait_readable`."""
    from concmodels.models.memory import sockets  # as above

    sockets.wait_for_socket(_KIND, socket, "readable", timeout)


def wait_writable(socket: HasFileno, timeout: float | None = None) -> None:
    """Wait until the socket accepts bytes; see `concmodels.contract.Model.wait_writable`."""
    from concmodels.models.memory import sockets

    sockets.wait_for_socket(_KIND, socket, "writable", timeout)


def notify_closing(socket: HasFileno) -> None:
    """Wake the tasks that wait for a socket, before it is closed; see `concmodels.contract.Model.notify_closing`."""
    from concmodels.models.memory import sockets

    sockets.notify_closing(socket)


def variant(name: str) -> Variant:
    """Return the model of a variant, named by the way a process is started. Raises `ValueError` for another name."""
    if name not in _METHODS:
        raise ValueError(f"processes are started by one of {', '.join(_METHODS)}, not by {name!r}")
    from concmodels.catalog import Variant
    from concmodels.models.tasks.signals.tracebacks import ShortTracebacks

    def run(
        main: Callable[..., Any], *args: Any, channel_bytes: int = 1 << 26, deadlock_after: float | None = None
    ) -> Any:
        """Run `main(*args)` in this process; what it spawns runs in others."""
        with ShortTracebacks():
            return _run(name, main, args, channel_bytes, deadlock_after)

    return Variant(f"{_KIND}:{name}", __name__, run=run)

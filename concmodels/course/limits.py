"""The limits of a check, and the end of all that it has started."""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from concmodels.platform.confining import (
    confine,
    drop_rights,
    leave_network,
    leave_processes_and_network,
    look_at_own_processes,
    write_only_in,
)
from concmodels.platform.measuring import descendants
from concmodels.platform.waking import adopt_orphans

OVER_TIME = 124
"""The exit status after `wall_s` seconds."""


@dataclass(frozen=True)
class Limits:
    """The most that a check may use: processor and wall time in seconds, memory and files in MiB.

    The memory is that of the address space. `shares` says that this is memory of its own only, without what it shares
    with other processes: the models with processes reserve gigabytes of addresses, which they never fill.
    """

    cpu_s: int = 20
    wall_s: float = 15.0
    memory_mib: int = 1024
    file_mib: int = 64
    processes: int = 4096
    network: bool = False
    shares: bool = False


def limited(limits: Limits) -> None:
    """Set the limits of this process, and of all that it starts, as far as the system has them."""
    file_mib = None if limits.shares else limits.file_mib  # shared memory counts as a file
    confine(limits.cpu_s, limits.memory_mib, file_mib, limits.processes, shares=limits.shares)


def supervised(work: Callable[[], int], limits: Limits) -> int:
    """Do this in a process of its own; return its exit status. Whatever it has started is ended with it.

    Where the system has namespaces, that work can't reach the process that supervises it, nor any other, and, since
    Linux 5.12, change no file outside of the current folder. Elsewhere it has the rights of that process, and could end
    it. With a network, it is a student's own work, and is trusted.
    """
    if limits.network:
        return _supervised(work, limits.wall_s)
    status = _in_own_world(work, limits.wall_s)
    if status is None:
        leave_network()
        return _supervised(work, limits.wall_s)
    return status


def _in_own_world(work: Callable[[], int], wall_s: float) -> int | None:
    """Do this among processes that see no others; return its exit status, or None if there is no such world here."""
    made, tell = os.pipe()
    outside = os.fork()
    if outside == 0:
        status = 1
        try:
            if leave_processes_and_network():
                first = os.fork()
                status = _first(work, wall_s, tell) if first == 0 else _ended(os.waitpid(first, 0)[1])
        finally:
            os._exit(status)
    os.close(tell)
    status = _ended(os.waitpid(outside, 0)[1])
    was_made = os.read(made, 1) != b""
    os.close(made)
    return status if was_made else None


def _first(work: Callable[[], int], wall_s: float, tell: int) -> int:
    """Be the first process of a world, at whose end the system ends all of it."""
    if not look_at_own_processes():
        return 1
    write_only_in(os.getcwd())
    os.write(tell, b"1")
    os.close(tell)
    return _status_of(_worker(partial(_without_rights, work)), time.monotonic() + wall_s)


def _without_rights(work: Callable[[], int]) -> int:
    drop_rights()  # those to mount are rights to make files writable again
    return work()


def _worker(work: Callable[[], int]) -> int:
    """Start a process that does this; return its number. Its end is told by a signal that is blocked here."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    worker = os.fork()
    if worker == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        status = 1
        try:
            status = work()
        finally:
            os._exit(status)
    return worker


def _supervised(work: Callable[[], int], wall_s: float) -> int:
    """Supervise this as a process that others can see, and end what it has started one by one."""
    adopt_orphans()
    status = _status_of(_worker(work), time.monotonic() + wall_s)
    while children := descendants(os.getpid()):
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)
    return status


def _ended(status: int) -> int:
    """Return an exit status, or 128 and the number of the signal that ended the process."""
    return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)


def _status_of(worker: int, end: float) -> int:
    """Wait for a process; return its exit status, 128 and the number of the signal that ended it, or `OVER_TIME`."""
    while True:
        pid, status = os.waitpid(worker, os.WNOHANG)
        if pid:
            return _ended(status)
        left = end - time.monotonic()
        if left <= 0:
            return OVER_TIME
        if hasattr(signal, "sigtimedwait"):
            signal.sigtimedwait({signal.SIGCHLD}, left)
        else:
            time.sleep(0.02)  # macOS has no way to wait for a child with a time limit

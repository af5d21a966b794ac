"""The limits of a check, and the end of all that it has started."""

import contextlib
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from concmodels.platform.confining import confine, leave_network
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
    if not limits.network:
        leave_network()


def supervised(work: Callable[[], int], wall_s: float) -> int:
    """Do this in a process of its own; return its exit status. Whatever it has started is ended with it."""
    adopt_orphans()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    worker = os.fork()
    if worker == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        status = 1
        try:
            status = work()
        finally:
            os._exit(status)
    status = _status_of(worker, time.monotonic() + wall_s)
    while children := descendants(os.getpid()):
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)
    return status


def _status_of(worker: int, end: float) -> int:
    """Wait for a process; return its exit status, 128 and the number of the signal that ended it, or `OVER_TIME`."""
    while True:
        pid, status = os.waitpid(worker, os.WNOHANG)
        if pid:
            return 128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        left = end - time.monotonic()
        if left <= 0:
            return OVER_TIME
        if hasattr(signal, "sigtimedwait"):
            signal.sigtimedwait({signal.SIGCHLD}, left)
        else:
            time.sleep(0.02)  # macOS has no way to wait for a child with a time limit

"""The limits of a check, and the end of all that it has started."""

import contextlib
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

MIB = 2**20
SHARED = 2**40
"""The most bytes of a file, where shared memory counts as one."""
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
    try:
        import resource
    except ImportError:  # Windows has none
        return
    for name, most in (
        ("RLIMIT_CPU", limits.cpu_s),
        ("RLIMIT_DATA" if limits.shares else "RLIMIT_AS", limits.memory_mib * MIB),
        ("RLIMIT_FSIZE", SHARED if limits.shares else limits.file_mib * MIB),
        ("RLIMIT_NPROC", limits.processes),
        ("RLIMIT_CORE", 0),
    ):
        if hasattr(resource, name):
            _limit(resource, getattr(resource, name), most)
    if not limits.network:
        _cut_off()


def _limit(resource: Any, which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    most, last = (most, most + 1) if hard == resource.RLIM_INFINITY else (min(most, hard), min(most + 1, hard))
    with contextlib.suppress(OSError, ValueError):  # macOS refuses some
        resource.setrlimit(which, (most, last))  # at the first, a signal that says why; at the last, the end


def _cut_off() -> None:
    """Leave the network, if this system lets us."""
    if not hasattr(os, "unshare"):
        return
    user, group = os.geteuid(), os.getegid()
    with contextlib.suppress(OSError):
        if user == 0:
            os.unshare(os.CLONE_NEWNET)
            return
        os.unshare(os.CLONE_NEWUSER | os.CLONE_NEWNET)
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)


def supervised(work: Callable[[], int], wall_s: float) -> int:
    """Do this in a process of its own; return its exit status. Whatever it has started is ended with it."""
    _adopt_orphans()
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
    while children := list(_children()):
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


def _adopt_orphans() -> None:
    """Become the parent of all processes that are started here and whose own parent ends, even in other sessions."""
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        set_child_subreaper = 36
        ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def _children() -> Iterator[int]:
    """Yield the children of this process; none where there is no /proc."""
    own = str(os.getpid())
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdecimal():
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                if file.read().rpartition(")")[2].split()[1] == own:
                    yield int(name)

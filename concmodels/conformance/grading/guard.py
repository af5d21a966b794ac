"""The guard of a worker: a process around it that ends whatever a graded model has started.

    grader ──► guard ──► worker (a session of its own) ──► what the model starts
                 ▲                                              │
                 └──────────── whose parent has ended ──────────┘

The guard is a *subreaper* (`prctl(2)`): a process whose parent has ended becomes its child, also one that has left the
worker's session. So when the worker has ended, all that it has left behind is found below the guard, and killed. Only
Linux has that; elsewhere the grader kills the worker's process group.
"""

import os
import signal

from concmodels.platform import PORTABLE, measuring
from concmodels.platform.waking import adopt_orphans, tie_to_parent

HERE = not PORTABLE
"""Whether workers have a guard on this system."""


def split_off() -> None:
    """Return in a new process, the worker; the calling process becomes its guard, and ends as the worker ends."""
    adopt_orphans()
    worker = os.fork()
    if worker == 0:
        os.setsid()  # so that a model that kills its group does not kill the guard
        tie_to_parent()
        return
    _watch(worker)


def _watch(worker: int) -> None:
    """Wait until the worker has ended, or the grader says so; kill what it has left behind, and end in the same way."""
    for signum in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(signum, lambda *_: os.kill(worker, signal.SIGKILL))
    nothing = os.open(os.devnull, os.O_RDWR)
    for pipe in (0, 1):
        os.dup2(nothing, pipe)  # only the worker holds the pipes to the grader: their end is its end
    status = _status_of(worker)
    for signum in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(signum, signal.SIG_IGN)
    _kill_the_rest()
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        _die_of(-code)
    os._exit(code)


def _status_of(worker: int) -> int:
    while True:
        pid, status = os.wait()
        if pid == worker:
            return status


def _kill_the_rest() -> None:
    """Kill all processes below this one, until there are none: each look may find one that was just started."""
    while below := measuring.descendants(os.getpid()):
        for pid in below:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue  # it has ended meanwhile
        try:
            os.wait()
        except ChildProcessError:
            return


def _die_of(signum: int) -> None:
    if signum not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(signum, signal.SIG_DFL)
    os.kill(os.getpid(), signum)

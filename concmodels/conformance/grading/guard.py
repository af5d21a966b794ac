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


_TOLD = {signal.SIGTERM, signal.SIGHUP, signal.SIGINT} if HERE else set()
"""The signals by which the grader tells a guard to end its worker."""


def split_off() -> None:
    """Return in a new process, the worker; the calling process becomes its guard, and ends as the worker ends."""
    adopt_orphans()
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {*_TOLD, signal.SIGCHLD})
    worker = os.fork()
    if worker == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.setsid()  # so that a model that kills its group does not kill the guard
        tie_to_parent()
        return
    _watch(worker)


def _watch(worker: int) -> None:
    """Wait until the worker has ended, or the grader says so; kill what it has left behind, and end in the same way."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for pipe in (0, 1):
        os.dup2(nothing, pipe)  # only the worker holds the pipes to the grader: their end is its end
    status = _status_of(worker)
    for signum in _TOLD:
        signal.signal(signum, signal.SIG_IGN)
    _kill_the_rest()
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        _die_of(-code)
    os._exit(code)


def _status_of(worker: int) -> int:
    """Wait until the worker has ended; kill it if the grader says so.

    A handler could be called when the worker has just ended: there is none, and each signal is waited for.
    """
    while True:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == worker:
            return status
        if not pid and signal.sigwait({*_TOLD, signal.SIGCHLD}) != signal.SIGCHLD:
            os.kill(worker, signal.SIGKILL)


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
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    os.kill(os.getpid(), signum)

"""Use the library as if this were another system: `python other_platform.py win32` prints what came of it, as JSON.

What the other system does not have is hidden from the library, and from it alone: the standard library and the models'
libraries have versions of their own for each system, which can't be had here. They are imported first.
"""

import _thread
import importlib
import json
import os
import platform
import select
import signal
import socket
import sys
import threading
import types
from pathlib import Path

LIBRARIES = ["anyio", "eventlet.hubs", "greenlet", "rich.console", "rich.progress", "rich.table", "tempfile", "trio"]
if sys._is_gil_enabled():
    LIBRARIES.append("gevent.monkey")  # it would switch the GIL on again
for library in LIBRARIES:
    importlib.import_module(library)

UNLIKE_LINUX = {
    os: ("eventfd", "eventfd_read", "eventfd_write", "memfd_create", "timerfd_create", "timerfd_settime", "pipe2",
         "sched_getaffinity", "posix_fallocate"),
    select: ("epoll", "EPOLLIN", "EPOLLOUT", "EPOLLONESHOT"),
}  # fmt: skip
UNLIKE_UNIX = {
    os: ("fork", "forkpty", "getpgid", "geteuid", "getuid", "killpg", "setsid", "sysconf", "uname", "posix_spawn"),
    select: ("poll", "POLLIN", "POLLOUT", "POLLERR", "POLLHUP"),
    signal: ("SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGUSR1", "SIGUSR2", "ITIMER_REAL", "alarm", "pthread_kill",
             "pthread_sigmask", "setitimer", "siginterrupt", "sigpending", "sigwait"),
    socket: ("AF_UNIX", "send_fds", "recv_fds"),
}  # fmt: skip
NO_MODULES = ("fcntl", "grp", "pwd", "resource", "termios", "_posixshmem", "syslog")

ASYNC = ("asyncio", "trio", "anyio", "anyio:trio")
EXAMPLES = Path(__file__).parents[2] / "examples"
IN_ONE_PROCESS = ("threads", "rawthreads", "greenlet", "tasklets", "gevent", "eventlet", *ASYNC)


class Hiding(types.ModuleType):
    """Stands before a module, as the other system has it."""

    def __init__(self, module, hidden=(), **changed):
        super().__init__(module.__name__)
        vars(self).update(real=module, hidden=hidden, changed=changed)

    def __getattr__(self, name):
        if name in self.hidden:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r} on this system")
        return self.changed[name] if name in self.changed else getattr(self.real, name)

    def __setattr__(self, name, value):
        setattr(self.real, name, value)


def pretend(system):
    """Hide what this system does not have from all that is imported from now on."""
    platform.uname()  # it is asked for once, and kept
    is_windows = system == "win32"
    hidden = {module: {*names} for module, names in UNLIKE_LINUX.items()}
    if is_windows:
        for module, names in UNLIKE_UNIX.items():
            hidden.setdefault(module, set()).update(names)
        for name in NO_MODULES:
            sys.modules[name] = None
        os.environ["PROCESSOR_ARCHITECTURE"] = "AMD64"
    changed = {"name": "nt"} if is_windows else {}
    for module, names in hidden.items():
        sys.modules[module.__name__] = Hiding(module, names, **(changed if module is os else {}))
    sys.modules["sys"] = Hiding(sys, platform=system)


def told(function, *args, **kwargs):
    """Return what a call returns, or the name and text of what it raises."""
    try:
        return function(*args, **kwargs)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the test says what is right
        return f"{type(error).__name__}: {error}"


def going_round(name):
    from concmodels.ring import ring

    result = ring(name, nodes=3, messages=100)
    return [result.verified, result.error]


def waiting(name):
    """Wait for a socket that is ready."""
    from concmodels import load

    model = load(name)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.send(b"x")
        if name in ASYNC:

            async def main():
                await model.wait_readable(ours, timeout=50)
        else:

            def main():
                model.wait_readable(ours, timeout=50)

        return model.run(main)


def interrupted(name):
    """Have Ctrl-C come while main waits."""
    from concmodels import load

    model = load(name)

    def main():
        threading.Timer(0.1, _thread.interrupt_main, (signal.SIGINT,)).start()
        model.Channel().receive()

    return model.run(main)


def graded():
    """Grade the channel of the sixth session, in this process: the one that does it usually is not pretended to."""
    from concmodels.conformance.grading import simulated, verdict
    from concmodels.conformance.suite import guarantees

    model = simulated.load(str(EXAMPLES / "my_first_model.py"), 3)
    chosen = [it for it in guarantees() if "iteration_ends" in str(it) and not it.why_not(model)]
    return [verdict.verdict(it, model, BaseException)["verdict"] for it in chosen]


def explored():
    """Look for the lost update of plain threads."""
    from concmodels.explore import explore

    return explore(str(EXAMPLES / "races" / "lost_update_broken.py")).verdict


def commands():
    from concmodels.__main__ import main
    from concmodels.programs.command import command
    from concmodels.ring.program import Ring

    sys.argv[1:] = []
    return [main(), command(Ring(), ["3", "20", "--quiet"]), command(Ring(), ["3", "20", "--model", "processes"])]


def main():
    pretend(sys.argv[1])
    out, sys.stdout = sys.stdout, sys.stderr
    from concmodels import catalog, load, platform

    assert platform.PORTABLE
    os.environ["CONCMODELS_PLATFORM"] = "portable"  # for its children, which nobody pretends to
    found = {
        "missing": {name: why for name in catalog.names(variants=True) if (why := catalog.why_not(name))},
        "loaded": {name: told(lambda name=name: load(name) and True) for name in catalog.names()},
        "ring": {name: told(going_round, name) for name in IN_ONE_PROCESS},
        "sockets": {name: told(waiting, name) for name in IN_ONE_PROCESS},
        "interrupted": {name: told(interrupted, name) for name in ("threads", "rawthreads")},
        "commands": told(commands),
        "graded": told(graded),
        "explored": told(explored),
    }
    json.dump(found, out)


if __name__ == "__main__":
    main()

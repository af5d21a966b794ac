"""Windows, as far as Linux can be it: Python imports this first, in every interpreter, if it is on its path.

What Windows has not is taken away, and `_winapi.py` beside this has its events. `select` takes sockets only, and not
nothing; what is no socket is refused (WSAENOTSOCK), and three empty lists too (WSAEINVAL), and more than 512 sockets.

Not simulated: `os.name`, and what that alone hides (the standard library would import what only a Python for Windows
has); `AF_UNIX`, which trio asks Linux for; that Ctrl-C interrupts no system call; and that a socket has no number of
Python's own.
"""

import mmap
import os
import select
import signal
import socket
import stat
import sys

MISSING = {
    os: ("eventfd", "eventfd_read", "eventfd_write", "memfd_create", "pidfd_open", "timerfd_create", "timerfd_settime",
         "fork", "forkpty", "getpgid", "geteuid", "posix_spawn"),
    select: ("poll", "POLLIN", "POLLOUT"),
    signal: ("SIGALRM", "SIGHUP", "setitimer", "alarm", "sigpending", "sigwait", "pthread_sigmask",
             "pthread_kill"),
    socket: ("send_fds", "recv_fds"),
    mmap: ("MADV_REMOVE",),
}  # fmt: skip
real_select, real_poll = select.select, select.poll
POLLIN, POLLOUT, POLLERR, POLLHUP = select.POLLIN, select.POLLOUT, select.POLLERR, select.POLLHUP
FD_SETSIZE = 512  # as CPython sets it for Windows


class Select:
    """`select.select` as Windows has it. (An object, because `selectors` keeps it as an attribute of a class.)"""

    def __call__(self, readers, writers, failed, timeout=None, /):
        if not sys._getframe(1).f_globals["__name__"].startswith("concmodels."):
            return real_select(readers, writers, failed, timeout)  # of the standard library, which is that for Linux
        if not (readers or writers or failed):
            raise OSError(10022, "An invalid argument was supplied")
        for it in {*readers, *writers, *failed}:
            if not _is_socket(it):
                raise OSError(10038, "An operation was attempted on something that is not a socket")
        if max(map(len, (readers, writers, failed))) > FD_SETSIZE:
            raise ValueError("too many file descriptors in select()")
        return _polled(readers, writers, failed, timeout)


def _polled(readers, writers, failed, timeout):
    """Do what `select` does, for any numbers: Linux would have none above 1,023."""
    poller, events = real_poll(), {}
    for kind, sockets in ((POLLIN, readers), (POLLOUT, writers), (POLLERR, failed)):
        for it in sockets:
            events[it] = events.get(it, 0) | kind
    for it, kinds in events.items():
        poller.register(it, kinds)
    found = dict(poller.poll(None if timeout is None else timeout * 1000))

    def are(sockets, kinds):
        return [it for it in sockets if found.get(it if isinstance(it, int) else it.fileno(), 0) & kinds]

    return are(readers, POLLIN | POLLHUP | POLLERR), are(writers, POLLOUT | POLLERR), are(failed, POLLERR)


def _is_socket(it):
    try:
        return stat.S_ISSOCK(os.fstat(it if isinstance(it, int) else it.fileno()).st_mode)
    except OSError:
        return False


sys.modules["resource"] = None
for module, names in MISSING.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
select.select = Select()
socket.socketpair = socket._fallback_socketpair  # two ends of a connection on loopback

"""A Mac, as far as Linux can be one: Python imports this first, in every process and interpreter, if it is on its path.

What macOS has not is taken away, and what it refuses is refused, as Apple's manual pages say:

    sem_open(2)     names of at most 30 characters (PSEMNAMLEN); sem_getvalue(3) is not there, nor a list of semaphores
    unix(4)         103 bytes for a path (sun_path has 104), and no abstract names
    setrlimit(2)    256 descriptors; `RLIM_INFINITY` is what it has for the most, and does not take (OPEN_MAX: 10,240)
    poll(2)         no devices; and who asks for no event hears of none, not even of the end of the other side
    mmap(2)         16 KiB a page, on Apple's processors; no MADV_REMOVE
    intro(2)        no eventfd, memfd, timerfd, pidfd, prctl, /proc

Not simulated: what costs time there, and that a descriptor is lost if its sender closes it too early. The libraries of
models (trio, gevent) take Linux for what it is: so what they use is left to them, epoll among it.
"""

import _multiprocessing
import errno
import io
import mmap
import os
import resource
import select
import signal
import socket
import time

MISSING = {
    os: ("eventfd", "eventfd_read", "eventfd_write", "memfd_create", "pidfd_open", "timerfd_create", "timerfd_settime",
         "pipe2", "sched_getaffinity", "posix_fallocate"),
    signal: ("sigtimedwait", "sigwaitinfo", "pidfd_send_signal"),
    time: ("pthread_getcpuclockid",),
    mmap: ("MADV_REMOVE",),
}  # fmt: skip
LONGEST_NAME, LONGEST_PATH = 30, 103
DESCRIPTORS, OPEN_MAX = 256, 10_240
PAGE = 1 << 14
NOFILE, _most = resource.RLIMIT_NOFILE, {}
LINUX_ONLY = ("/proc/", "/dev/shm", "/sys/")


class SemLock(_multiprocessing.SemLock):
    """A named semaphore as macOS has it."""

    def __new__(cls, kind, value, maxvalue, name, unlink):
        return super().__new__(cls, kind, value, maxvalue, _short(name), unlink)

    @classmethod
    def _rebuild(cls, handle, kind, maxvalue, name):
        return super()._rebuild(handle, kind, maxvalue, _short(name))

    def _get_value(self):
        raise NotImplementedError


def _short(name):
    if len(name) > LONGEST_NAME:
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
    return name


class Poll:
    """Poll as macOS has it."""

    def __init__(self):
        self._poll, self._devices = _poll(), set()

    def register(self, fd, events=select.POLLIN | select.POLLOUT | select.POLLPRI):
        number = fd if isinstance(fd, int) else fd.fileno()
        self.unregister_if_known(number)
        if os.path.exists(f"/dev/fd/{number}") and os.isatty(number):
            self._devices.add(number)
        elif events:
            self._poll.register(number, events)

    modify = register

    def unregister_if_known(self, number):
        """Forget a descriptor."""
        self._devices.discard(number)
        try:
            self._poll.unregister(number)
        except KeyError:
            pass

    def unregister(self, fd):
        self.unregister_if_known(fd if isinstance(fd, int) else fd.fileno())

    def poll(self, timeout=None):
        if self._devices:
            return [(number, select.POLLNVAL) for number in self._devices] + self._poll.poll(0)
        return self._poll.poll(timeout)


def _checked(method):
    """Refuse an address that a Unix socket can't have."""

    def with_address(self, address):
        if self.family == socket.AF_UNIX:
            path = os.fsencode(address)
            if path[:1] == b"\0":
                raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))
            if len(path) > LONGEST_PATH:
                raise OSError("AF_UNIX path too long")
        return method(self, address)

    return with_address


def _only_here(function):
    """Hide the files that only Linux has."""

    def opened(path, *args, **kwargs):
        if isinstance(path, str) and path.startswith(LINUX_ONLY):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return function(path, *args, **kwargs)

    return opened


def _getrlimit(which):
    return (_limit(which)[0], _most.get(which, resource.RLIM_INFINITY)) if which == NOFILE else _limit(which)


def _setrlimit(which, limits):
    if which == NOFILE:
        if not 0 <= limits[0] <= OPEN_MAX:
            raise ValueError("current limit exceeds maximum limit")
        _most[which] = limits[1]
        limits = limits[0], _limit(which)[1]
    _set_limit(which, limits)


class Mmap(mmap.mmap):
    """A map as macOS has it."""

    def __new__(cls, fileno, length, *args, offset=0, **kwargs):
        if offset % PAGE:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        return super().__new__(cls, fileno, length, *args, offset=offset, **kwargs)


for module, names in MISSING.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
os.process_cpu_count = os.cpu_count  # which asks for the affinity
_poll, _limit, _set_limit = select.poll, resource.getrlimit, resource.setrlimit
_multiprocessing.SemLock = SemLock
select.poll = Poll
mmap.mmap, mmap.PAGESIZE = Mmap, PAGE
socket.socket.bind, socket.socket.connect = _checked(socket.socket.bind), _checked(socket.socket.connect)
os.listdir, os.scandir, os.readlink = map(_only_here, (os.listdir, os.scandir, os.readlink))
io.open = __builtins__["open"] = _only_here(open)
resource.getrlimit, resource.setrlimit = _getrlimit, _setrlimit
if os.environ.setdefault("SIMULATED_MAC", str(os.getpid())) == str(os.getpid()):  # children inherit the limit
    _set_limit(NOFILE, (DESCRIPTORS, _limit(NOFILE)[1]))

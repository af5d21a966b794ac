"""Stands in for pipes, files and semaphores on Windows: pairs of sockets, memory without a name, and events.

A waker is a pair of sockets, as in asyncio: a task that waits for a socket has to be woken there too, and Windows waits
for an event and a socket only one at a time. As with a pipe, to wake is to write a byte, and a full pair is woken
already. The number of a socket is the same in all interpreters of the process, each of which makes an object for it.

A lock is an event with a name that resets itself: the thread that has waited for it has taken the lock, and to set it
is to release it. Windows forgets the name with the last handle, so that nothing is ever left behind. (`SemLock` has no
names there.)

Memory is that of this process, seen by its interpreters. Windows counts all of it against the page file from the
beginning. So there is less of it, and an unbounded channel holds less.
"""

import _socket

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mmap import mmap
    from typing import Any

NAMES_STAY = False
SIZES = (1 << 33, 1 << 32, 1 << 31)
MOST_CHANNEL_BYTES = 1 << 20

_READER = (1 << 32) - 1
_ALL = 1 << 16  # bytes
_FOR_EVER = 0xFFFFFFFF  # milliseconds: INFINITE
_WAIT_OBJECT_0 = 0
_ACCESS = 0x100002  # of an event: SYNCHRONIZE, EVENT_MODIFY_STATE


# Waking.

duplicate, close_descriptor = _socket.dup, _socket.close


class Borrowed:
    """`with` a socket by its number: an object for it, which does not close it."""

    def __init__(self, number: int) -> None:
        self._socket = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM, 0, number)

    def __enter__(self) -> _socket.socket:
        return self._socket

    def __exit__(self, *_: object) -> None:
        self._socket.detach()


def pair() -> tuple[int, int]:
    """See `concmodels.platform.waking.pair`: the numbers of two sockets."""
    from socket import socketpair

    reader, writer = socketpair()
    writer.setblocking(False)
    return reader.detach(), writer.detach()


def make() -> int:
    """See `concmodels.platform.waking.make`."""
    return joined(*pair())


def wake(waker: int) -> None:
    """See the head of `concmodels.platform.waking`."""
    with Borrowed(waker >> 32) as writer:
        try:
            writer.send(b"\0")
        except BlockingIOError:
            pass  # it was woken so often that it is full


def wait(waker: int) -> None:
    """See the head of `concmodels.platform.waking`."""
    drain(waker & _READER)


block = wait


def drain(number: int) -> None:
    """See `concmodels.platform.waking.drain`; this one waits until there is something."""
    with Borrowed(number) as reader:
        reader.recv(_ALL)


def close(waker: int) -> None:
    """Close both sockets."""
    for number in descriptors(waker):
        _socket.close(number)


def descriptors(waker: int) -> tuple[int, ...]:
    """See `concmodels.platform.waking.descriptors`."""
    return waker & _READER, waker >> 32


def joined(*parts: int) -> int:
    """See `concmodels.platform.waking.joined`."""
    reader, writer = parts
    return writer << 32 | reader


# Locks.


class EventLock:
    """A lock that is an event, with the methods of a `SemLock` that are used. The handle is closed with the object."""

    def __init__(self, handle: int) -> None:
        import _winapi

        self._api: Any = _winapi
        self._handle = handle

    def acquire(self, block: bool = True, timeout: float | None = None) -> bool:
        """Take the lock; return whether that was possible at once, or in this time."""
        milliseconds = 0 if not block else _FOR_EVER if timeout is None else max(0, round(timeout * 1000))
        return bool(self._api.WaitForSingleObject(self._handle, milliseconds) == _WAIT_OBJECT_0)

    def release(self) -> None:
        """Release the lock."""
        self._api.SetEvent(self._handle)

    def close(self) -> None:
        """Close the handle; a second call does nothing."""
        handle, self._handle = self._handle, 0
        if handle:
            self._api.CloseHandle(handle)

    __del__ = close


_made: dict[str, EventLock] = {}
"""The locks of this process, by name: each is there as long as one handle of it is."""


def make_semaphore(name: str) -> None:
    """See `concmodels.platform.memory.make_semaphore`."""
    import _winapi

    api: Any = _winapi
    _made[name] = EventLock(api.CreateEventW(0, False, True, _local(name)))  # it resets itself, and is set


def open_semaphore(name: str) -> EventLock:
    """See `concmodels.platform.memory.open_semaphore`."""
    import _winapi

    api: Any = _winapi
    return EventLock(api.OpenEventW(_ACCESS, False, _local(name)))


def remove_semaphore(name: str) -> None:
    """See `concmodels.platform.memory.remove_semaphore`."""
    lock = _made.pop(name, None)
    if lock is None:
        raise FileNotFoundError(name)
    lock.close()


def close_semaphore(lock: EventLock) -> None:
    """See `concmodels.platform.memory.close_semaphore`."""
    lock.close()


def _local(name: str) -> str:
    return f"Local\\{name.removeprefix('/')}"  # of this session; a slash is allowed, and a backslash not


# Memory.


def new_file() -> int:
    """Return -1, which stands for no file: see `attach`."""
    return -1


def close_file(_fd: int) -> None:
    """Do nothing: there is no file."""


def attach(fd: int, size: int = 0) -> mmap:
    """Return new memory of this size, all zeros. Raises `OSError` if there is too little."""
    from mmap import mmap

    return mmap(fd, size)


def give_back(mapping: mmap | None, fd: int, at: int, size: int) -> None:
    """Keep the pages, as in `portable/memory.py`."""

"""A lock that is already taken, for a thread to sleep on: to acquire it is to wait until another thread releases it.

On a free-threaded build a lock is the wrong thing for that. CPython assumes that it will be free in a moment, and
yields the processor 40 times before it puts the thread to sleep: many times what the sleep and the wake-up cost. (Nor
is a `SimpleQueue` better. Its `put` wakes the thread while it still holds the queue, and the thread needs the queue to
go on: so the thread yields 40 times too, after the sleep.)

What `Thread.join` waits for is an event, which is never held: there a thread sleeps at once, and goes on at once. A
`_ThreadHandle` has such an event. Here it stands for no thread, and its "end" is the wake-up. Handles are private to
CPython: a version without them uses locks.
"""

import _thread
import sys
from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Protocol

    class TakenLock(Protocol):
        """A lock for one sleep: it is released once, and acquired until that has succeeded."""

        def acquire(self, blocking: bool = True, timeout: float = -1) -> bool: ...
        def release(self) -> None: ...


class _Latch:
    """A `TakenLock` that is the event of a thread's end."""

    __slots__ = ("_handle",)

    def __init__(self) -> None:
        self._handle = _make_handle(0)  # the number of no thread

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        handle = self._handle
        handle.join(None if timeout == -1 else timeout)
        return bool(handle.is_done())

    def release(self) -> None:
        self._handle._set_done()


def _new_lock() -> TakenLock:
    lock = allocate_lock()
    lock.acquire()
    return lock


_make_handle: Any = getattr(_thread, "_make_thread_handle", None)
taken_lock: Callable[[], TakenLock] = _new_lock if sys._is_gil_enabled() or _make_handle is None else _Latch
"""Return a new lock that is already taken."""

"""The memory that the processes or interpreters of a run share, and the locks between them, as Linux has them.

A port provides the names that stand here:

    PAGE, SIZES        what the memory is made of, and how large it may be
    new_file, close_file
                       a file without a name, empty, that costs no memory or disk until a page of it is touched, and
                       nothing once the last process that maps it has ended, however that has ended
    attach             the file in this process's addresses: what one process stores there all others load
    MOST_CHANNEL_BYTES how much of it an unbounded channel may have
    give_back          pages to the system. It may do nothing: memory that was used is then kept until the run ends
    NAMES_STAY         whether the name of a semaphore is there until it is removed, even if its process has ended
    SEMAPHORES         the folder in which named semaphores are files, so that those of dead processes can be found
    make_semaphore, open_semaphore, close_semaphore, remove_semaphore
                       a lock with a name, which every process can open and any thread can release; `acquire(False)`
                       and `release()` are no system calls as long as no other thread wants it
    ordered            words whose loads and stores keep their order
    releasing          what releases a semaphore, and is a full fence
    new_fence          a full fence

What is believed of the machine:

1. An aligned store of 8 bytes is seen whole, or not yet, by every other processor; so is one by a memoryview of the
   format "q", which CPython compiles to a single move. A store of one byte changes nothing else of the word around it.
2. To take a semaphore orders it before all that comes later, and to release one orders it after all that came before.
   So what is always loaded and stored under the same lock needs nothing else.
3. A system call by which one thread wakes another (a write to a waker, and the wait there) orders all that the one has
   stored before all that the other loads then.
4. No store overtakes a load of a word that comes before it: CPython makes an int of what it has loaded, and which
   instructions come next depends on its value. A load of many bytes is only a copy, and can be overtaken.

Apart from that, a processor may make loads sooner than they are written and stores later, as ARM does. x86-64 keeps
more order: there only a load may overtake an earlier store. So what has to come in order says so by one of three
fences, which are named by what they order:

    publish     all that comes before it, before the stores behind it: before the word is stored that says that
                something is there, or that something is not needed any more
    consume     the loads before it, before all that comes behind it: after that word was loaded
    full        all that comes before it, before all that comes behind it: between "I have stored this" and "has the
                other side stored that?"; without it both sides may miss each other. x86-64 needs this one, too

`ordered` are words that are published by being stored, and consumed by being loaded. On x86-64 they are the words
themselves, so they cost nothing. The full fences are the release of a lock (`releasing`), which is one on x86-64
anyway, and `new_fence`. On the other processors all three are one: a lock that is free is taken and released. In
CPython both are a compare-and-swap of sequential consistency. On ARM a single one need not be a full fence: it is a
load and a store, between which what comes behind it may be loaded. But no load behind the second overtakes the store of
the first.
`docs/models/inside/order.md` explains what can go wrong, and `tests/memory/weak` runs the classes that are listed here
on a simulated memory that reorders as ARM may.

    models/memory/channels/channel.py     Channel.send                   the item, publish, TAIL, full, RECEIVERS
    models/memory/channels/channel.py     Channel._send_other            the same, and the bytes before
    models/memory/channels/channel.py     Channel._append_now            HEAD, consume; the item, publish, TAIL
    models/memory/channels/channel.py     Channel.__iter__               the item, publish, HEAD; the same as below
    models/memory/channels/channel.py     Channel._wait_for_item         RECEIVERS, full, HEAD, consume, TAIL
    models/memory/channels/channel.py     Channel.receive                the item, publish, HEAD
    models/memory/channels/channel.py     Channel._take_payload          the same
    models/memory/channels/channel.py     Channel.close                  all before, publish, TAIL
    models/memory/channels/layout.py      ChannelMemory._look            TAIL, consume, all items up to there
    models/memory/channels/layout.py      ChannelMemory._unload          the bytes, publish, BYTES_HEAD
    models/memory/group.py                cancel                         CANCELLED and ALERT, publish, CANCELS
    models/memory/group.py                finish                         BLOCK and SIZE, publish, STATE
    models/memory/group.py                Task.settle                    STATE, consume, BLOCK and SIZE
    models/memory/group.py                TaskGroup.__exit__             LIVE, CANCELLED, consume, STRUCK, STATE
    models/memory/group.py                TaskGroup._begin_limit         UNTIL, publish, LIMITS
    models/memory/lives/supervisor.py     Supervisor._tell_cancelled     CANCELS, full, each CANCELLED
    models/memory/lives/supervisor.py     Supervisor._strike_limits      LIMITS, full, each UNTIL; STRUCK, publish,
                                                                         CANCELLED
    models/memory/lives/deadlocks.py      tell                           PLACE_AT and PLACE_SIZE, publish, ANSWERED
    models/memory/channels/layout.py      ChannelMemory._store           BYTES_HEAD, consume, the bytes
    models/memory/lives/deadlocks.py      places                         ANSWERED, consume, PLACE_AT and PLACE_SIZE
    models/memory/pool/worker.py          Worker.work                    results, publish, LEFT, full, WATCHED
    models/memory/pool/worker.py          Worker.wait_for_work           GIVEN, consume, the batch
    models/memory/pool/worker.py          Worker._block_for_work         WAITS, full, GIVEN
    models/memory/pool/worker.py          Worker._do_each                BEGUN, full, STOP; a result, publish, ENDED
    models/memory/pool/worker.py          Worker._sent                   HEAD, consume; the bytes, publish, TAIL
    models/memory/pool/worker_handle.py   WorkerHandle.give              the batch, publish, GIVEN, full, WAITS
    models/memory/pool/worker_handle.py   WorkerHandle.watch             WATCHED, full
    models/memory/pool/worker_handle.py   WorkerHandle.take_back         STOP, full, BEGUN
    models/memory/pool/worker_handle.py   WorkerHandle.begun             BEGUN, consume, UNREAD
    models/memory/pool/worker_handle.py   WorkerHandle.collect           LEFT, consume, ENDED, consume, results; HEAD
"""

import os
from _thread import allocate_lock

from concmodels.platform import IS_ORDERED, PORTABLE, WINDOWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _multiprocessing import SemLock  # type: ignore[import-not-found] # typeshed does not know it
    from collections.abc import Callable
    from mmap import mmap
    from typing import Any

__all__ = [
    "IS_ORDERED", "MOST_CHANNEL_BYTES", "NAMES_STAY", "PAGE", "SEMAPHORES", "SIZES", "attach", "close_file",
    "close_semaphore", "give_back", "make_semaphore", "new_fence", "new_file", "open_semaphore", "ordered", "releasing",
    "remove_semaphore",
]  # fmt: skip

PAGE = 4096
"""Bytes that are given back together: a power of two, and a multiple of the system's page."""

SIZES = (1 << 42, 1 << 36, 1 << 33)
"""The sizes in bytes that the file may have, the best first.

A limit on addresses (`ulimit -v`) may leave only a smaller one.
"""

MOST_CHANNEL_BYTES = SIZES[0]

NAMES_STAY = True
SEMAPHORES: str | None = "/dev/shm"
"""The folder in which a semaphore `/NAME` is a file `sem.NAME`, so that leftovers can be listed; None if they can't."""

new_fence = allocate_lock
"""Make a fence: what stands behind `with fence: pass` is done after all that stands before it.

Each thread uses one of its own, so it never waits for it.
"""


def full() -> None:
    """Order all that comes before it before all that comes behind it."""
    lock = allocate_lock()  # a new one: a signal handler may come between the next two lines, and need a fence as well
    lock.acquire()
    lock.release()


publish = consume = full


class Ordered:
    """Words that are published by being stored, and consumed by being loaded."""

    __slots__ = ("_words",)

    def __init__(self, words: memoryview) -> None:
        self._words = words

    def __getitem__(self, at: int) -> Any:
        word = self._words[at]
        consume()
        return word

    def __setitem__(self, at: int, word: int) -> None:
        publish()
        self._words[at] = word


def ordered(words: memoryview) -> Any:
    """Return these words as such whose loads and stores keep their order: on x86-64, the words themselves."""
    return words if IS_ORDERED else Ordered(words)


def releasing(semaphore: SemLock) -> Callable[[], object]:
    """Return a function that releases a semaphore and is a full fence: on x86-64, the semaphore's own."""
    release: Callable[[], object] = semaphore.release
    if IS_ORDERED:
        return release

    def release_and_fence() -> None:
        release()
        full()

    return release_and_fence


def new_file() -> int:
    """Make a file without a name, and return its descriptor, which a new program does not inherit."""
    return os.memfd_create("concmodels", os.MFD_CLOEXEC)


def close_file(fd: int) -> None:
    """Close it."""
    os.close(fd)


def attach(fd: int, size: int = 0) -> mmap:
    """Map the whole file, shared; give it this size first, unless that is 0.

    Raises `OSError` or `MemoryError` if there are too few addresses.
    """
    from mmap import mmap  # an interpreter gets a view of the main interpreter's map instead

    if size:
        os.ftruncate(fd, size)
    return mmap(fd, os.fstat(fd).st_size, trackfd=False)


def give_back(mapping: mmap | None, fd: int, at: int, size: int) -> None:
    """Return whole pages to the system; they read as zeros afterwards.

    Without a mapping, as in an interpreter, the pages are mapped for a moment, and not touched.
    """
    from mmap import MADV_REMOVE, mmap

    if mapping is not None:
        mapping.madvise(MADV_REMOVE, at, size)
    else:
        with mmap(fd, size, offset=at, trackfd=False) as pages:
            pages.madvise(MADV_REMOVE)


# What follows is imported when it is called, because not every Python has it: one in a browser can't start processes.


def make_semaphore(name: str) -> None:
    """Make a semaphore that is free. Raises `OSError`."""
    from _multiprocessing import SemLock

    SemLock(1, 1, 1, name, False)


def remove_semaphore(name: str) -> None:
    """Remove the name of a semaphore. Raises `FileNotFoundError`."""
    from _multiprocessing import sem_unlink

    sem_unlink(name)


def open_semaphore(name: str) -> SemLock:
    """Open a semaphore by its name. (One that is rebuilt from its handle is closed for all when it is garbage.)"""
    from _multiprocessing import SemLock

    return SemLock._rebuild(0, 1, 1, name)


def close_semaphore(_semaphore: SemLock) -> None:
    """Do nothing: it is closed when it is garbage."""


if PORTABLE:
    from concmodels.platform.portable.memory import PAGE, SEMAPHORES, give_back, new_file
if WINDOWS:
    from concmodels.platform.portable.windows import (  # type: ignore[assignment] # its locks are of another class
        MOST_CHANNEL_BYTES,
        NAMES_STAY,
        SIZES,
        attach,
        close_file,
        close_semaphore,
        make_semaphore,
        new_file,
        open_semaphore,
        remove_semaphore,
    )

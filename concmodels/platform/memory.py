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
    new_fence          what `with` a store on one side and a load on the other is a fence

What is believed of the machine:

1. An aligned store of 8 bytes is seen whole, or not yet, by every other processor; so is one by a memoryview of the
   format "q", which CPython compiles to a single move. A store of one byte changes nothing else of the word around it.
2. Stores become visible in the order in which they were made, and loads are made in the order in which they are
   written. Only a load may overtake an earlier store (to another address). x86-64 guarantees that, ARM does not.
3. To take a lock that is free, and to release one, is a fence: no load behind it overtakes a store before it. That is
   so on x86-64, where both are locked instructions, for the semaphores of glibc and for `_thread.lock`. On ARM neither
   is: what follows a release may overtake it.
4. A system call by which one thread wakes another (a write to a waker, and the wait there) orders all before it.

In these places the library relies on an order that nothing but belief 2 guarantees. In each of them ARM needs a fence
between the two: `dmb ishst` if the first is a store, `dmb ishld` if it is a load.

    models/memory/channels/channel.py     Channel.send                   the item, then TAIL
    models/memory/channels/channel.py     Channel._append_now            the item, or its bytes, then TAIL
    models/memory/channels/channel.py     Channel.__iter__               TAIL, then the item; the item, then HEAD
    models/memory/channels/channel.py     Channel.receive                the item, then HEAD
    models/memory/channels/channel.py     Channel._fetch                 the item, then HEAD
    models/memory/channels/layout.py      ChannelMemory._look            TAIL, then the item
    models/memory/channels/channel.py     Channel._send_other            the bytes, then the item, then TAIL
    models/memory/channels/channel.py     Channel._take_payload          the item, then HEAD
    models/memory/channels/layout.py      ChannelMemory._begin_again     BYTES_HEAD and BYTES_TAIL, then the bytes
    models/memory/channels/layout.py      ChannelMemory._unload          the bytes, then BYTES_HEAD
    models/memory/group.py                cancel                         CANCELLED, then ALERT, then CANCELS
    models/memory/group.py                finish                         BLOCK and SIZE, then STATE
    models/memory/group.py                Task.settle                    STATE, then BLOCK and SIZE
    models/memory/participant.py          Participant.checkpoint         ALERT, then BROKEN and CANCELLED
    models/memory/lives/supervisor.py     Supervisor.break_off           BROKEN, then ALERT
    models/memory/lives/deadlocks.py      ask_places                     ASKED, then ALERT
    models/memory/lives/deadlocks.py      tell                           PLACE_AT and PLACE_SIZE, then ANSWERED
    models/memory/lives/deadlocks.py      places                         ANSWERED, then PLACE_AT and PLACE_SIZE
    models/memory/pool/                   each word that says that others are there (GIVEN, LEFT, ENDED, TAIL, HEAD,
                                          READY) after what it speaks of

A store that is followed by a load of what another thread stores needs a full fence between the two, on every machine.
There it is a lock, by belief 3: the semaphore that is released in between (`Channel.send`, `Channel._append`,
`Channel.close`, `Channel._wait_for_item`, `Channel.__iter__`), or a `new_fence`. On ARM the release of a semaphore, and
`new_fence`, have to contain a full one (`dmb ish`): both are made in this file.
"""

import os
from _thread import allocate_lock

from concmodels.platform import PORTABLE, WINDOWS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _multiprocessing import SemLock  # type: ignore[import-not-found] # typeshed does not know it
    from mmap import mmap

__all__ = [
    "MOST_CHANNEL_BYTES", "NAMES_STAY", "PAGE", "SEMAPHORES", "SIZES", "attach", "close_file", "close_semaphore",
    "give_back", "make_semaphore", "new_fence", "new_file", "open_semaphore", "remove_semaphore",
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
"""Make a fence. What stands inside of `with fence:` is loaded after all that was stored before it.

Each thread uses one of its own, so it never waits for it.
"""


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

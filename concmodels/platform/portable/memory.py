"""The memory of a run in a temporary file that is unlinked at once: what a system without memfd can do.

Pages are never given back, so the file keeps the size of the most that was in use at a time. It lies in the folder for
temporary files. The system may write it to the disk now and then, and a full disk ends the process that touches a new
page, by SIGBUS.

The locks are the same: POSIX semaphores with names, which other systems have too, but can't list.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mmap import mmap

PAGE = 1 << 14
"""Apple's processors have pages of 16 KiB. It is a multiple of all smaller ones."""

SEMAPHORES: str | None = None


def new_file() -> int:
    """See `concmodels.platform.memory.new_file`."""
    from tempfile import mkstemp

    fd, name = mkstemp(prefix="concmodels-")
    os.unlink(name)
    return fd


def give_back(mapping: mmap | None, fd: int, at: int, size: int) -> None:
    """Keep the pages: what gives them back is different in every system, and nothing needs it."""

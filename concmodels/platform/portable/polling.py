"""Stands in for `poll` where there is none, which is Windows: it says so.

The `select` of Windows takes sockets only, and a task that waits for a socket polls a waker beside it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Never

POLLIN, POLLOUT = 1, 4


def poll() -> Never:
    """Raise `NotImplementedError`."""
    raise NotImplementedError("a wait for a socket needs poll(), which this system does not have: take trio")

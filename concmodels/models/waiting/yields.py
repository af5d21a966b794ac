"""The count of operations after which a task that never waits lets the others run, in the models of one thread.

It belongs to one stretch of work: it begins anew whenever a task goes on after a wait. Otherwise others could use the
count up, a task would be stopped in the middle of a batch, and on a scheduler that is first come, first served, a
batch that is cut in two never joins again. With 1,000 tasks and 100 messages, a hop takes 0.43 of the time in asyncio
and 0.38 in greenlet (CPU time, a channel without a bound; measured in turn with one count that nothing sets back).
"""

from _thread import _local
from itertools import repeat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class yield_every(_local):
    """An iterator that is True once in so many operations. One serves all channels that a thread makes.

    It makes a channel fair, and a task that never has to wait can be cancelled there. It is an iterator in C, because a
    counter in Python would cost more than the operation. Its `__setstate__` sets how many elements have gone by: 0
    begins anew. `SingleThreadChannel._checkpoint` does that too, so the iterator never comes to its end.
    """

    def __init__(self, operations: int = 256) -> None:
        self._count = iter([*repeat(False, operations - 1), *repeat(True, 256)])

    def __get__(self, channel: object, kind: type | None = None) -> Any:
        """Return the iterator of this thread."""
        return self._count

"""The threads of a group that have not been joined yet."""

from collections import deque

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class UnjoinedThreads:
    """The threads of a group, all of which have to be joined: until then the system keeps the stack of an ended one.

    A group may live as long as its program, as that of a server does, which starts a thread for each connection. So
    `add` looks at two of the older threads, and joins those that have ended. So ended threads don't pile up: soon about
    as many are unjoined as run.
    """

    def __init__(self, has_ended: Callable[[Any], bool]) -> None:
        self._has_ended = has_ended
        self._threads: deque[Any] = deque()

    def add(self, thread: Any) -> None:
        """Add a thread that was just started, or a handle to one. Several tasks may do so at a time."""
        for _ in range(2):
            self._join_first_if_ended()
        self._threads.append(thread)

    def join(self) -> None:
        """Wait until all threads are gone."""
        while self._threads:
            self._threads.popleft().join()

    def _join_first_if_ended(self) -> None:
        try:
            first = self._threads.popleft()  # no other task has it now
        except IndexError:
            return
        if self._has_ended(first):
            first.join()
        else:
            self._threads.append(first)

"""The time limit of a group, `TaskGroup(timeout=5)`.

A limit is decided once. It *strikes* when its time is over: the group is then cancelled, and raises `TimeoutError` when
its tasks have ended. It is *lifted* if the group fails or is cancelled before that, and so ends for another reason.
How a group learns that its time is over depends on the model: by a timer of its loop, a scope, or a task that waits.
"""

import time
from math import inf

from concmodels.models.waiting.timeouts import must_be_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Limit:
    """The limit of one group. Raises `TypeError` or `ValueError` for a timeout that is no number of seconds."""

    def __init__(self, timeout: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = inf if timeout is None else must_be_seconds(timeout)
        self.until = inf
        self.struck = False
        self._clock = clock
        self._undecided = [None]  # `pop` succeeds once, also among threads

    def begin(self) -> bool:
        """Start the clock; return whether something has to wait until the time is over: it is limited, and not over."""
        if self.seconds == inf:
            return False
        self.until = self._clock() + self.seconds
        return self.seconds > 0

    def strike(self) -> bool:
        """Note that the time is over; return False if the limit was lifted before."""
        self._decide(True)
        return self.struck

    def lift(self) -> None:
        """Keep the limit from striking, unless the time is over already."""
        self._decide(self.is_over())

    def is_over(self) -> bool:
        """Return whether the time is over."""
        return self.until != inf and self._clock() >= self.until

    def error(self) -> TimeoutError | None:
        """Return what the group has to raise, now that its tasks have ended; None if it was in time."""
        self.lift()  # the time may be over without anything having noticed
        return not_in_time(self.seconds) if self.struck else None

    def _decide(self, struck: bool) -> None:
        try:
            self._undecided.pop()
        except IndexError:
            return
        self.struck = struck


def not_in_time(seconds: float) -> TimeoutError:
    """Return the error of a group whose time is over."""
    return TimeoutError(f"the group has not ended in {max(seconds, 0):g} s, so it was cancelled")

"""What a tasklet is at, and what others can see of it. What it does is in `tasklet.py`."""

import sys

from concmodels.stackless.scheduler import IN_RING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType
    from typing import Any

    from greenlet import greenlet

    from concmodels.stackless.scheduler import Scheduler

    type Tasklet = Any  # a `tasklet`, which is written on top of this file


class State:
    """The fields of a tasklet, and the questions about them."""

    tempval: Any = None  # the function it is bound to, later the value that is on its way to it
    block_trap = False
    atomic = False
    ignore_nesting = False
    nesting_level = 0

    _scheduler: Scheduler
    _place: Any = None  # in the ring, or the channel it waits at, or nowhere
    _call: tuple[Callable[..., object], Iterable[Any], dict[str, Any]] | None = None  # what it will do when it begins
    _unit: greenlet | None = None  # from its beginning to its end

    @property
    def alive(self) -> bool:
        """Whether it has something to do: it was given arguments, and has not ended."""
        return self._unit is not None or self._call is not None

    @property
    def blocked(self) -> bool:
        """Whether it waits at a channel."""
        return self._place is not None and self._place is not IN_RING

    @property
    def scheduled(self) -> bool:
        """Whether it is in the ring, or waits at a channel."""
        return self._place is not None

    @property
    def paused(self) -> bool:
        """Whether it is alive and neither in the ring nor at a channel."""
        return self._place is None and self.alive

    @property
    def restorable(self) -> bool:
        """Whether nothing of it lies on the C stack: only before it begins and after it has ended."""
        return self._unit is None

    @property
    def is_current(self) -> bool:
        """Whether it is the current tasklet of its thread."""
        return self._scheduler.current is self

    @property
    def is_main(self) -> bool:
        """Whether it is the main tasklet of its thread."""
        return self._scheduler.main is self

    @property
    def thread_id(self) -> int:
        """The thread it belongs to, -1 if that has ended."""
        return self._scheduler.thread_id if self._scheduler.thread_id in sys._current_frames() else -1

    @property
    def next(self) -> Tasklet | None:
        """The one behind it in the ring; at a channel the next that waits, or None."""
        return self._neighbour(1)

    @property
    def prev(self) -> Tasklet | None:
        """The one before it in the ring; at a channel the one that has waited longer, or None."""
        return self._neighbour(-1)

    def _neighbour(self, step: int) -> Tasklet | None:
        if self._place is None:
            return None
        if self._place is IN_RING:
            row: list[Any] = [self._scheduler.current, *self._scheduler.ready]
            index = (row.index(self) + step) % len(row)
        else:
            row = [None, *self._place._waiting(), None]
            index = row.index(self) + step
        neighbour: Tasklet | None = row[index]
        return neighbour

    @property
    def frame(self) -> FrameType | None:
        """The frame where it is; None if it has not begun or has ended."""
        if self.is_current:
            return sys._getframe(1)
        return self._unit.gr_frame if self._unit is not None else None

    @property
    def recursion_depth(self) -> int:
        """How many frames it has."""
        frame, depth = self.frame, 0
        while frame is not None:
            frame, depth = frame.f_back, depth + 1
        return depth

    def _unblock(self) -> None:
        if self.blocked:
            self._place._forget(self)
            self._place = None

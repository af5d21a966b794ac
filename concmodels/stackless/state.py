"""The state of a tasklet, as far as it can be asked for. The operations on it are in `tasklet.py`."""

import sys

from concmodels.stackless.scheduler import IN_RING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import FrameType
    from typing import Any

    from greenlet import greenlet

    from concmodels.stackless.scheduler import Scheduler

    type Tasklet = Any  # a `tasklet`: the module that defines it imports this one


class State:
    """The fields of a tasklet, and the properties that are computed from them."""

    tempval: Any = None  # the function it is bound to; later the value that is handed to it
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
        """Whether the tasklet was given arguments and has not ended."""
        return self._unit is not None or self._call is not None

    @property
    def blocked(self) -> bool:
        """Whether the tasklet waits at a channel."""
        return self._place is not None and self._place is not IN_RING

    @property
    def scheduled(self) -> bool:
        """Whether the tasklet is in the ring, or waits at a channel."""
        return self._place is not None

    @property
    def paused(self) -> bool:
        """Whether the tasklet is alive, and neither in the ring nor at a channel."""
        return self._place is None and self.alive

    @property
    def restorable(self) -> bool:
        """Whether the tasklet has nothing on the C stack: that is so only before it begins and after it has ended."""
        return self._unit is None

    @property
    def is_current(self) -> bool:
        """Whether this is the current tasklet of its thread."""
        return self._scheduler.current is self

    @property
    def is_main(self) -> bool:
        """Whether this is the main tasklet of its thread."""
        return self._scheduler.main is self

    @property
    def thread_id(self) -> int:
        """The id of the thread that the tasklet belongs to; -1 if that thread has ended."""
        return self._scheduler.thread_id if self._scheduler.thread_id in sys._current_frames() else -1

    @property
    def next(self) -> Tasklet | None:
        """The next tasklet in the ring; at a channel, the next one that waits, or None."""
        return self._neighbour(1)

    @property
    def prev(self) -> Tasklet | None:
        """The previous tasklet in the ring; at a channel, the one that has waited longer, or None."""
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
        """The current frame of the tasklet; None if it has not begun or has ended."""
        if self.is_current:
            return sys._getframe(1)
        return self._unit.gr_frame if self._unit is not None else None

    @property
    def recursion_depth(self) -> int:
        """The number of frames of the tasklet."""
        frame, depth = self.frame, 0
        while frame is not None:
            frame, depth = frame.f_back, depth + 1
        return depth

    def _unblock(self) -> None:
        if self.blocked:
            self._place._forget(self)
            self._place = None

"""The functions that leave the current tasklet: `run`, with its timer, and `schedule`."""

import time

from concmodels.stackless.scheduler import IN_RING
from concmodels.stackless.tasklet import here

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import deque
    from typing import Any

    from concmodels.stackless.scheduler import Scheduler
    from concmodels.stackless.tasklet import tasklet

INSTRUCTION_S = 20e-9
"""The number of seconds that one instruction of `run(timeout)` counts for."""

_NOT_GIVEN: Any = "not given"


def run(
    timeout: int = 0,
    threadblock: bool = False,
    soft: bool = False,
    ignore_nesting: bool = False,
    totaltimeout: bool = False,
) -> tasklet | None:
    """Run the other tasklets until the ring is empty. An exception that a tasklet does not catch is raised here.

    The current tasklet leaves the ring for that time. `timeout` is a number of instructions (see `INSTRUCTION_S`): with
    it, `run` also ends at the first switch away from a tasklet that ran longer or, with `totaltimeout`, when all
    tasklets together have run longer. It then removes the tasklet that it interrupted from the ring, and returns it;
    with `soft`, the tasklet stays in the ring and `run` returns None. Inside another `run` with a timeout, `timeout` is
    ignored.

        >>> import concmodels.stackless as stackless
        >>> task = stackless.tasklet(print)("ran")
        >>> stackless.getruncount()
        2
        >>> stackless.run()
        ran
    """
    scheduler = here.scheduler
    scheduler.check_trap()
    me, timer = scheduler.current, None
    if timeout > 0 and scheduler.timer is None:
        timer = scheduler.timer = Timer(me, timeout, totaltimeout)
    scheduler.watchdogs.append(me)
    me._place = None
    try:
        scheduler.leave(me)
    finally:
        scheduler.current = me  # even if Ctrl-C has interrupted a switch half-way
        _return_from_run(scheduler, me)
        if timer is not None:
            scheduler.timer = None
    if timer is None or timer.victim is None or soft:
        return None
    return timer.victim.remove()


def _return_from_run(scheduler: Scheduler, me: tasklet) -> None:
    """Let tasklets that called `run` later than this one return from it too, each when its turn comes."""
    watchdogs = scheduler.watchdogs
    while me in watchdogs:
        inner = watchdogs.pop()
        if inner is not me and inner.alive:
            inner.insert()


def schedule(retval: Any = _NOT_GIVEN) -> Any:
    """Go to the end of the ring. When the tasklet runs again, return `retval`, by default the tasklet itself."""
    scheduler = here.scheduler
    source, ready = scheduler.current, scheduler.ready
    if scheduler.trap and ready:
        scheduler.check_trap()
    source.tempval = source if retval is _NOT_GIVEN else retval
    ready.append(source)
    return scheduler.switch(source, ready.popleft())


def schedule_remove(retval: Any = _NOT_GIVEN) -> Any:
    """Leave the ring. When the tasklet has been inserted and runs again, return `retval` or its `tempval`."""
    scheduler = here.scheduler
    source = scheduler.current
    scheduler.check_trap()
    source.tempval = source if retval is _NOT_GIVEN else retval
    source._place = None
    return scheduler.leave(source)


class Timer:
    """The watchdog of `run(timeout)`: when the time is over, the next switch goes to the tasklet that called `run`."""

    def __init__(self, owner: tasklet, timeout: int, total: bool) -> None:
        self._owner, self._limit, self._total = owner, timeout * INSTRUCTION_S, total
        self._start = time.perf_counter()
        self.victim: tasklet | None = None

    def check(self, ready: deque[tasklet], source: tasklet, target: tasklet) -> tasklet:
        """Return the tasklet that goes on: the target or, if the time is over, the owner of the timer."""
        moment, owner = time.perf_counter(), self._owner
        late = moment - self._start > self._limit
        if not self._total or source is owner:
            self._start = moment
        if not late or source is owner or target is owner or owner._place is not None:
            return target
        self.victim = source if source._place is IN_RING and source is not target else target
        ready.appendleft(target)
        owner._place = IN_RING
        return owner

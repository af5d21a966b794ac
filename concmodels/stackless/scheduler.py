"""The ring of one thread, and every switch in it.

It knows the fields of a tasklet, and neither makes one nor asks which thread this is: that is in `tasklet.py`.
"""

from _thread import get_ident
from collections import deque

from greenlet import greenlet

from concmodels.errors import Deadlock
from concmodels.stackless import callbacks
from concmodels.stackless.errors import Bomb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    type Tasklet = Any  # a `tasklet`, and the `Timer` of a `run`: what they are is written on top of this file
    type Timer = Any

IN_RING: Any = "in the ring"


class Scheduler:
    """The ring of one thread: the current tasklet and, behind it, the others that can go on."""

    def __init__(self, main: Tasklet) -> None:
        self.thread_id = get_ident()
        self.ready: deque[Tasklet] = deque()
        self.watchdogs: list[Tasklet] = []  # those who called `run`, the innermost last
        self.started: set[Tasklet] = set()
        self.timer: Timer | None = None
        self.trap = 0
        self.main = self.current = main
        main._scheduler, main._unit, main._place = self, greenlet.getcurrent(), IN_RING
        self._nursery = greenlet(_start_units)
        self._nursery.switch(main._unit)

    def switch(self, source: Tasklet, target: Tasklet) -> Any:
        """Go on as `target`; come back when `source` is the current one again, with the value left for it."""
        if self.timer is not None:
            target = self.timer.check(self.ready, source, target)
        if target is not source:
            if callbacks.on_schedule is not None:
                callbacks.call_back(callbacks.on_schedule, source, target)
            self.current = target
            unit = target._unit
            if unit is None:
                self._nursery.switch(self._make_unit(target))
            else:
                unit.switch()
        value = source.tempval
        if value is not None:
            source.tempval = None
            if value.__class__ is Bomb:
                value.explode()
        return value

    def leave(self, source: Tasklet) -> Any:
        """Go on as the next in the ring; the source has left it."""
        return self.switch(source, self.ready.popleft() if self.ready else self._last_resort(source))

    def bring(self, target: Tasklet) -> None:
        """Turn the ring until the target comes first, and take it out to be the current one."""
        self.ready.rotate(-self.ready.index(target))
        self.ready.popleft()

    def check_trap(self) -> None:
        """Refuse to switch while a switch trap is set."""
        if self.trap:
            raise RuntimeError("switch_trap")

    def end(self, dead: Tasklet) -> greenlet | None:
        """A tasklet has ended. What is returned goes to its greenlet's parent: the next one, or the nursery."""
        me, bomb = dead._unit, dead.tempval
        assert me is not None
        dead._unit = dead._place = dead.tempval = None
        self.started.discard(dead)
        target = self._heir(bomb)
        if self.timer is not None:
            target = self.timer.check(self.ready, dead, target)
        if callbacks.on_schedule is not None:
            callbacks.call_back(callbacks.on_schedule, dead, target)
        self.current = target
        if target._unit is not None:
            me.parent = target._unit
            return None
        me.parent = self._nursery
        return self._make_unit(target)

    def _heir(self, bomb: Bomb | None) -> Tasklet:
        """Who goes on after the end of a tasklet: the next, or whoever has to hear of an error."""
        if bomb is None and self.ready:
            return self.ready.popleft()
        target = self._watchdog()
        if bomb is None and target.blocked:
            verb, partner = ("receiving", "sender") if target._place.balance < 0 else ("sending", "receiver")
            bomb = Bomb(RuntimeError(f"the main tasklet is {verb} without a {partner} available."))
        if target._place is IN_RING:
            self.bring(target)
        target._unblock()
        target._place, target.tempval = IN_RING, bomb
        return target

    def _last_resort(self, source: Tasklet) -> Tasklet:
        """Nobody is left in the ring: the caller of `run` goes on, or the main tasklet, if it does not wait too."""
        target = self._watchdog()
        if target._place is not None:
            source._unblock()
            source._place, source.tempval = IN_RING, None
            raise Deadlock("Deadlock: the last runnable tasklet cannot be blocked.")
        target._place = IN_RING
        return target

    def _watchdog(self) -> Tasklet:
        return self.watchdogs[-1] if self.watchdogs else self.main

    def _make_unit(self, target: Tasklet) -> greenlet:
        unit = target._unit = greenlet(target._work, self.main._unit)
        self.started.add(target)
        return unit


def _start_units(unit: greenlet) -> None:
    """The nursery: a greenlet that enters the new ones.

    A greenlet lies on the stack, and counts its recursion depth, from where it was first entered. Entered from each
    other, ten thousand in a chain would have no room left; entered from here, all have the same.
    """
    while True:
        unit = unit.switch()

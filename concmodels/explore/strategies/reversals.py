"""Which steps of a run could be done in another order, and at which points that order would begin.

Two steps of different tasks race if both touch the same, one of them changes it, and nothing orders them. Only what
such pairs lead to can be different when they are turned round. So a point at which the first of the two was chosen has
to be tried with the task of the second one, too; and a point at which no race begins needs no other task than the one
that it was tried with (Flanagan and Godefroid: Dynamic Partial-Order Reduction for Model Checking Software, 2005).

    p: write x        a race begins here: q has to be tried, too
    p: write y
    q: read x         what p has written to y orders nothing between the two

Steps are ordered by what they touch, and a step that enables another one comes before it. A lock is the exception that
this rule needs: what was enabled before a step disabled it, could have been done in that step's place.

    p: acquire L      q could have acquired L here, so here a race begins ...
    p: release L      ... and not here: this enables what q does
    q: acquire L
"""

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from concmodels.models.simulated.steps import Identity, Key

    type Footprint = dict[Key, bool]
    type Name = tuple[Identity, str]
    type Clock = dict[Identity, int]
    """By task: the number of its last step that comes before."""

    class Point(Protocol):
        """A point at which several steps were possible."""

        names: list[Name]

        def want(self, tasks: set[Identity]) -> None:
            """Have one of these tasks be tried there; all that can be, if none of these can be."""


class Done(NamedTuple):
    """A step that was done."""

    number: int
    """Its place in the run."""
    name: Name
    point: Point | None
    """Where it was chosen; None if no other one was possible."""
    clock: Clock
    """What comes before it, and itself."""


class Reversals:
    """The steps of one run in their order, and the races between them."""

    def __init__(self) -> None:
        self._steps: list[Done] = []
        self._clocks: dict[Identity, Clock] = {}
        self._touched: dict[Key, list[tuple[Done, bool]]] = {}
        self._enabled: dict[Name, int] = {}
        """What can be done now, and the number of the step that has enabled it."""

    def offer(self, names: list[Name]) -> None:
        """Note what can be done after the last step."""
        known, last = self._enabled, len(self._steps) - 1
        self._enabled = {name: known.get(name, last) for name in names}

    def add(self, name: Name, footprint: Footprint, point: Point | None, *, new: bool) -> None:
        """Add the step that was chosen of these; unless it is not `new`, note at which points races with it begin."""
        task = name[0]
        before = self._clocks.get(task, {})
        enabler = self._enabled[name]
        enabled = joined(before, self._steps[enabler].clock) if enabler >= 0 else before
        clock = dict(enabled)
        done = Done(len(self._steps), name, point, clock)
        for key, changes in footprint.items():
            touched = self._touched.setdefault(key, [])
            for other in unordered(touched, before, changes=changes):
                if new and other.point is not None:
                    self._race(other, name, before.get(task, -1), enabled)
                merge(clock, other.clock)
            touched.append((done, changes))
        clock[task] = done.number
        self._clocks[task] = clock
        self._steps.append(done)
        for other_name in [it for it in self._enabled if it[0] == task]:
            del self._enabled[other_name]

    def _race(self, first: Done, name: Name, latest: int, enabled: Clock) -> None:
        """Have something be tried in the place of the first of two steps that race, so that the second one can come
        before it. Nothing can if the first one has enabled the second."""
        point = first.point
        assert point is not None
        if latest < first.number and name in point.names:
            point.want({name[0]})
        elif first.number > enabled.get(first.name[0], -1):
            needed = {it.name[0] for it in self._steps[first.number + 1 :] if it.number <= enabled.get(it.name[0], -1)}
            point.want(needed | {name[0]})


def unordered(touched: list[tuple[Done, bool]], before: Clock, *, changes: bool) -> Iterator[Done]:
    """Yield the steps that have touched the same, of which the order matters, and that do not come before."""
    for other, changed in reversed(touched):
        if changes or changed:
            if other.number > before.get(other.name[0], -1):
                yield other
            elif changed:
                return  # whatever the order matters of, further back, comes before this one


def joined(one: Clock, other: Clock) -> Clock:
    """Return what comes before in one of two clocks."""
    clock = dict(one)
    merge(clock, other)
    return clock


def merge(clock: Clock, other: Clock) -> None:
    """Add to a clock what comes before in another one."""
    for task, number in other.items():
        if number > clock.get(task, -1):
            clock[task] = number


__all__ = ["Reversals"]

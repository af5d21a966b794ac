"""Which steps of a run could be done in another order, and at which points that order would begin.

Two steps of different tasks race if both touch the same, one of them changes it, and nothing orders them. Only what
such pairs lead to can be different when they are turned round. So a point at which the first of the two was chosen has
to be tried with something that leads to the second one without it, too. That is whatever was done since then and does
not come after the first step, and then the second one. Any task can begin that whose next step comes after nothing else
of it; if one of these is tried there anyway, nothing is left to do (Abdulla, Aronis, Jonsson, Sagonas: Source Sets: A
Foundation for Optimal Dynamic Partial Order Reduction, JACM 2017).

    p: write x        a race begins here: r or q has to be tried, too
    p: write y
    r: write z        q comes after this
    q: read z, x      what p has written to y orders nothing

Steps are ordered by what they touch, and a step that enables another one comes before it. A lock is the exception that
this rule needs: a step that waits for a gate can't be done before the one that opens it, in no order. But it could be
done in the place of one that has closed it.

    p: acquire L      q could have acquired L here, so here a race begins ...
    p: release L      ... and not here: L is taken until this is done
    q: acquire L
"""

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from concmodels.models.simulated.steps import Identity, Key, Step

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
    task: Identity
    point: Point | None
    """Where it was chosen; None if no other one was possible."""
    clock: Clock
    """What comes before it, and itself."""
    opens: Key | None
    """The gate that it has opened."""
    touched: tuple[Key, ...]
    """What it had touched by then: what is cut touches more when its tasks end."""
    before: Clock | None
    """What comes before the step that its task has done before; None if that has done none."""
    offered: dict[Name, int]
    """What could be done when it was chosen, and the number of the step that has enabled it."""


class Reversals:
    """The steps of one run in their order, and the races between them.

    The steps of the next run are the same up to the point at which another step is chosen there. So they are kept, and
    only those that follow are taken back (`keep`) and added.
    """

    def __init__(self) -> None:
        self._steps: list[Done] = []
        self._clocks: dict[Identity, Clock] = {}
        self._touched: dict[Key, list[tuple[Done, bool]]] = {}
        self._enabled: dict[Name, int] = {}
        """What can be done now, and the number of the step that has enabled it."""

    @property
    def count(self) -> int:
        """The number of its steps."""
        return len(self._steps)

    def keep(self, count: int) -> None:
        """Take back all steps but the first ones, so many."""
        while len(self._steps) > count:
            done = self._steps.pop()
            for key in done.touched:
                self._touched[key].pop()
            if done.before is None:
                del self._clocks[done.task]
            else:
                self._clocks[done.task] = done.before
            self._enabled = done.offered

    def offer(self, names: list[Name]) -> None:
        """Note what can be done after the last step."""
        known, last = self._enabled, len(self._steps) - 1
        self._enabled = {name: known.get(name, last) for name in names}

    def add(self, step: Step, point: Point | None) -> None:
        """Add the step that was chosen of these, and note at which points races with it begin."""
        task, offered = step.runner.identity, self._enabled
        name, last = (task, step.kind), self._clocks.get(task)
        before = enabled = last or {}
        if step.waits is None and (enabler := offered[name]) >= 0:
            enabled = joined(before, self._steps[enabler].clock)
        footprint, clock = step.footprint, dict(enabled)
        races = self._races(step, footprint, before, clock)
        done = Done(len(self._steps), task, point, clock, step.opens, tuple(footprint), last, offered)
        clock[task] = done.number
        for key, changes in footprint.items():
            self._touched.setdefault(key, []).append((done, changes))
        for first, where in races:
            is_enabled = before.get(task, -1) < first.number and name in where.names
            if is_enabled or first.number > enabled.get(first.task, -1):
                where.want(self._beginnings(first, done))
        self._clocks[task] = clock
        self._steps.append(done)
        self._enabled = {other: number for other, number in offered.items() if other[0] != task}

    def block(self, step: Step) -> None:
        """Note at which points races begin with a step that still waits for its gate when the run ends."""
        task = step.runner.identity
        before = self._clocks.get(task, {})
        clock = dict(before)
        races = self._races(step, dict(step.keys), before, clock)
        waiting = Done(len(self._steps), task, None, clock, None, (), before, {})
        for first, where in races:
            where.want(self._beginnings(first, waiting))

    def _races(self, step: Step, footprint: Footprint, before: Clock, clock: Clock) -> list[tuple[Done, Point]]:
        """Return the earlier steps that race with one, and where they were chosen; add to its clock what comes before.

        What has opened the gate that it waits for comes before it, but does not race with it.
        """
        gate, races = step.waits, []
        for key, changes in footprint.items():
            for other in unordered(self._touched.get(key, ()), before, changes=changes):
                if other.point is not None and (gate is None or other.opens != gate):
                    races.append((other, other.point))
                merge(clock, other.clock)
        return races

    def _beginnings(self, first: Done, second: Done) -> set[Identity]:
        """Return the tasks that can begin what is to be tried in the place of the first of two steps that race.

        That is all which has been done since then and does not come after it, and then the second step. A task can
        begin that if its next step comes after nothing else of it.
        """
        begun: dict[Identity, int] = {}
        found = set()
        for it in (*self._steps[first.number + 1 :], second):
            if it is not second and it.clock.get(first.task, -1) >= first.number:
                continue
            if it.task not in begun:
                if not any(it.clock.get(task, -1) >= number for task, number in begun.items()):
                    found.add(it.task)
                begun[it.task] = it.number
        return found


def unordered(touched: Sequence[tuple[Done, bool]], before: Clock, *, changes: bool) -> Iterator[Done]:
    """Yield the steps that have touched the same, of which the order matters, and that do not come before."""
    for other, changed in reversed(touched):
        if changes or changed:
            if other.number > before.get(other.task, -1):
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

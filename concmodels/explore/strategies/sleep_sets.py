"""Every schedule, but only one of those that differ in nothing but the order of independent steps.

The search goes depth first: it runs the program to its end, goes back to the last point at which another step was
possible, runs the program again up to there, and takes that one. All runs are repetitions from the start; nothing is
ever undone.

A step that has been tried at a point *sleeps* there: everything that begins with it has been seen. It goes on sleeping
in the runs that take another step first, because taking it later makes no difference, until a step is taken that
depends on it: then the order does matter, and it wakes. A point where all possible steps sleep leads to nothing new,
and the run is cut (Godefroid: Partial-Order Methods for the Verification of Concurrent Systems, 1996).

    a point            tried: A, next: B                       A sleeps in all runs that begin with B here,
     |-- A ...         all of it has been seen                 until a step depends on A: a step that touches
     '-- B             A sleeps                                what A has touched, and one of the two changes it
         |-- C         C touches what A has touched: A wakes
         '-- A         B and A are independent: cut, for "A, B" has been seen

And a point is tried only with the tasks that can make a difference there: the one of its first run, and those whose
steps raced with what was done there (`reversals.py`). Sleep sets alone would begin runs there that are cut later.

What a step depends on is known only afterwards, from its footprint. So a step is put to sleep with everything that it
touched in any of the runs: in each of them, a select may take another case.
"""

from typing import TYPE_CHECKING

from concmodels.explore.errors import NotRepeatable
from concmodels.explore.strategies.reversals import Reversals
from concmodels.models.simulated.steps import ANNOUNCED

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from concmodels.explore.strategies.reversals import Footprint, Name
    from concmodels.models.simulated.steps import Identity, Step
    from concmodels.models.simulated.world import Run

    type Sleeping = dict[Name, Footprint]


class Redundant(Exception):
    """This run can show nothing that another one has not shown."""


def conflict(one: Footprint, other: Footprint) -> bool:
    """Return whether the order of two steps with these footprints can matter."""
    for key, changes in one.items():
        changes_too = other.get(key)
        if changes_too is not None and (changes or changes_too):
            return True
    return False


class Point:
    """A point at which several steps are possible: which have to be tried, which sleep, and which is tried now."""

    __slots__ = ("chosen", "footprint", "lots", "names", "number", "offered", "sleeping", "wanted")

    def __init__(self, number: int, offered: list[Name], sleeping: Sleeping, chosen: Name) -> None:
        self.number = number
        """How many steps come before it."""
        self.offered = offered
        self.names = sorted(offered)
        self.sleeping = sleeping
        self.wanted: set[Identity] = {chosen[0]}
        """The tasks whose steps have to be tried."""
        self.choose(chosen)

    def want(self, tasks: set[Identity]) -> None:
        """Have one of these tasks be tried; all that can be, if none of these can be."""
        if self.wanted & tasks:
            return
        possible = [name[0] for name in self.names]
        self.wanted.update(next(([task] for task in possible if task in tasks), possible))

    def want_all(self) -> None:
        """Have everything be tried."""
        self.wanted.update(name[0] for name in self.names)

    def choose(self, name: Name) -> None:
        self.chosen = name
        self.footprint: Footprint = {}
        self.lots = False  # whether the step draws lots: then its footprint differs from run to run

    def awake(self) -> list[Name]:
        return [name for name in self.names if name[0] in self.wanted and name not in self.sleeping]


class _Lot:
    """A lot that the model draws: which of `n` cases."""

    __slots__ = ("drawn", "n")

    def __init__(self, n: int) -> None:
        self.n = n
        self.drawn = 0


class SleepSets:
    """Takes, run by run, each step that makes a difference; `complete` when there is none left.

    `begin` is called before each run, and `end` after it, which returns whether there is another one to make. Without
    `reduce` it tries every schedule; `conflict` says when two footprints depend on each other. Both are for tests.
    """

    def __init__(self, *, reduce: bool = True, conflict: Callable[[Footprint, Footprint], bool] = conflict) -> None:
        self.complete = False
        self._reduce = reduce
        self._conflict = conflict
        self._visited: set[Hashable] = set()
        self._path: list[Point | _Lot] = []
        self._new_from = 0  # where in the path the sleeping ones of the next point are not known yet
        self._reversals = Reversals()
        self.begin()

    def begin(self) -> None:
        """Begin a run."""
        self._depth = 0
        self._point: Point | None = None
        self._step: Step | None = None
        self._sleeping: Sleeping = {}
        self._done = 0  # how many steps
        self._known = self._reversals.count  # how many of them are those of the last run
        self._is_seen = False

    @property
    def is_repeating(self) -> bool:
        """Whether the step under way is one that the last run has done, too: nobody asks what it touches."""
        return self._done < self._known

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`. Raises `Redundant` if nothing new is possible."""
        last, self._step = self._step, None
        if last is not None:
            self._is_over(last)
        names = [(step.runner.identity, step.kind) for step in steps]
        if self._reduce and self._done >= self._known:
            self._reversals.offer(names)
        if len(steps) == 1:
            step, index, self._point = steps[0], 0, None
            if names[0] in self._sleeping:
                raise Redundant
        else:
            self._point = point = self._next_point(names, last)
            self._sleeping = point.sleeping
            index = names.index(point.chosen)
            step = steps[index]
        self._step = step
        return index

    def branch(self, n: int) -> int:
        """As `Strategy.branch`."""
        if self._point is not None:
            self._point.lots = True
        if self._depth == len(self._path):
            self._path.append(_Lot(n))
        lot = self._path[self._depth]
        if not isinstance(lot, _Lot) or lot.n != n:
            raise NotRepeatable
        self._depth += 1
        return lot.drawn

    def visit(self, state: Hashable) -> None:
        """As `World.visit`. Raises `Redundant` if another run was in this state: all that follows has been seen."""
        if self._reduce and not self._sleeping and self._depth == len(self._path):
            if state in self._visited:
                self._is_seen = True
                raise Redundant
            self._visited.add(state)

    def end(self, run: Run) -> bool:
        """End a run; return whether there is another one to make. Raises `NotRepeatable`.

        What a run has not done, though tasks still wait for it, may race with what was done. What that is, is known of
        what waits for a gate. If there is something else, or something waits for a moment, everything is tried at each
        of the points. Only what sleeps has raced in another run.
        """
        if self._step is not None:
            self._is_over(self._step)
        is_asleep = isinstance(run.error, Redundant) and not self._is_seen
        blocked = [step for step in run.left if step.waits is not None and step.state == ANNOUNCED]
        if run.is_timed or (len(blocked) < len(run.left) and not is_asleep):
            for point in self._path:
                if isinstance(point, Point):
                    point.want_all()
        elif self._reduce:
            for step in blocked:
                self._reversals.block(step)
        if self._depth < len(self._path):
            raise NotRepeatable
        self.complete = not self._go_back()
        depth = len(self._path)
        while depth and isinstance(self._path[depth - 1], _Lot):
            depth -= 1
        self._new_from = depth
        kept = self._path[depth - 1] if depth else None
        self._reversals.keep(kept.number if isinstance(kept, Point) else 0)
        return not self.complete

    def _go_back(self) -> bool:
        """Go back to the last point where something is left to try; return False if there is none."""
        path = self._path
        while path:
            last = path[-1]
            if isinstance(last, _Lot):
                last.drawn += 1
                if last.drawn < last.n:
                    return True
            else:
                last.sleeping[last.chosen] = last.footprint
                if awake := last.awake():
                    last.choose(awake[0])
                    return True
            path.pop()
        return False

    def _next_point(self, names: list[Name], last: Step | None) -> Point:
        """Return the next point of the path; a new one if this is its end. Raises `Redundant`."""
        if self._depth < len(self._path):
            known = self._path[self._depth]
            if not isinstance(known, Point) or (known.offered != names and known.names != sorted(names)):
                raise NotRepeatable
            self._depth += 1
            return known
        awake = sorted(name for name in names if name not in self._sleeping)
        if not awake:
            raise Redundant
        same = None if last is None else last.runner.identity
        chosen = next((name for name in awake if name[0] == same), awake[0])
        point = Point(self._done, names, self._sleeping, chosen)
        if not self._reduce:
            point.want_all()
        self._path.append(point)
        self._depth += 1
        return point

    def _is_over(self, step: Step) -> None:
        """Note the footprint of a step that has been done, and wake what depends on it."""
        self._done += 1
        if self._done <= self._known:
            self._sleeping = {}
            return
        done, point = step.footprint, self._point
        if self._reduce:
            self._reversals.add(step, point)
        if point is not None and (point.lots or not point.footprint):
            for key, changes in done.items():
                point.footprint[key] = changes or point.footprint.get(key, False)
        if self._sleeping and self._reduce and self._depth >= self._new_from:
            conflict, identity = self._conflict, step.runner.identity
            self._sleeping = {
                name: footprint
                for name, footprint in self._sleeping.items()
                if name[0] != identity and not conflict(footprint, done)
            }
        else:
            self._sleeping = {}

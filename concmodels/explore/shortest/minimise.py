"""The shortest schedule that still fails in the same way.

A schedule consists of the plainest order and the deviations from it: forced switches, and what selects have drawn.
Deviations are left out, first many at a time, then single ones, as long as the run still fails (Zeller, Hildebrandt:
Simplifying and Isolating Failure-Inducing Input, IEEE TSE 2002). The remaining ones are all necessary: if any of them
is left out, the run does not fail.

During this, a deviation is not tied to a point of the run, whose number would change when an earlier one is left out,
but to a task: "when task 2 has done 3 steps, task 1 goes on".
"""

from collections import Counter
from typing import TYPE_CHECKING

from concmodels.models.simulated.schedules import Recorder, plainest

if TYPE_CHECKING:
    from collections.abc import Callable

    from concmodels.models.simulated.schedules import Schedule, Strategy
    from concmodels.models.simulated.steps import Identity, Step

    type Moment = tuple[str, Identity, int]
    """What has been done by the task that has run last: so many steps, or so many lots."""
    type Deviation = tuple[Moment, object]
    type Fails = Callable[[Strategy], bool]

MOST_RUNS = 1000


def minimised(strategy: Strategy, fails: Fails) -> Schedule | None:
    """Return the shortest schedule found, beginning with that of a strategy; None if that does not fail.

    `fails` runs the program under a strategy, and says whether it has failed in the way that is looked for.
    """
    search = _Search(fails)
    best = search.trial(strategy)
    if best is None:
        return None
    parts = 2
    while best.deviations and search.runs < MOST_RUNS:
        size = max(1, len(best.deviations) // parts)
        shorter = search.without_one_part(best, size)
        if shorter is not None:
            best, parts = shorter, max(parts - 1, 2)
        elif size == 1:
            break
        else:
            parts = min(2 * parts, len(best.deviations))
    return best.schedule


class _Trial:
    """A run that has failed: its schedule, and the same told by tasks."""

    def __init__(self, schedule: Schedule, deviations: list[Deviation]) -> None:
        self.schedule = schedule
        self.deviations = deviations


class _Search:
    """Tries strategies, and counts the runs."""

    def __init__(self, fails: Fails) -> None:
        self.runs = 0
        self._fails = fails

    def trial(self, strategy: Strategy) -> _Trial | None:
        """Run the program under this strategy; return the run if it fails."""
        self.runs += 1
        by_task = _ByTask(strategy)
        recorder = Recorder(by_task)
        return _Trial(recorder.schedule, by_task.deviations) if self._fails(recorder) else None

    def without_one_part(self, best: _Trial, size: int) -> _Trial | None:
        """Return the first run that fails with one part of the deviations left out; None if none does."""
        deviations = best.deviations
        for start in range(0, len(deviations), size):
            found = self.trial(Deviating(dict(deviations[:start] + deviations[start + size :])))
            if found is not None and len(found.deviations) < len(deviations):
                return found
        return None


class Progress:
    """Follows what each task has done, and which one has run last."""

    def __init__(self) -> None:
        self.last: Identity = ()
        self._done: Counter[tuple[str, Identity]] = Counter()

    def moment(self, what: str) -> Moment:
        """Return the present moment, and count this one."""
        count = self._done[what, self.last]
        if what == "lot":
            self._done[what, self.last] += 1
        return what, self.last, count

    def goes_on(self, step: Step) -> None:
        """Note which task does the next step."""
        self.last = step.runner.identity
        self._done["step", self.last] += 1


class _ByTask:
    """Asks another strategy, and keeps where it deviates from the plainest order."""

    def __init__(self, strategy: Strategy) -> None:
        self.deviations: list[Deviation] = []
        self._strategy = strategy
        self._progress = Progress()

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`."""
        index = self._strategy.choose(steps)
        progress, step = self._progress, steps[index]
        if index != plainest(steps, progress.last):
            self.deviations.append((progress.moment("step"), (step.runner.identity, step.kind)))
        progress.goes_on(step)
        return index

    def branch(self, n: int) -> int:
        """As `Strategy.branch`."""
        lot = self._strategy.branch(n)
        moment = self._progress.moment("lot")
        if lot:
            self.deviations.append((moment, lot))
        return lot


class Deviating:
    """Takes the plainest order, but for these deviations."""

    def __init__(self, deviations: dict[Moment, object]) -> None:
        self._deviations = deviations
        self._progress = Progress()

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`."""
        progress = self._progress
        wanted = self._deviations.get(progress.moment("step"))
        index = None
        if wanted is not None:
            index = next((i for i, step in enumerate(steps) if (step.runner.identity, step.kind) == wanted), None)
        if index is None:
            index = plainest(steps, progress.last)
        progress.goes_on(steps[index])
        return index

    def branch(self, n: int) -> int:
        """As `Strategy.branch`."""
        lot = self._deviations.get(self._progress.moment("lot"), 0)
        return min(lot, n - 1) if isinstance(lot, int) else 0

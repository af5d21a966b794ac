"""The shortest schedule that still fails in the same way.

A schedule is the plainest order and what deviates from it: forced switches, and what selects have drawn. Deviations are
left out, first many at a time, then single ones, as long as the run still fails (Zeller, Hildebrandt: Simplifying and
Isolating Failure-Inducing Input, IEEE TSE 2002). What remains is necessary: without any one of them it does not fail.
"""

from typing import TYPE_CHECKING

from concmodels.models.simulated.schedules import Recorder, Replay, Schedule

if TYPE_CHECKING:
    from collections.abc import Callable

    from concmodels.models.simulated.schedules import Strategy

    type Deviation = tuple[str, int, object]
    type Fails = Callable[[Strategy], bool]

MOST_RUNS = 1000


def minimised(schedule: Schedule, fails: Fails) -> Schedule:
    """Return the shortest schedule found. `fails` runs the program under a strategy, and says whether it has failed."""
    search = _Search(fails)
    best, parts = schedule, 2
    while (deviations := _deviations(best)) and search.runs < MOST_RUNS:
        size = max(1, len(deviations) // parts)
        shorter = search.without_one_part(deviations, size)
        if shorter is not None:
            best, parts = shorter, max(parts - 1, 2)
        elif size == 1:
            break
        else:
            parts = min(2 * parts, len(deviations))
    return best


class _Search:
    """Tries shorter schedules, and counts the runs."""

    def __init__(self, fails: Fails) -> None:
        self.runs = 0
        self._fails = fails

    def without_one_part(self, deviations: list[Deviation], size: int) -> Schedule | None:
        """Return the first schedule that fails with one part of the deviations left out; None if none does."""
        for start in range(0, len(deviations), size):
            self.runs += 1
            recorder = Recorder(Replay(_schedule(deviations[:start] + deviations[start + size :])))
            if self._fails(recorder) and len(_deviations(recorder.schedule)) < len(deviations):
                return recorder.schedule
        return None


def _deviations(schedule: Schedule) -> list[Deviation]:
    forced: list[Deviation] = [("task", point, what) for point, what in sorted(schedule.forced.items())]
    return forced + [("lot", number, lot) for number, lot in enumerate(schedule.branches) if lot]


def _schedule(deviations: list[Deviation]) -> Schedule:
    forced = {point: what for kind, point, what in deviations if kind == "task"}
    lots = {number: lot for kind, number, lot in deviations if kind == "lot"}
    return Schedule(forced, [lots.get(number, 0) for number in range(max(lots, default=-1) + 1)])  # type: ignore[arg-type, misc]

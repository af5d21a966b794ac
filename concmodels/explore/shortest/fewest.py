"""The fewest deviations: all schedules with one deviation from the plainest order, then all with two, and so on.

Leaving deviations out (`minimise.py`) ends at a schedule of which no part can be left out, but another schedule may
need fewer. Most failures need one or two forced switches. So schedules with so few are tried, but only with switches
that can matter: before a step that touches something that several tasks touch and at least one of them changes.
"""

from collections import deque
from typing import TYPE_CHECKING

from concmodels.explore.shortest.minimise import Deviating
from concmodels.models.simulated.schedules import Recorder

if TYPE_CHECKING:
    from concmodels.explore.shortest.minimise import Deviation, Fails
    from concmodels.models.simulated.schedules import Schedule
    from concmodels.models.simulated.steps import Key, Step

MOST_RUNS = 600


def with_fewest(keys: frozenset[Key], fails: Fails, below: int) -> Schedule | None:
    """Return a schedule that fails with fewer than `below` deviations, if one is found.

    `keys` are the contested ones. `fails` is as for `minimised`.
    """
    waiting: deque[tuple[Deviation, ...]] = deque([()])
    for _ in range(MOST_RUNS):
        if not waiting or len(waiting[0]) >= below:
            return None
        deviations = waiting.popleft()
        trying = _Trying(deviations, keys)
        recorder = Recorder(trying)
        if fails(recorder) and len(recorder.schedule.forced) < below:
            return recorder.schedule
        waiting.extend((*deviations, another) for another in reversed(trying.others))
    return None


class _Trying(Deviating):
    """Takes the plainest order but for these deviations; `others` are those that can come after them."""

    def __init__(self, deviations: tuple[Deviation, ...], keys: frozenset[Key]) -> None:
        super().__init__(dict(deviations))
        self.others: list[Deviation] = []
        self._left = len(deviations)
        self._keys = keys

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`."""
        moment = self._progress.moment("step")
        index = super().choose(steps)
        if moment in self._deviations:
            self._left -= 1
        elif not self._left and len(steps) > 1 and self._matters(steps[index]):
            self.others += [
                (moment, (step.runner.identity, step.kind)) for other, step in enumerate(steps) if other != index
            ]
        return index

    def _matters(self, step: Step) -> bool:
        return step.kind == "begin" or any(key in self._keys for key, _ in step.keys)

"""Strategies, which decide what happens next in a simulated run, and schedules, which are what they have decided.

A strategy is asked by two methods. `choose(steps)` is called at every scheduling point with the steps that are enabled,
in the order in which they became so, and returns the index of one. `branch(n)` is called where the model itself draws
lots, for a select with `n` ready cases, and returns a number below `n`.

A *schedule* tells one run from all others. It is written down as what deviates from the plainest order, in which a task
runs on until it has to wait and then the task with the lowest identity goes on: `6@2,9@1.1/01` has the task 2 go on at
point 6, and lets the second of two selects take the second case. So a short text is a simple schedule.
"""

from _random import Random  # `random` itself would import half of the standard library

from concmodels.models.simulated.steps import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from concmodels.models.simulated.steps import Identity, Step

    class Strategy(Protocol):
        """The source of a run's decisions: which task goes on, and what the lots say."""

        def choose(self, steps: list[Step]) -> int:
            """Return the index of the step that is done next. The list must not be changed."""

        def branch(self, n: int) -> int:
            """Return a number below `n`, which is 2 or more."""

    type Forced = dict[int, tuple[Identity, int]]


class FirstComeFirstServed:
    """Takes the step that has been enabled longest, as the greenlet model does; draws lots with a fixed seed."""

    def __init__(self) -> None:
        self._random = Random(0).random

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`."""
        return 0

    def branch(self, n: int) -> int:
        """As `Strategy.branch`."""
        return int(self._random() * n)


class RandomWalk:
    """Takes any step, each with the same chance."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed).random

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`."""
        return int(self._random() * len(steps))

    def branch(self, n: int) -> int:
        """As `Strategy.branch`."""
        return int(self._random() * n)


class Decisions:
    """Takes what another run has taken, given as that run's `decisions`; then the oldest step."""

    def __init__(self, decisions: Sequence[int]) -> None:
        self._left = iter(decisions)

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`."""
        return min(next(self._left, 0), len(steps) - 1)

    def branch(self, n: int) -> int:
        """As `Strategy.branch`."""
        return min(next(self._left, 0), n - 1)


class Schedule:
    """The deviations from the plainest order: which task goes on at which point, and what the lots say.

    `forced` maps the number of a point to the identity of a task, and to which of its enabled steps is meant: 0 unless
    it has several, as one that can take a lock or time out.
    """

    def __init__(self, forced: Forced, branches: Sequence[int] = ()) -> None:
        self.forced = forced
        self.branches = list(branches)

    def __str__(self) -> str:
        points = ",".join(
            f"{point}@{text_of(identity)}{f':{which}' if which else ''}"
            for point, (identity, which) in sorted(self.forced.items())
        )
        lots = ("." if max(self.branches, default=0) > 9 else "").join(map(str, self.branches))
        return f"{points or '-'}/{lots}" if any(self.branches) else points or "-"

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Read a schedule from its text. Raises `ValueError`."""
        points, _, lots = text.strip().partition("/")
        try:
            if not set(points + lots) <= set("-0123456789@:.,"):
                raise ValueError(text)
            forced = dict(map(_forced, points.split(","))) if points not in ("", "-") else {}
            return cls(forced, [int(lot) for lot in (lots.split(".") if "." in lots else lots)])
        except ValueError:
            raise ValueError(f"{text!r} is no schedule: one looks like 6@2,9@1.1 or 6@2/01, or is - alone") from None


def _forced(text: str) -> tuple[int, tuple[Identity, int]]:
    point, _, rest = text.partition("@")
    identity, _, which = rest.partition(":")
    return int(point), (tuple(map(int, identity.split("."))), int(which or 0))


class Replay:
    """Follows a schedule. `strayed` counts the decisions that it could not follow, because this is another program."""

    def __init__(self, schedule: Schedule) -> None:
        self.strayed = 0
        self._schedule = schedule
        self._lots = iter(schedule.branches)
        self._point = -1
        self._last: Identity = ()

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`."""
        self._point += 1
        forced = self._schedule.forced.get(self._point)
        index = None
        if forced is not None:
            index = _find(steps, *forced)
            self.strayed += index is None
        if index is None:
            index = plainest(steps, self._last)
        self._last = steps[index].runner.identity
        return index

    def branch(self, n: int) -> int:
        """As `Strategy.branch`."""
        lot = next(self._lots, 0)
        self.strayed += lot >= n
        return min(lot, n - 1)


class Recorder:
    """Asks another strategy, and keeps its decisions as a `schedule`."""

    def __init__(self, strategy: Strategy) -> None:
        self.schedule = Schedule({})
        self._strategy = strategy
        self._point = -1
        self._last: Identity = ()

    def choose(self, steps: list[Step]) -> int:
        """As `Strategy.choose`."""
        self._point += 1
        index = self._strategy.choose(steps)
        runner = steps[index].runner
        if index != plainest(steps, self._last):
            which = sum(step.runner is runner for step in steps[:index])
            self.schedule.forced[self._point] = runner.identity, which
        self._last = runner.identity
        return index

    def branch(self, n: int) -> int:
        """As `Strategy.branch`."""
        lot = self._strategy.branch(n)
        self.schedule.branches.append(lot)
        return lot


def plainest(steps: list[Step], last: Identity) -> int:
    """Return the index of the next step in the plainest order: the same task's, or else the lowest identity's."""
    found = _find(steps, last, 0)
    return found if found is not None else min(range(len(steps)), key=lambda index: steps[index].runner.identity)


def _find(steps: list[Step], identity: Identity, which: int) -> int | None:
    indexes = [index for index, step in enumerate(steps) if step.runner.identity == identity]
    return indexes[which] if which < len(indexes) else None

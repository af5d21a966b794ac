"""The timer of the pool program: the phases of one run, and the plain loop that the pool is compared with."""

import contextlib
from collections import deque
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any

from concmodels.pool.plan import MOST_KEPT, PoolPhase, PoolPlan
from concmodels.pool.tasks import WrongResult, async_crowd, crowd
from concmodels.programs.stopwatch import Stopwatch

if TYPE_CHECKING:
    from concmodels.programs.usage import Usage

_LOOP_S = 2.0  # the plain loop is stopped when it might take longer
_AHEAD = 10_000  # where each result is checked when it comes: so many results may wait for that


class PoolTimer(Stopwatch[PoolPlan, PoolPhase | None]):
    """Measures one pool. A warm-up is the phase None: the program knows itself what each worker has to do."""

    own_errors = (WrongResult,)

    def __init__(self, plan: PoolPlan) -> None:
        super().__init__(plan)
        self.steps = plan.tasks
        self.work = plan.new_work()
        self.separate = plan.facts.separate
        self.program = async_crowd if plan.facts.is_async else crowd
        self.idle = idle
        self.before: list[tuple[int, Usage]] = []
        self.after: list[tuple[int, Usage]] = []
        self.loop_s = 0.0
        self.loop_tasks = 0
        self._results: list[Any] = []
        self._checked = 0

    def loop(self) -> None:
        """Do the work in a plain loop, or as much of it as takes about two seconds. One task warms the loop up."""
        with contextlib.closing(self.work.loop()) as results:
            next(results)
        done, batch, took = 0, 1, 0.0
        with contextlib.closing(self.work.loop()) as results:
            began = perf_counter()
            while done < self.plan.tasks and 2 * took < _LOOP_S:
                deque(islice(results, batch), maxlen=0)
                took = perf_counter() - began
                done += min(batch, self.plan.tasks - done)
                batch *= 2
        self.loop_tasks, self.loop_s = done, took / done * self.plan.tasks

    def warm_up(self) -> None:
        """Return None, which stands for a warm-up."""

    def counted(self) -> PoolPhase:
        if self.plan.tasks <= MOST_KEPT:
            return PoolPhase(self.work.items(), self._results.append)
        self._due = iter(self.work.expected())
        return PoolPhase(self.work.items(), self._check_one, _AHEAD)

    def _check_one(self, result: Any) -> None:
        compare(self._checked, result, next(self._due))
        self._checked += 1

    def check(self) -> None:
        """Raise `WrongResult` unless every task has returned what it should."""
        if self.plan.tasks <= MOST_KEPT:
            for number, (result, due) in enumerate(zip(self._results, self.work.expected(), strict=False)):
                compare(number, result, due)
        if self.steps_done() != self.plan.tasks:
            raise WrongResult(f"{self.steps_done():,} results came of {self.plan.tasks:,} tasks")

    def steps_done(self) -> int:
        """Return how many results have come; a snapshot."""
        return self._checked + len(self._results)

    def uses(self) -> list[Usage]:
        """Return what each worker has used since the warm-up; if it was started later, since its start."""
        before = dict(self.before)
        return [_difference(now, before.get(pid, _NOTHING)) for pid, now in self.after]

    def speed(self, run_s: float) -> dict[str, Any]:
        tasks = self.plan.tasks
        gain = {"speedup": self.loop_s / run_s, "loop_s": self.loop_s, "loop_tasks": self.loop_tasks}
        return {"tasks_per_s": tasks / run_s, "us_per_task": run_s / tasks * 1e6} | gain

    def worker(self, names: dict[str, Any]) -> str | None:
        """Recognise code of the program that runs tasks, by its local names: what fails there has failed in a task."""
        for frame in ({"took", "phase"}, {"here", "awaited"}, {"batch", "done"}):
            if frame.issubset(names):
                return "a task"
        return None


_NOTHING: Usage = (0.0, 0.0, 0, 0, 0)


def _difference(now: Usage, before: Usage) -> Usage:
    return (now[0] - before[0], now[1] - before[1], now[2] - before[2], now[3] - before[3], now[4])


def compare(number: int, result: Any, due: Any) -> None:
    """Raise `WrongResult` unless the result of this task is the one that was due."""
    if result != due:
        raise WrongResult(f"task {number + 1:,} returned {_short(result)} where {_short(due)} is right")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def idle(item: Any) -> None:
    """Do nothing: the task of a worker that only has to report what it has used."""

"""The plan of one run of the pool program, and its result."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from concmodels import catalog
from concmodels.programs.plan import ITEM_BYTES, AnyPlan, check_size
from concmodels.programs.result import Outcome, count
from concmodels.work import Work, load

MOST_KEPT = 100_000
"""Up to so many results are kept, and checked at the end; if there are more, each is checked when it comes."""
_WAITING = 8
_RESULT_BYTES = 16 * ITEM_BYTES  # enough for a document


class PoolPhase:
    """Tasks that are done together: their items, a function that takes each result, and the `buffersize` of `map`."""

    def __init__(self, items: Iterable[Any], took: Callable[[Any], object], buffersize: int | None = None) -> None:
        self.items = items
        self.took = took
        self.buffersize = buffersize


class PoolPlan(AnyPlan["PoolResult"]):
    """The parameters of one run.

    Raises `UnknownModel`, `ValueError` for parameters that make no sense, and `TypeError` for options of another work.
    """

    def __init__(
        self,
        model: str,
        tasks: int,
        workers: int | None = None,
        work: str = "cpu",
        sizes: Mapping[str, Any] | None = None,
    ) -> None:
        check_size("tasks", tasks)
        self.work = work
        self.kind = load(work)
        self.workers = workers_of(work, workers)
        catalog.facts(model)
        self.model, self.tasks, self.given = model, tasks, dict(sizes or {})
        new = self.new_work()
        self.sizes, self._work_descriptors = new.sizes, new.descriptors

    def new_work(self) -> Work:
        """Return a new `Work` for one run."""
        return self.kind(self.model, self.tasks, self.workers, **self.given)

    @property
    def steps(self) -> int:
        return self.tasks

    @property
    def units(self) -> int:
        return self.workers

    @property
    def descriptors(self) -> int:
        return super().descriptors + self._work_descriptors

    @property
    def memory(self) -> int:
        return self.workers * self.facts.memory + min(self.tasks, MOST_KEPT) * _RESULT_BYTES

    @property
    def starting(self) -> str:
        return count(self.workers, "worker")

    @property
    def thing(self) -> str:
        return f"a pool of {count(self.workers, 'worker')} of {self.model}"

    @property
    def way_out(self) -> str:
        return "fewer workers need less"

    def result(self, **figures: Any) -> PoolResult:
        return PoolResult.of(self, **figures)


def workers_of(work: str, workers: int | None) -> int:
    """Return the number of workers: by default as many as CPUs, or 8 if all that the tasks do is wait."""
    if workers is None:
        return _WAITING if work == "io" else os.process_cpu_count() or 1
    check_size("workers", workers)
    return workers


@dataclass(frozen=True, kw_only=True)
class PoolResult(Outcome):
    """The figures of one run of the pool program.

    `setup_s` ends when every worker has done one task that does not count; `run_s` is the time from giving the first
    counted task to the pool until the last result had come. Preparing the work (a server, a buffer) counts nowhere.
    """

    SPEED = "tasks_per_s"

    work: str
    sizes: dict[str, Any]
    """The options of the work; None stands for the default of the work."""
    tasks: int
    workers: int
    tasks_per_s: float | None = None
    us_per_task: float | None = None
    speedup: float | None = None
    """How many times as long the same tasks take in a plain loop: `loop_s / run_s`."""
    loop_s: float | None = None
    """How long the plain loop takes; extrapolated, if the loop was stopped after about two seconds."""
    loop_tasks: int | None = None
    """How many tasks the plain loop did."""

    @classmethod
    def of(cls, plan: PoolPlan, **figures: Any) -> Self:
        """Return the result of this plan with these figures."""
        asked = {"work": plan.work, "sizes": plan.sizes, "tasks": plan.tasks, "workers": plan.workers}
        return cls.of_model(plan.facts, **asked, **figures)

    @property
    def ns_per_task(self) -> float | None:
        """The time per task in the unit that the table shows."""
        return None if self.us_per_task is None else self.us_per_task * 1e3

    def columns(self) -> dict[str, tuple[str, str]]:
        speed = {"tasks/s": ("tasks_per_s", "short"), "per task": ("ns_per_task", "duration")}
        return speed | {"speedup": ("speedup", "times")}

    def headline(self) -> str:
        return f"pool of {count(self.workers, 'worker')}: {count(self.tasks, 'task')} of {self.work}"

    def details(self) -> str:
        sizes = [f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}"
                 for name, value in self.sizes.items() if value is not None]  # fmt: skip
        return ", ".join(sizes) or "empty tasks"

    def proven(self) -> str:
        return f"{count(self.tasks, 'task')}, each with the right result"

"""The plan of one run of the pool program, and its result."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

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


@dataclass(frozen=True)
class PoolPlan(AnyPlan):
    """The parameters of one run.

    Raises `UnknownModel`, `ValueError` for parameters that make no sense, and `TypeError` for options of another work.
    """

    ADVICE = "fewer workers need less"

    tasks: int
    workers: int | None = None
    """None: as many as CPUs, or 8 if all that the tasks do is wait."""
    work: str = "cpu"
    sizes: Mapping[str, Any] = field(default_factory=dict)
    """The options of the work; those that are missing or None have their defaults."""

    def __post_init__(self) -> None:
        check_size("tasks", self.tasks)
        if self.workers is None:
            object.__setattr__(self, "workers", _WAITING if self.work == "io" else os.process_cpu_count() or 1)
        check_size("workers", self.workers)
        super().__post_init__()
        object.__setattr__(self, "sizes", self.new_work().sizes)

    def new_work(self) -> Work:
        """Return a new `Work` for one run."""
        return load(self.work)(self.model, self.tasks, self.units, **self.sizes)

    @property
    def units(self) -> int:
        assert self.workers is not None  # the default was filled in when the plan was made
        return self.workers

    @property
    def descriptors(self) -> int:
        return super().descriptors + self.new_work().descriptors

    @property
    def memory(self) -> int:
        return self.units * self.facts.memory + min(self.tasks, MOST_KEPT) * _RESULT_BYTES

    @property
    def thing(self) -> str:
        return f"a pool of {count(self.units, 'worker')} of {self.model}"


@dataclass(frozen=True, kw_only=True)
class PoolResult(Outcome):
    """The figures of one run of the pool program.

    `setup_s` ends when every worker has done one task that does not count; `run_s` is the time from giving the first
    counted task to the pool until the last result had come. Preparing the work (a server, a buffer) is part of no
    figure.
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
    """The time that the same tasks take in a plain loop, divided by that in the pool: `loop_s / run_s`."""
    loop_s: float | None = None
    """The seconds that the plain loop takes; extrapolated, if the loop was stopped after about two seconds."""
    loop_tasks: int | None = None
    """The number of tasks that the plain loop did."""

    @classmethod
    def parameters(cls, plan: PoolPlan) -> dict[str, Any]:
        return {"work": plan.work, "sizes": plan.sizes, "tasks": plan.tasks, "workers": plan.workers}

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

    def legend(self) -> dict[str, str]:
        return {"speedup": "how many times as fast as a plain loop"} | super().legend()

    def proven(self) -> str:
        return f"{count(self.tasks, 'task')}, each with the right result"

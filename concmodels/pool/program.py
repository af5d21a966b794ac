"""The pool program: how a run is measured and compared with a plain loop, a command, and a function for Python."""

import contextlib
from argparse import ArgumentParser, Namespace
from collections import deque
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any

from concmodels.pool.plan import MOST_KEPT, PoolPhase, PoolPlan, PoolResult
from concmodels.pool.tasks import WrongResult, async_crowd, crowd
from concmodels.programs.measure import measure
from concmodels.programs.options import whole
from concmodels.programs.program import Program
from concmodels.programs.stopwatch import Stopwatch
from concmodels.programs.usage import difference
from concmodels.work import NAMES, Option, load

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
        return [difference(now, before.get(pid, (0, 0, 0, 0, 0))) for pid, now in self.after]

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


def compare(number: int, result: Any, due: Any) -> None:
    """Raise `WrongResult` unless the result of this task is the one that was due."""
    if result != due:
        raise WrongResult(f"task {number + 1:,} returned {_short(result)} where {_short(due)} is right")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


class PoolCommand(Program[PoolPlan, PoolResult]):
    """The command `python -m concmodels.pool`."""

    name = "concmodels.pool"
    description = (
        "Run TASKS tasks in a pool of workers, check every result, compare the time with that of a plain loop, and "
        "report setup, run and teardown separately."
    )
    plan = PoolPlan
    timer = PoolTimer
    result = PoolResult

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("tasks", metavar="TASKS", nargs="?", type=whole(), help="number of tasks")
        add("--workers", metavar="N", type=whole(), help="number of workers; default: as many as CPUs, for io 8")
        add("--work", choices=("cpu", "io", "buffer", "nothing"), default="cpu", help="what a task does; default cpu")
        for work, option in _options():
            default = "" if option.default is None else f"; default {option.default}"
            text = f"{work}: {option.help}{default}"
            if option.choices:
                add(f"--{option.name}", choices=option.choices, help=text)
            else:
                add(f"--{option.name}", metavar="N", type=whole(), help=text)

    def planned(self, options: Namespace, model: str) -> PoolPlan:
        if options.tasks is None:
            raise ValueError("TASKS is needed, as in: python -m concmodels.pool 1000 --work cpu")
        sizes = {}
        for work, option in _options():
            if (value := getattr(options, option.name)) is not None:
                if work != options.work:
                    raise ValueError(f"--{option.name} is for --work {work}, not {options.work}")
                sizes[option.name] = value
        return PoolPlan(model, options.tasks, options.workers, options.work, sizes)


def _options() -> list[tuple[str, Option]]:
    """Return the options of all works, each with the name of its work."""
    return [(name, option) for name in NAMES for option in load(name).options]


def pool(
    model: str = "threads",
    *,
    tasks: int,
    workers: int | None = None,
    work: str = "cpu",
    timeout: float | None = None,
    **sizes: int | str,
) -> PoolResult:
    """Run `tasks` tasks in a pool of `workers` workers, and return the figures.

    `work` is `cpu`, `io`, `buffer` or `nothing`, and `sizes` are the options of that work: `kind` and `size` of cpu,
    `delay` of io (in milliseconds), `buffer` and `numbers` of buffer. By default there are as many workers as CPUs, and
    8 for io. `timeout` limits the whole run, in seconds.
    Where an event loop runs already, as in a notebook, an async model runs in a thread of its own.

    A run that fails also returns a result: its `verified` is False and its `error` says why. Raises `ValueError` for an
    unknown work, and for sizes that make no sense or that this machine can't hold; `TypeError` for an option that the
    work does not have; `UnknownModel`, `ModelUnavailable`, `TimeoutError`, `KeyboardInterrupt`, and `RuntimeError` for
    a timeout outside the main thread.

        >>> from concmodels.pool import pool
        >>> result = pool("threads", tasks=20, workers=2, work="nothing")
        >>> result.tasks, result.workers, result.verified
        (20, 2, True)
    """

    plan = PoolPlan(model, tasks, workers, work, sizes)
    plan.check_limits()
    return measure(PoolCommand(), plan, timeout=timeout)

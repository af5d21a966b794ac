"""The pool program: a function for Python, and a command with arguments."""

from argparse import ArgumentParser, Namespace

from concmodels.pool.plan import PoolPlan, PoolResult
from concmodels.pool.timer import PoolTimer
from concmodels.programs.measure import measure
from concmodels.programs.options import whole
from concmodels.programs.program import Program
from concmodels.work import NAMES, Option, load


class PoolCommand(Program[PoolPlan, PoolResult]):
    """The command `python -m concmodels.pool`."""

    name = "concmodels.pool"
    description = (
        "Have TASKS tasks done by a pool of workers, check every result, hold it against a plain loop, and report "
        "setup, run and teardown apart."
    )
    plan = PoolPlan
    timer = PoolTimer
    result = PoolResult

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("tasks", metavar="TASKS", nargs="?", type=whole, help="how many tasks")
        add("--workers", metavar="N", type=whole, help="default: as many as there are CPUs; for io 8")
        add("--work", choices=("cpu", "io", "buffer", "nothing"), default="cpu", help="what a task does; default cpu")
        for work, option in _options():
            default = "" if option.default is None else f"; default {option.default}"
            text = f"{work}: {option.help}{default}"
            if option.choices:
                add(f"--{option.name}", choices=option.choices, help=text)
            else:
                add(f"--{option.name}", metavar="N", type=whole, help=text)

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
    """Have `tasks` tasks done by a pool of `workers` workers in this process, and return the figures.

    `work` is `cpu`, `io`, `buffer` or `nothing`, and `sizes` are the options of that work: `kind` and `size` of cpu,
    `delay` of io (in milliseconds), `buffer` and `numbers` of buffer. By default there are as many workers as CPUs, and
    8 for io. `timeout` limits everything together, in seconds.

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

"""The pool program: a function for Python, and a command with arguments."""

from argparse import ArgumentParser, Namespace
from typing import Any

from concmodels.pool.plan import PoolPlan, PoolResult
from concmodels.pool.timer import PoolTimer
from concmodels.programs.measure import measure
from concmodels.programs.options import flags, whole
from concmodels.programs.output import BadInput
from concmodels.programs.program import Program
from concmodels.programs.stopwatch import Listener
from concmodels.work import NAMES, Option, load


class PoolCommand(Program):
    """The command `python -m concmodels.pool`."""

    name = "concmodels.pool"
    description = (
        "Have TASKS tasks done by a pool of workers, check every result, hold it against a plain loop, and report "
        "setup, run and teardown apart."
    )
    outcome = PoolResult

    def __init__(self) -> None:
        self._owners = {option.name: name for name in NAMES for option in load(name).options}

    def add_sizes(self, parser: ArgumentParser) -> None:
        parser.add_argument("tasks", metavar="TASKS", nargs="?", type=whole(1), help="how many tasks")

    def add_options(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--workers", metavar="N", type=whole(1), help="default: as many as there are CPUs; for io 8")
        add("--work", choices=("cpu", "io", "buffer", "nothing"), default="cpu", help="what a task does; default cpu")
        for name in NAMES:
            for option in load(name).options:
                _add(parser, name, option)

    def check(self, options: Namespace) -> None:
        if options.tasks is None:
            raise BadInput("TASKS is needed, as in: python -m concmodels.pool 1000 --work cpu")
        for option in self._given(options):
            if self._owners[option] != options.work:
                raise BadInput(f"--{option} is for --work {self._owners[option]}, not {options.work}")

    def plan(self, options: Namespace, model: str) -> PoolPlan:
        try:
            return PoolPlan(model, options.tasks, options.workers, options.work, self._given(options))
        except ValueError as error:
            raise BadInput(str(error)) from None

    def timer(self, plan: PoolPlan, listener: Listener) -> PoolTimer:
        return PoolTimer(plan, listener)

    def arguments(self, options: Namespace) -> list[str]:
        sizes = {f"--{name}": value for name, value in self._given(options).items()}
        return [str(options.tasks), *flags({"--workers": options.workers, "--work": options.work, **sizes})]

    def _given(self, options: Namespace) -> dict[str, Any]:
        return {name: value for name in self._owners if (value := getattr(options, name)) is not None}


def _add(parser: ArgumentParser, work: str, option: Option) -> None:
    default = "" if option.default is None else f"; default {option.default}"
    text = f"{work}: {option.help}{default}"
    if option.choices:
        parser.add_argument(f"--{option.name}", choices=option.choices, help=text)
    else:
        parser.add_argument(f"--{option.name}", metavar="N", type=whole(option.least), help=text)


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
    return measure(PoolCommand(), plan, timeout=timeout).raise_stopped()

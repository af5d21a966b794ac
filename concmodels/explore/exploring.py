"""`explore` and `replay`."""

from collections.abc import Callable, Collection
from typing import Any, Literal

from concmodels.explore import scenarios
from concmodels.explore.errors import CannotExplore
from concmodels.explore.failures.replay_id import ReplayId, checksum
from concmodels.explore.report import Report
from concmodels.explore.running.options import Options
from concmodels.explore.running.scenario import Scenario
from concmodels.explore.search import Search
from concmodels.models.simulated.world import current


def explore(
    main: Callable[..., Any] | str,
    *args: Any,
    switches: Literal["anywhere", "gil", "checkpoints"] = "anywhere",
    search: str = "auto",
    schedules: int = 20_000,
    seconds: float = 10.0,
    steps: int = 10_000,
    seed: int = 0,
    check: Callable[[Any], object] | None = None,
    packages: Collection[str] = (),
    order: Literal["kept", "any"] = "kept",
    interrupt: bool = False,
) -> Report:
    """Run `main(*args)` on many schedules, if possible on all, and return a `Report`.

    `main` is a function, sync or async, that waits with the operations of the model "sim", with `threading`, `queue`
    and `time.sleep`, or with asyncio or trio. It may also be a file as text, `"file.py"` or `"file.py:function"`. The
    program fails if it raises an exception, if it ends in a deadlock, or if `check`, which is called with its result,
    raises an exception. A program of asyncio also fails by what asyncio would log: an exception that is never
    retrieved, a coroutine that is never awaited, a task that is destroyed while it is pending.

    * `switches` says where another task may run: "anywhere" that the language allows it; "gil", where builds with the
      GIL switch; "checkpoints", only at operations that may wait and at locks, as in cooperative models. Async programs
      always switch only there.
    * `search` is "auto" (first a sample, then all schedules), "random", "pct" or "pos" (a sample by this strategy), or
      "all".
    * `schedules` is the largest number of schedules to run, and `steps` the largest number of steps in each.
    * `seconds` is how long the search may take. Explaining a failure takes additional time.
    * `seed` is the seed of the samples.
    * `packages` are installed packages to explore, by the names that `import` has for them. All modules that are
      neither part of Python nor in a site-packages folder are explored without being named.
    * `order` is the order in which asyncio calls the callbacks that are ready: "kept" is that in which they were
      scheduled, which asyncio guarantees; "any" is for programs that must not depend on it.
    * `interrupt` says whether a Ctrl-C may come, once in a schedule and at any time, in a program of asyncio or trio,
      or a signal for which it has called `loop.add_signal_handler`. To end by `KeyboardInterrupt` then is no failure.

    Raises `CannotExplore` if the program can't be explored. The message says what to do.
    """
    options = Options(switches, search, schedules, seconds, steps, seed, check, order, interrupt)
    return Search(scenario_of(main, args, packages), options).report()


def replay(
    main: Callable[..., Any] | str,
    *args: Any,
    schedule: str,
    seconds: float = 10.0,
    steps: int = 10_000,
    check: Callable[[Any], object] | None = None,
    packages: Collection[str] = (),
) -> Report:
    """Run `main(*args)` on the one schedule with this replay id, and return a `Report`. Its failure has every step.

    Raises `CannotExplore` if the id belongs to another program, another version of the program, or another Python.
    """
    scenario = scenario_of(main, args, packages)
    replay_id = ReplayId.parse(schedule, checksum(scenario.codes))
    options = replay_id.options(Options(seconds=seconds, steps=steps, check=check))
    return Search(scenario, options).replay(replay_id)


def scenario_of(
    main: Callable[..., Any] | Scenario | str,
    args: tuple[Any, ...] = (),
    packages: Collection[str] = (),
    library: str = "",
) -> Scenario:
    """Return what is to be explored. Raises `CannotExplore`.

    A coroutine function runs on the event loop of `library`, or, without one, on that which its file imports.
    """
    if current() is not None:
        raise CannotExplore(
            "explore was called by the program that it explores, whose file is executed anew for each schedule: put "
            'the call under `if __name__ == "__main__":`'
        )
    if isinstance(main, Scenario):
        return main
    if isinstance(packages, str):
        raise CannotExplore(f"packages takes several names, as in packages=[{packages!r}]")
    if isinstance(main, str):
        return scenarios.of_file(main, packages)
    return scenarios.of_function(main, args, packages, library)

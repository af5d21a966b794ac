"""`explore` and `replay`."""

from collections.abc import Callable
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
) -> Report:
    """Run `main(*args)` on many schedules, if possible on all, and return a `Report`.

    `main` is a function, sync or async, that waits by the verbs of the model "sim" or by `threading`, `queue` and
    `time.sleep`; or a file as text, `"file.py"` or `"file.py:function"`. It fails by raising something, by a deadlock,
    or by what `check` raises, which is called with its result.

    `switches` is where another task may run: "anywhere", as the language allows it; "gil", as builds with the GIL do;
    "checkpoints", at verbs and locks only, as in cooperative models and always in async programs. `search` is "auto",
    first a sample and then all; "random", "pct" or "pos", a sample by this strategy; or "all". At most so many
    `schedules` are run, with so many `steps` each; it takes so many `seconds`, and what a failure needs to be told.
    The samples are drawn by `seed`.

    Raises `CannotExplore`, with a sentence that says what to do.
    """
    options = Options(switches, search, schedules, seconds, steps, seed, check)
    return Search(scenario_of(main, args), options).report()


def replay(
    main: Callable[..., Any] | str,
    *args: Any,
    schedule: str,
    seconds: float = 10.0,
    steps: int = 10_000,
    check: Callable[[Any], object] | None = None,
) -> Report:
    """Run `main(*args)` on one schedule, given by its replay id, and return a `Report`; its failure has every step.

    Raises `CannotExplore` if the id is of another program, of another version of it, or of another Python.
    """
    scenario = scenario_of(main, args)
    replay_id = ReplayId.parse(schedule, checksum(scenario.codes))
    options = Options(seconds=seconds, steps=steps, check=check).for_replay(replay_id.switches)
    return Search(scenario, options).replay(replay_id)


def scenario_of(main: Callable[..., Any] | Scenario | str, args: tuple[Any, ...] = ()) -> Scenario:
    """Return what is to be explored. Raises `CannotExplore`."""
    if current() is not None:
        raise CannotExplore(
            "explore was called by the program that it explores, whose file is executed anew for each schedule: put "
            'the call under `if __name__ == "__main__":`'
        )
    if isinstance(main, Scenario):
        return main
    return scenarios.of_file(main) if isinstance(main, str) else scenarios.of_function(main, args)

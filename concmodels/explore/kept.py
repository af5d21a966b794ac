"""Failing schedules that are kept from one run of the tests to the next, and tried first.

A kept schedule is a replay id. If the program has not changed since, it is replayed as it is. If it has, the same
choices are made in the new version: they may well fail there too, and if the program can't follow them, nothing is
lost but one run.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from concmodels.explore.errors import CannotExplore
from concmodels.explore.exploring import scenario_of
from concmodels.explore.failures.replay_id import ReplayId, checksum
from concmodels.explore.report import Report
from concmodels.explore.running.options import Options
from concmodels.explore.running.scenario import Scenario
from concmodels.explore.search import Search


def explore_again(
    main: Callable[..., Any] | str, args: tuple[Any, ...], kept: str, options: dict[str, Any], library: str = ""
) -> tuple[Report, bool]:
    """Run `main(*args)` on a kept schedule, and if it doesn't fail there (or `kept` is empty), explore it.

    `options` are those of `explore`, `library` is that of `scenario_of`. Return the report, and whether it is of the
    kept schedule. Raises `CannotExplore`.
    """
    scenario = partial(scenario_of, main, args, options.get("packages", ()), library)  # made anew for each search
    wanted = Options(**{name: value for name, value in options.items() if name != "packages"})
    report = _tried(scenario(), wanted, kept) if kept else None
    return (Search(scenario(), wanted).report(), False) if report is None else (report, True)


def _tried(scenario: Scenario, wanted: Options, kept: str) -> Report | None:
    try:
        replay_id = _of_this_version(kept, checksum(scenario.codes))
        if (replay_id.order, replay_id.interrupt) != (wanted.order, wanted.interrupt) or (
            replay_id.switches != wanted.switches and not scenario.is_async
        ):
            return None
        report = Search(scenario, replay_id.options(wanted)).replay(replay_id)
    except CannotExplore:
        return None  # another Python has made it, or the program can't follow it; what else is wrong, the search says
    return None if report.failure is None else report


def _of_this_version(kept: str, present: str) -> ReplayId:
    """Return the id of the same schedule in the present version of the program. Raises `CannotExplore`."""
    replay_id = ReplayId.parse(kept, kept.partition("-")[2].partition("-")[0])
    if replay_id.checksum != present and replay_id.source.startswith("all"):
        raise CannotExplore("where the search of another version has found it says nothing about this one")
    return replace(replay_id, checksum=present)

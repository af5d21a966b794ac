"""One run of a scenario, on one schedule."""

from typing import TYPE_CHECKING, Any

from concmodels.models.simulated import sim

if TYPE_CHECKING:
    from collections.abc import Callable

    from concmodels.explore.running.scenario import Scenario
    from concmodels.models.simulated.schedules import Strategy
    from concmodels.models.simulated.units import Units
    from concmodels.models.simulated.world import Run, World

STEPS = 10_000
"""The most steps of a run."""


def run_once(
    scenario: Scenario,
    strategy: Strategy,
    *,
    steps: int = STEPS,
    record: bool = False,
    prepare: Callable[[World], object] | None = None,
    units: Units | None = None,
) -> Run:
    """Run the scenario once under this strategy, and return what has come of it; raises nothing of the program's.

    The options are those of `world.explored`.
    """
    options: dict[str, Any] = {"limit": steps, "record": record, "prepare": prepare, "units": units}
    if scenario.is_async:
        from concmodels.models.simulated import sim_async

        return sim_async.explored(scenario.function, scenario.args, strategy, **options)
    return sim.explored(scenario.function, scenario.args, strategy, **options)

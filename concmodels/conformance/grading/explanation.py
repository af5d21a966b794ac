"""Explains how a guarantee was broken in the simulated world, as `concmodels.explore` explains a failure.

The schedule that has broken it may be thousands of steps long. So the guarantee is held again with few items, first
where tasks switch at locks only and then where they did when it was broken, until it breaks in the same way; and that
schedule is made as short as possible. What takes longer than a moment is left: then there is no picture, and the replay
id alone.
"""

import os
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from concmodels.conformance.grading.schedule import PLAINEST, HeldOn, checksum_of, strategy_from
from concmodels.conformance.grading.simulated import MOST_STEPS
from concmodels.explore.errors import CannotExplore
from concmodels.explore.failures.diagnosis import look_for_races, noted, shortest
from concmodels.explore.failures.explanation import explain
from concmodels.explore.failures.replay_id import ReplayId
from concmodels.explore.monitor import Switches
from concmodels.explore.running.options import Options
from concmodels.explore.running.outcome import cause, kind
from concmodels.explore.running.runs import Runs
from concmodels.explore.running.scenario import Scenario
from concmodels.models.simulated.schedules import Recorder
from concmodels.models.simulated.world import StepLimit

if TYPE_CHECKING:
    from concmodels.conformance.grading.simulated import SimulatedCandidate
    from concmodels.conformance.suite import Guarantee
    from concmodels.explore.failures.failure import Failure
    from concmodels.models.simulated.schedules import Schedule, Strategy
    from concmodels.models.simulated.world import Run

_STEPS = 100_000
"""The most steps that are made to shorten a schedule. Not seconds: an explanation is the same on a slow machine."""

_SECONDS = 10.0
"""The seconds after which an explanation is given up."""

_TRIED = 12
"""On so many schedules that are drawn, a guarantee is held again with few items."""

_FEW_STEPS = 5_000
_ROWS = 20
"""The most rows of a picture: a report has many."""


class GuaranteeRuns(Runs):
    """Runs each of which holds a model to a guarantee."""

    def __init__(self, model: SimulatedCandidate, guarantee: Guarantee, switches: Switches, few: bool) -> None:
        scenario = Scenario(model.call, codes=model.program.codes, monitor=model.monitor)
        steps = _FEW_STEPS if few else MOST_STEPS
        super().__init__(scenario, Options(switches, seconds=_SECONDS, steps=steps))
        self.model, self._guarantee, self._few = model, guarantee, few
        self._steps = 0

    def more_time(self) -> None:
        """Let the runs make as many steps again."""
        super().more_time()
        self._steps = 0

    @property
    def is_late(self) -> bool:
        """Whether they have made all that `more_time` has given last."""
        return self._steps > _STEPS or super().is_late

    def once(self, strategy: Strategy, record: bool) -> Run:
        """Hold the model to the guarantee; whatever it breaks it by is what the run has come to."""
        error: BaseException | None = None
        steps = self.options.steps
        with self.model.on(strategy, few=self._few, record=record, steps=steps, prepare=self.prepare) as runs:
            try:
                self.model.call(self._guarantee)
            except BaseException as broken_by:  # noqa: BLE001 - whatever it is, it is what the guarantee was broken by
                error = broken_by
        last = runs[-1]
        last.steps = list(chain.from_iterable(run.steps for run in runs))
        last.error, last.cut = error, False
        self._steps += len(last.steps)
        return last

    def held_on(self, schedule: Schedule | None, source: str) -> HeldOn:
        """Return the name of a schedule."""
        total = checksum_of(self.model.program, self._guarantee)
        return HeldOn(ReplayId(total, self.options.switches, schedule, source), self._few)


def explanation_of(model: SimulatedCandidate, guarantee: Guarantee, error: BaseException) -> tuple[HeldOn, str]:
    """Return a schedule that breaks the guarantee, and what happens on it; nothing if that can't be told in short.

    The model has just broken it by this error, on its `schedule`.
    """
    found = None
    if _can_be_told(guarantee, cause(error)):
        found = _few(model, guarantee, error) or _all(model, guarantee, error)
    return found or (long_one(model, guarantee), "")


def long_one(model: SimulatedCandidate, guarantee: Guarantee) -> HeldOn:
    """Return the schedule on which the model has just been held to the guarantee."""
    return GuaranteeRuns(model, guarantee, model.switches, few=False).held_on(None, model.source)


def _can_be_told(guarantee: Guarantee, error: BaseException) -> bool:
    """Return whether a shorter schedule would be an explanation.

    A task can be overtaken for ever on many schedules that are short, and that no fair machine has.
    """
    return not isinstance(error, StepLimit) and "overtaken" not in guarantee.sentence


def _few(model: SimulatedCandidate, guarantee: Guarantee, error: BaseException) -> tuple[HeldOn, str] | None:
    sources = [PLAINEST, *(f"random{seed}" for seed in range(_TRIED))]
    for switches in dict.fromkeys(("checkpoints", model.switches)):
        found = _shortest(GuaranteeRuns(model, guarantee, switches, few=True), error, sources)
        if found is not None:
            return found
    return None


def _all(model: SimulatedCandidate, guarantee: Guarantee, error: BaseException) -> tuple[HeldOn, str] | None:
    return _shortest(GuaranteeRuns(model, guarantee, model.switches, few=False), error, [PLAINEST, model.source])


def _shortest(runs: GuaranteeRuns, error: BaseException, sources: Iterable[str]) -> tuple[HeldOn, str] | None:
    wanted = kind(cause(error))
    with runs:
        try:
            return _found(runs, wanted, sources)
        except CannotExplore:
            return None


def _found(runs: GuaranteeRuns, wanted: tuple[str, str], sources: Iterable[str]) -> tuple[HeldOn, str] | None:
    for source in sources:
        with runs.switching():
            schedule = shortest(runs, strategy_from(source), wanted)
            if schedule is None:
                continue
            held_on = runs.held_on(schedule, source)
            failure = noted(runs, schedule, held_on.replay_id)
        if failure is not None:
            look_for_races(runs)
            return held_on, _explained(runs, failure)
    return None


def replayed(model: SimulatedCandidate, guarantee: Guarantee, held_on: HeldOn) -> str:
    """Return what happens on this schedule; nothing if the guarantee is kept there. Raises `CannotExplore`."""
    replay_id = held_on.replay_id
    with GuaranteeRuns(model, guarantee, replay_id.switches, held_on.few) as runs:
        with runs.switching():
            schedule = replay_id.schedule or _recorded(runs, held_on.strategy())
            failure = noted(runs, schedule, replay_id)
        if failure is None:
            return ""
        look_for_races(runs)
        return _explained(runs, failure)


def _recorded(runs: GuaranteeRuns, strategy: Strategy) -> Schedule:
    recorder = Recorder(strategy)
    runs.repeat(recorder)
    return recorder.schedule


def _explained(runs: GuaranteeRuns, failure: Failure) -> str:
    """Return the explanation of a failure, with lines of the model's own files alone."""
    own = {source.path for source in runs.model.program.sources}
    moments = [it if os.path.abspath(it.file) in own else replace(it, file="", line=0) for it in failure.moments]
    return explain(failure.error, moments, failure.forced_switches, runs.races, _ROWS).strip("\n")

"""Models of files in the simulated world: each guarantee is held on several schedules, and nothing is waited for.

The file is loaded with simulated `threading`, `queue` and `time` (`concmodels/explore/threads/`), and what it lacks is
lent by `sim`. So a timeout takes no time, a deadlock is known at once, and a bug that needs a certain schedule has
several chances.

The order is drawn, with the number of the schedule as the seed. Tasks are preempted between any two instructions of the
file, on every other schedule only where a build with the GIL may switch: so a channel without any lock is found too.
First come, first served would be an order too, but one with a rhythm, in which a task can be overtaken for ever that
would get its turn on every real machine.
"""

import ast
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from concmodels.conformance.grading.candidate import Candidate, Refused, label, own_work, where
from concmodels.conformance.suite import Guarantee, not_implemented
from concmodels.errors import Deadlock

if TYPE_CHECKING:
    from concmodels.conformance.grading.schedule import HeldOn
    from concmodels.explore.monitor import Switches
    from concmodels.explore.preemption.monitoring import CodeMonitor
    from concmodels.explore.threads.program import Program
    from concmodels.models.simulated.schedules import Strategy
    from concmodels.models.simulated.world import Run, World

SCHEDULES = 3
"""On so many schedules a guarantee is held, unless the caller says otherwise."""

_LONG_S = 0.5
"""A guarantee that takes longer is held on two schedules only."""

FEW = 2
"""The most items and rounds of a short run: an explanation is the shorter, the less there is to do."""

MOST_STEPS = 50_000
_AFTER_A_REPORT = 2_000
"""The steps left after a task has raised something, because the others may look for ever for what never comes."""


def schedules_for(text: str, wanted: int | None) -> int:
    """Return on how many schedules a model is to be tested; 0 means: as it is, in real time.

    `wanted` is None if the caller leaves it open. Raises `Refused` if it can't be simulated and the caller wants that.
    """
    if wanted == 0:
        return 0
    why = why_not(text)
    if why is None:
        return SCHEDULES if wanted is None else wanted
    if wanted is None:
        return 0
    raise Refused(f"{label(text)} can't be simulated: {why}; --real tests it in real time")


def why_not(text: str) -> str | None:
    """Say why no simulated world can see what this model waits for; None if one can."""
    if not own_work(text):
        return "it is a model of the catalog, and not a file"
    if find_spec("greenlet") is None:
        return "that needs greenlet (python -m pip install greenlet)"
    from concmodels.explore.errors import CannotExplore
    from concmodels.explore.threads.program import Program

    try:
        program = Program(text)
    except CannotExplore as error:
        return str(error)
    return program.why_not() or _of_the_library(program) or _by_its_definitions(program.main.tree)


def _of_the_library(program: Program) -> str | None:
    for source in program.sources:
        for name in source.imported:
            if name.startswith("concmodels.models") or name in ("concmodels.load", "concmodels.catalog"):
                return f"{os.path.basename(source.path)} imports {name}, whose tasks no schedule decides"
    return None


def _by_its_definitions(tree: ast.Module) -> str | None:
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == "run":
            return "it has a run of its own, which would start real tasks"
        if isinstance(node, ast.ClassDef) and node.name == "Channel":
            for method in node.body:
                if isinstance(method, ast.AsyncFunctionDef):
                    return "its Channel is async, and would wait by an event loop"
    return None


def check_replay(path: str, guarantee: Guarantee, text: str) -> None:
    """Raise `Refused` if this is no id of a schedule on which the model was held to the guarantee."""
    schedules_for(path, 1)
    from concmodels.conformance.grading.schedule import HeldOn
    from concmodels.explore.errors import CannotExplore
    from concmodels.explore.threads.program import Program

    try:
        HeldOn.parse(text, Program(path), guarantee)
    except CannotExplore as error:
        raise Refused(str(error)) from None


def load(path: str, schedules: int) -> SimulatedCandidate:
    """Load the model of a file in the simulated world. Raises `Refused`."""
    from concmodels.explore.threads.program import Program

    program = Program(path)
    try:
        module = program.load()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise Refused(f"{label(path)} can't be imported: {where(error, program.main.path)}") from error
    return SimulatedCandidate(label(path), module, program, schedules)


@dataclass
class Turn:
    """One test of the model for a guarantee: the way in which it is made, and the runs that this has come to."""

    strategy: Strategy
    steps: int
    record: bool
    prepare: Callable[[World], object]
    runs: list[Run] = field(default_factory=list)


class SimulatedCandidate(Candidate):
    """A model that somebody wrote, in the simulated world."""

    def __init__(self, name: str, module: Any, program: Program, schedules: int) -> None:
        super().__init__(name, module, base="sim")
        self.program = program
        self.schedule = 0
        """The number of the schedule that a guarantee was held on last, from 0."""
        self.steps = 0
        """The number of steps that all runs have made."""
        self.replaying: HeldOn | None = None
        """The schedule that guarantees are held on; None if they are drawn."""
        self.broken_by: BaseException | None = None
        """The error that has shown last that a guarantee is broken."""
        self._schedules = schedules
        self._turn: Turn | None = None
        self._told: list[BaseException] = []
        self._world: World | None = None
        self.tell = self._note
        self.verbs.run = self._run

    @cached_property
    def monitor(self) -> CodeMonitor:
        """Return the monitor that watches the code of the model."""
        from concmodels.explore.preemption.monitoring import CodeMonitor

        return CodeMonitor(self.program.codes, self.program.trees)

    @property
    def switches(self) -> Switches:
        """The places where tasks may switch on the present schedule."""
        if self.replaying is not None:
            return self.replaying.replay_id.switches
        return "gil" if self.schedule % 2 else "anywhere"

    @property
    def source(self) -> str:
        """The way in which the present schedule is drawn."""
        return f"random{self.schedule}"

    def hold(self, guarantee: Guarantee) -> None:
        """As `Model.hold`, on one schedule after the other, until one breaks it."""
        try:
            if self.replaying is None:
                self._hold_on_each(guarantee)
            else:
                self._hold_again(guarantee, self.replaying)
        except BaseException as error:
            self.broken_by = error
            raise

    def _hold_on_each(self, guarantee: Guarantee) -> None:
        from concmodels.models.simulated.schedules import RandomWalk

        begin = time.monotonic()
        for number in range(self._schedules):
            self.schedule = number
            with self.monitor.switching(self.switches, notes=False), self.on(RandomWalk(number)):
                super().hold(guarantee)
            if self.schedule > 0 and time.monotonic() - begin > _LONG_S:
                return

    def _hold_again(self, guarantee: Guarantee, held_on: HeldOn) -> None:
        with self.monitor.switching(self.switches), self.on(held_on.strategy(), few=held_on.few):
            super().hold(guarantee)

    @contextmanager
    def on(
        self,
        strategy: Strategy,
        *,
        few: bool = False,
        record: bool = False,
        steps: int = MOST_STEPS,
        prepare: Callable[[World], object] = lambda world: None,
    ) -> Iterator[list[Run]]:
        """Let the runs of this `with` have this strategy, and keep them; with `few`, there is less to do in them."""
        from concmodels.explore.running.repeatable import seeded

        seeded()
        effort = self.effort
        if few:
            self.effort = copy(effort)
            self.effort.items = self.effort.rounds = FEW
        self._turn = Turn(strategy, steps, record, prepare)
        try:
            yield self._turn.runs
        finally:
            self.effort, self._turn = effort, None

    def _run(self, main: Any, *args: Any, deadlock_after: float | None = None) -> Any:
        """As `run` of a model, on the schedule that it is the turn of. A deadlock is known at once."""
        from concmodels.explore.threads.program import library
        from concmodels.models.simulated.world import StepLimit

        library().fresh()
        self._told.clear()
        sim: Any = self.base
        turn = self._turn
        assert turn is not None, "a guarantee is held on a strategy"
        run = sim.explored(main, args, turn.strategy, limit=turn.steps, record=turn.record, prepare=self._prepare)
        turn.runs.append(run)
        self.steps += len(run.steps)
        if run.error is None:
            return run.value
        if self._told and run.cut and isinstance(run.error, (Deadlock, StepLimit)):
            raise _first(self._told) from run.error  # the others wait because of it
        raise run.error

    def _prepare(self, world: World) -> None:
        from concmodels.models.simulated.world import TICK_S

        self._world = world
        world.tick = TICK_S  # else a task that looks again and again would do so for ever
        assert self._turn is not None
        self._turn.prepare(world)

    def _note(self, error: BaseException) -> None:
        """Take note of what a task has raised."""
        world = self._world
        if world is not None and world.dying:
            return  # the run was cut, and its tasks are ended in the midst of what they do
        if world is not None and not self._told:
            world.limit = min(world.limit, len(world.steps) + _AFTER_A_REPORT)
        self._told.append(error)


def _first(told: list[BaseException]) -> BaseException:
    """Return what counts of the exceptions that tasks have raised: that something is not implemented, or the first."""
    return next((error for error in told if not_implemented(error)), told[0])

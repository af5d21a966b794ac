"""Data races, found by vector clocks in the runs of a search that switches at locks only.

A task's clock counts its own time, and knows up to which moment of each other task's time it has seen: everything that
the other one did by then *happened before*. Tasks learn of each other's clocks by what they both touch:

    a step that touches a key    learns what the steps that changed it knew, and leaves there what it knows itself
    start of a task              the new one knows what the starter knows

An access is a race with an earlier one of another task if at least one of the two writes, and the earlier one did not
happen before. This finds a race also in runs in which nothing goes wrong. And because keys are the very ones by which
the search tells which steps depend on each other, accesses that are ordered here are ordered alike in all the runs that
it leaves out.
"""

from types import GeneratorType
from typing import TYPE_CHECKING, Any

from concmodels.explore.monitor import Access, Race
from concmodels.explore.preemption.access import WHOLE, Accessed

if TYPE_CHECKING:
    from concmodels.explore.preemption.site import Site
    from concmodels.models.simulated.steps import Key, Runner, Step
    from concmodels.models.simulated.world import World

    type Clock = dict[Runner, int]


class _Record:
    """The latest accesses to one part of a thing: of each task, and by each instruction."""

    __slots__ = ("latest",)

    def __init__(self) -> None:
        self.latest: dict[tuple[Runner, Site], tuple[int, Accessed]] = {}


class Detector:
    """A `RaceDetector`."""

    def __init__(self) -> None:
        self.found: list[Race] = []
        self.sites: set[Any] = set()
        self.unseen: list[str] = []
        self._known: set[tuple[Any, ...]] = set()
        self._world: World | None = None

    def begin(self, world: World) -> None:
        """As `RaceDetector.begin`."""
        self._world = world
        self._clocks: dict[Runner, Clock] = {world.main: {world.main: 1}}
        self._changed: dict[Key, Clock] = {}
        self._read: dict[Key, Clock] = {}
        self._things: dict[tuple[int, str], dict[Any, _Record]] = {}
        self._alive: list[Any] = []  # what was accessed: else another object might get its address
        self._unknown: dict[tuple[Runner, Site], int] = {}  # the moments of the latest accesses of what is not known
        self._seen: Any = None  # the step whose keys have been taken note of
        touch, start = world.touch, world.start

        def touched(key: Key, changes: bool) -> None:
            touch(key, changes)
            self._notice(world.running)
            self._pass_on(world.running, key, changes)

        def started(task: Any) -> Runner:
            runner = start(task)
            clock = self._clocks[world.running]
            self._clocks[runner] = {**clock, runner: 1}
            clock[world.running] += 1
            return runner

        world.touch, world.start = touched, started  # type: ignore[method-assign]

    def is_over(self, step: Step) -> None:
        """As `RaceDetector.is_over`. What it has touched was noted already, if it has accessed anything since."""
        if step is not self._seen:
            self._seen = step
            for key, changes in step.footprint.items():
                self._pass_on(step.runner, key, changes)

    def _notice(self, runner: Runner) -> None:
        """Take note of what the step under way has touched when it was picked, before it does anything."""
        step = runner.chosen
        if step is None or step is self._seen:
            return
        self._seen = step
        self._pass_on(runner, runner.key, True)
        for key, changes in step.keys:
            self._pass_on(runner, key, changes)

    def _pass_on(self, runner: Runner, key: Key, changes: bool) -> None:
        """Let the task learn from a key, and leave what it knows there."""
        clock = self._clocks[runner]
        _learn(clock, self._changed.get(key))
        if changes:
            _learn(clock, self._read.pop(key, None))
            self._changed[key] = dict(clock)
        else:
            _learn(self._read.setdefault(key, {}), clock)
        clock[runner] += 1  # what it does from now on is not known there

    def access(self, site: Site, it: Accessed) -> None:
        """Take note of an access of the running task, and look for races with the earlier ones."""
        world = self._world
        assert world is not None
        runner = world.running
        self._notice(runner)
        identity = id(it.owner), it.name
        parts = self._things.get(identity)
        if parts is None:
            parts = self._things[identity] = {}
            self._alive.append(it.owner)
        clock = self._clocks[runner]
        for part, record in parts.items():
            if part is not it.part and not _meet(part, it.part):
                continue
            for (other, other_site), (moment, earlier) in record.latest.items():
                if other is not runner and (it.writes or earlier.writes) and clock.get(other, 0) < moment:
                    self._report(other, other_site, earlier, runner, site, it)
        record = parts.get(it.part) or parts.setdefault(it.part, _Record())
        record.latest[runner, site] = clock[runner], it
        for (other, other_site), moment in self._unknown.items():
            if other is not runner and clock.get(other, 0) < moment:
                self._may_meet(other_site, site, site if it.calls_back else None)

    def access_unknown(self, site: Site, calls_back: bool) -> None:
        """Take note of an access of what is not known, which may be anything that another task accesses."""
        world = self._world
        assert world is not None
        runner = world.running
        self._notice(runner)
        clock = self._clocks[runner]
        for parts in self._things.values():
            for record in parts.values():
                for (other, other_site), (moment, earlier) in record.latest.items():
                    if other is not runner and clock.get(other, 0) < moment:
                        torn = site if calls_back else other_site if earlier.calls_back else None
                        self._may_meet(site, other_site, torn)
        for (other, other_site), moment in self._unknown.items():
            if other is not runner and clock.get(other, 0) < moment:
                self._may_meet(site, other_site, site if calls_back else None)
        self._unknown[runner, site] = clock[runner]

    def _may_meet(self, site: Site, other: Site, called_back: Site | None) -> None:
        """Have both orders tried of two accesses that may be of the same thing."""
        self.sites |= {site, other}
        if called_back:
            self._miss_call_back(called_back)

    def _miss_call_back(self, site: Site) -> None:
        self.missed(site, f"{site.name} calls code of the program before it is done, and no switch is tried there")

    def _report(
        self, other: Runner, other_site: Site, earlier: Accessed, runner: Runner, site: Site, it: Accessed
    ) -> None:
        is_atomic = it.is_atomic and earlier.is_atomic
        sites = frozenset({site, other_site})
        if (sites, is_atomic) in self._known:
            return
        self._known.add((sites, is_atomic))
        if isinstance(it.owner, GeneratorType):
            self.missed(site, "two tasks share a generator, and its own variables are not followed")
        for place, access in ((other_site, earlier), (site, it)):
            if access.calls_back:
                self._miss_call_back(place)
        first = Access(other_site.file, other_site.line, other.name, earlier.writes)
        second = Access(site.file, site.line, runner.name, it.writes)
        self.found.append(Race(site.name, first, second, sites, is_atomic))
        self.sites |= sites

    def missed(self, site: Site, why: str) -> None:
        """Take note that an access can't be followed."""
        sentence = f"{site.file}:{site.line}: {why}"
        if sentence not in self.unseen:
            self.unseen.append(sentence)


def _learn(clock: Clock, other: Clock | None) -> None:
    if other:
        for runner, moment in other.items():
            if clock.get(runner, 0) < moment:
                clock[runner] = moment


def _meet(one: Any, other: Any) -> bool:
    """Whether two parts of a thing have something in common."""
    return WHOLE in (one, other) or bool(one == other)

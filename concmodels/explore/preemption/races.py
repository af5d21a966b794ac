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

import math
import sys
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from concmodels.explore.monitor import NOT_ONE_STEP, Access, Race
from concmodels.explore.preemption.access import WHOLE, Accessed
from concmodels.explore.preemption.expressions import Unknown, attribute
from concmodels.explore.preemption.operands import is_of_library
from concmodels.models.tasks.signals.frames import short

if TYPE_CHECKING:
    from collections.abc import Iterable

    from concmodels.explore.preemption.site import Site
    from concmodels.explore.preemption.waits import Waits
    from concmodels.models.simulated.steps import Key, Runner, Step
    from concmodels.models.simulated.world import World

    type Clock = dict[Runner, int]


type _Earlier = tuple[int, Accessed, int, float, int]
"""The moment of an access by the clock of its task, the access, the moment by its sure clock and the world's, and which
access of its task by that instruction it is."""


class _Order:
    """The clock of each task, and what tasks have left at the keys that they have touched."""

    def __init__(self, main: Runner) -> None:
        self.clocks: dict[Runner, Clock] = {main: {main: 1}}
        self._changed: dict[Key, Clock] = {}
        self._read: dict[Key, Clock] = {}

    def start(self, starter: Runner, runner: Runner) -> None:
        """Let a new task know what its starter knows."""
        clock = self.clocks[starter]
        self.clocks[runner] = {**clock, runner: 1}
        clock[starter] += 1

    def pass_on(self, runner: Runner, key: Key, changes: bool) -> None:
        """Let the task learn from a key, and leave what it knows there."""
        clock = self.clocks[runner]
        if (changed := self._changed.get(key)) is not None:
            _learn(clock, changed)
        if changes:
            if (read := self._read.pop(key, None)) is not None:
                _learn(clock, read)
            self._changed[key] = dict(clock)
        else:
            _learn(self._read.setdefault(key, {}), clock)
        clock[runner] += 1  # what it does from now on is not known there


class Detector:
    """A `RaceDetector`."""

    def __init__(self, waits: Waits, *, has_namespaces: bool = False) -> None:
        self._items_are_variables = has_namespaces
        self.found: list[Race] = []
        self.sites: set[Any] = set()
        self.unseen: list[str] = []
        self._known: set[tuple[Any, ...]] = set()
        self._world: World | None = None
        self._waits = waits

    def begin(self, world: World) -> None:
        """As `RaceDetector.begin`."""
        self._world = world
        self._order = order = _Order(world.main)
        self._clocks = order.clocks
        self._waits.begin()
        self._sure = sure = _Order(world.main) if self._waits.are_seen else None
        """The order without locks, which let either task come first."""
        self._things: dict[tuple[int, str], dict[Any, dict[tuple[Runner, Site], _Earlier]]] = {}
        """The latest accesses to each part of a thing: of each task, and by each instruction."""
        self._unknown: dict[tuple[Runner, Site], _Earlier] = {}
        """The latest accesses of what is not known."""
        self._numbers: dict[tuple[Runner, Site], int] = {}
        """How many accesses each task has made by each instruction, if that is asked for."""
        self._alive: list[Any] = []  # what was accessed: else another object might get its address
        self._seen: Any = None  # the step whose keys have been taken note of
        touch, start, enable_at = world.touch, world.start, world.enable_at

        def touched(key: Key, changes: bool) -> None:
            touch(key, changes)
            self._notice(world.running)
            order.pass_on(world.running, key, changes)
            if sure is not None and key[0] not in _OF_VARIABLES:
                sure.pass_on(world.running, key, changes)

        def started(task: Any) -> Runner:
            self._notice(world.running)
            runner = start(task)
            order.start(world.running, runner)
            if sure is not None:
                sure.start(world.running, runner)
            return runner

        def enabled_at(moment: float, step: Step) -> None:
            enable_at(moment, step)
            if moment < math.inf:
                self._waits.begins(step.runner, world.clock, moment, sys._getframe(1))

        world.touch, world.start, world.enable_at = touched, started, enabled_at  # type: ignore[method-assign]

    def is_over(self, step: Step) -> None:
        """As `RaceDetector.is_over`. What it has touched was noted already, if it has accessed anything since."""
        if step is not self._seen:
            self._seen = step
            for key, changes in step.footprint.items():
                self._order.pass_on(step.runner, key, changes)
            if self._sure is not None:
                self._pass_on_surely(self._sure, step, step.footprint.items())

    def _notice(self, runner: Runner) -> None:
        """Take note of what the step under way has touched when it was picked, before it does anything."""
        step = runner.chosen
        if step is None or step is self._seen:
            return
        self._seen = step
        self._order.pass_on(runner, runner.key, True)
        for key, changes in step.keys:
            self._order.pass_on(runner, key, changes)
        if self._sure is not None:
            self._pass_on_surely(self._sure, step, ((runner.key, True), *step.keys))

    def _pass_on_surely(self, sure: _Order, step: Step, touches: Iterable[tuple[Key, bool]]) -> None:
        """Let its task learn from what a step has touched, unless that is a lock, or what is asked for."""
        if not getattr(step.subject, "is_mutex", False):
            for key, changes in touches:
                if key[0] not in _OF_VARIABLES:
                    sure.pass_on(step.runner, key, changes)

    def access(self, site: Site, it: Accessed, surely: bool = True) -> None:
        """Take note of an access of the running task, and look for races with the earlier ones.

        If it isn't sure that two such accesses are of the same thing, both orders are tried, and no race is reported.
        """
        runner = self._runner_at(site)
        identity = id(it.owner), it.name
        parts = self._things.get(identity)
        if parts is None:
            parts = self._things[identity] = {}
            self._alive.append(it.owner)
        for part, latest in parts.items():
            if part is it.part or _meet(part, it.part):
                for other, other_site, earlier in self._unordered(latest, runner, site, it):
                    if surely:
                        self._report(other, other_site, earlier, runner, site, it)
                    else:
                        self._may_meet(other_site, earlier, site, it)
        if self._unknown:
            for _, other_site, earlier in self._unordered(self._unknown, runner, site, it):
                if not ((it.name and self._has_no_variables(other_site)) or _is_out_of_reach(site, it, other_site)):
                    self._may_meet(other_site, earlier, site, it)
        mine = parts.get(it.part)
        if mine is None:
            mine = parts[it.part] = {}
        mine[runner, site] = self._now(runner, site, it)

    def access_unknown(self, site: Site, writes: bool, calls_back: bool) -> None:
        """Take note of an access of what is not known, which may be anything that another task accesses."""
        runner = self._runner_at(site)
        it = Accessed(None, "", WHOLE, writes, False, calls_back)
        no_variables = self._has_no_variables(site)
        records = [
            latest
            for (_, name), parts in self._things.items()
            if not (name and no_variables)
            for latest in parts.values()
        ]
        for latest in (*records, self._unknown):
            for _, other_site, earlier in self._unordered(latest, runner, site, it):
                if not _is_out_of_reach(other_site, earlier, site):
                    self._may_meet(other_site, earlier, site, it)
        self._unknown[runner, site] = self._now(runner, site, it)

    def _has_no_variables(self, unknown: Site) -> bool:
        """Whether an access of which nothing is known is none of a variable: if no dict of the program has these."""
        return unknown.kind in _OF_ITEMS and not self._items_are_variables

    def _runner_at(self, site: Site) -> Runner:
        """Return the running task, which is about to make an access."""
        world = self._world
        assert world is not None
        runner = world.running
        self._notice(runner)
        if self._sure is not None:
            self._numbers[runner, site] = self._numbers.get((runner, site), 0) + 1
        return runner

    def _now(self, runner: Runner, site: Site, it: Accessed) -> _Earlier:
        assert self._world is not None
        sure = 0 if self._sure is None else self._sure.clocks[runner][runner]
        return self._clocks[runner][runner], it, sure, self._world.clock, self._numbers.get((runner, site), 0)

    def _unordered(
        self, latest: dict[tuple[Runner, Site], _Earlier], runner: Runner, site: Site, it: Accessed
    ) -> list[tuple[Runner, Site, Accessed]]:
        """Return those of the earlier accesses that an access meets, and that nothing orders before it."""
        clock, sure, found = self._clocks[runner], self._sure, []
        for (other, other_site), (moment, earlier, sure_moment, time, number) in latest.items():
            if other is runner or not (it.writes or earlier.writes):
                continue
            is_free = clock.get(other, 0) < moment
            if sure is not None and sure.clocks[runner].get(other, 0) < sure_moment:
                assert self._world is not None
                one = other.identity, other_site, number
                ones = one, (runner.identity, site, self._numbers[runner, site])
                self._waits.met(frozenset({site, other_site}), ones, time, self._world.clock, by_lock=not is_free)
            if is_free:
                found.append((other, other_site, earlier))
        return found

    def _may_meet(self, other_site: Site, earlier: Accessed, site: Site, it: Accessed) -> None:
        """Have both orders tried of two accesses that may be of the same thing."""
        self.sites |= {site, other_site}
        self._miss_torn(other_site, earlier)
        self._miss_torn(site, it)

    def _miss_torn(self, site: Site, it: Accessed) -> None:
        if it.calls_back:
            self.missed(site, f"{site.name} {NOT_ONE_STEP}")

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
        self._miss_torn(other_site, earlier)
        self._miss_torn(site, it)
        first = Access(other_site.file, other_site.line, other.name, earlier.writes)
        second = Access(site.file, site.line, runner.name, it.writes)
        self.found.append(Race(site.name, first, second, sites, is_atomic))
        self.sites |= sites

    def missed(self, site: Site, why: str, at_once: bool = False) -> None:
        """Take note that an access can't be followed; but not `at_once`, and before there is a second task.

        That comes before all that other tasks do, in any schedule.
        """
        if at_once and self._world is not None and not self._world.main.started:
            return
        sentence = f"{short(site.file)}:{site.line}: {why}"
        if sentence not in self.unseen:
            self.unseen.append(sentence)


_OF_ITEMS = frozenset({"item", "container", "truth"})
"""The kinds of sites that access no variable, whatever their object is: its own methods are looked at."""

_OF_VARIABLES = frozenset({"global", "cell", "attribute", "item"})
"""The kinds of keys of accesses, whose order is what is asked for."""


def _is_out_of_reach(site: Site, it: Accessed, unknown: Site) -> bool:
    """Whether an access is none of those that an unknown one may be, such as a call of a function of the library.

    That assigns no variable of a function of the program, and none that holds a lock.
    """
    if unknown.kind in _OF_ANYTHING:
        return False
    return site.kind == "cell" or (bool(it.name) and not it.writes and _holds_lock(it))


_OF_ANYTHING = frozenset({"attribute", "unfollowed", "hidden"})
"""The kinds of sites that may access the contents of a cell, if it isn't known what they access."""


def _holds_lock(it: Accessed) -> bool:
    """Whether this variable holds a lock, or something else that the explorer simulates."""
    try:
        value = it.owner.get(it.name) if type(it.owner) is dict else attribute(it.owner, it.name)
    except Unknown:
        return False
    return is_of_library(type(value))


def _learn(clock: Clock, other: Clock) -> None:
    for runner, moment in other.items():
        if clock.get(runner, 0) < moment:
            clock[runner] = moment


def _meet(one: Any, other: Any) -> bool:
    """Whether two parts of a thing have something in common."""
    return WHOLE in (one, other) or bool(one == other)

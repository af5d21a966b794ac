"""Analyses a trace: how each task spent its time, who waited for whom, and what was in flight.

All of it follows from the waits and their causes. The critical path leads from the last event of the run back through
them: it is what the length of the run is made of.
"""

import math
from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from concmodels.trace.causes import ASLEEP, RUNNING, STATES, Causes, Wait
from concmodels.trace.reading import Lane, Row, Trace

_LONGEST_PATH = 100_000


class Blame(NamedTuple):
    """The time that a task has waited for another one, and what that one was doing meanwhile, in nanoseconds."""

    waiter: int
    blamed: int
    did: str
    """What ended these waits: the other one sent, made space, ended."""
    total: int
    times: int
    meanwhile: dict[str, int]


class HeldUp(NamedTuple):
    """The time that a task kept others waiting while it waited for none itself, in nanoseconds, and what it did."""

    lane: int
    total: int
    doing: dict[str, int]


class Step(NamedTuple):
    """A part of the critical path: what a task did, or, without a lane, what was under way between two of them."""

    lane: int | None
    begin: int
    end: int
    what: str = ""


class Flow(NamedTuple):
    """The traffic of a channel, or of a pool. Times are in nanoseconds."""

    name: str
    capacity: float
    messages: int
    per_second: float
    most: int
    """The high-water mark: the most that were in it at a time."""
    mean: float
    """How many were in it on average: by Little's law the rate times the mean time."""
    mean_ns: float
    late_ns: int
    """The time that one in a hundred exceeds."""


@dataclass
class Spent:
    """The way a task spent its time: its waits, and for each state when these begin and end, and their sums so far."""

    lane: Lane
    waits: list[Wait]
    _times: dict[str, tuple[list[int], list[int], list[int]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for state in STATES[1:]:
            rows = [it.row for it in self.waits if it.state == state]
            sums = [0, *accumulate(row.end - row.begin for row in rows)]
            self._times[state] = ([row.begin for row in rows], [row.end for row in rows], sums)

    def within(self, begin: int, end: int) -> dict[str, int]:
        """Return the nanoseconds in each state between two moments, as far as the task lived then."""
        begin, end = max(begin, self.lane.begin), min(end, self.lane.end)
        found = {state: max(0, self._until(state, end) - self._until(state, begin)) for state in STATES[1:]}
        return {RUNNING: max(0, end - begin - sum(found.values())), **found}

    def running(self) -> list[tuple[int, int]]:
        """Return the times in which the task ran, or could have run."""
        found, at = [], self.lane.begin
        for wait in self.waits:
            if wait.row.begin > at:
                found.append((at, wait.row.begin))
            at = max(at, wait.row.end)
        return [*found, (at, self.lane.end)] if self.lane.end > at else found

    def _until(self, state: str, moment: int) -> int:
        """Return how long the task had been in this state at a moment."""
        begins, ends, sums = self._times[state]
        index = bisect_left(begins, moment) - 1
        return sums[index] + min(moment, ends[index]) - begins[index] if index >= 0 else 0


class Analysis:
    """The analysis of a trace. Nothing is computed before it is asked for."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace

    @cached_property
    def spent(self) -> dict[int, Spent]:
        """The way each task spent its time, by lane."""
        causes = Causes(self.trace)
        return {number: Spent(lane, list(causes.waits(lane))) for number, lane in self.trace.lanes.items()}

    @property
    def wall_ns(self) -> int:
        """The time from the first event to the last."""
        return self.trace.end - self.trace.begin

    @property
    def cores(self) -> float | None:
        """The number of cores that the tasks used on average; None if the trace doesn't say that.

        If it was thinned out, nobody knows when tasks ran that share the clock of a thread.
        """
        known = [self.computed(lane) for lane in self.trace.lanes.values() if lane.cpu_ns is not None]
        cores = sum(known) / self.wall_ns if known and self.wall_ns else None
        return None if cores is not None and self.trace.every > 1 and cores > (self.trace.cpus or 1) else cores

    def computed(self, lane: Lane) -> int:
        """Return for how long a task computed: at most as long as it ran, where tasks share the clock of a thread."""
        return min(lane.cpu_ns or 0, self.spent[lane.number].within(lane.begin, lane.end)[RUNNING])

    def waits(self) -> list[Wait]:
        """Return all waits that another task has ended, the longest first."""
        found = [wait for spent in self.spent.values() for wait in spent.waits if wait.cause is not None]
        return sorted(found, key=lambda wait: -wait.length)

    @cached_property
    def blame(self) -> list[Blame]:
        """The waits of each task for each other one, the longest first, as far as the trace has them."""
        total: Counter[tuple[int, int, str]] = Counter()
        times: Counter[tuple[int, int, str]] = Counter()
        meanwhile: dict[tuple[int, int, str], Counter[str]] = defaultdict(Counter)
        for wait in self.waits():
            assert wait.cause is not None
            key = (wait.row.lane, wait.cause.lane, wait.cause.did)
            total[key] += wait.length
            times[key] += 1
            meanwhile[key].update(self.spent[wait.cause.lane].within(wait.row.begin, wait.cause.at))
        return [Blame(*key, ns, times[key], dict(meanwhile[key])) for key, ns in total.most_common()]

    def held_up(self) -> list[HeldUp]:
        """Return for how long each task kept others waiting while it waited for none itself, the longest first.

        A task that passes its own wait on is not to blame for it; so these are the places to look at.
        """
        found: dict[int, Counter[str]] = defaultdict(Counter)
        for blame in self.blame:
            found[blame.blamed].update({state: blame.meanwhile[state] for state in (RUNNING, ASLEEP)})
        held = [HeldUp(lane, doing.total(), dict(doing)) for lane, doing in found.items() if doing.total()]
        return sorted(held, key=lambda it: -it.total)

    def flows(self) -> list[Flow]:
        """Return what went through each channel, in the order of their first use, and through the pools of the run."""
        through: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for sent, received in self.trace.arrived():
            through[sent.channel].append((entered(sent, received, self.trace), received.end))
        in_order = sorted(through.items(), key=lambda it: min(it[1]))
        counts = self.trace.counts
        found = [self._flow(*self.trace.channel(it), times, counts.get(it, (0, 0))[1]) for it, times in in_order]
        if pairs := self.pooled():
            queued = [(submit.begin, max(submit.begin, work.begin)) for submit, work in pairs]
            whole = [(submit.begin, max(submit.begin, work.end)) for submit, work in pairs]
            found += [self._flow("tasks of a pool", math.inf, whole), self._flow("of these, queued", math.inf, queued)]
        return found

    def pooled(self) -> list[tuple[Row, Row]]:
        """Return of each task that a pool did how it was submitted, and how it was done."""
        works = {row.number: row for row in self.trace.rows() if row.what == "work"}
        return [(it, works[it.number]) for it in self.trace.rows() if it.what == "submit" and it.number in works]

    def critical_path(self) -> list[Step]:
        """Return what the length of the run is made of: the way from its begin to its last event."""
        lane = max(self.trace.lanes.values(), key=lambda it: it.end).number
        first = min(self.trace.lanes.values(), key=lambda it: it.begin).number
        at = self.trace.lanes[lane].end
        path: list[Step] = []
        while len(path) < _LONGEST_PATH:
            wait = self._ended_before(lane, at)
            if wait is not None and wait.cause is not None:
                ended = min(wait.row.end, at)
                path += [Step(lane, ended, at), Step(None, wait.cause.at, ended, "on the way")]
                lane, at = wait.cause.lane, wait.cause.at
                continue
            begin = self.trace.lanes[lane].begin
            path.append(Step(lane, begin, at))
            spawn = self.trace.spawns.get(lane)
            if spawn is not None and spawn.begin < begin:
                path.append(Step(None, spawn.begin, begin, "starting a task"))
                lane, at = spawn.lane, spawn.begin
            elif spawn is None and lane != first and begin > self.trace.begin:
                lane, at = first, begin  # a worker of a pool, which no task has spawned
            else:
                break
        return [step for step in reversed(path) if step.end > step.begin]

    def path_by_task(self) -> list[tuple[str, int]]:
        """Return what the critical path consists of, the longest first: whose running, whose sleep, what else."""
        found: Counter[str] = Counter()
        for step in self.critical_path():
            if step.lane is None:
                found[step.what] += step.end - step.begin
                continue
            for state, ns in self.spent[step.lane].within(step.begin, step.end).items():
                found[f"{self.trace.name(step.lane)} {state}"] += ns
        return [(what, ns) for what, ns in found.most_common() if ns]

    def _ended_before(self, lane: int, at: int) -> Wait | None:
        """Return the last wait of a task that another one has ended before this moment."""
        begins, waits = self._caused[lane]
        for index in range(bisect_left(begins, at) - 1, -1, -1):
            cause = waits[index].cause
            if cause is not None and cause.at < at:
                return waits[index]
        return None

    @cached_property
    def _caused(self) -> dict[int, tuple[list[int], list[Wait]]]:
        """The waits of each task that others have ended, and the moments in which they began."""
        found = {}
        for number, spent in self.spent.items():
            waits = [wait for wait in spent.waits if wait.cause is not None]
            found[number] = ([wait.row.begin for wait in waits], waits)
        return found

    def _flow(self, name: str, capacity: float, times: list[tuple[int, int]], count: int = 0) -> Flow:
        """Return the figures of a channel, given when it had each message, and when the message was received.

        `count` is how many there were, with those that are not in the trace.
        One that a waiting receiver was handed is not in the channel, although its receiver has not gone on yet.
        """
        now = most = 0
        for _, change in sorted([(begin, 1) for begin, _ in times] + [(end, -1) for _, end in times]):
            now += change
            most = max(most, now)
        every = self.trace.every
        count = count or len(times) * every
        span = max(end for _, end in times) - min(begin for begin, _ in times) or 1
        lengths = sorted(end - begin for begin, end in times)
        return Flow(
            name,
            capacity,
            messages=count,
            per_second=count / span * 1e9,
            most=most * every if capacity == math.inf else min(most * every, max(int(capacity), 1)),
            mean=sum(lengths) / len(lengths) * count / span,
            mean_ns=sum(lengths) / len(lengths),
            late_ns=lengths[-1 - len(lengths) // 100],
        )


def entered(sent: Row, received: Row, trace: Trace) -> int:
    """Return the moment from which a message was in its channel; in a rendezvous, from which it was offered."""
    if not trace.channel(sent.channel).capacity:
        return sent.begin
    return min(sent.end, received.end)

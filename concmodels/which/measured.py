"""The figures of one function: what the trials have found out, and what follows from them by arithmetic alone."""

import math
from dataclasses import dataclass, field
from statistics import median

# The names of the ways to call a function, as tables and advice show them.
LOOP = "a plain loop"
THREADS = "threads"
PROCESSES = "processes"
INTERPRETERS = "subinterpreters"
MANY = "50 threads"
TASKS = "50 tasks of asyncio"
FREE_THREADS = "threads without the GIL"

AT_ONCE = 50
"""So many threads, or tasks of asyncio, tell whether a function that waits can wait often at the same time."""


@dataclass(frozen=True, kw_only=True)
class Round:
    """One round of a way, and what it took. Times are in seconds, and None where the system doesn't tell them.

    They are what `ways.clocks` tells. `idle_s` is the time for which an event loop had nothing to do.
    """

    calls: float
    wall_s: float
    thread_s: float = 0.0
    process_s: float = 0.0
    children_s: float = 0.0
    cpu_s: float | None = None
    thread_waited_s: float | None = None
    idle_s: float = 0.0
    unfinished: float = 0
    busy_s: float | None = None

    @property
    def calm_s(self) -> float:
        """The time of the calling thread without its waits for a processor.

        The kernel counts a wait when it is over, so one that has begun before the round may be among them.
        """
        return max(self.wall_s - (self.thread_waited_s or 0.0), self.thread_s, 1e-9)

    @property
    def others(self) -> float | None:
        """The number of processors that other programs had meanwhile; None if that is not known."""
        if self.busy_s is None or self.cpu_s is None:
            return None
        return max(0.0, self.busy_s - self.cpu_s - self.children_s) / self.wall_s


@dataclass
class Way:
    """A way to call the function, with its rounds; without any if it failed, or there was no time for it.

    A worker was given `chunk` calls at a time, and `ahead` of these were under way. `why_not` says why there are no
    rounds, or no more; the function can't be called in this way if it `has_failed`. `holds_gil` is, of threads, the
    share of its time in which a call holds the GIL.
    """

    name: str
    workers: int = 1
    chunk: int = 1
    ahead: int = 1
    rounds: list[Round] = field(default_factory=list)
    why_not: str = ""
    has_failed: bool = False
    holds_gil: float | None = None

    def per_call(self, name: str) -> float:
        """Return the median of a time of the rounds, for one call."""
        return median((getattr(it, name) or 0.0) / it.calls if it.calls else math.inf for it in self.rounds)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """All that is known about a function.

    `hindrances` says what can't be pickled, each in a sentence; `result_bytes` is the size of the pickled result, and
    `shared` has the variables of its module that all calls share, such as a lock, in words. `ways` are the others.
    """

    name: str
    module: str
    arguments: tuple[str, ...] = ()
    is_async: bool = False
    hindrances: tuple[str, ...] = ()
    result_bytes: int | None = None
    shared: tuple[str, ...] = ()
    loop: Way
    ways: dict[str, Way] = field(default_factory=dict)
    cpus: int
    gil: bool = True

    @property
    def call_s(self) -> float:
        """The time of one call, without waits for a processor."""
        return self.loop.per_call("calm_s")

    def share(self, *times: str) -> float:
        """Return how much of a call these times are, together: the median of the loop's rounds."""
        shares: list[float] = [sum(getattr(it, name) for name in times) / it.calm_s for it in self.loop.rounds]
        return median(shares)

    @property
    def computes(self) -> float:
        """The share of a call in which the calling thread computes."""
        return min(1.0, self.share("thread_s"))

    @property
    def in_children(self) -> float:
        """The share of a call in which processes that it has started compute."""
        return self.share("children_s")

    @property
    def releases_gil(self) -> bool:
        """Whether threads compute at the same time for most of a call, although the build has a GIL."""
        way = self.ways.get(THREADS)
        return way is not None and way.holds_gil is not None and way.holds_gil < 0.4

    @property
    def others(self) -> float:
        """The number of processors that other programs had meanwhile."""
        known = [it.others for way in (self.loop, *self.ways.values()) for it in way.rounds if it.others is not None]
        return median(known) if known else 0.0

    @property
    def is_disturbed(self) -> bool:
        """Whether other programs had so much of the machine that the times say little."""
        return self.others > max(0.2, 0.1 * self.cpus)

    @property
    def is_told_by_time(self) -> bool:
        """Whether processor time tells how fast something would be: other programs have the processors."""
        return self.is_disturbed and self.computes >= 0.5 and not self.is_async

    def speeds(self, name: str) -> list[float]:
        """Return how many times as fast as the loop a way was in each round; the loop's round is the one beside it."""
        way = self.ways.get(name)
        pairs = zip(self.loop.rounds, way.rounds, strict=False) if way else ()
        return [(it.calls / it.wall_s) * (loop.wall_s / loop.calls) for loop, it in pairs if it.calls or it.wall_s > 1]

    def speed(self, name: str) -> float:
        """Return the median of `speeds`; 0 if there are none."""
        found = self.speeds(name)
        return median(found) if found else 0.0

    def undisturbed(self, name: str) -> float:
        """Return how many times as fast as the loop a way would be if it had all processors.

        Unless other programs have them, that is its speed. Else it is known if the function computes for most of the
        time: it is how many workers can run at once, divided by how much more processor time a call took than in the
        loop.
        """
        way, speed = self.ways.get(name), self.speed(name)
        if way is None or not speed or not self.is_told_by_time or way.rounds[0].cpu_s is None:
            return speed
        cost = way.per_call("cpu_s") / self.loop.per_call("process_s")
        most = 1 / max(way.holds_gil or 0.0, 1e-9)  # nothing else runs while one of them holds it
        return min(way.workers, self.cpus, most) / cost if cost and math.isfinite(cost) else 0.0

"""The goals of the library, as data: how many times faster, or smaller, ours is to be than the other.

`show` prints measured against goal; `make bench-quick` fails where a ratio is off by a factor of four. Goals against
a queue that polls are left out: it sleeps as long on every machine, while a wake-up takes what it takes on this one.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.disturbance import is_disturbed
from benchmarks.peers import polls
from benchmarks.result import Results, Row
from benchmarks.rounds import Interval, compared

WILD = 4.0
"""A quick run is no measurement: it only finds ratios that are off by more than this."""


@dataclass(frozen=True)
class Goal:
    """A goal for the ratio of ours to another: above 1 is faster, or smaller. Both are `suite/cell/candidate`."""

    ours: str
    theirs: str
    least: float
    figure: str = "seconds"
    """What is compared: the seconds per step, or one of the other figures."""
    why: str = ""
    """Where the ratio alone does not tell what is meant."""


@dataclass(frozen=True)
class Verdict:
    """A goal, with what was measured for it under one Python."""

    goal: Goal
    python: str
    ratio: Interval
    disturbed: bool = False
    """Whether a round of either side was disturbed."""

    @property
    def met(self) -> str:
        """Whether the goal is reached: `yes`, `no`, or `undecided`."""
        return met(self.ratio, self.goal.least)

    @property
    def wild(self) -> bool:
        """Whether the ratio is far off the goal. A ratio to a queue that polls is not: it depends on the machine."""
        _, cell, candidate = self.goal.theirs.split("/", 2)
        return not polls(cell, candidate) and self.ratio.high * WILD < self.goal.least


def met(ratio: Interval, least: float) -> str:
    """Return whether a ratio reaches a goal: `yes`, `no`, or `undecided` where its rounds can't tell."""
    return "yes" if ratio.above(least) else "no" if ratio.below(least) else "undecided"


AGAINST = {
    # model: (another, streaming, token); None: no goal
    "threads": [("queue.Queue", 5, 1.2), ("baseline threads", 0.4, 0.7), ("culsans.Queue (sync)", 5, 1)],
    "processes": [("multiprocessing.SimpleQueue", 4, 2.5), ("baseline processes", 0.5, 0.5)],
    "subinterp": [("interpreters.Queue", 6, 300), ("baseline subinterp", 0.45, 0.5)],
    "greenlet": [("baseline greenlet", 2.5, 0.4)],
    "gevent": [("gevent.queue.Queue", 0.85, 0.85)],
    "eventlet": [("eventlet.Queue", 2, 1)],
    "asyncio": [("asyncio.Queue", 1.5, 1), ("culsans.Queue (async)", 2, 1)],
    "trio": [("trio memory channel", 7, 1.2)],
    "anyio": [("anyio stream", 5, 1)],
}
LANGUAGES = [("erlang", 0.9), ("go unbuffered", 1), ("go buffered 128", 0.15)]
BOUNDED = {
    "threads": ["queue.Queue", "culsans.Queue (sync)"],
    "processes": ["multiprocessing.Queue"],  # a SimpleQueue has no bound
    "gevent": ["gevent.queue.Queue"],
    "eventlet": ["eventlet.Queue"],
    "asyncio": ["asyncio.Queue", "culsans.Queue (async)"],
    "trio": ["trio memory channel"],
    "anyio": ["anyio stream"],
}
POOLS = [
    ("threads", "ThreadPoolExecutor", 3),
    ("processes", "ProcessPoolExecutor, chunks of 1", 5),
    ("processes", "ProcessPoolExecutor, chunks of 1000", 0.7),
    ("subinterp", "InterpreterPoolExecutor", 5),
    ("gevent", "gevent.pool.Pool.map", 3),
    ("eventlet", "eventlet.GreenPool.imap", 3),
    ("asyncio", "asyncio.gather, slices of 100", 1),
    ("trio", "trio nursery, CapacityLimiter", 3),
    ("processes", "two bare processes", 0.85),
    ("subinterp", "two bare processes", 0.85),
]


def goals() -> Iterator[Goal]:
    """Return all goals."""
    for model, others in AGAINST.items():
        for other, stream, token in others:
            yield Goal(f"ring/stream/{model}", f"ring/stream/{other}", stream)
            yield Goal(f"ring/token/{model}", f"ring/token/{other}", token)
    for language, least in LANGUAGES:
        yield Goal("ring/stream/threads", f"ring/stream/{language}", least)
    for model, names in BOUNDED.items():
        for other in names:
            yield Goal(f"ring/bounded/{model}", f"ring/bounded/{other}", 1.2)
    yield from costs()
    for ours, theirs, least in POOLS:
        cell = "cpu" if theirs == "two bare processes" else "nothing"
        yield Goal(f"pool/{cell}/{ours}", f"pool/{cell}/{theirs}", least)


def paths() -> set[str]:
    """Return the candidates that a goal is about, on either side."""
    return {path for goal in goals() for path in (goal.ours, goal.theirs)}


def costs() -> Iterator[Goal]:
    """Return the goals for starting: at most 1.5 times the bare units, at most 1.3 times the bare imports."""
    ours, theirs = "spawn/units-300/subinterp", "spawn/units-300/baseline subinterp"
    yield Goal(ours, theirs, 1 / 1.5, why="300 interpreters start in at most 1.5 times what bare ones take")
    yield Goal(ours, theirs, 1 / 1.5, "bytes_per_unit", why="and take at most 1.5 times their memory")
    ours, theirs = "spawn/units-300/processes", "spawn/units-300/baseline processes"
    yield Goal(ours, theirs, 1 / 1.5, "bytes_per_unit", why="300 processes take at most 1.5 times the PSS of bare ones")
    ours, theirs = "spawn/command/python -m concmodels.ring", "spawn/command/the imports"
    yield Goal(ours, theirs, 1 / 1.3, why="the command starts in at most 1.3 times what its imports take")


def verdicts(results: Results, python: str | None = None) -> list[Verdict]:
    """Return a verdict for every goal of which both sides were measured under one Python, by default the first."""
    found = []
    for goal in goals():
        ours, theirs = (side(results, path, python) for path in (goal.ours, goal.theirs))
        if ours and theirs and (ratio := compared(ours, theirs, goal.figure)):
            found.append(Verdict(goal, ours.python, ratio, is_disturbed(ours) or is_disturbed(theirs)))
    return found


def side(results: Results, path: str, python: str | None) -> Row | None:
    """Return the row of one side of a goal."""
    return results.row(*path.split("/", 2), python=python)

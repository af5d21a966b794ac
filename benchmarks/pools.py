"""The pools of the rooms, held against what each model or its library brings along.

    python -m benchmarks.pools [--quick] [--rounds 5] [--only threads]... [--json FILE]

    nothing   `map` of empty tasks: time per task, and how many times faster that is than the other pool
    cpu       tasks that compute, two workers: how fast that is compared with two bare processes
    io        40 requests of 100 ms on 8 workers: by what factor that takes longer than five rounds of 100 ms

Every lap runs in a fresh process, on a pool that is warm, and for half a second at least. Within a round both sides
run one after the other, and the ratio is taken round by round: the machine's moods then strike both. Where the other
pool comes in several sizes, the one with the best median counts. Exit status 1 if a goal is missed, 2 if
something could not be measured.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.pool_laps import CHUNKS, DELAY, LAPS, SLICES
from concmodels import catalog

LIBRARIES = ("anyio", "eventlet", "gevent", "greenlet", "httpcore", "httpx", "trio")
TIMEOUT = 300
"""Seconds for one lap."""


@dataclass(frozen=True)
class Goal:
    """What one model is to reach in one work."""

    model: str
    work: str
    goal: float
    peers: Sequence[str] = ()
    tasks: int = 100_000
    peer_tasks: int = 100_000
    """Fewer where the other pool would take too long; times per task are compared."""
    workers: int = 8

    @property
    def lap(self) -> str:
        """The name of our lap."""
        return f"{self.work} in {self.model}"

    @property
    def least(self) -> bool:
        """Whether the goal is the least that is accepted, or the most."""
        return self.work != "io"

    def smaller(self) -> Goal:
        """The same in a tenth of the time, for `--quick`; `io` takes half a second anyway."""
        if self.work == "io":
            return self
        return Goal(self.model, self.work, self.goal, self.peers, self.tasks // 10, self.peer_tasks // 10, self.workers)


CHUNKED = [f"ProcessPoolExecutor, chunks of {size}" for size in CHUNKS]
IO_TASKS, IO_WORKERS = 40, 8
GOALS = [
    Goal("threads", "nothing", 3, ["ThreadPoolExecutor"], workers=2),
    Goal("processes", "nothing", 5, CHUNKED[:1], peer_tasks=20_000, workers=2),
    Goal("processes", "nothing", 0.7, CHUNKED[1:], workers=2),
    Goal("subinterp", "nothing", 5, ["InterpreterPoolExecutor"], peer_tasks=20_000, workers=2),
    Goal("gevent", "nothing", 3, ["gevent.pool.Pool.map"]),
    Goal("eventlet", "nothing", 3, ["eventlet.GreenPool.imap"]),
    Goal("asyncio", "nothing", 1, [f"asyncio.gather, slices of {size}" for size in SLICES]),
    Goal("trio", "nothing", 3, ["trio nursery, CapacityLimiter"]),
    Goal("processes", "cpu", 0.85, ["two bare processes"], 200, 200, 2),
    Goal("subinterp", "cpu", 0.85, ["two bare processes"], 200, 200, 2),
    *(Goal(model, "io", 1.3, (), IO_TASKS, IO_TASKS, IO_WORKERS) for model in catalog.names()),
]


@dataclass
class Row:
    """What was measured for a goal: seconds per task, round by round."""

    goal: Goal
    ours: list[float]
    peers: dict[str, list[float]]

    @property
    def best(self) -> str | None:
        """The peer with the best median."""
        return min(self.peers, key=lambda name: statistics.median(self.peers[name]), default=None)

    @property
    def ratios(self) -> list[float]:
        """How many times faster than the peer; for `io` how many times the delays took."""
        if self.best is None:
            rounds = self.goal.tasks / self.goal.workers
            return [mine * self.goal.tasks / (rounds * DELAY / 1000) for mine in self.ours]
        return [theirs / mine for mine, theirs in zip(self.ours, self.peers[self.best], strict=True)]

    @property
    def met(self) -> bool:
        """Whether the median reaches the goal."""
        measured = statistics.median(self.ratios)
        return measured >= self.goal.goal if self.goal.least else measured <= self.goal.goal

    def cells(self) -> list[str]:
        """Its line in the table of pools."""
        goal, best = self.goal, self.best
        assert best is not None
        fewer = "" if goal.peer_tasks == goal.tasks else f" ({goal.peer_tasks:,} tasks)"
        theirs = spread(self.peers[best], 1e6)
        what = f"{goal.tasks:,} x {goal.work}"
        return [goal.model, what, str(goal.workers), spread(self.ours, 1e6), best + fewer, theirs, *self.verdict()]

    def io_cells(self) -> list[str]:
        """Its line in the table of `io`."""
        return [self.goal.model, spread(self.ours, self.goal.tasks), *self.verdict()]

    def verdict(self) -> list[str]:
        """Measured, goal, met."""
        goal, met = self.goal, self.met
        wanted = f"{'≥' if goal.least else '≤'} {goal.goal:g}"
        return [spread(self.ratios, 1), wanted, "[green]yes" if met else "[red]no"]

    def record(self) -> dict[str, Any]:
        """The same for the JSON file."""
        goal = {name: getattr(self.goal, name) for name in ("model", "work", "goal", "tasks", "peer_tasks", "workers")}
        measured = {"seconds_per_task": self.ours, "peers": self.peers, "best_peer": self.best}
        return goal | measured | {"ratios": self.ratios, "ratio": statistics.median(self.ratios), "met": self.met}


def spread(values: Sequence[float], unit: float) -> str:
    """ "median (minimum to maximum)" in this unit."""
    scaled = sorted(value * unit for value in values)
    digits = 0 if scaled[-1] >= 100 else 1 if scaled[-1] >= 10 else 2
    return f"{statistics.median(scaled):,.{digits}f} ({scaled[0]:,.{digits}f} to {scaled[-1]:,.{digits}f})"


def in_fresh_process(lap: str, tasks: int, workers: int) -> float:
    """The seconds per task of one lap, measured in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.pools", "--one", lap, str(tasks), str(workers)]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=TIMEOUT)
    except subprocess.SubprocessError as error:
        print(f"The lap {lap!r} could not be measured: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    return float(json.loads(done.stdout)) / tasks


def measure(goal: Goal, rounds: int) -> Row:
    """Both sides in turn, round after round."""
    row = Row(goal, [], {name: [] for name in goal.peers})
    for _ in range(rounds):
        row.ours.append(in_fresh_process(goal.lap, goal.tasks, goal.workers))
        for name, times in row.peers.items():
            times.append(in_fresh_process(name, goal.peer_tasks, goal.workers))
    return row


def here() -> dict[str, Any]:
    """What the figures were measured on."""
    gil = getattr(sys, "_is_gil_enabled", lambda: True)()
    machine = {"python": platform.python_version(), "gil": gil, "cpus": os.process_cpu_count()}
    return machine | {"system": platform.platform(), "libraries": {name: version(name) for name in LIBRARIES}}


def tables(rows: Sequence[Row]) -> Iterator[Table]:
    """One of pools against other pools, one of waiting."""
    if lines := [row.cells() for row in rows if row.goal.work != "io"]:
        heads = ["model", "tasks", "workers", "ours, µs per task", "against", "theirs, µs per task", "times as fast"]
        yield new_table("pools: median (spread)", heads, lines)
    if lines := [row.io_cells() for row in rows if row.goal.work == "io"]:
        title = f"{IO_TASKS} requests of {DELAY} ms on {IO_WORKERS} workers: median (spread)"
        yield new_table(title, ["model", "seconds", "factor"], lines)


def new_table(title: str, heads: Sequence[str], lines: Sequence[Sequence[str]]) -> Table:
    """A table of these lines."""
    table = Table(*heads, "goal", "met", title=title)
    for line in lines:
        table.add_row(*line)
    return table


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pools", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one round of a tenth of the tasks: whether it works")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", action="append", choices=catalog.names(), metavar="MODEL")
    parser.add_argument("--work", action="append", choices=["nothing", "cpu", "io"])
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--one", nargs=3, metavar=("LAP", "TASKS", "WORKERS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("there must be at least one round")
    if options.json and not options.json.absolute().parent.is_dir():
        parser.error(f"{options.json} can't be written: its folder is not there")
    if not options.one and not chosen(options):
        parser.error("nothing of this kind is measured for these models")
    return options


def chosen(options: argparse.Namespace) -> list[Goal]:
    """The goals that are asked for."""
    models, works = options.only, options.work
    return [it for it in GOALS if it.model in (models or [it.model]) and it.work in (works or [it.work])]


def measured(options: argparse.Namespace) -> Iterator[Row]:
    """Measure goal after goal, and say on a terminal which it is."""
    terminal = Console(stderr=True)
    for goal in chosen(options):
        if why := catalog.why_not(goal.model):
            terminal.print(f"{goal.model} can't be measured here: {why}")
            continue
        with terminal.status(goal.lap):
            yield measure(goal.smaller(), 1) if options.quick else measure(goal, options.rounds)


def main() -> int:
    """Print the table, or the seconds of one lap (`--one`)."""
    options = arguments()
    if options.one:
        print(json.dumps(LAPS[options.one[0]](int(options.one[1]), int(options.one[2]))))
        return 0
    rows = list(measured(options))
    for table in tables(rows):
        Console(width=150).print(table)
    if options.json:
        options.json.write_text(json.dumps(here() | {"rows": [row.record() for row in rows]}, indent=1) + "\n")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

"""The costs and savings of the GIL, beside what the other suites measure: to be run with it and without it.

    one-thread   programs that compute, in one thread: what the build itself costs
    iterator     four threads take a million numbers from one iterator: how often that goes wrong, and how long it takes
    loops        forty conversations over sockets, in one event loop or in two
    at-once      two threads share a channel or a pool: how often both are in the library at once

`--python 3.14 --python 3.14t` measures the two side by side.
"""

from collections.abc import Iterator
from typing import Any

from benchmarks import meetings
from benchmarks.cell import Candidate

COMPUTING = {"calls": ("fibonacci", 25), "large numbers": ("factorial", 10_000), "a list": ("sort", 600)}
"""A kind of `concmodels.work.cpu`, and its size."""
FORMS = ("range", "list", "itertools.count", "a class", "a class with a call", "a generator", "that class, locked")
"""Those of `benchmarks.shared_iterators`."""
THREADS, STEPS, RACES = 4, 1_000_000, 3
WAYS = ("one loop", "a loop in each thread", "a loop in each process")
"""Those of `benchmarks.event_loops`."""
LOOPS, CONVERSATIONS, TRIPS = 2, 40, 400
OPERATIONS, REPEATS = 20_000, 5
"""Of each of two tasks, and how often they do them."""


def candidates(quick: bool) -> list[Candidate]:
    """Return all candidates, with smaller sizes if `quick`."""
    return [*computing(quick), *iterators(quick), *loops(quick), *at_once(quick)]


def computing(quick: bool) -> Iterator[Candidate]:
    """Yield the programs of one thread."""
    for name, (kind, size) in COMPUTING.items():
        tasks = 1 if quick else 10
        sizes = {"tasks": tasks, "kind": kind, "size": size}
        yield one(f"one-thread/{name}", "benchmarks.calls:one_thread", "task", tasks, sizes)


def iterators(quick: bool) -> Iterator[Candidate]:
    """Yield the iterators that threads share."""
    races, steps = (1, STEPS // 100) if quick else (RACES, STEPS)
    for form in FORMS:
        sizes = {"form": form, "threads": THREADS, "steps": steps, "races": races}
        yield one(f"iterator/{form}", "benchmarks.shared_iterators:raced", "step", steps * races, sizes)


def loops(quick: bool) -> Iterator[Candidate]:
    """Yield the ways to hold many conversations."""
    trips = TRIPS // 20 if quick else TRIPS
    for way in WAYS:
        sizes = {"way": way, "loops": LOOPS, "conversations": CONVERSATIONS, "trips": trips}
        yield one(f"loops/{way}", "benchmarks.event_loops:held", "round trip", CONVERSATIONS * trips, sizes)


def at_once(quick: bool) -> Iterator[Candidate]:
    """Yield the models whose tasks are threads, with what two tasks share."""
    repeats = 1 if quick else REPEATS
    for model in ("threads", "rawthreads"):
        for shared in meetings.SHARED:
            sizes = {"model": model, "shared": shared, "operations": OPERATIONS, "repeats": repeats}
            steps = 2 * OPERATIONS * repeats
            yield Candidate(
                f"gil/at-once/{model}, {shared}",
                "benchmarks.meetings:counted",
                kind="model",
                model=model,
                step="operation",
                steps=steps,
                sizes=sizes,
            )


def one(path: str, call: str, step: str, steps: int, sizes: dict[str, Any]) -> Candidate:
    """Return a candidate; what is measured here is Python's own, not a model of ours."""
    model = "asyncio" if path.startswith("loops") else "threads"
    return Candidate(f"gil/{path}", call, kind="baseline", model=model, step=step, steps=steps, sizes=sizes)

"""Pools: what a task costs, and what it gains that there are several workers.

nothing              empty tasks, against every pool that one might pick instead
task-10us, task-1ms  tasks that compute for about as long (Fibonacci numbers), two workers
cpu                  slices of a factorial, two workers
io                   requests to a small server that takes 20 ms, eight workers
buffer               ten million numbers summed in slices through `share`, two workers
workers-N            the tasks of `cpu` with N workers, in one model of each kind; two of them has `cpu`
"""

import os
from collections.abc import Iterator
from typing import Any

from benchmarks.cell import Candidate
from benchmarks.suites.sizes import LIGHT, MODELS

LIBRARIES = {
    "ThreadPoolExecutor": "threads",
    "ProcessPoolExecutor": "processes",
    "InterpreterPoolExecutor": "subinterp",
    "multiprocessing.Pool": "processes",
    "joblib": "processes",
    "mpire": "processes",
}
"""The pools for tasks of any length, and the model that each is held against."""
OWN = ("joblib", "mpire")
LAPS = {
    "ProcessPoolExecutor, chunks of 1": "processes",
    "ProcessPoolExecutor, chunks of 1000": "processes",
    "gevent.pool.Pool.map": "gevent",
    "eventlet.GreenPool.imap": "eventlet",
    "asyncio.gather, slices of 100": "asyncio",
    "trio nursery, CapacityLimiter": "trio",
}
"""Those for empty tasks only, by their name in `benchmarks.pool_laps`."""
WORKS: dict[str, tuple[int, dict[str, Any]]] = {
    "task-10us": (10_000, {"workers": 2, "work": "cpu", "kind": "fibonacci", "size": 11}),
    "task-1ms": (600, {"workers": 2, "work": "cpu", "kind": "fibonacci", "size": 21}),
    "cpu": (120, {"workers": 2, "work": "cpu", "kind": "factorial", "size": 5000}),
    "io": (120, {"workers": 8, "work": "io", "delay": 20}),
    "buffer": (20, {"workers": 2, "work": "buffer", "buffer": "share", "numbers": 10_000_000}),
}
"""How many tasks, and what they do. Where they compute or wait for a while, a run takes 0.3 seconds at least, on two
workers or eight: in a shorter one the odd millisecond of a busy machine would be told as a finding."""
GROWING = (1, 4, 8, 16, 32, 64)
"""Numbers of workers, up to 8 or twice the processors: a machine with more of them shows more of the curve."""
ONE_OF_EACH = ("threads", "processes", "subinterp", "asyncio")
FIBONACCI = {"nothing": 0, "task-10us": 11, "task-1ms": 21}


def candidates(quick: bool) -> list[Candidate]:
    """Return all candidates; if `quick`, without tasks that wait and without buffers."""
    return [*nothings(quick), *works(quick), *growing(quick), *bare(quick), *libraries(quick)]


def nothings(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates for empty tasks: the models, and the light pools."""
    tasks = 1000 if quick else 20_000
    for model in MODELS:
        yield lap(f"nothing in {model}", model, model, "model", tasks)
    for name, model in LAPS.items():
        yield lap(name, name, model, "peer", tasks)


def lap(name: str, candidate: str, model: str, what: str, tasks: int, cell: str = "nothing") -> Candidate:
    """Return a candidate of `benchmarks.pool_laps`."""
    sizes = {"tasks": tasks, "workers": 8 if model in LIGHT else 2}
    return Candidate(
        f"pool/{cell}/{candidate}",
        "benchmarks.calls:pool_lap",
        kind=what,
        model=model,
        step="task",
        steps=tasks,
        sizes={"lap": name, **sizes},
        parameters=sizes,
    )


def works(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates for the pool program, with tasks that do something."""
    for cell, (tasks, sizes) in WORKS.items():
        if quick and cell not in ("task-10us", "io"):
            continue
        count = tasks // 10 if quick else tasks
        for model in MODELS:
            yield Candidate(
                f"pool/{cell}/{model}",
                "benchmarks.calls:pool",
                kind="model",
                model=model,
                step="task",
                steps=count,
                sizes={"model": model, "tasks": count, **sizes},
            )


def growing(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates for the same tasks with more and more workers."""
    if quick:
        return
    tasks, sizes = WORKS["cpu"]
    most = max(8, 2 * (os.process_cpu_count() or 1))
    for workers in [number for number in GROWING if number <= most]:
        for model in ONE_OF_EACH:
            yield Candidate(
                f"pool/workers-{workers}/{model}",
                "benchmarks.calls:pool",
                kind="model",
                model=model,
                step="task",
                steps=tasks,
                sizes={"model": model, "tasks": tasks, **sizes, "workers": workers},
            )


def bare(quick: bool) -> Iterator[Candidate]:
    """Yield the candidate that computes in processes which have their share from the start: no pool can be faster."""
    if not quick:
        yield lap("two bare processes", "two bare processes", "processes", "baseline", WORKS["cpu"][0], "cpu")


def libraries(quick: bool) -> Iterator[Candidate]:
    """Yield the pools of processes, interpreters and threads that one might use instead, with the same tasks."""
    for cell, number in FIBONACCI.items():
        if quick and cell != "nothing":
            continue
        tasks = WORKS[cell][0] if cell in WORKS else 10_000
        sizes = {"tasks": tasks // 10 if quick else tasks, "workers": 2, "size": number}
        for name, model in LIBRARIES.items():
            yield Candidate(
                f"pool/{cell}/{name}",
                "benchmarks.pool_peers:run",
                kind="peer",
                model=model,
                step="task",
                steps=sizes["tasks"],
                sizes={"peer": name, **sizes},
                parameters=sizes,
                needs=(name,) if name in OWN else (),
            )

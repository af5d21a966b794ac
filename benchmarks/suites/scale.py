"""More processors: the same tasks in pools, and the same hops in rings, with one worker up to one for each processor.

pool   240 tasks that compute for about 1 ms each, on 1 to N workers
ring   300,000 hops through 1 to N nodes, with 2,400 messages under way; what is sent is an int

It has to be named, takes two minutes at most, and makes one small file that others can send:
`python -m benchmarks run scale --json`.
"""

import os
from collections.abc import Iterator

from benchmarks.cell import Candidate

MODELS = ("threads", "processes", "subinterp")
"""Those that can compute in parallel: threads only without the GIL, and with it they show what the GIL does."""
TASKS, HOPS, IN_FLIGHT = 240, 300_000, 2_400
MOST = 6
"""More numbers of workers would take too long, and a curve is told from so many."""


def candidates(quick: bool) -> list[Candidate]:
    """Return all candidates; if `quick`, with a hundredth of the work."""
    part, every = (100, [1, 2]) if quick else (1, numbers(os.process_cpu_count() or 1))
    return [*pools(every, TASKS // part), *rings(every, HOPS // part)]


def numbers(processors: int) -> list[int]:
    """Return the numbers of workers: powers of two, then the number of processors; at least 1, 2 and 4."""
    last = max(4, processors)
    powers = [2**at for at in range(last.bit_length()) if 2**at < last]
    while len(powers) >= MOST:
        powers = [1, 2, *powers[2:][1::2]]
    return [*powers, last]


def pools(every: list[int], tasks: int) -> Iterator[Candidate]:
    """Yield the pools."""
    for model in MODELS:
        for workers in every:
            yield Candidate(
                f"scale/pool/{model} x {workers}",
                "benchmarks.calls:pool",
                kind="model",
                model=model,
                step="task",
                steps=tasks,
                sizes={
                    "model": model, "tasks": tasks, "workers": workers, "work": "cpu", "kind": "fibonacci", "size": 21,
                },
            )  # fmt: skip


def rings(every: list[int], hops: int) -> Iterator[Candidate]:
    """Yield the rings, which all have as many hops."""
    for model in MODELS:
        for nodes in every:
            sizes = {"nodes": nodes, "messages": hops // nodes, "in_flight": IN_FLIGHT}
            yield Candidate(
                f"scale/ring/{model} x {nodes}",
                "benchmarks.calls:ring",
                kind="model",
                model=model,
                step="hop",
                steps=nodes * sizes["messages"],
                sizes={"model": model, **sizes},
                parameters={**sizes, "capacity": "inf", "workers": nodes},
            )

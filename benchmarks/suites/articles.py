"""The tables of two articles, measured again.

    ring-2010     300 nodes, 10,000 messages all in flight, on every mechanism that the article of 2010 had
    ring-30000    the same with 30,000 messages: tasklets
    cpu           four slices of a factorial, 10,000 numbers each, four workers
    io            20 documents from a server that takes 20 ms, four workers
    buffer        ten million numbers summed in four slices, four workers

The last three are those of the article on subinterpreters, each with the start and the end of its pool, as there.
"""

from collections.abc import Iterator
from typing import Any

from benchmarks.cell import Candidate

MECHANISMS = ("rawthreads:polling", "rawthreads", "threads", "processes", "greenlet", "tasklets", "eventlet")
WORKS: dict[str, tuple[int, dict[str, Any]]] = {
    "cpu": (4, {"work": "cpu", "kind": "factorial", "size": 10_000}),
    "io": (20, {"work": "io", "delay": 20}),
    "buffer": (4, {"work": "buffer", "buffer": "share", "numbers": 10_000_000}),
}
WORKERS = 4
POOLS = ("threads", "processes", "subinterp", "asyncio")
EXECUTORS = {
    "a plain loop": None,
    "ThreadPoolExecutor": "threads",
    "ProcessPoolExecutor": "processes",
    "InterpreterPoolExecutor": "subinterp",
}


def candidates(quick: bool) -> list[Candidate]:
    """Return all candidates, with smaller sizes if `quick`."""
    return [*rings(quick), *pools(quick)]


def rings(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates of the article of 2010."""
    from benchmarks.suites.ring import ours

    nodes, messages = (30, 300) if quick else (300, 10_000)
    pairs = [("ring-2010", model, messages) for model in MECHANISMS] + [("ring-30000", "tasklets", 3 * messages)]
    for cell, model, count in pairs:
        candidate = ours(cell, model, nodes, count)
        candidate.suite = "articles"
        yield candidate


def pools(quick: bool) -> Iterator[Candidate]:
    """Yield the candidates of the article on subinterpreters."""
    for cell, (tasks, sizes) in WORKS.items():
        if quick and cell != "cpu":
            continue
        for model in POOLS:
            yield one(cell, model, "model", model, "benchmarks.article:ours", tasks, {"model": model, **sizes})
        for name, model_of in EXECUTORS.items():
            if cell == "cpu":
                given = {"executor": name, "size": sizes["size"]}
                yield one(cell, name, "peer", model_of, "benchmarks.article:executor", tasks, given)


def one(cell: str, name: str, what: str, model: str | None, call: str, tasks: int, sizes: dict[str, Any]) -> Candidate:
    """Return one candidate."""
    return Candidate(
        f"articles/{cell}/{name}",
        call,
        kind=what,
        model=model,
        step="life of the pool",
        steps=1,
        sizes={"tasks": tasks, "workers": WORKERS, **sizes},
    )

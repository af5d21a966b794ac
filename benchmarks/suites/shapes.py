"""The shapes that programs have, on our channels and on the queues that ship: `benchmarks.shapes`.

    chain-T-F      T tasks in a row with F items in flight, unbounded; `all`: as many as there are
    chain-T-cap-C  the same with all in flight and C items in each channel
    fan-in, fan-out, crowd, pairs     with their number of tasks and, where there is one, their capacity
    between-*      the same between processes and interpreters, up to 20 of them
    item-*         items of a kind and a size from one process or interpreter to the next, unbounded
    call-*         a call with such an item in a pool of one worker, and its result

Everything but `item` and `call` is of ints. It has to be named: `python -m benchmarks run shapes` takes 15 minutes.

Left out, so that it takes no longer: most combinations of a capacity with a number in flight, since whichever of the
two is less decides; two tasks with a capacity, which pairs are like; more than 20 processes, which take longer to start
than to measure (the suite `ring` has 300); items of other kinds than ints within a process, where all are passed by
reference; numpy's arrays between interpreters, which can't import it; the models without a queue that ships; and
`interpreters.Queue`, which looks every 10 ms (`ring` has it).
"""

from collections.abc import Iterator
from math import inf
from typing import Any

from benchmarks.cell import Candidate
from benchmarks.peers import PATIENT, PEERS
from benchmarks.shapes import Shape
from benchmarks.suites.sizes import COPY, COSTS, amount, hop_cost, kind

INSIDE = ("threads", "gevent", "eventlet", "asyncio", "trio", "anyio")
BETWEEN = ("processes", "subinterp")
QUEUES = {
    "queue.Queue": INSIDE[:1], "queue.SimpleQueue": INSIDE[:1],
    "asyncio.Queue": ("asyncio",), "trio memory channel": ("trio",), "anyio stream": ("anyio",),
    "eventlet.Queue": ("eventlet",), "gevent.queue.Queue": ("gevent",), "gevent.queue.SimpleQueue": ("gevent",),
    "multiprocessing.Queue": BETWEEN, "multiprocessing.SimpleQueue": BETWEEN, "multiprocessing.Pipe": BETWEEN,
}  # fmt: skip
"""What ships, and the models that are held against it."""
EXECUTORS = {
    "ThreadPoolExecutor": ("threads",),
    "ProcessPoolExecutor": ("processes",),
    "multiprocessing.Pool": ("processes",),
    "InterpreterPoolExecutor": ("subinterp",),
}
COMPILED = ("queue.SimpleQueue", "gevent.queue.Queue", "gevent.queue.SimpleQueue")
CONVOY = "fan-in-200-cap-8"
"""Here queues are also measured with senders that let others run after each item, as our channels do."""
SHARED = "multiprocessing.Pipe"
"""It can't be read by several."""

CELLS: dict[str, tuple[str, int, int | None, float]] = {
    "chain-2-1": ("chain", 2, 1, inf),
    "chain-2-all": ("chain", 2, None, inf),
    "chain-10-8": ("chain", 10, 8, inf),
    "chain-100-1": ("chain", 100, 1, inf),
    "chain-100-2": ("chain", 100, 2, inf),
    "chain-100-8": ("chain", 100, 8, inf),
    "chain-100-64": ("chain", 100, 64, inf),
    "chain-100-all": ("chain", 100, None, inf),
    "chain-1000-64": ("chain", 1000, 64, inf),
    "chain-1000-all": ("chain", 1000, None, inf),
    "chain-100-cap-1": ("chain", 100, None, 1),
    "chain-100-cap-8": ("chain", 100, None, 8),
    "chain-100-cap-64": ("chain", 100, None, 64),
    "fan-in-10": ("fan-in", 10, None, inf),
    "fan-in-200-cap-8": ("fan-in", 200, None, 8),
    "fan-out-200": ("fan-out", 200, None, inf),
    "fan-out-200-cap-8": ("fan-out", 200, None, 8),
    "crowd-20-cap-8": ("crowd", 20, None, 8),
    "crowd-200": ("crowd", 200, None, inf),
    "pairs-200": ("pairs", 200, None, inf),
    "pairs-200-cap-1": ("pairs", 200, None, 1),
}
"""Within a process: the form, the tasks, the items in flight, the capacity."""
FEW: dict[str, tuple[str, int, int | None, float]] = {
    "between-2-1": ("chain", 2, 1, inf),
    "between-2-all": ("chain", 2, None, inf),
    "between-10-8": ("chain", 10, 8, inf),
    "between-10-all": ("chain", 10, None, inf),
    "between-2-cap-8": ("chain", 2, None, 8),
    "between-fan-in-10": ("fan-in", 10, None, inf),
    "between-crowd-20-cap-8": ("crowd", 20, None, 8),
}
"""The same between processes and interpreters."""
ITEMS = {
    "int": 8, "str of 20": 64, "tuple": 64, "dict of 10": 256, "list of 1,000": 4000, "10 kB": 10_000,
    "60 kB": 60_000, "250 kB": 250_000, "1 MB": 1_000_000, "array of 1 MB": 1_000_000,
}  # fmt: skip
"""How many bytes they are, roughly."""
CALLS = ("str of 20", "10 kB", "250 kB", "1 MB")
CALL_S = 150e-6
QUICK = ("crowd-20-cap-8", "between-2-cap-8")
PART = 2
"""A measurement takes so small a part of what others take: there are many."""
SLOW = {"trio": 3, "anyio": 3}
"""What ships with these takes five times as long as ours: so much less is measured of both."""
CONTENDED = 4
"""Threads that contend for one channel take so many times as long."""


def candidates(quick: bool) -> list[Candidate]:
    """Return all candidates; if `quick`, one cell of each kind."""
    return [
        *shapes(CELLS, INSIDE, quick),
        *shapes(FEW, BETWEEN, quick),
        *items(("str of 20",) if quick else tuple(ITEMS), quick),
        *calls(("10 kB",) if quick else CALLS, quick),
    ]


def shapes(cells: dict[str, tuple[str, int, int | None, float]], models: tuple[str, ...], quick: bool) -> Iterator[Any]:
    """Yield the models and the queues in these cells."""
    for cell, (form, tasks, in_flight, capacity) in cells.items():
        if quick and cell not in QUICK:
            continue
        patient = {name: (peer.model,) for name, peer in PATIENT.items() if cell == CONVOY}
        for name, model in named(models, QUEUES | patient):
            bounded = capacity == inf or name not in PEERS or PEERS[name].bounded
            if bounded and (name != SHARED or form == "chain"):
                cost = PART * SLOW.get(model, 1) * Shape(form, tasks, 1).hops * hop_cost(model, in_flight, capacity)
                cost *= CONTENDED if kind(model) == "threads" and form not in ("chain", "pairs") else 1
                messages = amount(cost, quick, least=max(2, in_flight or 1))
                yield of(cell, name, model, form=form, tasks=tasks, messages=messages, in_flight=in_flight,
                         capacity=capacity)  # fmt: skip


def items(kinds: tuple[str, ...], quick: bool) -> Iterator[Candidate]:
    """Yield items of these kinds, from one task to the caller."""
    for item in kinds:
        models = BETWEEN[:1] if "array" in item else BETWEEN
        for name, model in named(models, QUEUES):
            messages = amount(PART * (COSTS["boundary"][1] + COPY * ITEMS[item]), quick, least=5)
            yield of(f"item-{slug(item)}", name, model, form="fan-in", tasks=1, messages=messages, item=item)


def calls(kinds: tuple[str, ...], quick: bool) -> Iterator[Candidate]:
    """Yield calls with items of these kinds."""
    for item in kinds:
        for name, model in named(("threads", *BETWEEN), EXECUTORS):
            ours = name == model
            count = amount(PART * (CALL_S + COPY * ITEMS[item]), quick, least=5)
            yield Candidate(
                f"shapes/call-{slug(item)}/{name}",
                f"benchmarks.shapes.pools:{'ours' if ours else 'peer'}",
                kind="model" if ours else "peer",
                model=model,
                step="call",
                steps=count,
                sizes={"model" if ours else "peer": name, "item": item, "calls": count},
                parameters={"item": item, "messages": count, "workers": 1},
            )


def named(models: tuple[str, ...], others: dict[str, tuple[str, ...]]) -> Iterator[tuple[str, str]]:
    """Yield the models, and then what ships with them, each with its model."""
    yield from ((model, model) for model in models)
    yield from ((name, held[0]) for name, held in others.items() if held[0] in models)


def slug(item: str) -> str:
    """Return the name of an item as part of that of a cell."""
    return item.replace(" ", "-").replace(",", "")


def of(cell: str, name: str, model: str, **sizes: Any) -> Candidate:
    """Return a model, or a queue, with a shape."""
    shape, ours = Shape(**sizes), name == model
    return Candidate(
        f"shapes/{cell}/{name}",
        f"benchmarks.{'shapes.ours:run' if ours else 'calls:peer_shape'}",
        kind="model" if ours else "peer",
        model=model,
        step="hop",
        steps=shape.hops,
        sizes={"model" if ours else "peer": name, **sizes},
        parameters={
            "form": shape.form,
            "tasks": shape.number,
            "messages": shape.messages,
            "in_flight": shape.in_flight or "all",
            "capacity": "inf" if shape.capacity == inf else int(shape.capacity),
            "item": shape.item or "int",
        },
    )

"""One channel at work, as `concmodels.channel` has it.

stream, rendezvous    one sender to the caller, unbounded and with capacity 0
pingpong              a message there and back, then the next one
select-2, select-128  the caller selects among as many channels, each with a sender of its own

Many senders and many receivers are in the suite `shapes`.
"""

from math import inf
from typing import Any

from benchmarks.cell import Candidate
from benchmarks.suites.sizes import COSTS, MODELS, amount, kind

SELECT = 5e-6
"""Seconds that a select costs, roughly, and what each of its channels adds."""
SELECT_EACH = 1e-6


def candidates(quick: bool) -> list[Candidate]:
    """Return all models in all cells; if `quick`, in two cells."""
    cells = {name: sizes for name, sizes in CELLS.items() if not quick or name in ("pingpong", "select-2")}
    return [ours(cell, model, quick, sizes) for cell, sizes in cells.items() for model in MODELS]


CELLS: dict[str, dict[str, Any]] = {
    "stream": {"pattern": "stream", "tasks": 1, "capacity": inf},
    "rendezvous": {"pattern": "stream", "tasks": 1, "capacity": 0},
    "pingpong": {"pattern": "pingpong", "tasks": 1, "capacity": inf},
    "select-2": {"pattern": "select", "tasks": 2, "capacity": inf},
    "select-128": {"pattern": "select", "tasks": 128, "capacity": inf},
}


def ours(cell: str, model: str, quick: bool, sizes: dict[str, Any]) -> Candidate:
    """Return a model in a cell, with a suitable number of messages."""
    messages = amount(cost(model, **sizes), quick, least=10, most=200_000)
    parameters = sizes | {"messages": messages, "capacity": "inf" if sizes["capacity"] == inf else sizes["capacity"]}
    return Candidate(
        f"channel/{cell}/{model}",
        "benchmarks.calls:channel",
        kind="model",
        model=model,
        step="round trip" if cell == "pingpong" else "message",
        steps=messages,
        sizes={"model": model, "messages": messages, **sizes},
        parameters=parameters,
    )


def cost(model: str, pattern: str, tasks: int, capacity: float) -> float:
    """Return roughly how many seconds a message takes."""
    stream, switch = COSTS[kind(model)]
    if pattern == "select":
        return SELECT + SELECT_EACH * tasks
    return 2 * switch if pattern == "pingpong" or not capacity else 2 * stream

"""How many messages make a measurement of about the same length in every model.

The costs here are rough, on the slow side, and only choose sizes; what is measured is in the results.
"""

from math import inf

from concmodels import catalog

LIGHT = (*catalog.names(family="greenlets"), *catalog.names(family="coroutines"))
THREADS = tuple(catalog.names(family="threads"))
BOUNDARY = tuple(catalog.names(family="boundary"))
MODELS = (*THREADS, *BOUNDARY, *LIGHT)

TARGET = 0.2
"""Seconds of one measurement."""
QUICK_TARGET = 0.03

COSTS = {"light": (150e-9, 4e-6), "threads": (150e-9, 20e-6), "boundary": (300e-9, 40e-6)}
"""Seconds per hop: when everything streams, and when every hop is a switch."""
SPREAD = 16
"""So many messages in flight before two of them wait at the same node: they do not stay evenly apart."""
COPY = 2e-9
"""Seconds per byte where a message is a copy."""


def kind(model: str) -> str:
    """Return `light`, `threads` or `boundary`."""
    name = model.partition(":")[0]
    return "boundary" if name in BOUNDARY else "threads" if name in THREADS else "light"


def hop_cost(model: str, in_flight: int | None = None, capacity: float = inf) -> float:
    """Return about how many seconds a hop takes: a switch is shared by the messages that wait at the same node."""
    stream, switch = COSTS[kind(model)]
    together = max(1, min((in_flight or inf) / SPREAD, capacity))
    return stream + switch / together


def amount(cost: float, quick: bool, least: int = 1, most: int = 1_000_000) -> int:
    """Return how many of this cost make one measurement, as a round number."""
    wanted = (QUICK_TARGET if quick else TARGET) / cost
    unit: int = 10 ** max(0, len(str(int(wanted))) - 1)
    return max(least, min(most, int(wanted / unit) * unit))

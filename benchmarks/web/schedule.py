"""When requests are due, and of which kind they are."""

import random
from collections.abc import Iterator, Sequence
from itertools import count, repeat

from benchmarks.web.plan import Kind


def arrivals(begin: float, rate: float, *, even: bool, seed: int) -> Iterator[float]:
    """Yield the moments at which requests are due, without end: so many per second from `begin` on."""
    if even:
        return (begin + number / rate for number in count(1))
    return _at_random(begin, random.Random(f"arrivals {seed}"), rate)


def _at_random(moment: float, chance: random.Random, rate: float) -> Iterator[float]:
    """Yield moments whose distances are exponentially distributed, as those of users who know nothing of each other."""
    while True:
        moment += chance.expovariate(rate)
        yield moment


def kinds(of: Sequence[Kind], seed: int) -> Iterator[int]:
    """Yield the numbers of kinds, each as often as its share says."""
    if len(of) == 1:
        return repeat(0)
    return _drawn(random.Random(f"kinds {seed}"), [kind.share for kind in of])


def _drawn(chance: random.Random, shares: list[float]) -> Iterator[int]:
    while True:
        yield from chance.choices(range(len(shares)), shares, k=1000)

"""Summaries of many latencies: exact percentiles, and a histogram that can be kept."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_BITS = 5
"""A bucket is at most 1/32 as wide as its lower bound, or one microsecond wide."""

_PERCENTILES = {"p50_s": 0.5, "p90_s": 0.9, "p99_s": 0.99, "p999_s": 0.999}
_BEYOND = 10
"""So many latencies must be above a percentile, or it would be chance: P99 needs 1,000 answers."""


@dataclass(frozen=True)
class Latencies:
    """Latencies in seconds. A percentile for which there are too few is None."""

    count: int
    mean_s: float | None
    p50_s: float | None
    p90_s: float | None
    p99_s: float | None
    p999_s: float | None
    max_s: float | None
    histogram: dict[int, int]
    """How many there are by the lower bound of their bucket, in whole microseconds."""


def latencies(values: Iterable[float]) -> Latencies:
    """Return what these latencies come to."""
    ranked = sorted(values)
    mean, most = (math.fsum(ranked) / len(ranked), ranked[-1]) if ranked else (None, None)
    some = {name: percentile(ranked, share) for name, share in _PERCENTILES.items()}
    return Latencies(len(ranked), mean, **some, max_s=most, histogram=histogram(ranked))


def percentile(ranked: Sequence[float], share: float) -> float | None:
    """Return the least of these ranked values that this share of them does not exceed; None if they are too few."""
    if len(ranked) * (1 - share) < _BEYOND - 1e-9:
        return None
    return ranked[math.ceil(share * len(ranked) - 1e-9) - 1]


def histogram(values: Iterable[float]) -> dict[int, int]:
    """Return how many of these seconds fall into each bucket, by its lower bound in microseconds."""
    return dict(sorted(Counter(map(_bucket, values)).items()))


def _bucket(seconds: float) -> int:
    microseconds = int(seconds * 1e6)
    shift = max(0, microseconds.bit_length() - _BITS - 1)
    return microseconds >> shift << shift


def octaves(of: dict[int, int]) -> dict[int, int]:
    """Return a coarser histogram, whose buckets begin at 0, 1, 2, 4, 8 ... microseconds; none between is left out."""
    found: Counter[int] = Counter()
    for bound, number in of.items():
        found[bound.bit_length()] += number
    if not found:
        return {}
    return {1 << bits >> 1: found[bits] for bits in range(min(found), max(found) + 1)}

"""A thousand rings in one process: memory, descriptors, threads and children as flat as after the first ones."""

import gc
import os
import time

import pytest

from concmodels.conformance.census import NothingLeft
from concmodels.ring import ring

pytestmark = [pytest.mark.stress, pytest.mark.timeout(600)]

RINGS, NODES, MESSAGES, WARM_UP = 1000, 20, 50, 20
BOUNDARY_S = 150
"""Models that start a process or an interpreter per node make as many rings as they can in this time."""
GROWTH_BYTES = 8 << 20
"""What may be added after the warm-up. One leaked page per ring would be half of it; allocators that keep what was
freed (malloc's arenas per thread, an interpreter's own) settle within a few MiB."""


def resident():
    """The resident memory of this process, in bytes, after a collection."""
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def rings(model, count, limit):
    """Up to so many rings, for at most so many seconds; returns how many it were."""
    end = time.monotonic() + limit
    for number in range(count):
        if time.monotonic() > end:
            return number
        result = ring(model.name, nodes=NODES, messages=MESSAGES)
        assert result.verified, result.error
    return count


def test_a_thousand_rings(model, capsys):
    boundary = model.facts.family == "boundary"
    rings(model, WARM_UP, BOUNDARY_S)
    before, began = resident(), time.monotonic()
    with NothingLeft():
        count = rings(model, RINGS, BOUNDARY_S if boundary else 600)
    took, grown = time.monotonic() - began, resident() - before
    with capsys.disabled():
        print(f" {count} rings in {took:.0f} s, memory {grown / 1024:+,.0f} KiB ", end="")
    assert boundary or count == RINGS
    assert grown < GROWTH_BYTES

"""Finds what the tasks of a run contend for: the keys that several of them touch, and at least one of them changes."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concmodels.models.simulated.steps import Key

    type Footprint = dict[Key, bool]


def contested(steps: Iterable[tuple[str, Footprint]]) -> frozenset[Key]:
    """Return these keys, given the task and the footprint of each step; not those of the tasks themselves."""
    tasks: dict[Key, set[str]] = {}
    changed = set()
    for task, footprint in steps:
        for key, changes in footprint.items():
            if key[0] != "task":
                tasks.setdefault(key, set()).add(task)
                if changes:
                    changed.add(key)
    return frozenset(key for key, those in tasks.items() if len(those) > 1 and key in changed)

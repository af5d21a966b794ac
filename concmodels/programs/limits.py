"""Checks, before a run starts, whether this machine can hold what the run makes.

What a run needs is computed from the rounded figures of the catalog. A check that refuses a run must be right, so each
limit is taken at its most generous: what is free now, and the soft limit on descriptors raised as far as possible.
"""

import os

from concmodels.platform import measuring

_DESCRIPTORS = 16  # that are open, where it can't be told
_GIB = 1024**3
_SMALLER_OR_HIGHER = "ask for fewer, or raise that limit"


class TooLarge(ValueError):
    """This machine can't hold the run; the message says what is short."""


def check(thing: str, *, os_tasks: int, in_one_memory: bool, descriptors: int, memory: int, advice: str) -> None:
    """Raise `TooLarge` if this machine can't hold a run that makes so many threads or processes, or needs so much.

    Raises the soft limit on descriptors if the run needs more than that. `memory` is in bytes. `thing` and `advice` are
    for the messages: what the run makes, and what to do if it needs too much memory.
    """
    if os.name != "posix":
        return
    if descriptors:
        _check_descriptors(thing, descriptors)
    if os_tasks:
        _check_tasks(thing, os_tasks + 1, in_one_memory)
    _check_memory(thing, memory, advice)


def _check_descriptors(thing: str, need: int) -> None:
    need += len(measuring.open_descriptors() or range(_DESCRIPTORS))
    limit = measuring.raise_descriptor_limit(need)
    if limit is not None:
        told = f"needs about {need:,} file descriptors, and the limit is {limit:,} (ulimit -Hn)"
        raise TooLarge(f"{thing} {told}; {_SMALLER_OR_HIGHER}")


def _check_tasks(thing: str, need: int, in_one_memory: bool) -> None:
    """Check the kernel's limits on the number of threads and processes."""
    for limit, where in measuring.task_limits(processes=not in_one_memory):
        if need > limit:
            told = f"needs {need:,} OS tasks, and there can be {limit:,} ({where})"
            raise TooLarge(f"{thing} {told}; {_SMALLER_OR_HIGHER}")


def _check_memory(thing: str, need: int, advice: str) -> None:
    for free, where in measuring.free_memory():
        if need > free:
            told = f"may need {need / _GIB:,.1f} GiB of memory, and {free / _GIB:,.1f} GiB are free ({where})"
            raise TooLarge(f"{thing} {told}; {advice}")

"""Measures how much memory a run takes: that of this process and of all its descendants, where the system shows it.

Elsewhere the peaks are those that the tasks report, and there is no PSS; `concmodels.platform.measuring` says where.
"""

import os
from dataclasses import dataclass

from concmodels.platform import measuring

reset_peak = measuring.reset_peak


@dataclass(frozen=True)
class Memory:
    """The memory of several processes together, in bytes; None means unknown on this system."""

    peak_rss: int | None
    pss: int | None


def own_peak(fallback: int | None = None) -> int | None:
    """Return the peak resident set of this process in bytes."""
    return measuring.peak() or fallback or None


def own_pss() -> int | None:
    """Return the proportional set of this process in bytes: a page shared by n processes counts as 1/n."""
    return measuring.pss()


def of_descendants() -> Memory:
    """Return the peaks and the present PSS of all descendants, helpers such as a forkserver included."""
    found = measuring.descendants(os.getpid())
    if found is None:
        return Memory(None, None)
    return Memory(sum(measuring.peak(pid) or 0 for pid in found), sum(measuring.pss(pid) or 0 for pid in found))


def descendants(pid: int) -> list[int]:
    """Return the process ids of the children of a process, their children, and so on, as far as they can be seen."""
    return list(measuring.descendants(pid) or ())

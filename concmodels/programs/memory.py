"""Measures how much memory a run takes: that of this process and of all its descendants, as Linux shows it in /proc.

On other systems the peaks come from `getrusage`, and there is no PSS.
"""

import contextlib
import os
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True)
class Memory:
    """The memory of several processes together, in bytes; None means unknown on this system."""

    peak_rss: int | None
    pss: int | None


def reset_peak() -> bool:
    """Let the kernel measure the peak of this process anew; return False where it can't, and the old peak stays."""
    try:
        PROC.joinpath("self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def own_peak(fallback: int | None = None) -> int | None:
    """Return the peak resident set of this process in bytes."""
    return kib(PROC / "self/status", "VmHWM") or fallback or None


def own_pss() -> int | None:
    """Return the proportional set of this process in bytes: a page shared by n processes counts as 1/n."""
    return kib(PROC / "self/smaps_rollup", "Pss")


def of_descendants() -> Memory:
    """Return the peaks and the present PSS of all descendants, helpers such as a forkserver included."""
    if not PROC.joinpath("self/status").exists():
        return Memory(None, None)
    peak = pss = 0
    for pid in descendants(os.getpid()):
        peak += kib(PROC / str(pid) / "status", "VmHWM") or 0
        pss += kib(PROC / str(pid) / "smaps_rollup", "Pss") or 0
    return Memory(peak, pss)


def descendants(pid: int) -> list[int]:
    """Return the process ids of the children of a process, their children, and so on."""
    parents = {}
    for entry in filter(str.isdecimal, os.listdir(PROC)):
        with contextlib.suppress(OSError):  # the process has ended meanwhile
            stat = PROC.joinpath(entry, "stat").read_bytes()
            parents[int(entry)] = int(stat.rpartition(b")")[2].split()[1])
    found = [pid]
    for parent in found:  # the list grows meanwhile
        found += [child for child, its in parents.items() if its == parent]
    return found[1:]


def kib(path: Path, label: str) -> int | None:
    """Return the bytes in a line like `VmHWM:   1234 kB`; None if there is no such file or line."""
    with contextlib.suppress(OSError), path.open() as lines:
        for line in lines:
            if line.startswith(f"{label}:"):
                return int(line.split()[1]) * 1024
    return None

"""How much memory a run takes: this process and everything that descends from it, as Linux counts it in /proc.

Elsewhere the peaks come from `getrusage`, and there is no PSS.
"""

import contextlib
import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True)
class Memory:
    """Bytes, over several processes; None: unknown here."""

    peak_rss: int | None
    pss: int | None


def reset_peak() -> bool:
    """Have the kernel forget this process's peak. False where it can't: then the peak is that of the whole process."""
    try:
        PROC.joinpath("self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def own_peak(fallback: int | None = None) -> int | None:
    """Return the peak resident set of this process in bytes."""
    return _kib(PROC / "self/status", "VmHWM") or fallback or None


def own_pss() -> int | None:
    """Return the proportional set of this process in bytes: a page shared by n processes counts as 1/n."""
    return _kib(PROC / "self/smaps_rollup", "Pss")


def of_descendants() -> Memory:
    """Return the peaks and the present PSS of all descendants, a forkserver and its like included."""
    if not PROC.joinpath("self/status").exists():
        return Memory(None, None)
    peak = pss = 0
    for pid in descendants(os.getpid()):
        peak += _kib(PROC / str(pid) / "status", "VmHWM") or 0
        pss += _kib(PROC / str(pid) / "smaps_rollup", "Pss") or 0
    return Memory(peak, pss)


def descendants(pid: int) -> list[int]:
    """Return the process ids of the children of a process, their children, and so on."""
    children = _children_by_parent()
    found, ahead = [], [pid]
    while ahead:
        born = children[ahead.pop()]
        found += born
        ahead += born
    return found


def _children_by_parent() -> defaultdict[int, list[int]]:
    children: defaultdict[int, list[int]] = defaultdict(list)
    for entry in os.listdir(PROC):
        if entry.isdecimal():
            with contextlib.suppress(OSError):  # it ended meanwhile
                stat = PROC.joinpath(entry, "stat").read_bytes()
                children[int(stat.rpartition(b")")[2].split()[1])].append(int(entry))
    return children


def _kib(path: Path, label: str) -> int | None:
    """Read a line like `VmHWM:   1234 kB`; None where there is no such file or line."""
    with contextlib.suppress(OSError), path.open() as lines:
        for line in lines:
            if line.startswith(f"{label}:"):
                return int(line.split()[1]) * 1024
    return None

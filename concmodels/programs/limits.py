"""Checks, before a run starts, whether this machine can hold what the run makes.

What a run needs is computed from the rounded figures of the catalog. A check that refuses a run must be right, so each
limit is taken at its most generous: what is free now, and the soft limit on descriptors raised as far as possible.
"""

import contextlib
import os
from pathlib import Path

from concmodels.programs.memory import PROC, kib

CGROUPS = Path("/sys/fs/cgroup")
_GIB = 1024**3


class TooLarge(ValueError):
    """This machine can't hold the run; the message says what is short."""


def check(thing: str, *, os_tasks: int, in_one_memory: bool, descriptors: int, memory: int, advice: str) -> None:
    """Raise `TooLarge` if this machine can't hold a run that makes so many threads or processes, or needs so much.

    Raises the soft limit on descriptors if the run needs more than that. `memory` is in bytes. `thing` and `advice` are
    for the messages: what the run makes, and what to do if it needs too much memory.
    """
    if os.name != "posix":
        return
    groups = _cgroups()
    if descriptors:
        _check_descriptors(thing, descriptors)
    if os_tasks:
        _check_tasks(thing, os_tasks + 1, in_one_memory, groups)
    _check_memory(thing, memory, advice, groups)


def _check_descriptors(thing: str, need: int) -> None:
    import resource

    with contextlib.suppress(OSError):
        need += len(os.listdir("/dev/fd"))  # those that are open now
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and need > hard:
        raise TooLarge(f"{thing} needs about {need:,} file descriptors, and the limit is {hard:,} (ulimit -Hn)")
    if soft != resource.RLIM_INFINITY and need > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (need, hard))


def _check_tasks(thing: str, need: int, in_one_memory: bool, groups: list[Path]) -> None:
    """Check the kernel's limits on the number of threads and processes."""
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    maps = _number(PROC / "sys/vm/max_map_count") if in_one_memory else None
    limits = [
        ("ulimit -u", None if soft == resource.RLIM_INFINITY or os.geteuid() == 0 else soft),
        ("kernel.threads-max", _number(PROC / "sys/kernel/threads-max")),
        ("kernel.pid_max", _number(PROC / "sys/kernel/pid_max")),
        ("vm.max_map_count", maps and maps // 2),  # a thread's stack and its guard page are two mappings
        *(("the cgroup's pids.max", _free_in(group, "pids")) for group in groups),
    ]
    for where, limit in limits:
        if limit is not None and need > limit:
            raise TooLarge(f"{thing} needs {need:,} OS tasks, and there can be {limit:,} ({where})")


def _check_memory(thing: str, need: int, advice: str, groups: list[Path]) -> None:
    import resource

    limits = [("MemAvailable", kib(PROC / "meminfo", "MemAvailable"))]
    for group in groups:
        if (free := _free_in(group, "memory")) is not None:
            limits.append(("the cgroup's memory.max", free + _reclaimable(group)))
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most != resource.RLIM_INFINITY and (used := kib(PROC / "self/status", "VmSize")) is not None:
        limits.append(("ulimit -v", most - used))
    for where, free in limits:
        if free is not None and need > free:
            told = f"may need {need / _GIB:,.1f} GiB of memory, and {free / _GIB:,.1f} GiB are free ({where})"
            raise TooLarge(f"{thing} {told}; {advice}")


def _cgroups() -> list[Path]:
    """The control group (version 2) of this process, and the groups that contain it."""
    with contextlib.suppress(OSError):
        for line in (PROC / "self/cgroup").read_text().splitlines():
            if line.startswith("0::"):
                group = CGROUPS / line.removeprefix("0::").lstrip("/")
                return [it for it in (group, *group.parents) if it.is_relative_to(CGROUPS)]
    return []


def _free_in(group: Path, what: str) -> int | None:
    """How much of this a control group may have beside what it has; None if there is no limit."""
    most, now = _number(group / f"{what}.max"), _number(group / f"{what}.current")
    return None if most is None or now is None else most - now


def _reclaimable(group: Path) -> int:
    """How much of the memory of a control group holds files that the kernel can read again."""
    with contextlib.suppress(OSError, KeyError):
        return int(dict(map(str.split, (group / "memory.stat").read_text().splitlines()))["inactive_file"])
    return 0


def _number(path: Path) -> int | None:
    """Return the number in a one-line file; None if there is no such file, or it says `max`."""
    with contextlib.suppress(OSError, ValueError):
        return int(path.read_text())
    return None

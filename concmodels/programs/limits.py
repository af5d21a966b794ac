"""Checks, before a run starts, whether this machine can hold what the run makes.

What a run needs is computed from the rounded figures of the catalog. A check that refuses a run must be right, so each
limit is taken at its most generous: what is free now, and the soft limit on descriptors raised as far as possible.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from concmodels import catalog
from concmodels.programs.plan import AnyPlan

PROC = Path("/proc")
CGROUPS = Path("/sys/fs/cgroup")
_SPARE_DESCRIPTORS = 12  # for starting a program, an event loop, and the connection of a plain loop
_SPARE_SEPARATE = 64  # a run of processes or interpreters keeps 48 free for an orderly end, a cluster uses 30
_GIB = 1024**3


class TooLarge(ValueError):
    """This machine can't hold the run; the message says what is short."""


def check(plan: AnyPlan[Any]) -> None:
    """Raise the soft limit on descriptors if the plan needs it. Raises `TooLarge` if something is short."""
    if os.name == "posix":
        _check_descriptors(plan)
        _check_units(plan)
        _check_memory(plan)


def _check_descriptors(plan: AnyPlan[Any]) -> None:
    import resource

    need = plan.descriptors
    if not need:
        return
    in_one_memory = not plan.facts.descriptors and not catalog.is_distributed(plan.facts)
    need += _open_descriptors() + (_SPARE_DESCRIPTORS if in_one_memory else _SPARE_SEPARATE)
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and need > hard:
        raise TooLarge(f"{plan.thing} needs about {need:,} file descriptors, and the limit is {hard:,} (ulimit -Hn)")
    if soft != resource.RLIM_INFINITY and need > soft:
        resource.setrlimit(resource.RLIMIT_NOFILE, (need, hard))


def _check_units(plan: AnyPlan[Any]) -> None:
    """Check the kernel's limits on the number of threads and processes."""
    if not plan.facts.preemptive:
        return
    for limit, where in _unit_limits(plan):
        if plan.units + 1 > limit:
            raise TooLarge(f"{plan.thing} needs {plan.units + 1:,} OS tasks, and there can be {limit:,} ({where})")


def _unit_limits(plan: AnyPlan[Any]) -> Iterator[tuple[int, str]]:
    import resource

    soft = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    if soft != resource.RLIM_INFINITY and os.geteuid() != 0:
        yield soft, "ulimit -u"
    for name in ("threads-max", "pid_max"):
        if (limit := _number(PROC / "sys/kernel" / name)) is not None:
            yield limit, f"kernel.{name}"
    maps = _number(PROC / "sys/vm/max_map_count")
    if maps is not None and not plan.facts.separate:
        yield maps // 2, "vm.max_map_count"  # a thread's stack and its guard page are two mappings
    for group in _cgroups():
        most, now = _number(group / "pids.max"), _number(group / "pids.current")
        if most is not None and now is not None:
            yield most - now, "the cgroup's pids.max"


def _check_memory(plan: AnyPlan[Any]) -> None:
    for free, where in _free_memory():
        if plan.memory > free:
            raise TooLarge(
                f"{plan.thing}{plan.burden} may need {_gib(plan.memory)} of memory, "
                f"and {_gib(free)} are free ({where}); {plan.way_out}"
            )


def _free_memory() -> Iterator[tuple[int, str]]:
    import resource

    free = _labelled(PROC / "meminfo", "MemAvailable:")
    if free is not None:
        yield free * 1024, "MemAvailable"
    for group in _cgroups():
        most, now = _number(group / "memory.max"), _number(group / "memory.current")
        if most is not None and now is not None:
            yield most - now + (_labelled(group / "memory.stat", "inactive_file") or 0), "the cgroup's memory.max"
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    size = _labelled(PROC / "self/status", "VmSize:")
    if limit != resource.RLIM_INFINITY and size is not None:
        yield limit - size * 1024, "ulimit -v"


def _cgroups() -> Iterator[Path]:
    """The control group (version 2) of this process, and the groups that contain it."""
    with contextlib.suppress(OSError):
        for line in (PROC / "self/cgroup").read_text().splitlines():
            number, _, path = line.partition("::")
            if number == "0":
                group = CGROUPS / path.lstrip("/")
                yield group
                yield from (it for it in group.parents if it.is_relative_to(CGROUPS))


def _open_descriptors() -> int:
    try:
        return len(os.listdir(PROC / "self/fd"))
    except OSError:
        return 16


def _number(path: Path) -> int | None:
    """Return the number in a one-line file; None if there is no such file, or it says `max`."""
    with contextlib.suppress(OSError, ValueError):
        return int(path.read_text())
    return None


def _labelled(path: Path, label: str) -> int | None:
    with contextlib.suppress(OSError, ValueError):
        for line in path.read_text().splitlines():
            if line.split()[:1] == [label]:
                return int(line.split()[1])
    return None


def _gib(size: int) -> str:
    return f"{size / _GIB:,.1f} GiB"

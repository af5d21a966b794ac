"""The processor time and memory of a server so far, with all its processes, and those of the rest of the machine."""

import os
import resource

from concmodels.platform import measuring

_TICKS = os.sysconf("SC_CLK_TCK")


def tree(pid: int) -> list[int]:
    """Return the numbers of a process and of all that descend from it."""
    return [pid, *(measuring.descendants(pid) or ())]


def pss(pid: int) -> int:
    """Return the bytes of memory of a server: a page that several processes share counts once."""
    return sum(measuring.pss(it) or 0 for it in tree(pid))


def counted(pid: int) -> dict[str, int]:
    """Return how many processes and threads a server consists of now, and their memory."""
    found = [stat for it in tree(pid) if (stat := _stat(it))]
    threads = sum(int(stat[17]) for stat in found)
    return {"processes": len(found), "threads": threads, "peak_pss_bytes": pss(pid)}


def kernel_bytes() -> int:
    """Return how many bytes the kernel has for stacks, for its own objects (sockets, for instance) and page tables."""
    with open("/proc/meminfo") as lines:
        found = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    return sum(found[name] for name in ("KernelStack", "SUnreclaim", "PageTables")) * 1024


def of_tree(pid: int) -> float:
    """Return the seconds of a process, of its descendants, and of those of them that have ended."""
    return sum(sum(map(int, stat[11:15])) for it in tree(pid) if (stat := _stat(it))) / _TICKS


def _stat(pid: int) -> list[str] | None:
    """Return the fields that the kernel tells of a process from its state on; None if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", errors="replace") as file:
            return file.read().rpartition(") ")[2].split()
    except OSError:
        return None


def ours() -> float:
    """Return the seconds of this process, and of what it has waited for."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(used.ru_utime + used.ru_stime for used in both)


def machine() -> tuple[float, float]:
    """Return how many seconds the processors were busy, and how many others had them (a host's other machines)."""
    with open("/proc/stat") as lines:
        user, nice, system, _, _, irq, softirq, stolen = map(int, lines.readline().split()[1:9])
    return (user + nice + system + irq + softirq) / _TICKS, stolen / _TICKS

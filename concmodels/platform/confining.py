"""The limits that a process sets for itself and for all that it starts, and the network, which it leaves.

A system that has none of a thing goes without it.
"""

import contextlib
import os

__all__ = ["confine", "leave_network"]

MIB = 2**20


def confine(cpu_s: int, memory_mib: int, file_mib: int | None, processes: int, *, shares: bool) -> None:
    """Set these limits. With `shares`, the memory is only that of a process's own, without what it shares."""
    try:
        import resource
    except ImportError:  # Windows has none
        return
    limits = {
        "RLIMIT_CPU": cpu_s,
        "RLIMIT_DATA" if shares else "RLIMIT_AS": memory_mib * MIB,
        "RLIMIT_NPROC": processes,
        "RLIMIT_CORE": 0,
    }
    if file_mib is not None:
        limits["RLIMIT_FSIZE"] = file_mib * MIB
    for name, most in limits.items():
        which = getattr(resource, name, None)
        if which is None:
            continue
        _, hard = resource.getrlimit(which)
        most, last = (most, most + 1) if hard == resource.RLIM_INFINITY else (min(most, hard), min(most + 1, hard))
        with contextlib.suppress(OSError, ValueError):  # macOS refuses some
            resource.setrlimit(which, (most, last))  # at the first, a signal that says why; at the last, the end


def leave_network() -> None:
    """Leave the network, if this system lets us."""
    if not hasattr(os, "unshare"):
        return
    user, group = os.geteuid(), os.getegid()
    with contextlib.suppress(OSError):
        if user == 0:
            os.unshare(os.CLONE_NEWNET)
            return
        os.unshare(os.CLONE_NEWUSER | os.CLONE_NEWNET)
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
                file.write(text)

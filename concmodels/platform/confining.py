"""The limits that a process sets for itself and for all that it starts, and what it leaves: network, processes, files.

A system that has none of a thing goes without it.
"""

import contextlib
import os
import struct

__all__ = [
    "confine", "drop_rights", "leave_network", "leave_processes_and_network", "look_at_own_processes", "write_only_in",
]  # fmt: skip

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
    with contextlib.suppress(OSError, AttributeError):
        _unshare(os.CLONE_NEWNET)


def leave_processes_and_network() -> bool:
    """Leave the network, and have the next child be the first process of a world of its own; return whether we could.

    That child calls `look_at_own_processes`. When it ends, the system ends all processes of its world, and none of them
    can see, or send a signal to, a process outside of it, nor end that child.
    """
    try:
        _unshare(os.CLONE_NEWNET | os.CLONE_NEWPID | os.CLONE_NEWNS)
    except OSError, AttributeError:  # only Linux has namespaces, and not every one lets its users make some
        return False
    return True


def _unshare(kinds: int) -> None:
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        os.unshare(kinds)
        return
    os.unshare(os.CLONE_NEWUSER | kinds)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000


def look_at_own_processes() -> bool:
    """Have /proc show the processes of this process's world, and those alone; return whether the system lets us."""
    import ctypes

    mount = ctypes.CDLL(None).mount
    nothing = ctypes.c_char_p(None)
    if mount(b"none", b"/", nothing, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), nothing) != 0:
        return False
    return bool(mount(b"proc", b"/proc", b"proc", ctypes.c_ulong(0), nothing) == 0)


_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _RDONLY = 442, -100, 0x8000, 1  # the first is the same on all processors
_SHARED_MEMORY = b"/dev/shm"
_SHARED_MIB = 64


def write_only_in(folder: str) -> None:
    """Make all files read-only but those in this folder, and go there, if the system lets us.

    Semaphores and shared memory with names, which are files too, have a new place of so many MiB. Linux has had what
    this needs since 5.12. Who still has the right to mount can undo it: see `drop_rights`.
    """
    import ctypes

    libc = ctypes.CDLL(None)
    inside, nothing = os.fsencode(folder), ctypes.c_char_p(None)

    def change(path: bytes, flags: int, *, read_only: bool) -> int:
        what = struct.pack("4Q", *((_RDONLY, 0) if read_only else (0, _RDONLY)), 0, 0)  # to set, to clear
        where = ctypes.c_long(_MOUNT_SETATTR), ctypes.c_long(_AT_FDCWD), path, ctypes.c_long(flags)
        return int(libc.syscall(*where, what, ctypes.c_long(len(what))))

    if libc.mount(inside, inside, nothing, ctypes.c_ulong(_MS_BIND), nothing) != 0:
        return
    libc.mount(b"none", _SHARED_MEMORY, b"tmpfs", ctypes.c_ulong(0), b"size=%dm" % _SHARED_MIB)
    if change(b"/", _AT_RECURSIVE, read_only=True) == 0:
        for path in (inside, _SHARED_MEMORY):
            change(path, 0, read_only=False)
    os.chdir(folder)  # what the current one was lies below it


_NO_NEW_RIGHTS = 38
_CAPABILITIES_VERSION = 0x20080522


def drop_rights() -> None:
    """Give up root's rights, in all that this process starts too, and with them that to undo what is above."""
    import ctypes

    libc = ctypes.CDLL(None)
    libc.prctl(_NO_NEW_RIGHTS, 1, 0, 0, 0)  # else a program that root starts has them again
    libc.capset(struct.pack("Ii", _CAPABILITIES_VERSION, 0), bytes(24))
